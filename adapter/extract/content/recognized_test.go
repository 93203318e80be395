package content

import (
	"slices"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/adapter/extract/pdftext"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// printed returns a word as recognition returns it.
func printed(text string, x, y, confidence float64, alternatives ...string) layout.Word {
	box := layout.Box{x, y, x + 0.011*float64(len(text)), y + 0.009}
	return layout.Word{Text: text, Box: box, Recognized: &layout.Recognized{Confidence: confidence, Shown: box, Alternatives: alternatives}}
}

// scan returns a page of an invoice with the given number and amounts.
func scan(number, net, gross layout.Word) []layout.Page {
	words := []layout.Word{
		printed("Northwind", 0.1, 0.05, 0.99), printed("GmbH", 0.22, 0.05, 0.99), printed("Invoice", 0.1, 0.1, 0.99),
		printed("Invoice", 0.55, 0.15, 0.99), printed("number:", 0.64, 0.15, 0.99), number,
		printed("Invoice", 0.55, 0.17, 0.99), printed("date:", 0.64, 0.17, 0.99), printed("2026-03-14", 0.75, 0.17, 0.99),
		printed("Net", 0.55, 0.5, 0.99), printed("total", 0.60, 0.5, 0.99), net,
		printed("VAT", 0.55, 0.52, 0.99), printed("19", 0.60, 0.52, 0.99), printed("%", 0.63, 0.52, 0.99), printed("19.00", 0.8, 0.52, 0.99),
		printed("Total", 0.55, 0.54, 0.99), printed("EUR", 0.62, 0.54, 0.99), gross,
	}
	return []layout.Page{{Number: 1, Width: 595, Height: 842, Words: words, Scanned: true}}
}

func draftOf(t *testing.T, pages []layout.Page) *extraction.Draft {
	t.Helper()
	result, err := Pages(pages, pdftext.Options{}, false)
	if err != nil {
		t.Fatal(err)
	}
	return &result.Drafts[0]
}

func number(text string, confidence float64, alternatives ...string) layout.Word {
	return printed(text, 0.75, 0.15, confidence, alternatives...)
}

func TestCertainValuesKeepTheirConfidence(t *testing.T) {
	t.Parallel()
	d := draftOf(t, scan(number("RE-471", 0.99), printed("100.00", 0.8, 0.5, 0.99), printed("119.00", 0.8, 0.54, 0.99)))
	for _, path := range []string{"invoice_number", "gross_total"} {
		if e := d.Fields[path]; e.Source != invoice.FromOCR || e.Confidence < 0.8 || len(e.Alternatives) > 0 {
			t.Errorf("%s: %+v", path, e)
		}
	}
}

func TestUncertainNumberListsAlternatives(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		word  layout.Word
		other string
	}{
		"unsure":               {number("RE-471", 0.6, "RE-477"), "RE-477"},
		"letter among figures": {number("RE-4O1", 0.99), "RE-401"},
	} {
		d := draftOf(t, scan(c.word, printed("100.00", 0.8, 0.5, 0.99), printed("119.00", 0.8, 0.54, 0.99)))
		if e := d.Fields["invoice_number"]; d.Content.Number != c.word.Text || e.Confidence >= 0.8 || !slices.Contains(e.Alternatives, c.other) {
			t.Errorf("%s: %q with %+v", name, d.Content.Number, e)
		}
	}
}

func TestArithmeticResolvesLettersInAmounts(t *testing.T) {
	t.Parallel()
	d := draftOf(t, scan(number("RE-471", 0.99), printed("1O0.00", 0.8, 0.5, 0.7), printed("119.OO", 0.8, 0.54, 0.7)))
	c := d.Content
	if c.NetTotal == nil || c.NetTotal.String() != "100.00" || c.GrossTotal == nil || c.GrossTotal.String() != "119.00" {
		t.Errorf("net %v, gross %v", c.NetTotal, c.GrossTotal)
	}
}

func TestAmountIsReplacedIfOneAlternativeFits(t *testing.T) {
	t.Parallel()
	d := draftOf(t, scan(number("RE-471", 0.99), printed("700.00", 0.8, 0.5, 0.5, "100.00"), printed("119.00", 0.8, 0.54, 0.99)))
	if net := d.Content.NetTotal; net == nil || net.String() != "100.00" {
		t.Errorf("net %v", net)
	}
}

func TestChecksumCorrectsAccountNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"DE89370400440532013000": "DE89370400440532013000",
		"DE8937O400440532013000": "DE89370400440532013000",
		"DE89370400440532013001": "DE89370400440532013001", // no similar character makes it valid
	} {
		words := []layout.Word{printed("IBAN", 0.1, 0.8, 0.99), printed(text, 0.2, 0.8, 0.95)}
		settleIBANs(words)
		if words[1].Text != want {
			t.Errorf("%s became %s, want %s", text, words[1].Text, want)
		}
	}
}

func TestUncertainWordBecomesLabel(t *testing.T) {
	t.Parallel()
	w := printed("lnvoice", 0.1, 0.1, 0.6, "Invoice")
	settleWord(&w)
	if w.Text != "Invoice" {
		t.Errorf("the word is %q", w.Text)
	}
}
