package readable

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
)

// Sizes in millimetres on A4.
const (
	margin     = 15
	width      = 210 - 2*margin
	lineHeight = 4.6
	family     = "Go"
	// maxCell is the number of text lines of one cell of a table.
	maxCell = 30
)

// PDF renders a document as a PDF with embedded fonts. The same document always
// gives the same bytes. A character that the fonts lack is shown as a box.
func PDF(d Document) ([]byte, error) {
	w := &writer{Fpdf: fpdf.New("P", "mm", "A4", "")}
	if err := w.begin(); err != nil {
		return nil, err
	}
	v := viewOf(d)
	w.SetTitle(w.text(v.Title), true)
	for i := range v.Invoices {
		w.AddPage()
		w.SetFont(family, "", 8)
		w.SetTextColor(90, 100, 117)
		w.MultiCell(width, 3.8, w.text(v.Notice), "1", "L", false)
		w.SetTextColor(28, 35, 48)
		w.sheet(&v.Invoices[i])
	}
	if v.More != "" {
		w.paragraph(v.More)
	}
	var out bytes.Buffer
	if err := w.Output(&out); err != nil {
		return nil, fmt.Errorf("render PDF: %w", err)
	}
	return out.Bytes(), nil
}

// writer writes onto pages.
type writer struct {
	*fpdf.Fpdf
	font   *sfnt.Font
	buffer sfnt.Buffer
}

func (w *writer) begin() (err error) {
	if w.font, err = sfnt.Parse(goregular.TTF); err != nil {
		return fmt.Errorf("read font: %w", err)
	}
	w.AddUTF8FontFromBytes(family, "", goregular.TTF)
	w.AddUTF8FontFromBytes(family, "B", gobold.TTF)
	w.SetCatalogSort(true)
	moment := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // the same bytes on every day
	w.SetCreationDate(moment)
	w.SetModificationDate(moment)
	w.SetProducer("docledger", true)
	w.SetMargins(margin, margin, margin)
	w.SetAutoPageBreak(true, margin)
	w.AliasNbPages("")
	w.SetFooterFunc(func() {
		w.SetY(-11)
		w.SetFont(family, "", 8)
		w.CellFormat(width, 5, fmt.Sprintf("%d / {nb}", w.PageNo()), "", 0, "R", false, 0, "")
	})
	return w.Error()
}

// text replaces characters that the font lacks.
func (w *writer) text(s string) string {
	const box = '□'
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\u00a0' {
			return ' '
		}
		if r > 0xffff {
			return box
		}
		if i, err := w.font.GlyphIndex(&w.buffer, r); err != nil || i == 0 {
			return box
		}
		return r
	}, s)
}

func (w *writer) sheet(s *sheet) {
	w.Ln(4)
	w.SetFont(family, "B", 15)
	w.MultiCell(width, 7, w.text(s.Title), "", "L", false)
	w.Ln(2)
	w.parties(s.Parties)
	w.pairs(s.Facts)
	for _, t := range []table{s.Lines, s.Extras, s.Taxes} {
		w.table(t)
	}
	w.totals(s.Totals)
	w.pairs(s.Payment)
	if s.Note != "" {
		w.paragraph(s.Note)
	}
}

func (w *writer) paragraph(s string) {
	w.SetFont(family, "", 9)
	w.MultiCell(width, lineHeight, w.text(s), "", "L", false)
	w.Ln(2)
}

// parties writes the blocks next to each other.
func (w *writer) parties(blocks []block) {
	top, bottom := w.GetY(), w.GetY()
	share := float64(width) / float64(max(1, len(blocks)))
	for i, b := range blocks {
		x := margin + float64(i)*share
		w.SetXY(x, top)
		w.SetFont(family, "B", 9)
		w.MultiCell(share-4, lineHeight, w.text(b.Label), "", "L", false)
		w.SetFont(family, "", 9)
		var lines []string
		for _, l := range b.Lines {
			lines = append(lines, w.SplitText(w.text(l), share-5)...)
		}
		for _, l := range lines[:min(len(lines), maxCell)] {
			w.SetX(x)
			w.CellFormat(share-4, lineHeight, l, "", 2, "L", false, 0, "")
		}
		bottom = max(bottom, w.GetY())
	}
	w.SetXY(margin, bottom+3)
}

func (w *writer) pairs(list []pair) {
	for _, p := range list {
		w.row([]float64{40, width - 40}, []string{p.Label, p.Value}, []string{"L", "L"}, "")
	}
	if len(list) > 0 {
		w.Ln(3)
	}
}

func (w *writer) totals(list []pair) {
	for i, p := range list {
		weight := ""
		if i == len(list)-1 {
			weight = "B"
		}
		w.row([]float64{width - 95, 50, 45}, []string{"", p.Label, p.Value}, []string{"L", "L", "R"}, weight)
	}
	if len(list) > 0 {
		w.Ln(3)
	}
}

func (w *writer) table(t table) {
	if len(t.Rows) == 0 {
		return
	}
	sum := 0.0
	for _, share := range t.Wide {
		sum += share
	}
	widths, aligns := make([]float64, len(t.Wide)), make([]string, len(t.Wide))
	for i, share := range t.Wide {
		widths[i], aligns[i] = width*share/sum, "L"
		if t.right(i) {
			aligns[i] = "R"
		}
	}
	w.row(widths, t.Head, aligns, "B")
	for _, r := range t.Rows {
		w.row(widths, r, aligns, "")
	}
	if t.More != "" {
		w.paragraph(t.More)
	}
	w.Ln(3)
}

// row writes cells of the same height, on one page.
func (w *writer) row(widths []float64, cells, aligns []string, weight string) {
	w.SetFont(family, weight, 9)
	split := make([][]string, len(cells))
	height := 1
	for i, c := range cells {
		if c != "" {
			split[i] = w.SplitText(w.text(c), widths[i]-2)
		}
		split[i] = split[i][:min(len(split[i]), maxCell)]
		height = max(height, len(split[i]))
	}
	_, pageHeight := w.GetPageSize()
	if w.GetY()+float64(height)*lineHeight > pageHeight-margin {
		w.AddPage()
		w.SetFont(family, weight, 9)
	}
	x, y := float64(margin), w.GetY()
	for i, lines := range split {
		for k, l := range lines {
			w.SetXY(x, y+float64(k)*lineHeight)
			w.CellFormat(widths[i], lineHeight, l, "", 0, aligns[i], false, 0, "")
		}
		x += widths[i]
	}
	bottom := y + float64(height)*lineHeight
	w.SetDrawColor(223, 228, 236)
	w.Line(margin, bottom, margin+width, bottom)
	w.SetXY(margin, bottom)
}
