package e2e

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/httpapi/spectest"
	sim "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/domain/page"
	"docledger/test/lib/harness"
)

// at is a fixed clock that a test advances.
func at(t *testing.T, text string) *hands {
	t.Helper()
	now, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return &hands{now: now}
}

const signingSecret = "whsec_of_the_tests"

// processor is the simulated payment processor with one product and one price.
type processor struct {
	t     *testing.T
	sim   *sim.Server
	url   string
	price string
	env   map[string]string
}

func newProcessor(t *testing.T, clock *hands) *processor {
	t.Helper()
	p := &processor{t: t, sim: sim.New(sim.Options{Account: sim.ReadyAccount(), Start: clock.Now()})}
	listener := httptest.NewServer(p.sim)
	t.Cleanup(func() {
		listener.Close()
		p.sim.Close()
	})
	p.url = listener.URL
	product := p.do(http.MethodPost, "/v1/products", "name", "Team", "metadata[max_entities]", "25")["id"].(string)
	p.price = p.do(http.MethodPost, "/v1/prices", "product", product, "currency", "eur", "unit_amount", "4900",
		"recurring[interval]", "month", "lookup_key", "team_monthly")["id"].(string)
	p.env = map[string]string{
		"BILLING": "stripe", "PAYMENT_URL": p.url, "PAYMENT_SECRET_KEY": "sk_test_e2e", "PAYMENT_SIGNING_SECRETS": signingSecret,
		"PAYMENT_PRODUCTS": product, "REDIRECT_ORIGINS": "https://app.example",
	}
	return p
}

// start starts a service with the payment processor.
func (p *processor) start(clock *hands) *harness.Server {
	p.t.Helper()
	return harness.Start(p.t, harness.Options{Env: p.env, Overrides: service.Overrides{Clock: clock}})
}

// do calls the payment processor. form contains pairs of name and value.
func (p *processor) do(method, path string, form ...string) map[string]any {
	p.t.Helper()
	return harness.AskProcessor(p.t, p.sim, method, path, form...)
}

// buy simulates a user on the checkout page.
func (p *processor) buy(page string) {
	p.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.PostForm(page, url.Values{"card": {"4242 4242 4242 4242"}})
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Header.Get("Location") != "https://app.example/bought" {
		p.t.Fatalf("the checkout page returns %d %v", resp.StatusCode, resp.Header)
	}
}

// wantClosed verifies that nothing can be bought on a checkout page.
func (p *processor) wantClosed(page string) {
	p.t.Helper()
	browser := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.PostForm(page, url.Values{"card": {"4242 4242 4242 4242"}})
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if to := resp.Header.Get("Location"); to != "" {
		p.t.Errorf("a closed page sells and leads to %s", to)
	}
}

// event returns the latest event of a type as it is sent.
func (p *processor) event(kind string) string {
	p.t.Helper()
	latest := p.do(http.MethodGet, "/v1/events", "limit", "1", "type", kind)["data"].([]any)
	if len(latest) == 0 {
		p.t.Fatalf("there is no %s", kind)
	}
	body, ok := p.sim.Payload(latest[0].(map[string]any)["id"].(string), "")
	if !ok {
		p.t.Fatal("the event is gone")
	}
	return string(body)
}

func overview(s *harness.Server, token string) harness.Response {
	return s.Do(http.MethodGet, "/api/billing", token, nil).OK()
}

// alertsOf lists the codes of a response's alerts.
func alertsOf(r harness.Response) []string {
	codes := []string{}
	for i := range r.Len("alerts") {
		codes = append(codes, r.Text("alerts", i, "code"))
	}
	return codes
}

func TestBillingWithoutProcessor(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Overrides: service.Overrides{Clock: at(t, "2028-02-29T23:59:59Z")}})
	org := s.NewOrganization("Self-hosted")
	member := s.NewPerson(org.ID, identity.RoleMember)
	for _, token := range []string{org.Admin.Token, member.Token} {
		r := overview(s, token)
		want := `{"organization_id":"` + org.ID.String() + `","plan":"self_hosted","subscription_status":"active",` +
			`"billing_cycle_end":null,"limits":{"max_entities":null,"max_invoices_per_month":null},` +
			`"usage":{"entities":1,"invoices_this_month":0,"period_start":"2028-02-01","period_end":"2028-02-29"},"trial":null,"alerts":[]}`
		if !sameJSON(r.Raw, []byte(want)) {
			t.Errorf("the response is\n%s\nwant\n%s", r.Raw, want)
		}
	}
	checkout := map[string]any{"price_id": "p", "success_url": "https://a.example/", "cancel_url": "https://a.example/"}
	portal := map[string]any{"return_url": "https://a.example/"}
	s.Do(http.MethodGet, "/api/billing/plans", member.Token, nil).Want(404, "not_found")
	s.Do(http.MethodPost, "/api/billing/checkout-session", org.Admin.Token, checkout).Want(404, "not_found")
	s.Do(http.MethodPost, "/api/billing/portal-session", org.Admin.Token, portal).Want(404, "not_found")
	s.Do(http.MethodPost, "/api/billing/checkout-session", member.Token, checkout).Want(403, "forbidden")
	s.Do(http.MethodPost, "/api/billing/portal-session", member.Token, portal).Want(403, "forbidden")
	for _, sender := range []string{"payments", "identity"} {
		s.Send(http.MethodPost, "/webhook/"+sender, "", strings.NewReader("{}")).Want(404, "not_found")
	}
}

