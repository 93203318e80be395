// Package readable renders the data of electronic invoices for people, as HTML
// and as PDF. It states what the data states and adds nothing.
//
// The data is hostile. Texts and lists are bounded, every text is escaped, and
// child processes run this package under limits.
package readable

import (
	"fmt"
	"strings"
	"unicode"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// Limits of a rendering. What is left out is stated.
const (
	maxText     = 2_000 // runes of one text
	maxLines    = 2_000 // lines of one invoice
	maxInvoices = 50
	maxRows     = 200 // of other tables
)

// Document is the input of a rendering.
type Document struct {
	Format   string
	Invoices []invoice.Content
}

// notice marks a rendering.
const notice = "This is a rendering of an electronic invoice (%s). The electronic invoice is the original."

// view is a document as both forms show it.
type view struct {
	Title    string
	Notice   string
	Invoices []sheet
	More     string // about invoices that are left out
}

// sheet is one invoice.
type sheet struct {
	Title   string
	Parties []block
	Facts   []pair
	Lines   table
	Extras  table // allowances and charges
	Taxes   table
	Totals  []pair
	Payment []pair
	Note    string
}

type pair struct{ Label, Value string }

type block struct {
	Label string
	Lines []string
}

// table is a table whose columns from Right on are aligned to the right.
type table struct {
	Head  []string
	Wide  []float64 // the shares of the columns
	Right int
	Rows  [][]string
	More  string // about rows that are left out
}

func viewOf(d Document) view {
	v := view{Title: "Electronic invoice", Notice: fmt.Sprintf(notice, clean(d.Format))}
	for i := range d.Invoices[:min(len(d.Invoices), maxInvoices)] {
		v.Invoices = append(v.Invoices, sheetOf(&d.Invoices[i]))
	}
	if len(v.Invoices) > 0 {
		v.Title = v.Invoices[0].Title
	}
	if more := len(d.Invoices) - maxInvoices; more > 0 {
		v.More = fmt.Sprintf("%d more invoices are in the electronic invoice.", more)
	}
	return v
}

var titles = map[invoice.Type]string{invoice.TypeInvoice: "Invoice", invoice.TypeCreditNote: "Credit note", invoice.TypeCorrection: "Correction"}

func sheetOf(c *invoice.Content) sheet {
	title := titles[c.Type]
	if title == "" {
		title = "Invoice"
	}
	s := sheet{Title: strings.TrimSpace(title + " " + clean(c.Number)), Note: clean(c.Note)}
	s.Parties = []block{partyOf("Seller", &c.Seller), partyOf("Buyer", &c.Buyer)}
	s.Facts = pairs(
		"Number", c.Number, "Issue date", day(c.IssueDate), "Due date", day(c.DueDate), "Delivery date", day(c.DeliveryDate),
		"Billing period", period(c.BillingPeriod), "Purchase order", c.PurchaseOrder, "Currency", c.Currency, "Type code", c.TypeCode,
	)
	for _, p := range c.PrecedingInvoices[:min(len(c.PrecedingInvoices), maxRows)] {
		s.Facts = append(s.Facts, pairs("Preceding invoice", strings.TrimSpace(p.Number+" "+day(p.IssueDate)))...)
	}
	s.Lines = linesOf(c)
	s.Extras = table{Head: []string{"Allowance or charge", "Base", "Percent", "Amount"}, Wide: []float64{5, 2, 1, 2}, Right: 1}
	for _, a := range c.AllowancesCharges[:min(len(c.AllowancesCharges), maxRows)] {
		kind := "Allowance"
		if a.IsCharge {
			kind = "Charge"
		}
		reason := a.Reason
		if reason == "" {
			reason = a.ReasonCode
		}
		if reason != "" {
			kind += ": " + clean(reason)
		}
		s.Extras.Rows = append(s.Extras.Rows, []string{kind, number(a.Base), number(a.Percentage), number(a.Amount)})
	}
	s.Taxes = table{Head: []string{"Tax category", "Rate %", "Base", "Tax"}, Wide: []float64{4, 2, 2, 2}, Right: 1}
	for _, t := range c.Taxes[:min(len(c.Taxes), maxRows)] {
		s.Taxes.Rows = append(s.Taxes.Rows, []string{clean(t.Category), number(t.Rate), number(t.Base), number(t.Amount)})
	}
	in := func(d *money.Decimal) string {
		if d == nil {
			return ""
		}
		return strings.TrimSpace(d.String() + " " + c.Currency)
	}
	s.Totals = pairs(
		"Sum of lines", in(c.LineTotal), "Allowances", in(c.AllowanceTotal), "Charges", in(c.ChargeTotal), "Net total", in(c.NetTotal),
		"Tax total", in(c.TaxTotal), "Tax total in "+c.TaxCurrency, number(c.TaxTotalInTaxCurrency), "Gross total", in(c.GrossTotal),
		"Prepaid", in(c.PrepaidTotal), "Rounding", in(c.PayableRounding), "Withheld", in(c.WithheldTotal), "Amount due", in(c.AmountDue),
	)
	s.Payment = pairs("IBAN", c.Payment.IBAN, "BIC", c.Payment.BIC, "Reference", c.Payment.Reference, "Terms", c.Payment.Terms)
	return s
}

func linesOf(c *invoice.Content) table {
	t := table{
		Head: []string{"#", "Description", "Quantity", "Unit", "Unit price", "Tax %", "Net amount"},
		Wide: []float64{0.7, 5, 1.4, 1, 1.7, 1, 1.8}, Right: 2,
	}
	for i := range c.Lines[:min(len(c.Lines), maxLines)] {
		l := &c.Lines[i]
		price := number(l.UnitPrice)
		if l.PriceBase != nil && price != "" && l.PriceBase.String() != "1" {
			price += " / " + l.PriceBase.String()
		}
		t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), clean(l.Description), number(l.Quantity), clean(l.Unit), price, number(l.TaxRate), number(l.NetAmount)})
	}
	if more := len(c.Lines) - maxLines; more > 0 {
		t.More = fmt.Sprintf("%d more lines are in the electronic invoice.", more)
	}
	return t
}

