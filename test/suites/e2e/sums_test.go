package e2e

import (
	"net/http"
	"testing"

	"docledger/test/lib/harness"
)

// TestSums adds up two invoices by every value, and verifies that the groups add up to
// the same amounts.
func TestSums(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Sums")
		token := org.Admin.Token
		for _, content := range [][]byte{harness.UBL("S-1"), harness.UBLOf("S-2", "200.00", "38.00", "238.00")} {
			s.Extract(token, s.Upload(token, org.Entity, "s.xml", content).OK().Text("id")).OK()
		}
		for _, group := range []string{"entity", "supplier", "status", "document_type", "currency", "month", "tax", "account"} {
			r := s.Do(http.MethodGet, "/api/invoices/summary?group_by="+group, token, nil).OK()
			if r.Len("items") != 1 || r.Number("items", 0, "count") != 2 || r.Text("items", 0, "net_total") != "300.00" || r.Text("items", 0, "currency") != "EUR" {
				t.Errorf("%s: %s", group, r.Raw)
			}
			if group != "account" && (r.Text("items", 0, "tax_total") != "57.00" || r.Text("items", 0, "gross_total") != "357.00") {
				t.Errorf("%s: %s", group, r.Raw)
			}
		}
		r := s.Do(http.MethodGet, "/api/invoices/summary?group_by=supplier&group_by=month&group_by=tax&gross_min=200", token, nil).OK()
		if r.Len("items") != 1 || r.Text("items", 0, "gross_total") != "238.00" || r.Text("items", 0, "supplier_name") == "" || r.Text("items", 0, "month") == "" || r.Text("items", 0, "tax_rate") != "19" {
			t.Errorf("three values: %s", r.Raw)
		}
		for _, bad := range []string{"", "?group_by=nothing", "?group_by=tax&group_by=tax", "?group_by=tax&group_by=month&group_by=entity&group_by=status"} {
			s.Do(http.MethodGet, "/api/invoices/summary"+bad, token, nil).Want(400, "invalid_request")
		}
		coded := s.Extract(token, s.Upload(token, org.Entity, "usd.xml", harness.UBLFrom("Acme", "S-3", "USD", "19")).OK().Text("id")).OK()
		line := map[string]any{"id": coded.Text("lines", 0, "id"), "account_id": "4711"}
		s.Do(http.MethodPatch, "/api/invoices/"+coded.Text("id"), token, map[string]any{"lines": []any{line}}).OK()
		r = s.Do(http.MethodGet, "/api/invoices/summary?group_by=account&currency=USD", token, nil).OK()
		if r.Len("items") != 1 || r.Text("items", 0, "account_id") != "4711" || r.Text("items", 0, "currency") != "USD" || r.Text("items", 0, "net_total") != "100.00" {
			t.Errorf("of an account: %s", r.Raw)
		}
		empty := s.NewOrganization("None")
		if r := s.Do(http.MethodGet, "/api/invoices/summary?group_by=entity", empty.Admin.Token, nil).OK(); r.Len("items") != 0 {
			t.Errorf("sums of another organization: %s", r.Raw)
		}
	})
}
