package supplier_test

import (
	"testing"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

// cell is a printed text of a page with the label to its left.
func cell(kind extraction.ReadingKind, label string, x0, y0 float64, values ...string) extraction.Reading {
	return extraction.Reading{Kind: kind, Values: values, Page: 1, Box: [4]float64{x0, y0, x0 + 0.1, y0 + 0.02}, Text: values[0], Left: label}
}

// page contains the printed texts of an invoice with two numbers, two dates and totals.
func page(number, order, issued, delivered string, down float64) []extraction.Reading {
	return []extraction.Reading{
		cell(extraction.NumberReading, "order", 0.6, 0.2, order),
		cell(extraction.NumberReading, "document", 0.6, 0.23, number),
		cell(extraction.DateReading, "delivered", 0.6, 0.26, delivered),
		cell(extraction.DateReading, "issued", 0.6, 0.29, issued),
		cell(extraction.NameReading, "", 0.1, 0.05, "Best Prices"),
		cell(extraction.NameReading, "", 0.1, 0.08, "Maple Tools"),
		cell(extraction.AmountReading, "goods", 0.8, 0.5+down, "100.00"),
		cell(extraction.AmountReading, "duty", 0.8, 0.53+down, "20.00"),
		cell(extraction.AmountReading, "sum", 0.8, 0.56+down, "120.00"),
		cell(extraction.AmountReading, "saved", 0.8, 0.59+down, "15.00"),
	}
}

// corrected is an approved invoice with values that a person corrected, and the readings of its
// document.
func corrected(paths ...string) (invoice.Invoice, supplier.Printed) {
	old := printed("A-1", 0)
	old.ID, old.Extraction.Method = uuid.New(), invoice.Text
	for _, path := range paths {
		was := "wrong"
		old.Fields[path] = invoice.Evidence{Source: invoice.ByHuman, Confidence: 1, Original: &was}
	}
	return *old, supplier.Printed{
		Own: page("A-2", "PO-8", "2026-03-04", "2026-02-27", 0.1),
		Of:  map[uuid.UUID][]extraction.Reading{old.ID: page("A-1", "PO-7", "2026-03-04", "2026-02-20", 0)},
	}
}

func TestValuesAtThePlacesOfCorrectedOnesReplaceOthers(t *testing.T) {
	t.Parallel()
	old, texts := corrected("invoice_number", "issue_date", "seller.name", "gross_total", "net_total")
	inv := printed("PO-8", 0.1)
	inv.Seller.Name = "Best Prices"
	inv.NetTotal, inv.GrossTotal = amount("15.00"), amount("100.00")
	if err := invoice.Fields["issue_date"].Set(inv, "2026-02-27"); err != nil {
		t.Fatal(err)
	}
	supplier.Learn(inv, []invoice.Invoice{old}, texts)
	for path, want := range map[string]string{
		"invoice_number": "A-2", "issue_date": "2026-03-04", "seller.name": "Maple Tools", "net_total": "100.00", "tax_total": "20.00", "gross_total": "120.00",
	} {
		if got := invoice.Fields[path].Get(inv); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	ev := inv.Fields["invoice_number"]
	if ev.Source != invoice.FromSupplier || ev.Confidence < 0.9 || ev.Box == nil || len(ev.Alternatives) != 1 || ev.Alternatives[0] != "PO-8" {
		t.Errorf("the evidence of the number is %+v", ev)
	}
}

// TestANumberInTwoPartsIsLearnedInTheFormOfThePerson verifies that the parts of a number are joined as
// the person who corrected the former invoice joined them.
func TestANumberInTwoPartsIsLearnedInTheFormOfThePerson(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"KX 1": "RB 2", "KX-1": "RB-2", "KX/1": "RB/2", "KX1": "RB2"} {
		old, texts := corrected("invoice_number")
		old.Number = typed
		parts := func(series, number string) extraction.Reading {
			return cell(extraction.NumberReading, "chain", 0.6, 0.2, series+" "+number, series+"-"+number, series+"/"+number, series+number)
		}
		texts.Of[old.ID] = []extraction.Reading{cell(extraction.NumberReading, "kx", 0.65, 0.2, "1"), parts("KX", "1")}
		texts.Own = []extraction.Reading{cell(extraction.NumberReading, "rb", 0.65, 0.2, "2"), parts("RB", "2")}
		inv := printed("2", 0.1)
		if supplier.Learn(inv, []invoice.Invoice{old}, texts); inv.Number != want || inv.Fields["invoice_number"].Source != invoice.FromSupplier {
			t.Errorf("after %s the number is %s, %+v", typed, inv.Number, inv.Fields["invoice_number"])
		}
	}
}

func TestPlacesOfCorrectedValuesThatDoNotFitAreIgnored(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*invoice.Invoice, *supplier.Printed){
		"another label":    func(_ *invoice.Invoice, p *supplier.Printed) { p.Own[1].Left, p.Own[1].Box[1] = "customer", 0.7 },
		"another document": func(_ *invoice.Invoice, p *supplier.Printed) { p.Of = nil },
		"no printed texts": func(_ *invoice.Invoice, p *supplier.Printed) { p.Own = nil },
		"a value of a person": func(inv *invoice.Invoice, _ *supplier.Printed) {
			inv.Fields["invoice_number"] = invoice.Evidence{Source: invoice.ByHuman, Confidence: 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, texts := corrected("invoice_number")
			inv := printed("PO-8", 0.1)
			change(inv, &texts)
			if supplier.Learn(inv, []invoice.Invoice{old}, texts); inv.Number != "PO-8" {
				t.Errorf("the number is %s", inv.Number)
			}
		})
	}
}

