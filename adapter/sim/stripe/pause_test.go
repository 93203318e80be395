package stripe_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/sim/stripe"
)

// TestPausedCollection checks that a paused subscription stays active, that its
// invoices follow the behaviour, and that the collection resumes by the clock.
// The signatures of the webhooks have the time of the same clock.
func TestPausedCollection(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	signed := map[string]bool{}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		at, _, _ := strings.Cut(r.Header.Get("Stripe-Signature"), ",")
		mu.Lock()
		defer mu.Unlock()
		signed[at] = true
	}))
	t.Cleanup(receiver.Close)
	for behaviour, want := range map[string]string{"void": "void", "mark_uncollectible": "uncollectible", "keep_as_draft": "draft"} {
		s := stripe.New(stripe.Options{
			Account: stripe.ReadyAccount(), Start: start, Endpoints: []stripe.Endpoint{{URL: receiver.URL, Secrets: []string{"whsec_x"}}},
		})
		t.Cleanup(s.Close)
		do := func(method, path string, form ...string) map[string]any {
			t.Helper()
			values := url.Values{}
			for i := 0; i+1 < len(form); i += 2 {
				values.Add(form[i], form[i+1])
			}
			status, body := s.Do(method, path, values)
			if status != http.StatusOK {
				t.Fatalf("%s %s: %d %v", method, path, status, body)
			}
			return body
		}
		post := func(path string, form ...string) string { return do(http.MethodPost, path, form...)["id"].(string) }
		customer := post("/v1/customers", "email", "ada@example.com")
		card := post("/v1/payment_methods/pm_card_visa/attach", "customer", customer)
		price := post("/v1/prices", "product", post("/v1/products", "name", "Team"), "currency", "eur", "unit_amount", "100", "recurring[interval]", "month")
		sub := "/v1/subscriptions/" + post("/v1/subscriptions", "customer", customer, "items[0][price]", price, "default_payment_method", card)
		resumes := start.AddDate(0, 1, 15).Unix()
		do(http.MethodPost, sub, "pause_collection[behavior]", behaviour, "pause_collection[resumes_at]", fmt.Sprint(resumes))
		latest := func() (any, map[string]any) {
			got := do(http.MethodGet, sub)
			if got["status"] != "active" {
				t.Errorf("%s: the status is %v", behaviour, got["status"])
			}
			return do(http.MethodGet, "/v1/invoices/"+got["latest_invoice"].(string))["status"], got
		}
		s.Kit.Clock.Advance(start.AddDate(0, 1, 1).Sub(start))
		if status, got := latest(); status != want || got["pause_collection"] == nil {
			t.Errorf("%s: the invoice is %v and the pause %v", behaviour, status, got["pause_collection"])
		}
		s.Kit.Clock.Advance(31 * 24 * time.Hour)
		if status, got := latest(); status != "paid" || got["pause_collection"] != nil {
			t.Errorf("%s: after the pause the invoice is %v and the pause %v", behaviour, status, got["pause_collection"])
		}
		if err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		if now := fmt.Sprintf("t=%d", s.Kit.Clock.Now().Unix()); !signed[now] {
			t.Errorf("%s: no signature has the time of the clock, %s: %v", behaviour, now, signed)
		}
		mu.Unlock()
		if status, _ := s.Do(http.MethodPost, sub, url.Values{"pause_collection[behavior]": {"sleep"}}); status != http.StatusBadRequest {
			t.Errorf("an unknown behaviour: %d", status)
		}
		do(http.MethodPost, sub, "pause_collection[behavior]", behaviour)
		if got := do(http.MethodPost, sub, "pause_collection", ""); got["pause_collection"] != nil {
			t.Errorf("not resumed: %v", got["pause_collection"])
		}
	}
}
