package e2e

import (
	"net/http"
	"testing"

	"docledger/test/lib/generator"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// reminderOf returns a printed reminder that names an invoice.
func reminderOf(t *testing.T, number, note string) []byte {
	t.Helper()
	page := generator.Page{}
	for i, text := range []string{"Maple Tools Ltd", "12 Oak Street", "", "PAYMENT REMINDER", "", "Invoice number: " + number, "Customer no: 70042", "Amount due: 119.00 EUR", note} {
		if text != "" {
			page.Texts = append(page.Texts, generator.Text{X: 50, Y: 60 + 18*float64(i), Size: 10, Text: text})
		}
	}
	data, ok := (&generator.Document{Pages: []generator.Page{page}}).PDF()
	if !ok {
		t.Fatal("the page cannot be written")
	}
	return data
}

// reminding is an organization that receives reminders.
type reminding struct {
	desk
}

// remind uploads a reminder of an invoice and returns its document.
func (r reminding) remind(entity uuid.UUID, number, note string) harness.Response {
	r.t.Helper()
	up := r.s.Upload(r.org.Admin.Token, entity, "reminder.pdf", reminderOf(r.t, number, note)).OK().Text("id")
	r.s.Extract(r.org.Admin.Token, up).Want(http.StatusBadRequest, "not_an_invoice")
	return r.document(up)
}

func (r reminding) document(id string) harness.Response {
	r.t.Helper()
	d := r.do(http.MethodGet, "/api/documents/"+id, nil).OK()
	if d.Text("status") != "NOT_AN_INVOICE" || d.Text("failure", "code") != "reminder" {
		r.t.Fatalf("the reminder is %s", d.Raw)
	}
	return d
}

func (r reminding) none(why string, d harness.Response) {
	r.t.Helper()
	if got := d.At("related_invoice_id"); got != nil {
		r.t.Errorf("%s: the related invoice is %v, want null", why, got)
	}
}

// invoiceOf uploads an invoice and returns its document and its id.
func (r reminding) invoiceOf(entity uuid.UUID, data []byte) (document, invoice string) {
	r.t.Helper()
	up := r.s.Upload(r.org.Admin.Token, entity, "invoice.xml", data).OK().Text("id")
	return up, r.s.Extract(r.org.Admin.Token, up).OK().Text("id")
}

// TestRemindersNameInvoices links reminders to the invoices of their entity with the number that they
// name, as long as exactly one has it.
func TestRemindersNameInvoices(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		r := reminding{desk{t, s, s.NewOrganization("Reminded")}}
		other := reminding{desk{t, s, s.NewOrganization("Other")}}
		second := r.entity(map[string]any{"name": "Second"})
		document, invoice := r.invoiceOf(r.org.Entity, harness.UBL("RE-2026-017"))
		reminder := r.remind(r.org.Entity, "re/2026/17", "first")
		if reminder.Text("related_invoice_id") != invoice {
			t.Fatalf("the reminder is %s, want the invoice %s", reminder.Raw, invoice)
		}
		r.none("an unknown number", r.remind(r.org.Entity, "RE-2026-018", ""))
		r.none("another entity", r.remind(second, "RE-2026-017", ""))
		r.none("another organization", other.remind(other.org.Entity, "RE-2026-017", ""))

		// A person treats the reminder as an invoice, which has no related one.
		forced := r.remind(r.org.Entity, "RE-2026-017", "second").Text("id")
		r.do(http.MethodPost, "/api/invoices/extract", map[string]any{"document_id": forced, "force": true}).OK()
		if d := r.do(http.MethodGet, "/api/documents/"+forced, nil).OK(); d.Text("status") == "NOT_AN_INVOICE" || d.At("related_invoice_id") != nil {
			t.Errorf("after the forced extraction: %s", d.Raw)
		}

		// Two suppliers have the number.
		r.invoiceOf(r.org.Entity, harness.UBL("B-900"))
		_, twin := r.invoiceOf(r.org.Entity, harness.UBLFrom("Other Supplier Ltd", "B-900", "EUR", "20"))
		r.none("two suppliers", r.remind(r.org.Entity, "B-900", ""))
		r.do(http.MethodPost, "/api/invoices/"+twin+"/reject", map[string]any{"reason": "not ours"}).OK()
		if d := r.remind(r.org.Entity, "B-900", "third"); d.Text("related_invoice_id") == "" || d.Text("related_invoice_id") == twin {
			t.Errorf("one of two invoices is rejected: %s", d.Raw)
		}

		r.do(http.MethodDelete, "/api/documents/"+document, nil).OK()
		after := r.document(reminder.Text("id"))
		r.none("the invoice was deleted", after)
		if after.Number("version") <= reminder.Number("version") {
			t.Errorf("the version is still %v", after.Number("version"))
		}
	})
}

// TestMovedInvoicesAreNotRelated ends the relation if the invoice or the reminder moves to another entity.
func TestMovedInvoicesAreNotRelated(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		r := reminding{desk{t, s, s.NewOrganization("Moved reminders")}}
		second := r.entity(map[string]any{"name": "Second"})
		document, invoice := r.invoiceOf(r.org.Entity, harness.UBL("M-2026-5"))
		stays, moves := r.remind(r.org.Entity, "M-2026-5", "first"), r.remind(r.org.Entity, "M-2026-5", "second")
		for _, d := range []harness.Response{stays, moves} {
			if d.Text("related_invoice_id") != invoice {
				t.Fatalf("the reminder is %s", d.Raw)
			}
		}
		r.move(moves.Text("id"), second).OK()
		r.none("the reminder moved", r.document(moves.Text("id")))
		r.move(document, second).OK()
		r.none("the invoice moved", r.document(stays.Text("id")))
	})
}
