package pdftext

import (
	"strings"
	"testing"

	"docledger/adapter/extract/layout"
	"docledger/domain/invoice"
	"docledger/domain/money"
)

// typeOf returns the type of a document and its evidence.
func typeOf(pages []layout.Page) (invoice.Type, invoice.Evidence) {
	d := &draft{content: invoice.Content{Type: invoice.TypeInvoice}, fields: map[string]invoice.Evidence{}}
	s := parseDocument(pages)
	s.readAmounts()
	s.readType(d)
	return d.content.Type, d.fields["document_type"]
}

// enlarged returns a document in which the words of a title are in large type.
func enlarged(title string, lines ...string) []layout.Page {
	pages := texts(lines...)
	for i := range pages[0].Words {
		if w := &pages[0].Words[i]; strings.Contains(title, w.Text) {
			w.Box[1] -= 5.0 / 842
		}
	}
	return pages
}

// The type of an invoice is uncertain if a title or a statement contradicts it.
func TestTitlesOfCorrectionsContestTheType(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		sure bool
	}{
		"an invoice":                   {"Invoice", true},
		"a term of credit":             {"Invoice|Credit terms: 30 days after delivery of all goods", true},
		"a credit note below":          {"Invoice|Factuur|Creditfactuur", false},
		"a credited invoice":           {"Factuur|Deze factuur crediteert factuur 4471.", false},
		"a cancelled invoice":          {"Rechnung|Hiermit stornieren wir unsere Rechnung Nr. 4471.", false},
		"the number of the original":   {"Invoice|Original invoice: 4471", false},
		"a fee for cancellation":       {"Invoice|Cancellation must be made in writing.", true},
		"another credit note":          {"Credit note no. 4471 has been set off against it.|Invoice", true},
		"a short sentence of a credit": {"Creditnota 4471 is verrekend.|Factuur", true},
	} {
		kind, e := typeOf(texts(append([]string{"Maple Tools Ltd"}, append(strings.Split(test.text, "|"), "12 Oak Street")...)...))
		if kind != invoice.TypeInvoice || e.Confidence >= probable != test.sure {
			t.Errorf("%s: %s %.2f", name, kind, e.Confidence)
		}
	}
	for title, sure := range map[string]bool{"Invoice cancellation": false, "Maple Credit Ltd": true, "Myriade Press": true, "Delivery note": false} {
		if _, e := typeOf(enlarged(title, "Maple Tools Ltd", title, "Invoice no.: 17", "Leeds LS1 4AB")); e.Confidence >= probable != sure {
			t.Errorf("%s in large type: %.2f", title, e.Confidence)
		}
	}
}

// The title of a credit note, its number, or a title with a word for a correction makes a document a
// credit note. One that only contains such a word is uncertain.
func TestTitlesOfCreditNotes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		sure bool
	}{
		"a title":                    {"Credit note", true},
		"a label of the number":      {"Credit note no.", true},
		"a label between others":     {"Date: 2 May 2026 Credit memo no.: 17 Our reference of the order: 4500", true},
		"a sign of a number":         {"N. nota credito", true},
		"an unknown compound":        {"Retourengutschrift", false},
		"a word in Chinese":          {"退款单", false},
		"self-billing below a title": {"Gutschrift|Diese Gutschrift wurde im Gutschriftsverfahren erstellt", false},
	} {
		kind, e := typeOf(texts(append([]string{"Maple Tools Ltd"}, append(strings.Split(test.text, "|"), "12 Oak Street")...)...))
		if kind != invoice.TypeCreditNote || e.Confidence >= probable != test.sure {
			t.Errorf("%s: %s %.2f", name, kind, e.Confidence)
		}
	}
	if kind, e := typeOf(enlarged("FAKTURA", "Maple Tools Ltd", "Kreditnota", "FAKTURA", "12 Oak Street")); kind != invoice.TypeCreditNote || e.Confidence >= probable {
		t.Errorf("a larger title of an invoice: %s %.2f", kind, e.Confidence)
	}
	if kind, _ := typeOf(texts("Maple Tools Ltd", "Autofattura", "Nota di credito")); kind != invoice.TypeInvoice {
		t.Errorf("self-billing: %s", kind)
	}
}

