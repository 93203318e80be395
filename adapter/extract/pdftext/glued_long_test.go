package pdftext

import (
	"strings"
	"testing"
)

// The search for labels in one word takes time that grows with the square of its length.
func TestNoLabelIsSearchedInVeryLongWords(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"N.", "合計:", "番号", "a:", "Nr.a", "n.1:"} {
		text := strings.Repeat(part, 4000) + "1"
		if parts := split(word{text: text}); len(parts) != 1 || numberLabelEnd(text) != 0 {
			t.Errorf("%s: a word of %d bytes has %d parts", part, len(text), len(parts))
		}
	}
}
