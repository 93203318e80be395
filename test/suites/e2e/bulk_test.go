package e2e

import (
	"net/http"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestBulk changes several invoices in one request. Each item answers for
// itself, with the rights of the caller on its entity.
func TestBulk(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org, other := s.NewOrganization("Acme"), s.NewOrganization("Other")
	editor, viewer := s.NewPerson(org.ID, identity.RoleMember), s.NewPerson(org.ID, identity.RoleMember)
	s.SetMembers(org, entity.AccessRestricted,
		entity.Member{UserID: editor.ID, Role: identity.Editor}, entity.Member{UserID: viewer.ID, Role: identity.Viewer})
	invoice := func(number string) string {
		up := s.Upload(org.Admin.Token, org.Entity, number+".xml", harness.UBL(number)).OK()
		return s.Extract(org.Admin.Token, up.Text("id")).OK().Text("id")
	}
	first, second, third := invoice("B-1"), invoice("B-2"), invoice("B-3")
	bulk := func(token, action string, reason any, items ...object) harness.Response {
		body := object{"action": action, "items": items}
		if reason != nil {
			body["reason"] = reason
		}
		return s.Do(http.MethodPost, "/api/invoices/bulk", token, body)
	}
	item := func(id string, version int) object { return object{"id": id, "version": version} }

	for name, c := range map[string]struct{ token, code string }{
		"another organization": {other.Admin.Token, "not_found"}, "a viewer": {viewer.Token, "forbidden"}, "an editor": {editor.Token, "forbidden"},
	} {
		r := bulk(c.token, "approve", nil, item(first, 1), item(uuid.NewString(), 1)).OK()
		if r.Text("items", 0, "error", "code") != c.code || r.Text("items", 1, "error", "code") != "not_found" || r.At("items", 0, "ok") != false {
			t.Errorf("%s: %s", name, r.Raw)
		}
	}
	r := bulk(org.Admin.Token, "approve", nil, item(first, 1), item(second, 7), item(third, 1), item(third, 1)).OK()
	if r.Text("items", 0, "status") != "APPROVED" || r.Text("items", 0, "invoice_number") != "B-1" || r.At("items", 0, "error") != nil ||
		r.Text("items", 1, "error", "code") != "version_conflict" || r.Text("items", 1, "error", "details", "request_id") == "" ||
		r.At("items", 2, "ok") != true || r.At("items", 3, "ok") != true {
		t.Errorf("approve: %s", r.Raw)
	}
	if got := s.Do(http.MethodGet, "/api/invoices/"+second, org.Admin.Token, nil).OK().Text("status"); got != "EXTRACTED" {
		t.Errorf("the invoice with another version is %s", got)
	}
	if r := bulk(editor.Token, "reject", "not ours", item(second, 1)).OK(); r.Text("items", 0, "status") != "REJECTED" {
		t.Errorf("reject: %s", r.Raw)
	}
	bulk(org.Admin.Token, "reject", nil, item(first, 1)).Want(http.StatusBadRequest, "invalid_request")
	bulk(org.Admin.Token, "delete", nil, item(first, 1)).Want(http.StatusBadRequest, "invalid_request")
	bulk(org.Admin.Token, "approve", nil).Want(http.StatusBadRequest, "invalid_request")
	if r := bulk(org.Admin.Token, "sync", nil, item(first, 2), item(second, 2)).OK(); r.Text("items", 0, "error", "code") != "conflict" || r.Text("items", 1, "error", "code") != "conflict" {
		t.Errorf("sync without a ledger, and of a rejected invoice: %s", r.Raw)
	}
}