// TestTrialAlertsAtBothEdges walks through a trial that begins on 1 March:
// its last day is the 4th, in UTC.
func TestTrialAlertsAtBothEdges(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-01T00:00:00Z")
	s := newProcessor(t, clock).start(clock)
	org := s.NewOrganization("Trial")
	for _, step := range []struct {
		now    string
		left   int
		status string
		alerts []string
	}{
		{"2026-03-01T00:00:00Z", 3, "trialing", nil},
		{"2026-03-01T23:59:59Z", 3, "trialing", nil},
		{"2026-03-02T00:00:00Z", 2, "trialing", []string{"TRIAL_EXPIRING"}},
		{"2026-03-04T00:00:00Z", 0, "trialing", []string{"TRIAL_EXPIRING"}},
		{"2026-03-04T23:59:59Z", 0, "trialing", []string{"TRIAL_EXPIRING"}},
		{"2026-03-05T00:00:00Z", -1, "trial_expired", []string{"SUBSCRIPTION_INACTIVE"}},
	} {
		clock.advance(at(t, step.now).Now().Sub(clock.Now()))
		r := overview(s, s.Login(org.Admin.Email))
		if got := alertsOf(r); !slices.Equal(got, step.alerts) {
			t.Errorf("%s: alerts %v, want %v", step.now, got, step.alerts)
		}
		active := step.left >= 0
		if r.Number("trial", "days_left") != step.left || r.At("trial", "active") != active ||
			r.Text("trial", "expiry_date") != "2026-03-04" || r.Text("subscription_status") != step.status ||
			r.Text("plan") != "trial" || r.Text("billing_cycle_end") != "2026-03-05T00:00:00Z" {
			t.Errorf("%s: %s", step.now, r.Raw)
		}
		if r.Number("limits", "max_entities") != 10 || r.Number("limits", "max_invoices_per_month") != 300 {
			t.Errorf("the trial's limits are not the contract's: %s", r.Raw)
		}
	}
}

// TestUsageAlerts creates entities up to the limit of a trial: 80 % is 8 of 10.
func TestUsageAlerts(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-01T12:00:00Z")
	s := newProcessor(t, clock).start(clock)
	org := s.NewOrganization("Usage") // has one entity already
	for entities := 2; entities <= 10; entities++ {
		s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": fmt.Sprint("E", entities)}).OK()
		var want []string
		switch {
		case entities == 10:
			want = []string{"USAGE_LIMIT_REACHED"}
		case entities >= 8:
			want = []string{"USAGE_NEAR_LIMIT"}
		}
		r := overview(s, org.Admin.Token)
		if got := alertsOf(r); !slices.Equal(got, want) || r.Number("usage", "entities") != entities {
			t.Errorf("%d entities: alerts %v, want %v\n%s", entities, got, want, r.Raw)
		}
	}
}

