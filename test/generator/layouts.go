package generator

import (
	"fmt"
	"math/rand/v2"

	"docledger/domain/money"
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
	page := &p.d.Pages[len(p.d.Pages)-1]
	page.Texts = append(page.Texts, Text{X: x, Y: y, Size: size, Right: alignRight, Text: text})
}

func (p *printer) text(x, y float64, text string)  { p.put(x, y, 10, false, text) }
func (p *printer) flush(x, y float64, text string) { p.put(x, y, 10, true, text) }

func (p *printer) word(key string) string { return p.l.words[key] }

// meta prints labels with their values; joined puts both into one text.
func (p *printer) meta(x, valueX, y float64, joined bool) float64 {
	rows := [][2]string{
		{p.word("number"), p.t.Number}, {p.word("date"), p.l.dates(p.t.IssueDate)}, {p.word("due"), p.l.dates(p.t.DueDate)},
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

// letterhead has the seller at the top, the buyer under a label, the numbers at
// the right.
func letterhead(p *printer) {
	p.d.Layout = "letterhead"
	p.page()
	p.address(left, 60, p.t.Seller, true)
	p.put(right, 64, 20, true, p.word("title"))
	p.text(left, 160, p.word("to")+":")
	p.address(left, 176, p.t.Buyer, false)
	p.meta(340, 450, 160, p.r.IntN(2) == 0)
	p.y = 270
	p.body()
	p.foot()
}

// window has the sender's line over the address in the window of an envelope,
// and the seller's particulars at the foot.
func window(p *printer) {
	p.d.Layout = "window"
	p.page()
	p.put(right, 50, 16, true, p.t.Seller.Name)
	p.put(left, 120, 7, false, p.t.Seller.Name+" · "+p.t.Seller.Street+" · "+p.t.Seller.Town)
	p.address(left, 136, p.t.Buyer, false)
	p.put(left, 220, 18, false, p.word("title"))
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

// sideBySide has both parties beside each other under labels.
func sideBySide(p *printer) {
	p.d.Layout = "sideBySide"
	p.page()
	p.put(left, 60, 18, false, p.word("title"))
	y := p.meta(left, 180, 90, p.r.IntN(2) == 0) + 15
	p.text(left, y, p.word("from")+":")
	p.text(320, y, p.word("to")+":")
	p.address(left, y+16, p.t.Seller, true)
	p.address(320, y+16, p.t.Buyer, true)
	p.y = y + 100
	p.body()
	p.foot()
}

// grid has numbers and dates in a small table: labels above, values below.
func grid(p *printer) {
	p.d.Layout = "grid"
	p.page()
	p.put(left, 60, 18, false, p.t.Seller.Name)
	p.text(left, 76, p.t.Seller.Street+", "+p.t.Seller.Town)
	p.text(left, 90, p.word("taxid")+": "+p.t.Seller.TaxID)
	p.put(right, 64, 18, true, p.word("title"))
	p.text(left, 130, p.word("to")+":")
	p.address(left, 145, p.t.Buyer, false)
	for i, row := range [][2]string{{p.word("number"), p.t.Number}, {p.word("date"), p.l.dates(p.t.IssueDate)}, {p.word("due"), p.l.dates(p.t.DueDate)}} {
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

var columns = []struct {
	key   string
	x     float64
	right bool
}{{"description", left, false}, {"quantity", 300, true}, {"price", 385, true}, {"rate", 440, true}, {"amount", right, true}}

// body prints lines and totals, over as many pages as they take.
func (p *printer) body() {
	p.head()
	for _, line := range p.t.Lines {
		if p.y > bottom-40 {
			p.page()
			p.y = 60
			p.head()
		}
		cells := []string{line.Description, fmt.Sprint(line.Quantity), p.l.amount(line.Price), fmt.Sprintf("%d%%", line.Rate), p.l.amount(line.Amount)}
		for i, c := range columns {
			p.put(c.x, p.y, 10, c.right, cells[i])
		}
		p.y += 16
	}
	p.totals()
}

func (p *printer) head() {
	for _, c := range columns {
		p.put(c.x, p.y, 10, c.right, p.word(c.key))
	}
	p.y += 18
}

// totals prints the sums, as two columns or as one text each.
func (p *printer) totals() {
	if p.y > bottom-120 {
		p.page()
		p.y = 60
	}
	p.y += 10
	joined := p.r.IntN(3) == 0
	row := func(label string, v money.Decimal) {
		if joined {
			p.flush(right, p.y, label+": "+p.l.money(v))
		} else {
			p.text(360, p.y, label)
			p.flush(right, p.y, p.l.money(v))
		}
		p.y += 16
	}
	row(p.word("net"), p.t.Net)
	for _, tax := range p.t.Rates {
		row(fmt.Sprintf("%s %d%%", p.word("tax"), tax.Rate), tax.Amount)
	}
	row(p.word("gross"), p.t.Gross)
	if p.t.Prepaid != nil {
		row(p.word("paid"), *p.t.Prepaid)
		row(p.word("pay"), p.t.Due)
	}
}
