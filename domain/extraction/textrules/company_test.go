package textrules

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestIsLegalForm(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"Inc.": true, "S.r.l.": true, "(GmbH)": true, "A/S": true, "LTD,": true, "ltd": true, "a.s.": false, "Co": true, "co": false,
		"Company": true, "company": false, "me": false, "ME": true, "Lda.;": true, "": false, ".": false, "Invoice": false,
		"Société": false, "ΑΕ": true, "ЕООД": true, strings.Repeat("x", 100): false,
	} {
		if got := IsLegalForm(word); got != want {
			t.Errorf("IsLegalForm(%q) is %t", word, got)
		}
	}
}

// TestPlainFormsEqualOthers compares the evaluation of words of ASCII with that of words of any
// script: a combining mark, which folding removes, makes a word one of another script.
func TestPlainFormsEqualOthers(t *testing.T) {
	t.Parallel()
	const mark = "\u0301"
	parts := []string{"a", "s", "S", "g", "m", "b", "H", "Co", "co", "Ltd", "limited", "me", "SC", ".", "/", ",", "(", ")", ":", "-"}
	random := rand.New(rand.NewPCG(1, 2))
	forms := 0
	for range 50_000 {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(parts[random.IntN(len(parts))])
		}
		word := b.String()
		plain := IsLegalForm(word)
		if plain {
			forms++
		}
		if other := IsLegalForm(word + mark); other != plain {
			t.Fatalf("%q is a legal form: %t; with a mark: %t", word, plain, other)
		}
	}
	if forms < 1000 {
		t.Errorf("%d of the words are legal forms", forms)
	}
}

// Forms that are ordinary words without their signs count as printed only.
func TestExactLegalForms(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"I/S": true, "IS": false, "e.U.": true, "EU": false, "k.s.": true, "KS": false, "DAC": true, "Aktiebolag": true, "ANS": true, "ans": false,
	} {
		if got := IsLegalForm(word); got != want {
			t.Errorf("IsLegalForm(%q) is %t", word, got)
		}
	}
}
