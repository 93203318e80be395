package e2e

import (
	"net/http"
	"testing"
	"time"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// entity adds an entity in which the system approves, with accepted senders.
func (m *mailed) entity(name, taxID string, senders ...string) uuid.UUID {
	m.t.Helper()
	token := m.org.Admin.Token
	id := m.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": name, "tax_ids": []string{taxID}}).OK().Text("id")
	m.Do(http.MethodPut, "/api/settings/"+id, token, map[string]any{
		"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "date_plausible", "single_invoice"}, "review_threshold": 0,
	}).OK()
	m.Do(http.MethodPut, "/api/entities/"+id+"/email", token, map[string]any{"senders": senders}).OK()
	return harness.ID(m.t, id)
}

// receive sends an authenticated message with a file and returns its document and invoice.
func (m *mailed) receive(name string, file []byte) (d, inv harness.Response) {
	m.t.Helper()
	m.post(m.address, m.sign(mimeMessage("Shop <billing@shop.example>", name, string(file))), "X-Webhook-Secret", emailSecret).OK()
	m.Eventually(name+" extracted", 30*time.Second, func() bool {
		list := m.Do(http.MethodGet, "/api/documents", m.org.Admin.Token, nil).OK()
		for i := range list.Len("items") {
			if list.Text("items", i, "filename") == name && list.At("items", i, "invoice_id") != nil {
				d = m.Do(http.MethodGet, "/api/documents/"+list.Text("items", i, "id"), m.org.Admin.Token, nil).OK()
				inv = m.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), m.org.Admin.Token, nil).OK()
				return true
			}
		}
		return false
	}, func() string { return string(m.Do(http.MethodGet, "/api/documents", m.org.Admin.Token, nil).Raw) })
	return d, inv
}

// TestEmailInAnotherEntity verifies that the system approves an invoice of an e-mail in another
// entity, to which a person or route_by_buyer moves it, only if that entity accepts the sender.
func TestEmailInAnotherEntity(t *testing.T) {
	t.Parallel()
	m := newMailed(t)
	m.rules(http.MethodPut, map[string]any{"senders": []string{"@shop.example"}}).OK()
	strict := m.entity("Strict", "DE129273398", "other@shop.example")
	open := m.entity("Open", "IT00743110157", "billing@shop.example")
	want := func(name string, d, inv harness.Response, entity uuid.UUID, accepted bool, status string) {
		t.Helper()
		if d.Text("entity_id") != entity.String() || d.At("email", "accepted") != accepted || inv.Text("status") != status {
			t.Errorf("%s: the document is %s, the invoice %s", name, d.Raw, inv.Raw)
		}
	}
	moved := func(d harness.Response, to uuid.UUID) (harness.Response, harness.Response) {
		t.Helper()
		after := m.Do(http.MethodPost, "/api/documents/"+d.Text("id")+"/move", m.org.Admin.Token, map[string]any{"entity_id": to}).OK()
		return after, m.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), m.org.Admin.Token, nil).OK()
	}

	settings := func(body map[string]any) {
		t.Helper()
		m.Do(http.MethodPut, "/api/settings/"+m.org.Entity.String(), m.org.Admin.Token, body).OK()
	}
	settings(map[string]any{"approval_required": true})
	for number, to := range map[string]uuid.UUID{"V-1": strict, "V-2": open} {
		d, inv := m.receive(number+".xml", harness.UBL(number))
		want("received", d, inv, m.org.Entity, true, "EXTRACTED")
		d, inv = moved(d, to)
		want("moved", d, inv, to, to == open, map[bool]string{false: "EXTRACTED", true: "APPROVED"}[to == open])
	}
	settings(map[string]any{"route_by_buyer": true})
	d, inv := m.receive("V-3.xml", addressedTo("V-3", "DE129273398", "Strict"))
	want("routed to an entity without the sender", d, inv, strict, false, "EXTRACTED")
	d, inv = m.receive("V-4.xml", addressedTo("V-4", "IT00743110157", "Open"))
	want("routed to an entity with the sender", d, inv, open, true, "APPROVED")
}
