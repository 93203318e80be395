package e2e

import (
	"net/http"
	"testing"

	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

func report(s *harness.Server, token string) harness.Response {
	return s.Do(http.MethodGet, "/api/reports/processing?days=7", token, nil).OK()
}

// TestProcessingReport compares the report with what became of documents. TestInvoiceIsSyncedIntoEachLedger
// does so for bills.
func TestProcessingReport(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Report")
	token := org.Admin.Token
	if r := report(s, token); r.Number("documents") != 0 || r.Number("touchless") != 0 || r.At("median_seconds") != nil || r.Len("failures") != 0 {
		t.Errorf("without documents: %s", r.Raw)
	}
	s.Activate(org, org.Entity, l, l.Tenants[0])
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"approval_required": false, "auto_approve_ignore": warningRules}).OK()
	extract := func(name string, content []byte) harness.Response {
		return s.Extract(token, s.Upload(token, org.Entity, name, content).OK().Text("id"))
	}
	if inv := extract("1.xml", harness.UBL("R-1")).OK(); inv.Text("status") != "APPROVED" {
		t.Fatalf("not approved by the system: %s", inv.Raw)
	}
	changed := extract("2.xml", harness.UBL("R-2")).OK()
	s.Do(http.MethodPatch, "/api/invoices/"+changed.Text("id"), token, map[string]any{"note": "by a person"}).OK()
	for _, content := range []string{"%PDF-1.7\nbroken", "%PDF-1.7\nbroken too"} {
		extract("broken.pdf", []byte(content)).Want(http.StatusBadRequest, "unreadable_document")
	}
	r := report(s, token)
	if r.Number("documents") != 4 || r.Number("invoices") != 2 || r.Number("decided") != 2 || r.Number("touchless") != 1 || r.Number("synced") != 0 {
		t.Errorf("the counts: %s", r.Raw)
	}
	if r.Len("failures") != 1 || r.Text("failures", 0, "stage") != "extraction" || r.Text("failures", 0, "reason") != "truncated" || r.Number("failures", 0, "count") != 2 {
		t.Errorf("the failures: %s", r.Raw)
	}
	s.Do(http.MethodGet, "/api/reports/processing?days=0", token, nil).Want(http.StatusBadRequest, "invalid_request")
	other := s.NewOrganization("Other")
	if r := report(s, other.Admin.Token); r.Number("documents") != 0 {
		t.Errorf("of another organization: %s", r.Raw)
	}
	member := s.NewPerson(org.ID, identity.RoleMember)
	s.Do(http.MethodGet, "/api/reports/processing", member.Token, nil).Want(http.StatusForbidden, "forbidden")
}
