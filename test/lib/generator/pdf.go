package generator

import (
	"fmt"
	"strings"

	"docledger/adapter/extract/pdf/pdftest"

	"golang.org/x/text/encoding/charmap"
)

// PDF encodes the document as a PDF with a standard font. ok is false if the
// font lacks its letters (WinAnsiEncoding).
func (d *Document) PDF() (data []byte, ok bool) {
	b, ok := d.build()
	if !ok {
		return nil, false
	}
	return b.Table(), true
}

// Hybrid is PDF with an embedded file.
func (d *Document) Hybrid(name string, file []byte) (data []byte, ok bool) {
	return d.HybridOf([]string{name}, [][]byte{file})
}

// HybridOf returns the document as a PDF with embedded files.
func (d *Document) HybridOf(names []string, files [][]byte) (data []byte, ok bool) {
	b, ok := d.build()
	if !ok {
		return nil, false
	}
	var specs []int
	for i, name := range names {
		specs = append(specs, b.Embed(name, "Alternative", files[i]))
	}
	b.Names(specs...)
	return b.Table(), true
}

func (d *Document) build() (*pdftest.Builder, bool) {
	b := pdftest.New()
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	tree := b.Reserve()
	var kids strings.Builder
	for _, p := range d.Pages {
		content, ok := p.content()
		if !ok {
			return nil, false
		}
		stream := b.Stream("/Filter /FlateDecode", pdftest.Deflate(content))
		page := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %g %g] /Resources << /Font << /F1 %d 0 R >> >> /Contents %d 0 R >>",
			tree, width, height, font, stream)
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(d.Pages)))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b, true
}

var literal = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`)

// content is the content stream of a page.
func (p *Page) content() ([]byte, bool) {
	var out []byte
	for _, t := range p.Texts {
		encoded, err := charmap.Windows1252.NewEncoder().String(t.Text)
		if err != nil {
			return nil, false
		}
		x := t.X
		if t.Right {
			x -= breadth(t.Text, t.Size)
		}
		out = fmt.Appendf(out, "BT /F1 %g Tf %.2f %.2f Td (%s) Tj ET\n", t.Size, x, height-t.Y, literal.Replace(encoded))
	}
	return out, true
}
