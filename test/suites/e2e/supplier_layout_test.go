package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/generator"
	"docledger/test/lib/harness"
)

// numbered is the printed invoice of one supplier with another number.
func numbered(t *testing.T, number string) []byte {
	t.Helper()
	page := printedPage("Invoice date: 2026-03-14", "")
	for i := range page.Texts {
		page.Texts[i].Text = strings.NewReplacer("A-17", number, "Toronto", "Riverside").Replace(page.Texts[i].Text)
	}
	data, ok := (&generator.Document{Pages: []generator.Page{page}}).PDF()
	if !ok {
		t.Fatal("the page cannot be written")
	}
	return data
}

// TestTheNextInvoiceOfASupplierIsReadLikeTheApprovedOne covers that what a person approved is
// evidence for later invoices of the same supplier of the same entity, and of no other entity.
func TestTheNextInvoiceOfASupplierIsReadLikeTheApprovedOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.extract("1.pdf", numbered(t, "A-1701"))
	currency := func(inv harness.Response) (code, source string, confidence float64) {
		return inv.Text("currency"), inv.Text("fields", "currency", "source"), inv.At("fields", "currency", "confidence").(float64)
	}
	if _, source, confidence := currency(first); source == "SUPPLIER" || confidence >= 0.8 {
		t.Fatalf("the currency of the first invoice is certain: %s", first.Raw)
	}
	corrected := d.do(http.MethodPatch, "/api/invoices/"+first.Text("id"), map[string]any{"currency": "CAD"}).OK()
	d.approve(d.invoice(corrected)).OK()

	second := d.extract("2.pdf", numbered(t, "A-1702"))
	if code, source, confidence := currency(second); code != "CAD" || source != "SUPPLIER" || confidence < 0.9 {
		t.Errorf("the currency of the second invoice: %s from %s with %v", code, source, confidence)
	}

	other := d.s.NewOrganization("Other")
	up := d.s.Upload(other.Admin.Token, other.Entity, "3.pdf", numbered(t, "A-1703")).OK()
	if _, source, _ := currency(d.s.Extract(other.Admin.Token, up.Text("id")).OK()); source == "SUPPLIER" {
		t.Error("another organization learned from the approved invoice")
	}
}

// withFolio is the printed invoice of one supplier, which also prints another number.
func withFolio(t *testing.T, number, folio string) []byte {
	t.Helper()
	page := printedPage("Invoice date: 2026-03-14", "")
	for i := range page.Texts {
		page.Texts[i].Text = strings.ReplaceAll(page.Texts[i].Text, "A-17", number)
	}
	page.Texts = append(page.Texts,
		generator.Text{X: 340, Y: 60, Size: 10, Text: "Folio"}, generator.Text{X: 460, Y: 60, Size: 10, Text: folio})
	data, ok := (&generator.Document{Pages: []generator.Page{page}}).PDF()
	if !ok {
		t.Fatal("the page cannot be written")
	}
	return data
}

// TestTheNextInvoiceHasTheCorrectedValuesPlace covers that a value is read where a person who
// corrected an earlier invoice of the supplier found it, and not for another organization.
func TestTheNextInvoiceHasTheCorrectedValuesPlace(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.extract("1.pdf", withFolio(t, "A-1701", "ZX-9001"))
	if got := first.Text("invoice_number"); got == "ZX-9001" {
		t.Fatalf("the number of the first invoice is already %s", got)
	}
	corrected := d.do(http.MethodPatch, "/api/invoices/"+first.Text("id"), map[string]any{"invoice_number": "ZX-9001", "currency": "CAD"}).OK()
	d.approve(d.invoice(corrected)).OK()

	second := d.extract("2.pdf", withFolio(t, "A-1702", "ZX-9002"))
	if number, source := second.Text("invoice_number"), second.Text("fields", "invoice_number", "source"); number != "ZX-9002" || source != "SUPPLIER" {
		t.Errorf("the number of the second invoice is %s from %s", number, source)
	}
	if box, ok := second.At("fields", "invoice_number", "box").([]any); !ok || len(box) != 4 {
		t.Errorf("the number has no place: %s", second.Raw)
	}

	other := d.s.NewOrganization("Other")
	up := d.s.Upload(other.Admin.Token, other.Entity, "3.pdf", withFolio(t, "A-1703", "ZX-9003")).OK()
	if got := d.s.Extract(other.Admin.Token, up.Text("id")).OK().Text("invoice_number"); got == "ZX-9003" {
		t.Error("another organization learned from the corrected invoice")
	}
}
