package generator

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// printer prints a document.
type printer struct {
	r *rand.Rand
	d *Document
	t *Truth
	l *Locale
	y float64
}

const (
	left, right = 50.0, 545.0
	bottom      = 790.0
)

var layouts = []func(*printer){letterhead, window, sideBySide, grid}

func (p *printer) page() { p.d.Pages = append(p.d.Pages, Page{}) }

func (p *printer) put(x, y, size float64, alignRight bool, text string) {
	if text == "" {
		return
	}
	if p.t.Twists.Uneven {
		y += p.r.Float64()*1.6 - 0.8
	}
	page := &p.d.Pages[len(p.d.Pages)-1]
	page.Texts = append(page.Texts, Text{X: x, Y: y, Size: size, Right: alignRight, Text: text})
}

func (p *printer) text(x, y float64, text string)  { p.put(x, y, 10, false, text) }
func (p *printer) flush(x, y float64, text string) { p.put(x, y, 10, true, text) }

// word returns one word of the locale for a label. A document uses the same
// word everywhere.
func (p *printer) word(key string) string {
	choices := strings.Split(p.l.words[key], "~")
	return choices[p.d.Seed/7%uint64(len(choices))]
}

func (p *printer) title() string {
	if p.t.Twists.Credit {
		return p.word("credit")
	}
	return p.word("title")
}

// meta prints labels with their values. joined prints both as one text.
func (p *printer) meta(x, valueX, y float64, joined bool) float64 {
	rows := [][2]string{
		{p.word("number"), p.t.Number}, {p.word("date"), p.l.dates(p.t.IssueDate)},
	}
	if p.t.Twists.OtherDates {
		rows = append(rows, [2]string{p.l.others[0], p.l.dates(p.t.IssueDate.AddDays(-9))}, [2]string{p.l.others[1], fmt.Sprintf("B-%04d", p.r.IntN(9999))})
	}
	if !p.t.DueDate.IsZero() && p.t.Terms == "" {
		rows = append(rows, [2]string{p.word("due"), p.l.dates(p.t.DueDate)})
	}
	if p.r.IntN(2) == 0 {
		rows = append(rows, [2]string{p.word("customer"), fmt.Sprintf("%05d", 10000+p.r.IntN(80000))})
	}
	for _, row := range rows {
		if joined {
			p.text(x, y, row[0]+": "+row[1])
		} else {
			p.text(x, y, row[0])
			p.text(valueX, y, row[1])
		}
		y += 15
	}
	return y
}

func (p *printer) address(x, y float64, a Party, tax bool) float64 {
	for _, s := range []string{a.Name, a.Street, a.Town} {
		p.text(x, y, s)
		y += 13
	}
	if tax {
		p.text(x, y, p.word("taxid")+": "+a.TaxID)
		y += 13
	}
	return y
}

// letterhead prints the seller at the top, the buyer under a label, and the
// numbers on the right.
func letterhead(p *printer) {
	p.d.Layout = "letterhead"
	p.page()
	p.address(left, 60, p.t.Seller, true)
	p.put(right, 64, 20, true, p.title())
	if !p.t.Twists.Unlabelled {
		p.text(left, 160, p.word("to")+":")
	}
	p.address(left, 176, p.t.Buyer, false)
	p.meta(340, 450, 160, p.r.IntN(2) == 0)
	p.y = 270
	p.body()
	p.foot()
}

// window prints the sender's line above the address in an envelope window, and the
// details of the seller at the bottom.
func window(p *printer) {
	p.d.Layout = "window"
	p.page()
	p.put(right, 50, 16, true, p.t.Seller.Name)
	p.put(left, 120, 7, false, p.t.Seller.Name+" · "+p.t.Seller.Street+" · "+p.t.Seller.Town)
	p.address(left, 136, p.t.Buyer, false)
	p.put(left, 220, 18, false, p.title())
	p.meta(340, 450, 200, p.r.IntN(2) == 0)
	p.y = 290
	p.body()
	p.put(left, 808, 8, false, p.t.Seller.Name)
	p.put(left, 818, 8, false, p.t.Seller.Street+", "+p.t.Seller.Town)
	p.put(250, 808, 8, false, p.word("taxid")+" "+p.t.Seller.TaxID)
	if p.t.IBAN != "" {
		p.put(400, 808, 8, false, "IBAN "+p.t.IBAN)
	}
}

// sideBySide prints both parties next to each other under labels.
func sideBySide(p *printer) {
	p.d.Layout = "sideBySide"
	p.page()
	p.put(left, 60, 18, false, p.title())
	y := p.meta(left, 180, 90, p.r.IntN(2) == 0) + 15
	p.text(left, y, p.word("from")+":")
	p.text(320, y, p.word("to")+":")
	p.address(left, y+16, p.t.Seller, true)
	p.address(320, y+16, p.t.Buyer, true)
	p.y = y + 100
	p.body()
	p.foot()
}

// grid prints numbers and dates in a small table with labels above the values.
func grid(p *printer) {
	p.d.Layout = "grid"
	p.page()
	p.put(left, 60, 18, false, p.t.Seller.Name)
	p.text(left, 76, p.t.Seller.Street+", "+p.t.Seller.Town)
	p.text(left, 90, p.word("taxid")+": "+p.t.Seller.TaxID)
	p.put(right, 64, 18, true, p.title())
	p.text(left, 130, p.word("to")+":")
	p.address(left, 145, p.t.Buyer, false)
	rows := [][2]string{{p.word("number"), p.t.Number}, {p.word("date"), p.l.dates(p.t.IssueDate)}}
	if !p.t.DueDate.IsZero() && p.t.Terms == "" {
		rows = append(rows, [2]string{p.word("due"), p.l.dates(p.t.DueDate)})
	}
	for i, row := range rows {
		x := left + float64(i)*160
		p.text(x, 215, row[0])
		p.text(x, 231, row[1])
	}
	p.y = 270
	p.body()
	p.foot()
}

func (p *printer) foot() {
	if p.t.IBAN != "" {
		p.put(left, 815, 8, false, "IBAN: "+p.t.IBAN)
	}
}
