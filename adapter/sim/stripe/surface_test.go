package stripe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/sim/stripe"
)

// inbox receives webhooks.
type inbox struct {
	mu     sync.Mutex
	status int
	got    []letter
	url    string
}

type letter struct {
	signature string
	body      []byte
	event     object
}

func newInbox(t testing.TB) *inbox {
	i := &inbox{status: 200}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var event object
		if err == nil {
			err = json.Unmarshal(body, &event)
		}
		if err != nil {
			t.Errorf("webhook: %v", err)
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		i.got = append(i.got, letter{r.Header.Get("Stripe-Signature"), body, event})
		w.WriteHeader(i.status)
	}))
	t.Cleanup(server.Close)
	i.url = server.URL
	return i
}

// take returns the webhooks since the last call.
func (i *inbox) take(t testing.TB, a account) []letter {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := a.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	got := i.got
	i.got = nil
	return got
}

func (i *inbox) answer(status int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.status = status
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	now, basil := newInbox(t), newInbox(t)
	kinds := []string{"customer.subscription.created", "customer.subscription.deleted"}
	a := open(t, func(o *stripe.Options) {
		o.Endpoints = []stripe.Endpoint{
			{URL: now.url, Secrets: []string{"whsec_a", "whsec_b"}, Events: kinds},
			{URL: basil.url, Secrets: []string{"whsec_c"}, APIVersion: stripe.VersionBasil},
		}
	})
	sub := a.post("/v1/subscriptions", "customer", a.buyer("pm_card_visa"), "items[0][price]", a.monthly()).text("id")
	got := now.take(t, a)
	if len(got) != 1 || got[0].event.text("type") != kinds[0] || got[0].event.text("data.object.id") != sub {
		t.Fatalf("got %v", got)
	}
	if want := stripe.Sign(got[0].body, start, "whsec_a", "whsec_b"); got[0].signature != want {
		t.Errorf("signed %s, want %s", got[0].signature, want)
	}
	if e := got[0].event; e.text("api_version") != stripe.Version || e.number("data.object.current_period_end") == 0 ||
		e.at("data.object.items.data.0.current_period_end") != nil || e.number("created") != start.Unix() {
		t.Errorf("event %v", e)
	}
	seen := 0
	for _, l := range basil.take(t, a) {
		if l.event.text("data.object.object") != "subscription" {
			continue
		}
		seen++
		if l.event.text("api_version") != stripe.VersionBasil || l.event.at("data.object.current_period_end") != nil ||
			l.event.number("data.object.items.data.0.current_period_end") == 0 {
			t.Errorf("event of the newer version: %v", l.event)
		}
	}
	if seen != 1 {
		t.Errorf("%d subscription events of the newer version", seen)
	}
	event := a.get("/v1/events", "type", kinds[0])
	if event.number("data.0.pending_webhooks") != 0 {
		t.Errorf("still pending: %v", event)
	}
	a.post("/v1/events/" + event.text("data.0.id") + "/retry")
	if again := now.take(t, a); len(again) != 1 || again[0].event.text("id") != event.text("data.0.id") {
		t.Errorf("sent again: %v", again)
	}
}

func TestWebhookRetries(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	a := open(t, func(o *stripe.Options) {
		o.Endpoints = []stripe.Endpoint{{URL: in.url, Secrets: []string{"whsec"}}}
		o.Limits.WebhookRetries = []time.Duration{time.Hour, 2 * time.Hour}
	})
	in.answer(500)
	customer := a.buyer("")
	ids := map[string]bool{}
	for hour, want := range []int{1, 1, 0, 1, 0, 0} {
		got := in.take(t, a)
		if len(got) != want {
			t.Errorf("after %d hours: %d deliveries, want %d", hour, len(got), want)
		}
		for _, l := range got {
			ids[l.event.text("id")] = true
		}
		a.Kit.Clock.Advance(time.Hour)
	}
	if len(ids) != 1 {
		t.Errorf("the same event under %d ids", len(ids))
	}
	in.answer(302) // the vendor does not follow redirects
	a.post("/v1/customers/"+customer, "name", "A")
	if got := in.take(t, a); len(got) != 1 {
		t.Errorf("%d deliveries", len(got))
	}
	in.answer(204)
	a.Kit.Clock.Advance(time.Hour)
	if got := in.take(t, a); len(got) != 1 || got[0].event.text("type") != "customer.updated" {
		t.Errorf("tried again: %v", got)
	}
	a.Kit.Clock.Advance(10 * time.Hour)
	if got := in.take(t, a); len(got) != 0 {
		t.Errorf("tried again after a success: %v", got)
	}
}

