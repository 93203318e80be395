package pdftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Amounts returns a page with n labelled amounts at random positions. Each amount may
// be any of the totals. The same seed returns the same page.
func Amounts(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // not for secrets
	var text strings.Builder
	text.WriteString("BT /F1 6 Tf\n")
	for i := range n {
		fmt.Fprintf(&text, "1 0 0 1 %d %d Tm (Invoice total %d.%02d EUR 19 %% VAT net gross IBAN) Tj\n", 1+r.IntN(500), 1+r.IntN(780), i, i%100)
	}
	text.WriteString("ET")
	b := New()
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	tree := b.Reserve()
	stream := b.Stream("/Filter /FlateDecode", Deflate([]byte(text.String())))
	page := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R >>", tree, font, stream)
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}
