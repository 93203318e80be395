package readable

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the style
	"encoding/base64"
	"fmt"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

//go:embed page.css
var style string

// Policy is the Content-Security-Policy of the HTML: only its own style applies.
var Policy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'", styleHash())

func styleHash() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// HTML renders a document as a page without scripts, links, images or forms.
func HTML(d Document) ([]byte, error) {
	v := viewOf(d)
	page := h.Doctype(h.HTML(
		h.Lang("en"),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(g.Attr("http-equiv", "Content-Security-Policy"), h.Content(Policy)),
			h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
			h.Meta(h.Name("robots"), h.Content("noindex")),
			h.TitleEl(g.Text(v.Title)),
			h.StyleEl(g.Raw(style)), // our own file
		),
		h.Body(
			h.P(h.Class("notice"), g.Text(v.Notice)),
			g.Map(v.Invoices, sheet.html),
			paragraph(v.More),
		),
	))
	var out bytes.Buffer
	if err := page.Render(&out); err != nil {
		return nil, fmt.Errorf("render HTML: %w", err)
	}
	return out.Bytes(), nil
}

func (s sheet) html() g.Node {
	return g.Group{
		h.H1(g.Text(s.Title)),
		h.Div(h.Class("columns"), g.Map(s.Parties, block.html)),
		pairTable(s.Facts, "pairs", ""),
		s.Lines.html(),
		s.Extras.html(),
		s.Taxes.html(),
		pairTable(s.Totals, "pairs totals", "right"),
		pairTable(s.Payment, "pairs", ""),
		g.If(s.Note != "", g.Group{h.H2(g.Text("Note")), paragraph(s.Note)}),
	}
}

func (b block) html() g.Node {
	return h.Div(h.H2(g.Text(b.Label)), g.Map(b.Lines, func(line string) g.Node { return h.P(g.Text(line)) }))
}

// pairTable renders labels with their values. Values have the given class.
func pairTable(list []pair, class, values string) g.Node {
	if len(list) == 0 {
		return nil
	}
	return h.Table(h.Class(class), g.Map(list, func(p pair) g.Node {
		return h.Tr(h.Th(g.Text(p.Label)), h.Td(g.If(values != "", h.Class(values)), g.Text(p.Value)))
	}))
}

// paragraph renders a text, and nothing for an empty one.
func paragraph(text string) g.Node {
	return g.If(text != "", h.P(g.Text(text)))
}

func (t table) html() g.Node {
	if len(t.Rows) == 0 {
		return nil
	}
	cells := func(texts []string, element func(...g.Node) g.Node) g.Node {
		row := make(g.Group, len(texts))
		for i, text := range texts {
			row[i] = element(g.If(t.right(i), h.Class("right")), g.Text(text))
		}
		return h.Tr(row)
	}
	return g.Group{
		h.Table(cells(t.Head, h.Th), g.Map(t.Rows, func(row []string) g.Node { return cells(row, h.Td) })),
		paragraph(t.More),
	}
}

// right says whether a column is aligned to the right.
func (t table) right(column int) bool {
	return column >= t.Right && column != t.unitColumn()
}

// unitColumn is the column of units, which is text between numbers.
func (t table) unitColumn() int {
	for i, h := range t.Head {
		if strings.EqualFold(h, "unit") {
			return i
		}
	}
	return -1
}
