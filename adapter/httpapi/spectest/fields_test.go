package spectest_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
)

// TestObserveSeesEveryField has the examples of all answers observed: what is
// observed are fields of the document, also within lists, maps and unions.
func TestObserveSeesEveryField(t *testing.T) {
	t.Parallel()
	checker, doc := spectest.New(t), load(t)
	fields := spectest.Fields(doc, func(string) bool { return false })
	seen := map[string][]string{}
	checker.Observe = func(field, value string) { seen[field] = append(seen[field], value) }
	for _, path := range []string{"/api/invoices/{invoice_id}", "/api/integrations", "/api/events"} {
		resp := answer(200, "")
		checker.Problems(httptest.NewRequest(http.MethodGet, path, nil), resp, []byte(example(t, doc, path, http.MethodGet, "200")))
	}
	resp := answer(404, "")
	checker.Problems(httptest.NewRequest(http.MethodGet, "/api/events", nil), resp, []byte(example(t, doc, "/api/events", http.MethodGet, "404")))
	for field := range seen {
		if !slices.Contains(fields, field) {
			t.Errorf("%s was observed and is not listed", field)
		}
	}
	for field, want := range map[string]string{
		"Invoice.gross_total": `"1190.00"`, "Party.name": `"Acme Supplies AG"`, "PostalAddress.city": `"Berlin"`, "InvoiceLine.tax_rate_id": "null",
		"Evidence.source": `"XML"`, "Provider.available": "true", "Integration.version": "2", "EventChange.to": `"APPROVED"`, "Error.code": `"not_found"`,
	} {
		if !slices.Contains(seen[field], want) {
			t.Errorf("%s had %s, want %s", field, strings.Join(seen[field], " "), want)
		}
	}
}
