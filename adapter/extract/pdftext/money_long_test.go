package pdftext

import (
	"strings"
	"testing"
)

// The text of a segment is read for a limited number of its labels.
func TestLabelsOfOneSegmentAreLimited(t *testing.T) {
	t.Parallel()
	const words, most = 500, 50_000 // without a limit there are seven times as many
	s := parseDocument(texts(strings.Repeat("Total EUR ", words)))
	cues, _, _ := s.currencyCues()
	if len(cues) == 0 || len(cues) > most {
		t.Errorf("%d cues, want at most %d", len(cues), most)
	}
}