func TestWebhookEndpoints(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	a := open(t)
	made := a.post("/v1/webhook_endpoints", "url", in.url, "enabled_events[]", "customer.created", "enabled_events[]", "customer.deleted")
	if !strings.HasPrefix(made.text("secret"), "whsec_") || a.get("/v1/webhook_endpoints/"+made.text("id")).at("secret") != nil {
		t.Errorf("endpoint %v", made)
	}
	customer := a.buyer("")
	if got := in.take(t, a); len(got) != 1 || got[0].signature != stripe.Sign(got[0].body, start, made.text("secret")) {
		t.Errorf("got %v", got)
	}
	a.post("/v1/webhook_endpoints/"+made.text("id"), "disabled", "true")
	a.want(200, "DELETE", "/v1/customers/"+customer)
	if got := in.take(t, a); len(got) != 0 {
		t.Errorf("a disabled endpoint got %v", got)
	}
	a.want(200, "DELETE", "/v1/webhook_endpoints/"+made.text("id"))
	a.want(404, "GET", "/v1/webhook_endpoints/"+made.text("id"))
}

func TestVersions(t *testing.T) {
	t.Parallel()
	a := open(t)
	id := a.post("/v1/subscriptions", "customer", a.buyer("pm_card_visa"), "items[0][price]", a.monthly()).text("id")
	_, old := a.send("GET", "/v1/subscriptions/"+id+"?expand[]=latest_invoice", "", "Stripe-Version", "2024-06-20")
	_, recent := a.send("GET", "/v1/subscriptions/"+id+"?expand[]=latest_invoice", "", "Stripe-Version", "2025-03-31.basil")
	if old.at("current_period_end") == nil || old.at("items.data.0.current_period_end") != nil ||
		old.text("latest_invoice.subscription") != id || old.at("latest_invoice.lines.data.0.price") == nil {
		t.Errorf("2024-06-20: %v", old)
	}
	if recent.at("current_period_end") != nil || recent.at("items.data.0.current_period_end") == nil ||
		recent.text("latest_invoice.parent.subscription_details.subscription") != id || recent.at("latest_invoice.subscription") != nil ||
		recent.text("latest_invoice.lines.data.0.pricing.price_details.price") == "" {
		t.Errorf("2025-03-31.basil: %v", recent)
	}
}

func TestExpansion(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("pm_card_visa")
	id := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly()).text("id")
	sub := a.get("/v1/subscriptions/"+id, "expand[]", "customer.invoice_settings.default_payment_method", "expand[]", "items.data.price.product",
		"expand[]", "default_payment_method")
	if sub.text("customer.invoice_settings.default_payment_method.card.last4") != "4242" || sub.text("items.data.0.price.product.name") != "Team" ||
		sub.at("default_payment_method") != nil {
		t.Errorf("expanded %v", sub)
	}
	if got := a.get("/v1/customers/"+customer, "expand[]", "subscriptions"); got.ids("subscriptions.data") != id {
		t.Errorf("included %v", got)
	}
	list := a.get("/v1/subscriptions", "expand[]", "data.latest_invoice.payment_intent")
	if list.text("data.0.latest_invoice.payment_intent.status") != "succeeded" {
		t.Errorf("list %v", list)
	}
	refused := a.want(400, "GET", "/v1/subscriptions", "expand[]", "data.items.data.price.product")
	if !strings.Contains(refused.text("error.message"), "more than 4 levels") {
		t.Errorf("five levels: %v", refused)
	}
	a.want(200, "DELETE", "/v1/customers/"+customer)
	if got := a.get("/v1/subscriptions/"+id, "expand[]", "customer"); got.at("customer.deleted") != true || got.text("status") != "canceled" {
		t.Errorf("of a deleted customer: %v", got)
	}
}

