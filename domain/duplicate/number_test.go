package duplicate

import "testing"

// TestInvisibleCharactersOfNumbers compares numbers that look the same.
func TestInvisibleCharactersOfNumbers(t *testing.T) {
	t.Parallel()
	const number = "RE-2026-0417"
	for _, other := range []string{
		"RE-2026-0417\u3164", "RE-2026-04\u316417", "\u115FRE-2026-0417", "RE-2026-0417\uFFA0", "RE-2026-0\u034F417", "RE-2026-04\u200B17",
		"RE-2026-0417\u2800", "RE-2026-04\U000E004117", "RE-2026-04\u202E17", "RE-2026-04\uFE0F17",
	} {
		if !sameNumbers(number, other) || numberKey(number) != numberKey(other) || FoldNumber(number) != FoldNumber(other) {
			t.Errorf("%+q is another number than %q", other, number)
		}
	}
	for _, pair := range [][2]string{{"2026\u00AD1\u00AD007", "2026-1-7"}, {"RE-2026-04\u00AD17", number}, {"RE\u20110007", "RE-7"}} {
		if !sameNumbers(pair[0], pair[1]) || numberKey(pair[0]) != numberKey(pair[1]) {
			t.Errorf("%+q is another number than %+q", pair[0], pair[1])
		}
	}
	if nearNumbers(Record{Number: "1\u00AD2026"}, Record{Number: "2\u00AD2026"}) {
		t.Error("two numbers of one series are near")
	}
	if FoldNumber("\u3164\u200B") != "" {
		t.Error("characters that show nothing are a number")
	}
	if sameNumbers("청구서-1", "계산서-1") {
		t.Error("letters of Hangul are not compared")
	}
}

// TestInvisibleCharactersOfNames compares names that look the same.
func TestInvisibleCharactersOfNames(t *testing.T) {
	t.Parallel()
	const name = "Acme"
	for _, other := range []string{"Acme\u3164", "Ac\u115Fme", "A\u034Fcme", "Acme\uFE0F", "Acme\u200B", "Ac\u00ADme", "ACME\U000E0101"} {
		if nameKey(name) != nameKey(other) {
			t.Errorf("%+q is another name than %q", other, name)
		}
	}
	if nameKey("\u3164\u1160") != "" {
		t.Error("characters that show nothing are a name")
	}
	if nameKey("क्ष") == nameKey("कष") || nameKey("가나") == nameKey("가다") {
		t.Error("marks and letters of Hangul are not compared")
	}
}