// TestBuyingAPlan takes an organization from its trial to a plan. The displayed
// plan changes with the event, and only if the event is signed.
func TestBuyingAPlan(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-10T08:00:00Z")
	p := newProcessor(t, clock)
	// Without workers: their first run reads the processor's list of events, which would also
	// deliver the event of the purchase.
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: p.env, Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Buyer")
	admin, member := org.Admin.Token, s.NewPerson(org.ID, identity.RoleMember).Token
	if plan := overview(s, member).Text("plan"); plan != "trial" {
		t.Fatalf("the plan is %q before anything was bought", plan)
	}
	plans := s.Do(http.MethodGet, "/api/billing/plans", member, nil).OK()
	want := `{"items":[{"price_id":"` + p.price + `","name":"Team","amount":"49.00","currency":"EUR","interval":"month","interval_count":1,` +
		`"limits":{"max_entities":25,"max_invoices_per_month":null}}],"next_cursor":null}`
	if !sameJSON(plans.Raw, []byte(want)) {
		t.Errorf("for sale is\n%s\nwant\n%s", plans.Raw, want)
	}
	checkout := func(token, price, success string, headers ...string) harness.Response {
		return s.Do(http.MethodPost, "/api/billing/checkout-session", token, map[string]any{
			"price_id": price, "success_url": success, "cancel_url": "https://app.example/",
		}, headers...)
	}
	checkout(member, p.price, "https://app.example/bought").Want(403, "forbidden")
	checkout(admin, "price_of_others", "https://app.example/bought").Want(400, "invalid_request")
	checkout(admin, p.price, "https://app.example.evil/bought").Want(400, "invalid_request")
	page := checkout(admin, p.price, "https://app.example/bought", "Idempotency-Key", "k").OK().Text("url")
	if again := checkout(admin, p.price, "https://app.example/bought", "Idempotency-Key", "k").OK().Text("url"); again != page {
		t.Errorf("a repeated request opens another page: %s and %s", page, again)
	}
	checkout(admin, p.price, "https://app.example/other", "Idempotency-Key", "k").Want(400, "conflict")

	first := page
	page = checkout(admin, p.price, "https://app.example/bought").OK().Text("url")
	p.wantClosed(first) // a second page closes the first one
	p.buy(page)
	// The subscription exists at the processor before its event arrives.
	again := checkout(admin, p.price, "https://app.example/bought").Want(400, "conflict")
	if !strings.Contains(again.Text("error", "message"), "/api/billing/portal-session") || again.Text("error", "details", "subscription_status") != "active" ||
		again.Text("error", "details", "next_operation") != "createPortalSession" {
		t.Errorf("a second purchase: %s", again.Raw)
	}
	body := p.event("customer.subscription.created")
	deliver := func(body string, secret string, at time.Time) harness.Response {
		return s.Send(http.MethodPost, "/webhook/payments", "", strings.NewReader(body),
			"Stripe-Signature", sim.Sign([]byte(body), at, secret), "Content-Type", "application/json")
	}
	deliver(body, "whsec_of_others", clock.Now()).Want(400, "invalid_signature")
	deliver(body, signingSecret, clock.Now().Add(-301*time.Second)).Want(400, "invalid_signature")
	deliver(body, signingSecret, clock.Now().Add(301*time.Second)).Want(400, "invalid_signature")
	if plan := overview(s, admin).Text("plan"); plan != "trial" {
		t.Errorf("a forged event changed the plan to %q", plan)
	}
	for range 2 {
		if r := deliver(body, signingSecret, clock.Now()).OK(); r.At("received") != true {
			t.Errorf("the webhook returns %s", r.Raw)
		}
		r := overview(s, member)
		if r.Text("plan") != "team_monthly" || r.Text("subscription_status") != "active" || r.At("trial") != nil ||
			r.Text("billing_cycle_end") != "2026-04-01T00:00:00Z" || r.Number("limits", "max_entities") != 25 {
			t.Errorf("after the event: %s", r.Raw)
		}
	}
	portal := map[string]any{"return_url": "https://app.example/billing"}
	s.Do(http.MethodPost, "/api/billing/portal-session", member, portal).Want(403, "forbidden")
	s.Do(http.MethodPost, "/api/billing/portal-session", admin, map[string]any{"return_url": "https://evil.example/"}).Want(400, "invalid_request")
	if page := s.Do(http.MethodPost, "/api/billing/portal-session", admin, portal).OK().Text("url"); !strings.HasPrefix(page, p.url) {
		t.Errorf("the portal is at %s", page)
	}
	s.Send(http.MethodPost, "/webhook/identity", "", strings.NewReader("{}")).Want(404, "not_found")
}

// TestGeneratedBillingRequests is TestGeneratedRequests for the operations that
// need a payment processor.
func TestGeneratedBillingRequests(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-10T08:00:00Z")
	s := newProcessor(t, clock).start(clock)
	org := s.NewOrganization("Generated")
	callers := map[string]string{
		"admin": org.Admin.Token, "member": s.NewPerson(org.ID, identity.RoleMember).Token, "anonymous": "",
	}
	for _, op := range s.Checker.Operations() {
		if !slices.Contains(bought, op.ID) && op.ID != "getBilling" {
			continue
		}
		for _, c := range spectest.Cases(op, seed(t), nil) {
			for caller, token := range callers {
				req, err := c.Request(t.Context(), s.URL)
				if err != nil {
					t.Fatal(err)
				}
				if token != "" {
					req.Header.Set("Authorization", "Bearer "+token)
				}
				r := s.Exchange(req)
				if problem := unexpected(op, c, caller, r); problem != "" {
					t.Errorf("%s as %s: %s: %d %s", c, caller, problem, r.Status, r.Raw)
				}
			}
		}
	}
}

