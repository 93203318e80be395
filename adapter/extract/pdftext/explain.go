package pdftext

import (
	"fmt"
	"strings"

	"docledger/adapter/extract/layout"
)

// Explain returns the analysis of pages for developers of the rules: each line with
// its segments, labels and amounts.
func Explain(pages []layout.Page) string {
	s := parseDocument(pages)
	s.readAmounts()
	s.chooseTable()
	var b strings.Builder
	for _, l := range s.lines {
		fmt.Fprintf(&b, "p%d y%.0f", l.page, l.y0)
		for _, seg := range l.segments {
			mark := ""
			if seg.used {
				mark = "*"
			}
			fmt.Fprintf(&b, " | %s%.0f-%.0f %s", mark, seg.x0, seg.x1, seg.text)
			for _, m := range seg.labels {
				fmt.Fprintf(&b, " {%s}", m.Role)
			}
			for _, a := range seg.amounts {
				fmt.Fprintf(&b, " <%s>", a.value)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
