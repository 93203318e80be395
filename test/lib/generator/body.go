package generator

import (
	"fmt"

	"docledger/domain/money"
)

// cell is a column of the table of lines.
type cell struct {
	key   string
	x     float64
	right bool
	text  func(i int, l *Line) string
}

// columns are the printed columns.
func (p *printer) columns() []cell {
	x := left
	var out []cell
	if p.t.Twists.Positions {
		out = append(out, cell{"position", x, false, func(i int, _ *Line) string { return fmt.Sprint(i + 1) }})
		x += 35
	}
	if p.t.Twists.Codes {
		out = append(out, cell{"code", x, false, func(i int, _ *Line) string { return fmt.Sprintf("A%d-%03d", 10+i, i*37%997) }})
		x += 70
	}
	return append(out,
		cell{"description", x, false, func(_ int, l *Line) string { return l.Description }},
		cell{"quantity", 320, true, func(_ int, l *Line) string { return fmt.Sprint(l.Quantity) }},
		cell{"price", 395, true, func(_ int, l *Line) string { return p.l.amount(l.Price) }},
		cell{"rate", 450, true, func(_ int, l *Line) string { return fmt.Sprintf("%d%%", l.Rate) }},
		cell{"amount", right, true, func(_ int, l *Line) string { return p.l.amount(l.Amount) }},
	)
}

// body prints lines and totals on as many pages as necessary.
func (p *printer) body() {
	columns := p.columns()
	p.head(columns)
	sum := money.Decimal{}
	for i := range p.t.Lines {
		if p.y > bottom-40 {
			p.turn(columns, sum)
		}
		line := &p.t.Lines[i]
		for _, c := range columns {
			if c.key == "rate" && p.t.Twists.NoTax {
				continue
			}
			p.put(c.x, p.y, 10, c.right, c.text(i, line))
			if c.key == "description" && p.t.Twists.Wrapped && i%2 == 0 {
				p.put(c.x, p.y+12, 10, false, p.l.goods[(i+1)%len(p.l.goods)])
			}
		}
		sum = sum.Add(line.Amount)
		p.y += 16
		if p.t.Twists.Wrapped && i%2 == 0 {
			p.y += 12
		}
	}
	p.totals()
	if p.t.Terms != "" {
		p.y += 20
		p.text(left, p.y, p.t.Terms)
	}
	if p.t.Twists.Noise {
		p.noise()
	}
}

// turn continues on another page.
func (p *printer) turn(columns []cell, sum money.Decimal) {
	if p.t.Twists.Carried {
		p.text(left, p.y, p.l.others[2])
		p.flush(right, p.y, p.l.amount(sum))
	}
	p.page()
	p.y = 60
	p.head(columns)
	if p.t.Twists.Carried {
		p.text(left, p.y, p.l.others[2])
		p.flush(right, p.y, p.l.amount(sum))
		p.y += 16
	}
}

func (p *printer) head(columns []cell) {
	for _, c := range columns {
		if c.key == "rate" && p.t.Twists.NoTax {
			continue
		}
		text := p.word(c.key)
		switch c.key {
		case "position":
			text = "#"
		case "code":
			text = p.l.others[3]
		}
		p.put(c.x, p.y, 10, c.right, text)
	}
	p.y += 18
}

// totals prints the totals as two columns or as one text each.
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
	if p.t.Discount != nil {
		row(p.l.others[4], *p.t.Discount)
	}
	if !p.t.Twists.Gross {
		row(p.word("net"), p.t.Net)
		for _, tax := range p.t.Rates {
			if tax.Rate > 0 {
				row(fmt.Sprintf("%s %d%%", p.word("tax"), tax.Rate), tax.Amount)
			}
		}
	}
	row(p.word("gross"), p.t.Gross)
	if p.t.Prepaid != nil {
		row(p.word("paid"), *p.t.Prepaid)
		row(p.word("pay"), p.t.Due)
	}
}

// noise prints sentences with other amounts, dates and numbers.
func (p *printer) noise() {
	p.y += 24
	if p.y > bottom-60 {
		p.page()
		p.y = 60
	}
	for _, s := range []string{
		fmt.Sprintf("%s 7788990, %s %s", p.l.others[1], p.l.others[0], p.l.dates(p.t.IssueDate.AddDays(-40))),
		fmt.Sprintf("* %s > %s", p.l.goods[0], p.l.money(money.FromInt(300))),
		"Tel. +49 30 1234567, 8-17, www.example.com, ISO 9001:2015",
	} {
		p.put(left, p.y, 8, false, s)
		p.y += 12
	}
}
