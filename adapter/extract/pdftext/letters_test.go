package pdftext

import (
	"strings"
	"testing"

	"docledger/test/lib/cputime"
)

// Letters with a space after each of them are words. A wider space separates two words. Columns and
// ordinary short words stay apart.
func TestLettersPrintedApartAreWords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, want string }{
		"a word":          {"D A T U M", "DATUM"},
		"two words":       {"50@I N V O I C E|114@D A T E", "INVOICE DATE"},
		"joined by fonts": {"F AT U R A", "FATURA"},
		"a full stop":     {"F A K T U R A N R.", "FAKTURANR."},
		"Greek":           {"Σ Υ Ν Ο Λ Ο", "ΣΥΝΟΛΟ"},
		"short words":     {"We go to a do", "We go to a do"},
		"columns":         {"50@A|90@B|130@C|170@D", "A|B|C|D"},
		"digits":          {"1 2 3 4 5", "1 2 3 4 5"},
		"few letters":     {"A B C", "A B C"},
	} {
		s := parseDocument(texts(test.line))
		var got []string
		for _, seg := range s.segments {
			got = append(got, seg.text)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The time for a line of short words does not grow with the square of their number.
func TestManyShortWordsInALineTakeLittleTime(t *testing.T) {
	t.Parallel()
	const words = 25_000
	for _, word := range []string{"a ", "ab "} {
		line := texts("Invoice", strings.Repeat(word, words))
		cputime.Within(t, words*len(word), func() { parseDocument(line) })
	}
}