func partyOf(label string, p *invoice.Party) block {
	b := block{Label: label}
	add := func(prefix, text string) {
		if text = clean(text); text != "" {
			b.Lines = append(b.Lines, prefix+text)
		}
	}
	add("", p.Name)
	add("", p.TradingName)
	add("", p.Address.Line1)
	add("", p.Address.Line2)
	add("", p.Address.Line3)
	add("", strings.TrimSpace(p.Address.PostalCode+" "+p.Address.City))
	add("", p.Address.Region)
	add("", p.Address.Country)
	add("Tax ID: ", p.TaxID)
	add("Registration: ", p.RegistrationID)
	add("E-mail: ", p.Email)
	add("Telephone: ", p.Phone)
	add("IBAN: ", p.IBAN)
	add("BIC: ", p.BIC)
	return b
}

// pairs returns labels with their values, except empty ones.
func pairs(of ...string) (out []pair) {
	for i := 0; i+1 < len(of); i += 2 {
		if value := clean(of[i+1]); value != "" {
			out = append(out, pair{clean(of[i]), value})
		}
	}
	return out
}

func number(d *money.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

func day(d calendar.Date) string {
	if d.IsZero() {
		return ""
	}
	return d.String()
}

func period(p invoice.Period) string {
	switch start, end := day(p.Start), day(p.End); {
	case start == "" && end == "":
		return ""
	default:
		return strings.TrimSpace(start + " – " + end)
	}
}

// clean limits a text and removes unprintable and reordering characters.
func clean(s string) string {
	var out strings.Builder
	n := 0
	for _, r := range s {
		switch {
		case n == maxText:
			return out.String() + "…"
		case r == '\n', r == '\t':
			r = ' '
		case !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r):
			continue
		}
		out.WriteRune(r)
		n++
	}
	return strings.TrimSpace(out.String())
}