// TestBillingWhileProcessorIsAway verifies the error of the operation if the
// plan was never known.
func TestBillingWhileProcessorIsAway(t *testing.T) {
	t.Parallel()
	env := maps.Clone(processorAway)
	env["REDIRECT_ORIGINS"] = "https://app.example"
	s := harness.Start(t, harness.Options{Env: env})
	org := s.NewOrganization("Away")
	s.Do(http.MethodGet, "/api/billing", org.Admin.Token, nil).Want(500, "provider_unavailable")
	portal := map[string]any{"return_url": "https://app.example/"}
	s.Do(http.MethodPost, "/api/billing/portal-session", org.Admin.Token, portal).Want(500, "provider_unavailable")
}

// TestUsageIsOfTheMonth counts an invoice in the UTC month of its extraction.
func TestUsageIsOfTheMonth(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-31T23:59:00Z")
	s := harness.Start(t, harness.Options{Overrides: service.Overrides{Clock: clock}})
	org, other := s.NewOrganization("March"), s.NewOrganization("Other")
	up := s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("A-1")).OK()
	s.Extract(org.Admin.Token, up.Text("id")).OK()
	if r := overview(s, org.Admin.Token); r.Number("usage", "invoices_this_month") != 1 || r.Text("usage", "period_end") != "2026-03-31" {
		t.Errorf("in March: %s", r.Raw)
	}
	if r := overview(s, other.Admin.Token); r.Number("usage", "invoices_this_month") != 0 {
		t.Errorf("of another organization: %s", r.Raw)
	}
	march := s.Do(http.MethodGet, "/api/billing/usage", org.Admin.Token, nil).OK()
	clock.advance(time.Minute)
	if later := s.Do(http.MethodGet, "/api/billing/usage?month=2026-03", org.Admin.Token, nil).OK(); !sameJSON(later.Raw, march.Raw) {
		t.Errorf("in April, March is %s; it was %s", later.Raw, march.Raw)
	}
	if r := s.Do(http.MethodGet, "/api/billing/usage", org.Admin.Token, nil).OK(); !sameJSON(r.Raw, []byte(`{"month":"2026-04","total":0,"items":[]}`)) {
		t.Errorf("April is %s", r.Raw)
	}
	if r := overview(s, org.Admin.Token); r.Number("usage", "invoices_this_month") != 0 || r.Text("usage", "period_start") != "2026-04-01" {
		t.Errorf("in April: %s", r.Raw)
	}
}

// TestSignedEventsThatCannotBeInterpreted verifies that each delivery gets 200,
// and that the event is stored once for the operator and logged once.
func TestSignedEventsThatCannotBeInterpreted(t *testing.T) {
	t.Parallel()
	clock := at(t, "2026-03-10T08:00:00Z")
	p := newProcessor(t, clock)
	log := &syncBuffer{}
	s := harness.Start(t, harness.Options{Env: p.env, Overrides: service.Overrides{Clock: clock}, Log: log})
	bodies := map[string]string{
		`no JSON at all`: "",
		`{"id":"evt_2","object":"event","created":1773129600,"data":{"object":{}}}`:                                                                            "evt_2",
		`{"id":"evt_3","object":"event","type":"customer.created","created":1773129600,"data":{"object":null}}`:                                                "evt_3",
		`{"id":"evt_4","object":"event","type":"customer.subscription.created","created":1773129600,"data":{"object":{"object":"subscription","id":"sub_1"}}}`: "evt_4",
	}
	for body := range bodies {
		for range 3 {
			s.Send(http.MethodPost, "/webhook/payments", "", strings.NewReader(body),
				"Stripe-Signature", sim.Sign([]byte(body), clock.Now(), signingSecret), "Content-Type", "application/json").OK()
		}
	}
	found, err := s.Service.Inbox.List(context.Background(), inbox.Filter{Sender: inbox.Payments, States: []inbox.State{inbox.Failed}}, page.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Items) != len(bodies) {
		t.Fatalf("%d events are listed, want %d", len(found.Items), len(bodies))
	}
	for _, m := range found.Items {
		if want, ok := bodies[string(m.Body)]; !ok || want != "" && m.EventID != want || m.EventID == "" || m.Failure == "" {
			t.Errorf("listed is %+v", m)
		}
		if n := strings.Count(log.String(), `"event":"`+m.EventID+`"`); n != 1 {
			t.Errorf("event %s was logged %d times:\n%s", m.EventID, n, log.String())
		}
	}
}
