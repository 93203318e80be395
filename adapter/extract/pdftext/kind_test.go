package pdftext

import (
	"strings"
	"testing"

	"docledger/domain/extraction"
	"docledger/domain/invoice"
)

// The type needs a person if a title contradicts it.
func TestTitlesOfCorrectionsContestTheType(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		title string
		sure  bool
	}{
		"an invoice":          {"Invoice", true},
		"a term of credit":    {"Invoice|Credit terms: 30 days after delivery of all goods", true},
		"a credit note below": {"Invoice|Factuur|Creditfactuur", false},
	} {
		d := &draft{fields: map[string]invoice.Evidence{}}
		s := parseDocument(texts("Maple Tools Ltd", test.title, "12 Oak Street"))
		s.readType(d)
		if e := d.fields["document_type"]; e.Confidence >= 0.8 != test.sure {
			t.Errorf("%s: %.2f", name, e.Confidence)
		}
	}
	for title, sure := range map[string]bool{"Invoice cancellation": false, "Maple Credit Ltd": true, "Myriade Press": true} {
		large := texts("Maple Tools Ltd", title, "12 Oak Street", "Leeds LS1 4AB")
		for i := range large[0].Words {
			if w := &large[0].Words[i]; strings.Contains(title, w.Text) {
				w.Box[1] -= 5.0 / 842
			}
		}
		d := &draft{fields: map[string]invoice.Evidence{}}
		parseDocument(large).readType(d)
		if e := d.fields["document_type"]; e.Confidence >= 0.8 != sure {
			t.Errorf("%s in large type: %.2f", title, e.Confidence)
		}
	}
}

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
