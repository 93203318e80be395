package pdftext

import (
	"strings"
	"testing"

	"docledger/domain/extraction"
)

func TestProformaInvoicesAreRefusedInMoreLanguages(t *testing.T) {
	t.Parallel()
	for _, title := range []string{"Proformafaktura", "Proformalasku 7", "Fatura pró-forma", "Proforma faktura 5712", "Pro-formafactuur", "Factura pro forma"} {
		if f := parseDocument(texts("Maple Tools Ltd", title, "12 Oak Street")).noInvoice(); f == nil || !strings.Contains(f.Error(), string(extraction.Proforma)) {
			t.Errorf("%s: %v", title, f)
		}
	}
	if f := parseDocument(texts("Bill to: Granite plc", "Proforma invoice 7", "12 Oak Street")).noInvoice(); f == nil {
		t.Error("a proforma invoice below its recipient is an invoice")
	}
	if f := parseDocument(texts("Bill to: Granite plc", "Invoice 7", "12 Oak Street")).noInvoice(); f != nil {
		t.Error(f)
	}
}

// Labels of a number above a proforma invoice do not make it an invoice. The title of a tax document next
// to "zálohová faktura" does.
func TestProformaTitlesBelowTheNumber(t *testing.T) {
	t.Parallel()
	if f := parseDocument(texts("Maple Tools Ltd", "Invoice no.:|17", "Proformarechnung", "12 Oak Street")).noInvoice(); f == nil {
		t.Error("a proforma invoice below its number is an invoice")
	}
	if f := parseDocument(texts("Maple Tools Ltd", "Zálohová faktura|daňový doklad", "12 Oak Street")).noInvoice(); f != nil {
		t.Error(f)
	}
}

// The title of a tax document below "zálohová faktura", in the same type, is the second part of the title.
func TestTitlesInTwoLines(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines   []string
		refused bool
	}{
		"two lines":     {[]string{"300@Zálohová faktura –", "300@daňový doklad", "300@č. 17"}, false},
		"another place": {[]string{"300@Zálohová faktura", "50@Daňový doklad bude vystaven po úhradě"}, true},
		"one line":      {[]string{"300@Zálohová faktura", "300@č. 17"}, true},
	} {
		if f := parseDocument(texts(append([]string{"Javor Tisk a.s."}, test.lines...)...)).noInvoice(); (f != nil) != test.refused {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// A delivery note in large type can state the number of its invoice.
func TestDeliveryNotesThatNameAnInvoice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		title, more string
		refused     bool
	}{
		"Spanish":          {"ALBARÁN", "Factura nº:|17", true},
		"Finnish":          {"LÄHETE", "Laskun numero:|17", true},
		"also an invoice":  {"ALBARÁN", "FACTURA", false},
		"an invoice alone": {"FACTURA", "Albarán:|17", false},
		"above the lines":  {"Factura nº: 17", "ALBARÁN", false},
	} {
		pages := texts("Talleres Ibarra S.L.", test.title, test.more, "Calle Mayor 3", "28013 Madrid")
		for i := range pages[0].Words {
			if w := &pages[0].Words[i]; w.Text == strings.ToUpper(w.Text) && len(w.Text) > 3 {
				w.Box[3] += 8.0 / 842 // large type
			}
		}
		f := parseDocument(pages).noInvoice()
		if (f != nil && f.Kind == extraction.DeliveryNote) != test.refused {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// A label of the order is no title of an order.
func TestLabelsOfOrdersAreNoTitles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines   []string
		refused bool
	}{
		"a label with a colon":  {[]string{"Sipariş No:|4500", "Fatura numarası|17|Tarih|2.5.2026"}, false},
		"a heading of a value":  {[]string{"Datum vystavení|Číslo faktury|Objednávka", "16.09.2025|17|4500"}, false},
		"a title":               {[]string{"Objednávka", "Číslo|17"}, true},
		"a title without label": {[]string{"Objednávka|Datum 16.09.2025", "Číslo|17"}, true},
	} {
		if f := parseDocument(texts(append([]string{"Maple Tools Ltd"}, test.lines...)...)).noInvoice(); (f != nil) != test.refused {
			t.Errorf("%s: %v", name, f)
		}
	}
}

// Drafts, orders, reminders and receipts for payments have more titles, and two of one kind.
func TestMoreTitlesOfOtherKinds(t *testing.T) {
	t.Parallel()
	for title, kind := range map[string]extraction.Kind{
		"Rechnungsentwurf": extraction.Proforma, "Borrador de factura": extraction.Proforma, "Quote / Estimate": extraction.Quote,
		"2nd reminder": extraction.Reminder, "1. Zahlungserinnerung": extraction.Reminder, "Offene-Posten-Liste": extraction.Statement,
		"Potvrdenie objednávky": extraction.Order, "Plocklista": extraction.DeliveryNote, "Payment receipt": extraction.PaymentAdvice,
	} {
		f := parseDocument(texts("Maple Tools Ltd", title, "12 Oak Street")).noInvoice()
		if f == nil || f.Kind != kind {
			t.Errorf("%s: %v", title, f)
		}
	}
	if f := parseDocument(texts("Maple Tools Ltd", "2nd order", "12 Oak Street")).noInvoice(); f != nil {
		t.Error(f)
	}
}
