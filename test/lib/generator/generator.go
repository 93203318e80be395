// Package generator generates invoices with known values in its own layouts, in
// the notations of many countries, with and without errors. They measure the
// text extraction daily.
package generator

import (
	"fmt"
	"math/rand/v2"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/money"
)

// Truth is the data of a document.
type Truth struct {
	Number               string
	IssueDate, DueDate   calendar.Date
	Currency             string
	Seller, Buyer        Party
	IBAN                 string
	Lines                []Line
	Rates                []Tax
	Net, Tax, Gross, Due money.Decimal
	Prepaid              *money.Decimal
	Discount             *money.Decimal // before the net total
	Terms                string         // of payment, printed instead of the due date
	Twists               Twists
}

// Twists make a correct document harder to extract.
type Twists struct {
	Positions  bool // a first column with numbers of lines
	Codes      bool // a column with numbers of articles
	Noise      bool // sentences with other dates, amounts and numbers
	OtherDates bool // additional dates of order and delivery
	Carried    bool // sums carried over to the next page
	NoTax      bool // no tax, and no statement about it
	Gross      bool // only the gross total is printed
	Wrapped    bool // descriptions of two lines
	Unlabelled bool // no label before the buyer's address
	NoDue      bool // no due date
	Many       bool // many lines, on several pages
	Uneven     bool // texts of one line have different baselines
	Credit     bool // a credit note, its amounts negative
}

// Party is a seller or buyer.
type Party struct {
	Name, Street, Town, TaxID string
}

// Line is a line of an invoice.
type Line struct {
	Description   string
	Quantity      int64
	Price, Amount money.Decimal
	Rate          int64
}

// Tax is the tax at one rate.
type Tax struct {
	Rate         int64
	Base, Amount money.Decimal
}

// Document is a generated invoice.
type Document struct {
	Seed   uint64
	Locale *Locale
	Layout string
	Defect Defect
	Truth  Truth
	Pages  []Page
}

// Page is a page of printed texts in points from the top left corner of A4.
type Page struct{ Texts []Text }

// Text is a printed text. X is its left edge, or its right edge if Right is
// set. Y is its base line.
type Text struct {
	X, Y, Size float64
	Right      bool
	Text       string
}

// New generates the document of a seed. The same seed gives the same document.
func New(seed uint64, defect Defect) *Document {
	r := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // repeatable, not secret
	d := &Document{Seed: seed, Defect: defect, Locale: &locales[r.IntN(len(locales))]}
	d.Truth = truth(r, d.Locale)
	d.Truth.giveTerms(rand.New(rand.NewPCG(seed, 11)), d.Locale) //nolint:gosec // repeatable, not secret
	printed := d.Truth
	printed.Lines = append([]Line(nil), d.Truth.Lines...)
	printed.Rates = append([]Tax(nil), d.Truth.Rates...)
	defect.plant(&printed)
	layouts[r.IntN(len(layouts))](&printer{r: r, d: d, t: &printed, l: d.Locale})
	return d
}

var hundred = money.FromInt(100)

func truth(r *rand.Rand, l *Locale) Truth {
	t := Truth{
		Number:   fmt.Sprintf(l.numbers[r.IntN(len(l.numbers))], 1+r.IntN(9000)),
		Currency: l.currency,
	}
	day := time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(2700))
	t.IssueDate = calendar.Of(day)
	t.DueDate = t.IssueDate.AddDays([]int{7, 14, 30, 60}[r.IntN(4)])
	first := r.IntN(len(l.sellers))
	t.Seller = l.sellers[first]
	t.Buyer = l.sellers[(first+1+r.IntN(len(l.sellers)-1))%len(l.sellers)]
	t.IBAN = l.iban
	rates := l.rates[:1+r.IntN(min(2, len(l.rates)))]
	chance := func(n int) bool { return r.IntN(n) == 0 }
	w := &t.Twists
	*w = Twists{
		Positions: chance(3), Codes: chance(4), Noise: chance(2), OtherDates: chance(3), Carried: chance(2), NoTax: chance(12),
		Gross: chance(12), Wrapped: chance(4), Unlabelled: chance(6), NoDue: chance(8), Many: chance(12),
		Uneven: chance(4), Credit: chance(9),
	}
	lines := 1 + r.IntN(l.most())
	if w.Many {
		lines += 60
	}
	if w.NoTax {
		rates = []int64{0}
	}
	if w.NoDue {
		t.DueDate = calendar.Date{}
	}
	for range lines {
		line := Line{
			Description: l.goods[r.IntN(len(l.goods))],
			Quantity:    int64(1 + r.IntN(12)),
			Rate:        rates[r.IntN(len(rates))],
		}
		line.Price = l.price(r)
		line.Amount = line.Price.Mul(money.FromInt(line.Quantity))
		t.Lines = append(t.Lines, line)
	}
	if w.Credit = w.Credit && l.words["credit"] != ""; w.Credit {
		for i := range t.Lines {
			t.Lines[i].Amount = t.Lines[i].Amount.Neg()
			t.Lines[i].Quantity = -t.Lines[i].Quantity
		}
	}
	t.add(l, !w.Credit && chance(8))
	if !w.Credit && r.IntN(5) == 0 {
		paid := t.Gross.Mul(money.FromInt(int64(1 + r.IntN(6)))).Div(money.FromInt(10)).Round(l.decimals)
		t.Prepaid = &paid
		t.Due = t.Gross.Sub(paid)
	}
	return t
}

// add computes the taxes and totals.
func (t *Truth) add(l *Locale, discount bool) {
	for _, rate := range append([]int64{0}, l.rates...) {
		base, any := money.Decimal{}, false
		for _, line := range t.Lines {
			if line.Rate == rate {
				base, any = base.Add(line.Amount), true
			}
		}
		if !any {
			continue
		}
		if discount && t.Discount == nil && base.Cmp(hundred) > 0 {
			off := base.Div(money.FromInt(20)).Round(l.decimals)
			t.Discount, base = &off, base.Sub(off)
		}
		amount := base.Mul(money.FromInt(rate)).Div(hundred).Round(l.decimals)
		t.Rates = append(t.Rates, Tax{rate, base, amount})
		t.Net, t.Tax = t.Net.Add(base), t.Tax.Add(amount)
	}
	t.Gross = t.Net.Add(t.Tax)
	t.Due = t.Gross
}
