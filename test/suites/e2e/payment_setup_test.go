package e2e

import (
	"net/http"
	"strings"
	"testing"

	sim "docledger/adapter/sim/stripe"
	"docledger/test/lib/harness"
)

// TestProcessorRefusals checks that each known refusal of the payment processor has its own code and
// remedy, and that its words reach the caller.
func TestProcessorRefusals(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-10T08:00:00Z")
	p := newProcessor(t, clock)
	product := p.env["PAYMENT_PRODUCTS"]
	dollars := p.do(http.MethodPost, "/v1/prices", "product", product, "currency", "usd", "unit_amount", "5900",
		"recurring[interval]", "month", "lookup_key", "team_usd")["id"].(string)
	s := p.start(clock)
	org := s.NewOrganization("Refused")
	checkout := func(price string) harness.Response {
		return s.Do(http.MethodPost, "/api/billing/checkout-session", org.Admin.Token, map[string]any{
			"price_id": price, "success_url": "https://app.example/bought", "cancel_url": "https://app.example/",
		})
	}
	portal := func() harness.Response {
		return s.Do(http.MethodPost, "/api/billing/portal-session", org.Admin.Token, map[string]any{"return_url": "https://app.example/"})
	}
	says := func(r harness.Response, message, words string) {
		t.Helper()
		said := r.Text("error", "details", "provider", "message")
		if !strings.Contains(r.Text("error", "message"), message) || !strings.Contains(said, words) || strings.Contains(said, "?") ||
			!strings.HasPrefix(r.Text("error", "details", "provider", "request_id"), "req_") || r.Text("error", "details", "provider", "code") == "" {
			t.Errorf("the answer is %s", r.Raw)
		}
	}
	p.sim.SetAccount(sim.Account{PortalSaved: true})
	says(checkout(p.price).Want(500, "provider_setup_incomplete"), "business name", "account or business name")
	p.sim.SetAccount(sim.Account{BusinessName: "Shop"})
	says(portal().Want(500, "provider_setup_incomplete"), "customer portal", "customer portal settings")
	p.sim.SetAccount(sim.ReadyAccount())
	portal().OK()

	customer := p.do(http.MethodGet, "/v1/customers", "limit", "1")["data"].([]any)[0].(map[string]any)["id"].(string)
	p.do(http.MethodPost, "/v1/invoiceitems", "customer", customer, "currency", "eur", "amount", "100")
	says(checkout(dollars).Want(400, "currency_mixed"), "another currency", "combine currencies")
	checkout(p.price).OK()
}
