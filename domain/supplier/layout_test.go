package supplier_test

import (
	"testing"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/supplier"
)

func amount(text string) *money.Decimal {
	d := money.MustParse(text)
	return &d
}

func at(confidence, x0, y0 float64, text string, alternatives ...string) invoice.Evidence {
	return invoice.Evidence{
		Source: invoice.FromText, Confidence: confidence, Page: 1, Box: &[4]float64{x0, y0, x0 + 0.1, y0 + 0.02}, SourceText: text, Alternatives: alternatives,
	}
}

// printed is an invoice with uncertain values. Its totals are down further down than those of an
// invoice with fewer lines.
func printed(number string, down float64) *invoice.Invoice {
	return &invoice.Invoice{
		Content: invoice.Content{
			Number: number, IssueDate: calendar.Date{Year: 2026, Month: 3, Day: 4}, Currency: "USD",
			Seller: invoice.Party{Name: "Maple Tools"}, Buyer: invoice.Party{Name: "Granite Inc"},
			NetTotal: amount("100.00"), TaxTotal: amount("20.00"), GrossTotal: amount("120.00"),
		},
		Fields: map[string]invoice.Evidence{
			"invoice_number": at(0.7, 0.6, 0.2, "No. "+number),
			"issue_date":     at(0.7, 0.6, 0.23, "04.03.2026"),
			"currency":       {Source: invoice.FromText, Confidence: 0.4, Alternatives: []string{"CAD"}},
			"seller.name":    at(0.7, 0.1, 0.05, "Maple Tools"),
			"buyer.name":     at(0.7, 0.1, 0.2, "Granite Inc", "Jane Doe"),
			"net_total":      at(0.7, 0.8, 0.5+down, "Net 100.00"),
			"tax_total":      at(0.7, 0.8, 0.53+down, "Tax 20.00"),
			"gross_total":    at(0.7, 0.8, 0.56+down, "Total 120.00"),
		},
	}
}

func TestValuesAtConfirmedPlacesAreRaised(t *testing.T) {
	t.Parallel()
	inv := printed("A-2", 0.1)
	supplier.Learn(inv, []invoice.Invoice{*printed("A-1", 0)}, supplier.Printed{})
	for path, ev := range inv.Fields {
		if ev.Confidence < 0.95 || ev.Source != invoice.FromSupplier {
			t.Errorf("%s has the confidence %v from %s", path, ev.Confidence, ev.Source)
		}
	}
}

func TestValuesThatAreContradictedAreNotRaised(t *testing.T) {
	t.Parallel()
	change := func(path string, by func(*invoice.Evidence)) func(*invoice.Invoice) {
		return func(inv *invoice.Invoice) {
			ev := inv.Fields[path]
			by(&ev)
			inv.Fields[path] = ev
		}
	}
	cases := map[string]struct {
		path     string
		now, old func(*invoice.Invoice)
	}{
		"totals that do not add up": {path: "gross_total", now: func(inv *invoice.Invoice) { inv.GrossTotal = amount("121.00") }},
		"another column":            {path: "net_total", now: change("net_total", func(e *invoice.Evidence) { e.Box = &[4]float64{0.3, 0.5, 0.4, 0.52} })},
		"another line":              {path: "invoice_number", now: change("invoice_number", func(e *invoice.Evidence) { e.Box = &[4]float64{0.6, 0.8, 0.7, 0.82} })},
		"another label":             {path: "invoice_number", now: change("invoice_number", func(e *invoice.Evidence) { e.SourceText = "Order A-2" })},
		"another page":              {path: "seller.name", now: change("seller.name", func(e *invoice.Evidence) { e.Page = 2 })},
		"an ambiguous date":         {path: "issue_date", now: change("issue_date", func(e *invoice.Evidence) { e.Alternatives = []string{"2026-04-03"} })},
		"a date with two readings":  {path: "issue_date", now: change("issue_date", func(e *invoice.Evidence) { e.Confidence = 0.4 })},
		"a scan":                    {path: "seller.name", now: change("seller.name", func(e *invoice.Evidence) { e.Source = invoice.FromOCR })},
		"a correction":              {path: "seller.name", old: change("seller.name", func(e *invoice.Evidence) { e.Source = invoice.ByHuman })},
		"another buyer": {path: "buyer.name", old: func(inv *invoice.Invoice) {
			change("buyer.name", func(e *invoice.Evidence) { e.Source = invoice.ByHuman })(inv)
			inv.Buyer.Name = "Quartz Ltd"
		}},
		"another currency": {path: "currency", old: func(inv *invoice.Invoice) { inv.Currency = "EUR" }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inv, old := printed("A-2", 0), printed("A-1", 0)
			if c.now != nil {
				c.now(inv)
			}
			if c.old != nil {
				c.old(old)
			}
			before := inv.Fields[c.path]
			supplier.Learn(inv, []invoice.Invoice{*old}, supplier.Printed{})
			if after := inv.Fields[c.path]; after.Confidence != before.Confidence || after.Source != before.Source {
				t.Errorf("%s was raised to %v from %s", c.path, after.Confidence, after.Source)
			}
		})
	}
}

func TestTheBuyerAndTheCurrencyOfApprovedInvoicesAreChosen(t *testing.T) {
	t.Parallel()
	inv, old := printed("A-2", 0), printed("A-1", 0)
	old.Currency, old.Buyer.Name = "CAD", "Jane Doe"
	old.Fields["buyer.name"] = invoice.Evidence{Source: invoice.ByHuman, Confidence: 1}
	supplier.Learn(inv, []invoice.Invoice{*old}, supplier.Printed{})
	if inv.Currency != "CAD" || inv.Buyer.Name != "Jane Doe" {
		t.Errorf("currency %s, buyer %s", inv.Currency, inv.Buyer.Name)
	}
}

func TestNothingIsLearnedWithoutApprovedInvoices(t *testing.T) {
	t.Parallel()
	inv := printed("A-2", 0)
	supplier.Learn(inv, nil, supplier.Printed{})
	if ev := inv.Fields["currency"]; ev.Confidence != 0.4 {
		t.Errorf("the currency has the confidence %v", ev.Confidence)
	}
}