// TestTextsOfOtherFieldsTeachNothing verifies that a sure value is not replaced by that of another
// field, the text of which has the value that a person set by chance.
func TestTextsOfOtherFieldsTeachNothing(t *testing.T) {
	t.Parallel()
	set := func(inv *invoice.Invoice, path, value string, ev invoice.Evidence) {
		if err := invoice.Fields[path].Set(inv, value); err != nil {
			t.Fatal(err)
		}
		inv.Fields[path] = ev
	}
	read := func(r extraction.Reading) invoice.Evidence {
		return invoice.Evidence{Source: invoice.FromText, Confidence: 0.97, Page: 1, Box: &r.Box, SourceText: r.Text}
	}
	human := func(was string) invoice.Evidence {
		return invoice.Evidence{Source: invoice.ByHuman, Confidence: 1, Original: &was}
	}
	taxID := func(label string, y float64, id string) extraction.Reading {
		return cell(extraction.TaxIDReading, label, 0.1, y, id)
	}
	const seller, next, buyer = "DE136695976", "DE129273398", "ATU13585627"
	for name, c := range map[string]struct {
		path, want string
		of, own    extraction.Reading // the text with the value of another field
		change     func(old, inv *invoice.Invoice, of extraction.Reading)
	}{
		"the due date is the issue date": {
			"due_date", "2026-04-03", cell(extraction.DateReading, "invoice date", 0.6, 0.4, "2026-03-01"), cell(extraction.DateReading, "invoice date", 0.6, 0.4, "2026-03-20"),
			func(old, inv *invoice.Invoice, of extraction.Reading) {
				set(old, "issue_date", "2026-03-01", read(of))
				set(old, "due_date", "2026-03-01", human("2026-03-31"))
				set(inv, "issue_date", "2026-03-20", read(of))
				set(inv, "due_date", "2026-04-03", read(cell(extraction.DateReading, "payable", 0.6, 0.45, "2026-04-03")))
			},
		},
		"the issue date is the due date, which a person also set": {
			"issue_date", "2026-03-20", cell(extraction.DateReading, "payable", 0.6, 0.45, "2026-03-31"), cell(extraction.DateReading, "payable", 0.6, 0.45, "2026-04-03"),
			func(old, inv *invoice.Invoice, _ extraction.Reading) {
				set(old, "issue_date", "2026-03-31", human("2026-03-01"))
				set(old, "due_date", "2026-03-31", human("2026-04-30"))
				set(inv, "issue_date", "2026-03-20", read(cell(extraction.DateReading, "invoice date", 0.6, 0.4, "2026-03-20")))
			},
		},
		"the issue date is the delivery date": {
			"issue_date", "2026-03-20", cell(extraction.DateReading, "delivered", 0.6, 0.45, "2026-03-11"), cell(extraction.DateReading, "delivered", 0.6, 0.45, "2026-03-19"),
			func(old, inv *invoice.Invoice, of extraction.Reading) {
				set(old, "issue_date", "2026-03-11", human("2026-03-12"))
				set(old, "delivery_date", "2026-03-11", read(of))
				set(inv, "issue_date", "2026-03-20", read(cell(extraction.DateReading, "invoice date", 0.6, 0.4, "2026-03-20")))
			},
		},
		"the tax id is that of the buyer": {
			"seller.tax_id", next, taxID("your id", 0.5, seller), taxID("your id", 0.5, buyer),
			func(old, inv *invoice.Invoice, of extraction.Reading) {
				set(old, "seller.tax_id", seller, human("wrong"))
				set(old, "buyer.tax_id", seller, read(of))
				set(inv, "seller.tax_id", next, read(taxID("our id", 0.6, next)))
			},
		},
		"a person added a tax id": {
			"seller.tax_id", next, taxID("agent", 0.5, seller), taxID("agent", 0.5, buyer),
			func(old, inv *invoice.Invoice, _ extraction.Reading) {
				set(old, "seller.tax_id", seller, human(""))
				set(inv, "seller.tax_id", next, read(taxID("our id", 0.6, next)))
			},
		},
		"a person added a due date": {
			"due_date", "2026-04-03", cell(extraction.DateReading, "delivered until", 0.6, 0.45, "2026-03-31"), cell(extraction.DateReading, "delivered until", 0.6, 0.45, "2026-04-21"),
			func(old, inv *invoice.Invoice, _ extraction.Reading) {
				set(old, "due_date", "2026-03-31", human(""))
				set(inv, "due_date", "2026-04-03", read(cell(extraction.DateReading, "payable", 0.6, 0.5, "2026-04-03")))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old, texts := corrected()
			inv := printed("A-2", 0.1)
			c.change(&old, inv, c.of)
			texts.Own, texts.Of[old.ID] = []extraction.Reading{c.own}, []extraction.Reading{c.of}
			supplier.Learn(inv, []invoice.Invoice{old}, texts)
			if got := invoice.Fields[c.path].Get(inv); got != c.want {
				t.Errorf("%s is %s, want %s", c.path, got, c.want)
			}
		})
	}
}

