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
	if FoldNumber("\u3164\u200B") != "" {
		t.Error("characters that show nothing are a number")
	}
	if sameNumbers("청구서-1", "계산서-1") {
		t.Error("letters of Hangul are not compared")
	}
}
