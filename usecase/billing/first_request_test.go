package billing_test

import (
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// TestEveryBillingRequestCreatesTheCustomer sends each billing request as the first one of an
// organization.
func TestEveryBillingRequestCreatesTheCustomer(t *testing.T) {
	t.Parallel()
	log := &logLines{}
	const page = "https://app.example/plans"
	w := open(t, harness.Options{Log: log, Env: map[string]string{"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": "prod_team"}})
	product := w.make("/v1/products", "id", "prod_team", "name", "Team")
	price := w.make("/v1/prices", "product", product, "currency", "eur", "unit_amount", "3000", "recurring[interval]", "month")
	for _, c := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodGet, "/api/billing", nil},
		{http.MethodGet, "/api/billing/usage", nil},
		{http.MethodGet, "/api/billing/plans", nil},
		{http.MethodPost, "/api/billing/portal-session", map[string]any{"return_url": page}},
		{http.MethodPost, "/api/billing/checkout-session", map[string]any{"price_id": price, "success_url": page, "cancel_url": page}},
	} {
		org := w.NewOrganization("First")
		before := len(w.list("/v1/customers", "limit", "100"))
		for range 2 {
			var body any
			if c.body != nil {
				body = c.body
			}
			w.Do(c.method, c.path, org.Admin.Token, body).OK()
		}
		if made := len(w.list("/v1/customers", "limit", "100")) - before; made != 1 {
			t.Errorf("%s %s: %d customers were created, want 1", c.method, c.path, made)
		}
		warnings := 0
		for line := range strings.Lines(log.text()) {
			if strings.Contains(line, `"level":"WARN"`) && strings.Contains(line, "without payment customer") && strings.Contains(line, org.ID.String()) {
				warnings++
			}
		}
		if warnings != 1 {
			t.Errorf("%s %s: %d warnings were logged, want 1", c.method, c.path, warnings)
		}
	}
}

// TestUsageNeedsNoProcessor reads the usage of an organization if its customer cannot be created.
func TestUsageNeedsNoProcessor(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.fault(`{"match":"POST /v1/customers","times":1,"action":"commit_then_drop"}`)
	read := func() { w.Do(http.MethodGet, "/api/billing/usage", w.org.Admin.Token, nil).OK() }
	read()
	read()
	if found := w.list("/v1/customers"); len(found) != 1 {
		t.Errorf("%d customers were created, want 1", len(found))
	}
}