// browse gets or posts a page and returns the redirect target and the content.
func (a account) browse(page string, form url.Values) (to, shown string) {
	a.t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := c.Get(page)
	if form != nil {
		resp, err = c.PostForm(page, form)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp.Header.Get("Location"), string(body)
}

func (a account) checkout(customer, price string, more ...string) object {
	a.t.Helper()
	body := values(append([]string{
		"mode", "subscription", "customer", customer, "line_items[0][price]", price, "line_items[0][quantity]", "1",
		"success_url", "https://app.example/ok?id={CHECKOUT_SESSION_ID}", "cancel_url", "https://app.example/no",
	}, more...)).Encode()
	resp, session := a.send("POST", "/v1/checkout/sessions", body, "Content-Type", "application/x-www-form-urlencoded")
	if resp.StatusCode != 200 {
		a.t.Fatalf("checkout: %d %v", resp.StatusCode, session)
	}
	return session
}

func TestCheckoutPage(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("")
	session := a.checkout(customer, a.monthly())
	if _, shown := a.browse(session.text("url"), nil); !strings.Contains(shown, "30.00 EUR") || !strings.Contains(shown, "https://app.example/no") {
		t.Errorf("page %s", shown)
	}
	if to, shown := a.browse(session.text("url"), url.Values{"card": {"4000000000000002"}}); to != "" || !strings.Contains(shown, "declined") {
		t.Errorf("declined: to %q: %s", to, shown)
	}
	to, _ := a.browse(session.text("url"), url.Values{"card": {"4242424242424242"}})
	if to != "https://app.example/ok?id="+session.text("id") {
		t.Errorf("leads to %q", to)
	}
	done := a.get("/v1/checkout/sessions/"+session.text("id"), "expand[]", "subscription", "expand[]", "line_items")
	if done.text("status") != "complete" || done.text("payment_status") != "paid" || done.text("subscription.status") != "active" ||
		done.text("subscription.default_payment_method") == "" || done.text("line_items.data.0.price.id") == "" {
		t.Errorf("session %v", done)
	}
	if x := a.get("/v1/customers/" + customer); x.at("invoice_settings.default_payment_method") != nil {
		t.Error("the card is the customer's; the vendor puts it on the subscription alone")
	}
	if to, shown := a.browse(session.text("url"), url.Values{"card": {"4242424242424242"}}); to != "" || !strings.Contains(shown, "no longer open") {
		t.Errorf("a second time: to %q: %s", to, shown)
	}
	late := a.checkout(customer, a.monthly())
	a.Kit.Clock.Advance(25 * time.Hour)
	if got := a.get("/v1/checkout/sessions/" + late.text("id")); got.text("status") != "expired" || got.at("url") != nil {
		t.Errorf("a day later: %v", got)
	}
	a.want(400, "POST", "/v1/checkout/sessions/"+late.text("id")+"/expire")
	for _, more := range [][]string{
		{"success_url", ""}, {"success_url", "javascript:alert(1)"}, {"mode", "barter"},
		{"subscription_data[proration_behavior]", "none"}, {"subscription_data[billing_cycle_anchor]", "5"},
	} {
		form := []string{"customer", customer, "line_items[0][price]", a.monthly()}
		for _, kept := range []string{"mode=subscription", "success_url=https://app.example/"} {
			if name, value, _ := strings.Cut(kept, "="); name != more[0] {
				form = append(form, name, value)
			}
		}
		a.want(400, "POST", "/v1/checkout/sessions", append(form, more...)...)
	}
}

func TestApprovedByItself(t *testing.T) {
	t.Parallel()
	a := open(t, func(o *stripe.Options) { o.AutoApprove = true })
	session := a.checkout(a.buyer(""), a.monthly())
	if to, _ := a.browse(session.text("url"), nil); to != "https://app.example/ok?id="+session.text("id") {
		t.Errorf("leads to %q", to)
	}
}

func TestPortalAndInvoicePages(t *testing.T) {
	t.Parallel()
	a := open(t)
	customer := a.buyer("pm_card_chargeCustomerFail")
	sub := a.post("/v1/subscriptions", "customer", customer, "items[0][price]", a.monthly(),
		"billing_cycle_anchor", unix(2026, 12, 1), "proration_behavior", "none").text("id")
	a.Kit.Clock.Advance(16 * day)
	_, portal := a.send("POST", "/v1/billing_portal/sessions", "customer="+customer+"&return_url=https://app.example/back",
		"Content-Type", "application/x-www-form-urlencoded")
	if _, shown := a.browse(portal.text("url"), nil); !strings.Contains(shown, sub) || !strings.Contains(shown, "past_due") ||
		!strings.Contains(shown, "https://app.example/back") {
		t.Errorf("portal %s", shown)
	}
	a.browse(portal.text("url"), url.Values{"do": {"card"}, "card": {"4242424242424242"}})
	a.browse(portal.text("url"), url.Values{"do": {"cancel"}, "id": {sub}})
	got := a.get("/v1/subscriptions/"+sub, "expand[]", "default_payment_method", "expand[]", "latest_invoice")
	if got.text("default_payment_method.card.last4") != "4242" || got.at("cancel_at_period_end") != true {
		t.Errorf("after the portal: %v", got)
	}
	page := a.url + "/i/" + got.text("latest_invoice.id")
	if _, shown := a.browse(page, nil); !strings.Contains(shown, "30.00 EUR") || !strings.Contains(shown, "open") {
		t.Errorf("invoice page %s", shown)
	}
	a.browse(page, url.Values{"card": {"4242424242424242"}})
	if got := a.get("/v1/subscriptions/" + sub); got.text("status") != "active" {
		t.Errorf("after paying: %s", got.text("status"))
	}
	if resp, err := http.Get(a.url + "/c/pay/cs_none"); err != nil || resp.StatusCode != 404 {
		t.Errorf("unknown page: %v %v", resp, err)
	}
}

func TestControlSurface(t *testing.T) {
	t.Parallel()
	a := open(t)
	a.buyer("pm_card_visa")
	_, state := a.send("GET", "/_sim/state", "")
	if len(state.at("customer").([]any)) != 1 || state.at("payment_method.0.card.last4") != "4242" || state.text("deliveries.waiting") != "0" {
		t.Errorf("state %v", state)
	}
	for action, want := range map[string]string{"status:503": "api_error", "status:429": "invalid_request_error"} {
		body := strings.NewReader(fmt.Sprintf(`{"match":"GET /v1/**","action":%q}`, action))
		if resp, err := http.Post(a.url+"/_sim/faults", "application/json", body); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%v %v", resp, err)
		}
		resp, got := a.send("GET", "/v1/customers", "")
		if fmt.Sprint("status:", resp.StatusCode) != action || got.text("error.type") != want || resp.Header.Get("Retry-After") != "1" {
			t.Errorf("%s: %d %v", action, resp.StatusCode, got)
		}
	}
	_, moved := a.send("POST", "/_sim/clock", `{"advance":"24h"}`)
	if moved.text("now") != "2026-11-16T12:00:00Z" {
		t.Errorf("clock %v", moved)
	}
}

func TestOldEventsAreForgotten(t *testing.T) {
	t.Parallel()
	a := open(t)
	a.buyer("")
	a.Kit.Clock.Advance(31 * day)
	a.buyer("")
	if n := len(a.get("/v1/events")["data"].([]any)); n != 1 {
		t.Errorf("%d events", n)
	}
}
