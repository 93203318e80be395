package operations

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	simstripe "docledger/adapter/sim/stripe"
	"docledger/cmd/service"
	"docledger/test/lib/harness"
	usecase "docledger/usecase/billing"
)

func people() simclerk.Options {
	return simclerk.Options{
		Users:         []simclerk.User{{ID: "user_ada", Email: "ada@example.com"}, {ID: "user_bob", Email: "bob@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_acme", Name: "Acme"}},
		Memberships: []simclerk.Membership{
			{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin"}, {UserID: "user_bob", OrganizationID: "org_acme", Role: "org:member"},
		},
	}
}

// identityUnavailable: without the identity provider, known keys, known users and
// local accounts still work.
func identityUnavailable(t *testing.T) outage {
	provider := harness.NewProvider(t, people())
	line, at := harness.LineTo(t, provider.Origin())
	o := harness.Options{}.WithProvider(provider)
	o.Env["IDENTITY_URL"] = at
	s := harness.Start(t, o)
	f := newSender(t, s)
	long := simclerk.TokenOptions{Lifetime: time.Hour}
	ada, tools := provider.Session("user_ada", "org_acme", long), provider.OAuth("user_ada", "org_acme", harness.OAuthClient, long)
	bob := provider.Session("user_bob", "org_acme", long)
	me := func(token string) harness.Response { return s.Do(http.MethodGet, "/api/me", token, nil) }
	me(ada).OK()
	return outage{
		Server: s, cut: line.Cut, restore: line.Repair,
		continues: []step{
			{"known users", func() { me(ada).OK() }},
			{"assistants of known users", func() { me(tools).OK() }},
			{"local sign-in", func() { f.token = s.Login(f.Admin.Email) }},
			{"uploads and extraction", f.read},
			ready(s),
		},
		refused: []step{{"unknown users", func() { unavailable(t, me(bob)) }}},
		recovered: []step{{"unknown users", func() {
			f.until("accepted", func() bool { return me(bob).Status == http.StatusOK })
		}}},
	}
}

// keysNeverLoaded: if the keys of the identity provider were never loaded, the
// service cannot verify its tokens. No user is asked to sign in again.
func keysNeverLoaded(t *testing.T) outage {
	provider := harness.NewProvider(t, people())
	line, at := harness.LineTo(t, provider.Origin())
	o := harness.Options{}.WithProvider(provider)
	o.Env["IDENTITY_URL"] = at
	line.Cut()
	s := harness.Start(t, o)
	f := newSender(t, s)
	ada := provider.Session("user_ada", "org_acme", simclerk.TokenOptions{Lifetime: time.Hour})
	me := func() harness.Response { return s.Do(http.MethodGet, "/api/me", ada, nil) }
	return outage{
		Server: s, cut: func() {}, restore: line.Repair,
		continues: []step{
			{"local sign-in", func() { f.token = s.Login(f.Admin.Email) }},
			{"uploads and extraction", f.read},
			ready(s),
		},
		refused: []step{{"the provider's tokens", func() { unavailable(t, me()) }}},
		recovered: []step{{"the provider's tokens", func() {
			f.until("accepted", func() bool { return me().Status == http.StatusOK })
		}}},
	}
}

// paymentUnavailable: without the payment processor, all work continues with the last
// known plan.
func paymentUnavailable(t *testing.T) outage {
	limits := simstripe.DefaultLimits()
	limits.RequestsPerSecond = 0
	sim := simstripe.New(simstripe.Options{Account: simstripe.ReadyAccount(), SecretKeys: []string{"sk_test_outage"}, Limits: &limits})
	processor := httptest.NewServer(sim)
	t.Cleanup(func() {
		processor.Close()
		sim.Close()
	})
	product := pay(t, sim, "/v1/products", "name", "Team")
	price := pay(t, sim, "/v1/prices", "product", product, "currency", "eur", "unit_amount", "3000",
		"recurring[interval]", "month", "lookup_key", "team", "metadata[max_entities]", "2")
	line, at := harness.LineTo(t, processor.URL)
	s := harness.Start(t, harness.Options{Env: map[string]string{
		"BILLING": "stripe", "PAYMENT_URL": at, "PAYMENT_SECRET_KEY": "sk_test_outage", "PAYMENT_SIGNING_SECRETS": "whsec_outage_0123456789",
		"REDIRECT_ORIGINS": "https://app.example", "PAYMENT_PRODUCTS": product,
	}})
	f := newSender(t, s)
	subscribe(t, s, f, sim, price)
	billing := func() harness.Response { return f.get("/api/billing") }
	if plan := billing().OK().Text("plan"); plan != "team" {
		t.Fatalf("the plan is %q", plan)
	}
	checkout := func() harness.Response {
		return s.Do(http.MethodPost, "/api/billing/checkout-session", f.token, map[string]any{
			"price_id": price, "success_url": "https://app.example/", "cancel_url": "https://app.example/",
		})
	}
	entity := func(name string) harness.Response {
		return s.Do(http.MethodPost, "/api/entities", f.token, map[string]any{"name": name})
	}
	return outage{
		Server: s, restore: line.Repair,
		cut: func() {
			line.Cut()
			forget(t, s, f)
		},
		continues: []step{
			{"uploads and extraction", f.read},
			{"reviews", func() { f.reject().OK() }},
			{"the plan's limit of two entities", func() {
				entity("second").OK()
				entity("third").Want(http.StatusForbidden, "plan_limit_reached")
			}},
			{"usage", func() { f.get("/api/billing/usage").OK() }},
			ready(s),
		},
		refused: []step{
			{"billing without a cached plan", func() { wantRetryAfter(t, billing().Want(http.StatusInternalServerError, "provider_unavailable")) }},
			{"checkout", func() { wantRetryAfter(t, checkout().Want(http.StatusInternalServerError, "provider_unavailable")) }},
			{"plans for sale", func() {
				wantRetryAfter(t, f.get("/api/billing/plans").Want(http.StatusInternalServerError, "provider_unavailable"))
			}},
		},
		recovered: []step{{"billing", func() {
			f.until("known", func() bool { return billing().Status == http.StatusOK })
		}}},
	}
}

// pay creates an object at the payment processor. form contains pairs of name
// and value.
func pay(t *testing.T, sim *simstripe.Server, path string, form ...string) (id string) {
	t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(form); i += 2 {
		values.Add(form[i], form[i+1])
	}
	status, body := sim.Do(http.MethodPost, path, values)
	id, _ = body["id"].(string)
	if status != http.StatusOK || id == "" {
		t.Fatalf("%s: %d %v", path, status, body)
	}
	return id
}

// subscribe subscribes the organization to a price.
func subscribe(t *testing.T, s *harness.Server, f *sender, sim *simstripe.Server, price string) {
	t.Helper()
	customer, err := s.Service.Billing.Customers.Ensure(context.Background(), f.ID)
	if err != nil {
		t.Fatal(err)
	}
	card := pay(t, sim, "/v1/payment_methods/pm_card_visa/attach", "customer", customer)
	pay(t, sim, "/v1/customers/"+customer, "invoice_settings[default_payment_method]", card)
	pay(t, sim, "/v1/subscriptions", "customer", customer, "items[0][price]", price)
	forget(t, s, f)
}

// forget invalidates the cached plan of the organization.
func forget(t *testing.T, s *harness.Server, f *sender) {
	t.Helper()
	source := s.Service.Billing.Source.(*usecase.Subscribed)
	if err := source.Cache.Invalidate(context.Background(), f.ID); err != nil {
		t.Fatal(err)
	}
}

// shiftedClock is the system clock with an offset that a test changes.
type shiftedClock struct{ ahead atomic.Int64 }

// Now implements usecase.Clock.
func (h *shiftedClock) Now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

func (h *shiftedClock) pass(d time.Duration) { h.ahead.Add(int64(d)) }

// ledgerUnavailable: without one ledger, the other one works. A sync visibly waits
// and is done when the ledger is back.
func ledgerUnavailable(t *testing.T) outage {
	a, _ := harness.NewLedgerA(t)
	b, _ := harness.NewLedgerB(t)
	o := harness.Options{}.With(a, b)
	line, at := harness.LineTo(t, a.URL)
	now := &shiftedClock{}
	o.Env["ACCOUNTING_A_URL"], o.Overrides = at, service.Overrides{Clock: now}
	s := harness.Start(t, o)
	f, g := newSender(t, s), newSender(t, s)
	ledger, other := s.Activate(f.Organization, f.Entity, a, a.Tenants[0]), s.Activate(g.Organization, g.Entity, b, b.Tenants[0])
	account := f.get("/api/v1/integrations/"+ledger+"/accounting-accounts?account_types=EXPENSE").OK().Text("items", 0, "id")
	s.Do(http.MethodPut, "/api/settings/"+f.Entity.String(), f.token, map[string]any{"default_account_id": account, "auto_sync": true}).OK()
	invoice := func() harness.Response { return f.get("/api/invoices/" + f.invoice).OK() }
	var refused []step
	lists := []string{"organizations?entity_id=", "accounts", "contacts", "tax-rates", "currencies"}
	list := func(of *sender, integration, what string) harness.Response {
		if strings.HasSuffix(what, "=") {
			what += of.Entity.String()
		}
		return of.get("/api/v1/integrations/" + integration + "/accounting-" + what)
	}
	for _, l := range slices.Concat(lists, lists) { // often enough to open the circuit
		if l == "accounts" {
			continue // cached a moment ago
		}
		refused = append(refused, step{"its " + l, func() {
			wantRetryAfter(t, list(f, ledger, l).Want(http.StatusInternalServerError, "provider_unavailable"))
		}})
	}
	return outage{
		Server: s, cut: line.Cut,
		restore: func() {
			line.Repair()
			now.pass(time.Hour) // until the circuit closes
		},
		refused: append(refused, step{"its status", func() {
			if r := f.get("/api/integrations/" + ledger + "/status").OK(); r.Text("status") != "ACTIVE" || r.Text("retry_at") == "" {
				t.Errorf("the status is %s", r.Raw)
			}
		}}),
		continues: []step{
			{"cached lists", func() { list(f, ledger, "accounts").OK() }},
			{"the other ledger", func() {
				for _, l := range lists {
					list(g, other, l).OK()
				}
			}},
			{"uploads and extraction", f.read},
			{"approval", func() {
				s.Do(http.MethodPost, "/api/invoices/"+f.invoice+"/approve", f.token, map[string]any{"version": invoice().Number("version")}).OK()
			}},
			{"its sync, which visibly waits", func() {
				f.until("waiting", func() bool {
					booking, _ := invoice().At("sync").(map[string]any)
					failure, _ := booking["error"].(map[string]any)
					return failure["code"] == "ledger_unavailable" && booking["next_attempt_at"] != nil
				})
			}},
			ready(s),
		},
		recovered: []step{
			{"its lists", func() { list(f, ledger, "currencies").OK() }},
			{"the sync", func() {
				f.until("in the ledger", func() bool { return invoice().Text("status") == "SYNCED" })
			}},
		},
	}
}

// storeUnavailable: without one document store, the other one works. New files are
// ingested when the store is back.
func storeUnavailable(t *testing.T) outage {
	stores := harness.StoresOf()
	a, b := stores["DOCSTORE_A"](t), stores["DOCSTORE_B"](t)
	o := harness.Options{}.WithStore(a).WithStore(b)
	line, at := harness.LineTo(t, b.URL)
	o.Env["DOCSTORE_B_URL"], o.Env["POLL_INTERVAL"] = at, "2s"
	s := harness.Start(t, o)
	f, g := newSender(t, s), newSender(t, s)
	store := s.Watch(f.Organization, f.Entity, b)
	other := s.Watch(g.Organization, g.Entity, a)
	sources := func(of *sender, integration string) harness.Response {
		return of.get("/api/v1/integrations/" + integration + "/trigger-sources?entity_id=" + of.Entity.String())
	}
	status := func() harness.Response { return f.get("/api/integrations/" + store + "/status").OK() }
	f.until("up to date", func() bool { return status().At("lag") != nil })
	has := func(of *sender, number string) bool {
		list := of.get("/api/invoices").OK()
		for i := range list.Len("items") {
			if list.Text("items", i, "invoice_number") == number {
				return true
			}
		}
		return false
	}
	return outage{
		Server: s, restore: line.Repair,
		cut: func() {
			line.Cut()
			b.Add("", "missed.xml", harness.UBL("MISSED"))
			a.Add("", "other.xml", harness.UBL("OTHER"))
		},
		continues: []step{
			{"the other store", func() {
				f.until("ingested", func() bool { return has(g, "OTHER") })
				sources(g, other).OK()
			}},
			{"uploads and extraction", f.read},
			{"its status, which reports it", func() {
				f.until("reported", func() bool { return status().Text("retry_at") != "" })
				if r := status(); r.Text("status") != "ACTIVE" || r.Number("files_ingested") != 0 {
					t.Errorf("the status is %s", r.Raw)
				}
			}},
			ready(s),
		},
		refused: []step{{"its sources", func() {
			wantRetryAfter(t, sources(f, store).Want(http.StatusInternalServerError, "provider_unavailable"))
		}}},
		recovered: []step{{"files that were added meanwhile", func() { f.until("ingested", func() bool { return has(f, "MISSED") }) }}},
	}
}
