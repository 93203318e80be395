package pdftext

import (
	"strings"
	"testing"
)

// Leaders between a text and its amount are no part of either.
func TestLeadersAreRemoved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ line, want string }{
		"signs of their own":   {"Total . . . . . . . 12.00", "Total|12.00"},
		"the last one touches": {"Total . . . . . . .12.00", "Total|12.00"},
		"one word":             {"Total ............ 12.00", "Total|12.00"},
		"with the text":        {"Total............ 12.00", "Total|12.00"},
		"with the amount":      {"Total ............12.00", "Total|12.00"},
		"an ellipsis":          {"And so on ...", "And so on ..."},
		"a decimal separator":  {"Total .50", "Total .50"},
		"dots apart":           {"A . B . C . D", "A . B . C . D"},
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