// TestAnAddedValueIsFoundWhereNothingSureWasRead verifies that a value that a person added teaches its
// place for invoices without a sure value.
func TestAnAddedValueIsFoundWhereNothingSureWasRead(t *testing.T) {
	t.Parallel()
	old, texts := corrected()
	nothing := ""
	old.Fields["due_date"] = invoice.Evidence{Source: invoice.ByHuman, Confidence: 1, Original: &nothing}
	if err := invoice.Fields["due_date"].Set(&old, "2026-03-31"); err != nil {
		t.Fatal(err)
	}
	texts.Of[old.ID] = []extraction.Reading{cell(extraction.DateReading, "payable", 0.6, 0.45, "2026-03-31")}
	texts.Own = []extraction.Reading{cell(extraction.DateReading, "payable", 0.6, 0.45, "2026-04-21")}
	inv := printed("A-2", 0.1)
	if supplier.Learn(inv, []invoice.Invoice{old}, texts); invoice.Fields["due_date"].Get(inv) != "2026-04-21" {
		t.Errorf("the due date is %q", invoice.Fields["due_date"].Get(inv))
	}
}

func TestTotalsThatDoNotAddUpAreNotLearned(t *testing.T) {
	t.Parallel()
	old, texts := corrected("gross_total")
	for i := range texts.Own {
		if texts.Own[i].Left == "sum" {
			texts.Own[i].Values = []string{"125.00"}
		}
	}
	inv := printed("A-2", 0.1)
	if supplier.Learn(inv, []invoice.Invoice{old}, texts); inv.GrossTotal.String() != "120.00" || inv.Fields["gross_total"].Source == invoice.FromSupplier {
		t.Errorf("the total is %s, %+v", inv.GrossTotal, inv.Fields["gross_total"])
	}
}

func TestValuesThatAPersonRemovedStayEmpty(t *testing.T) {
	t.Parallel()
	old, texts := corrected()
	was := "2026-02-20"
	old.Fields["due_date"] = invoice.Evidence{Source: invoice.ByHuman, Confidence: 1, Original: &was}
	inv := printed("A-2", 0.1)
	if err := invoice.Fields["due_date"].Set(inv, "2026-02-27"); err != nil {
		t.Fatal(err)
	}
	inv.Fields["due_date"] = invoice.Evidence{Source: invoice.FromText, Confidence: 0.9, Page: 1, Box: &texts.Own[2].Box, SourceText: "27.02.2026"}
	supplier.Learn(inv, []invoice.Invoice{old}, texts)
	if got := invoice.Fields["due_date"].Get(inv); got != "" || inv.Fields["due_date"].Source != invoice.FromSupplier {
		t.Errorf("the due date is %q, %+v", got, inv.Fields["due_date"])
	}
}

func TestStudyReadsDocumentsOnlyForWhatIsUnknown(t *testing.T) {
	t.Parallel()
	sure := printed("A-2", 0)
	for path, ev := range sure.Fields {
		ev.Confidence = 0.97
		sure.Fields[path] = ev
	}
	approved := *printed("A-1", 0)
	approved.Extraction.Method = invoice.Text
	if own, examples := supplier.Study(sure, []invoice.Invoice{approved}); own || len(examples) > 0 {
		t.Error("the documents of certain values are read again")
	}
	old, _ := corrected("invoice_number", "issue_date")
	if own, examples := supplier.Study(sure, []invoice.Invoice{old}); !own || len(examples) != 1 {
		t.Errorf("the place of a corrected value is not read: %v, %d", own, len(examples))
	}
}
