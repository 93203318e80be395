package store

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestFolded(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                     "",
		"  A\t b\u00a0\nC ":    "a b c",
		"ÄÖÜäöüß":              "aouaouss",
		"Œuvre Æther Łódź Ørn": "oeuvre aether lodz orn",
		"e\u0301É":             "ee",
		"ＦＵＬＬ ½":               "full 1⁄2",
		"İstanbul ıspanak":     "istanbul ispanak",
		"ΑΒΓ":                  "αβγ",
		"a\x00\xff":            "a\ufffd\ufffd",
	} {
		if got := folded(in); got != want {
			t.Errorf("folded(%q) = %q, want %q", in, got, want)
		}
		if got := folded(folded(in)); got != want {
			t.Errorf("folding %q again gives %q", in, got)
		}
	}
}

func TestAmountsOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]int64{
		"12":            {120000},
		"12.5":          {125000},
		"-12.50":        {-125000},
		"1.234,50":      {12345000},
		"1,234.50":      {12345000},
		"1 234,50":      {12345000},
		"1'234.50":      {12345000},
		"1.234":         {12340, 12340000},
		"1,234,567":     {12345670000},
		"RE-12":         nil,
		"12 EUR":        nil,
		"":              nil,
		".":             nil,
		"1.2.3,4,5":     nil,
		"0.00005":       {1}, // rounded like the column
		"9999999999999": {99999999999990000},
	} {
		if got := amountsOf(in); !slices.Equal(got, want) {
			t.Errorf("amountsOf(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestWithoutNUL(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "a", "\x00", "a\x00b\x00", `\u0000`, `\\u0000`, "\\\x00", "\"\\\x00ä"} {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal(withoutNUL(text), &got); err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if want := clean(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestLikePattern(t *testing.T) {
	t.Parallel()
	if got, want := likePattern(`5%_\x`), `%5\%\_\\x%`; got != want {
		t.Errorf("pattern %s, want %s", got, want)
	}
}