// A word for a credit in a row, below the lines or with other words is no title.
func TestRowsOfCreditsAreNoTitles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		kind invoice.Type
	}{
		"a row of an amount":  {"Gutschrift Altgerät@@450@-12,00", invoice.TypeInvoice},
		"a card":              {"Credit card: VISA 1234", invoice.TypeInvoice},
		"a term of a hotel":   {"Storno bis 18 Uhr kostenlos", invoice.TypeInvoice},
		"a weak title":        {"Storno Nr. 17", invoice.TypeCreditNote},
		"a title with a date": {"Gutschrift vom 2. Mai 2026", invoice.TypeCreditNote},
	} {
		if kind, _ := typeOf(texts("Maple Tools Ltd", "Room 17", strings.ReplaceAll(test.text, "@@", "|"), "12 Oak Street")); kind != test.kind {
			t.Errorf("%s: %s", name, kind)
		}
	}
}

// A document without a word for an invoice can be of another kind: its type is uncertain.
func TestDocumentsThatNameNoInvoice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pages []layout.Page
		named bool
	}{
		"no word":                               {texts("Maple Tools Ltd", "Date: 2 May 2026", "12 Oak Street"), false},
		"a number":                              {texts("Maple Tools Ltd", "Invoice no.: 17", "12 Oak Street"), true},
		"letters apart":                         {enlarged("F A C T U R E", "Maple Tools Ltd", "F A C T U R E", "12 Oak Street", "Leeds LS1 4AB", "hello@maple.example"), true},
		"an order confirmation with an invoice": {enlarged("Albarán", "Maple Tools Ltd", "Albarán", "Factura no: 17", "12 Oak Street"), false},
	} {
		if _, e := typeOf(test.pages); e.Confidence >= probable != test.named {
			t.Errorf("%s: %.2f", name, e.Confidence)
		}
	}
}

// An unknown title in large type and negative totals make the type of an invoice uncertain. With a
// statement of a correction, negative totals are those of a credit note.
func TestSettledTypes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pages []layout.Page
		gross string
		kind  invoice.Type
		sure  bool
	}{
		"an invoice":                {texts("Maple Tools Ltd", "Invoice", "12 Oak Street"), "120", invoice.TypeInvoice, true},
		"negative":                  {texts("Maple Tools Ltd", "Invoice", "12 Oak Street"), "-120", invoice.TypeInvoice, false},
		"negative with a statement": {texts("Maple Tools Ltd", "Invoice", "Original invoice: 4471"), "-120", invoice.TypeCreditNote, false},
		"an unknown title":          {enlarged("Vrubopis", "Maple Tools Ltd", "Vrubopis", "Invoice no.: 17"), "120", invoice.TypeInvoice, false},
		"a title with an invoice":   {enlarged("Ausgangsrechnung", "Maple Tools Ltd", "Ausgangsrechnung", "Invoice no.: 17"), "120", invoice.TypeInvoice, true},
		"the seller's name":         {enlarged("Granite", "Maple Tools Ltd", "Granite", "Invoice no.: 17"), "120", invoice.TypeInvoice, true},
		"a logo at the top":         {enlarged("Vrubopis", "Vrubopis", "Maple Tools Ltd", "Invoice no.: 17"), "120", invoice.TypeInvoice, true},
	} {
		gross, err := money.Parse(test.gross)
		if err != nil {
			t.Fatal(err)
		}
		d := &draft{content: invoice.Content{Type: invoice.TypeInvoice, GrossTotal: &gross}, fields: map[string]invoice.Evidence{}}
		d.content.Seller.Name = "Granite plc"
		s := parseDocument(test.pages)
		s.readType(d)
		s.settleType(d)
		if e := d.fields["document_type"]; d.content.Type != test.kind || e.Confidence >= probable != test.sure {
			t.Errorf("%s: %s %.2f", name, d.content.Type, e.Confidence)
		}
	}
}
