package textrules

import (
	"testing"
	"unicode"
)

// TestLowestCharactersOfScripts compares the limits of scripts with the tables of characters.
func TestLowestCharactersOfScripts(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		ideograph := unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
		if s := string(r); IsIdeographic(s) != ideograph && []rune(s)[0] == r {
			t.Fatalf("IsIdeographic(%U) is %t", r, !ideograph)
		}
		right := unicode.In(r, unicode.Arabic, unicode.Hebrew) && unicode.IsLetter(r)
		if s := string(r); IsRightToLeft(s) != right && []rune(s)[0] == r {
			t.Fatalf("IsRightToLeft(%U) is %t", r, !right)
		}
	}
}
