package harness

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	simquickbooks "docledger/adapter/sim/quickbooks"
	simxero "docledger/adapter/sim/xero"

	"github.com/google/uuid"
)

// Ledger is a simulated accounting provider for a service.
type Ledger struct {
	Provider string // its neutral code
	URL      string
	Tenants  []string
	// Env is what the service is configured with.
	Env map[string]string
	// Consent accepts the consent page for tenants and returns the redirect URL
	// of the browser.
	Consent func(authorizationURL string, tenants ...string) (string, error)
}

// tokenKey encrypts tokens in tests in which several processes share a
// database.
const tokenKey = "dGVzdCBrZXkgb2YgMzIgYnl0ZXMsIG5vIHNlY3JldCE="

// RedirectURL is the redirect URL of consents in tests.
const RedirectURL = "https://app.example/integrations"

// NewLedgerA starts ACCOUNTING_A with its real limits.
func NewLedgerA(t testing.TB) (*Ledger, *simxero.Server) {
	t.Helper()
	return NewLedgerAOf(t, simxero.DefaultOrganizations()...)
}

// NewLedgerAOf starts ACCOUNTING_A with organizations and its real limits.
func NewLedgerAOf(t testing.TB, organizations ...simxero.Organization) (*Ledger, *simxero.Server) {
	t.Helper()
	tenants := make([]string, len(organizations))
	for i := range organizations {
		tenants[i] = organizations[i].ID
	}
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	sim := simxero.New(simxero.Options{
		Origin: origin, Organizations: organizations,
		Clients: []simxero.Client{{ID: "docledger", Name: "docledger", Secret: "secret of A", LoopbackRedirects: true}},
	})
	listener.Config.Handler = sim
	listener.Start()
	t.Cleanup(listener.Close)
	return &Ledger{
		Provider: "ACCOUNTING_A", URL: origin, Tenants: tenants,
		Env: providerEnv("ACCOUNTING_A", origin, "secret of A"), Consent: sim.Consent,
	}, sim
}

// NewLedgerB is NewLedgerBOf with the default companies. A consent includes one tenant.
func NewLedgerB(t testing.TB) (*Ledger, *simquickbooks.Server) {
	t.Helper()
	return NewLedgerBOf(t, simquickbooks.DefaultCompanies()...)
}

// NewLedgerBOf starts ACCOUNTING_B with companies and its real limits, except that of a second: a
// busy machine delays calls, so that those of two seconds arrive in one.
func NewLedgerBOf(t testing.TB, companies ...simquickbooks.Company) (*Ledger, *simquickbooks.Server) {
	t.Helper()
	tenants := make([]string, len(companies))
	for i := range companies {
		tenants[i] = companies[i].RealmID
	}
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	sim := simquickbooks.New(simquickbooks.Options{
		Origin: origin, Companies: companies,
		Clients: []simquickbooks.Client{{ID: "docledger", Name: "docledger", Secret: "secret of B", LoopbackRedirects: true}},
	})
	sim.SetLimits(func(l *simquickbooks.Limits) { l.Second = 0 })
	listener.Config.Handler = sim
	listener.Start()
	t.Cleanup(listener.Close)
	return &Ledger{
		Provider: "ACCOUNTING_B", URL: origin, Tenants: tenants,
		Env: providerEnv("ACCOUNTING_B", origin, "secret of B"),
		Consent: func(authorizationURL string, tenants ...string) (string, error) {
			return sim.Consent(authorizationURL, append(tenants, "")[0])
		},
	}, sim
}

func providerEnv(provider, url, secret string) map[string]string {
	return map[string]string{
		provider + "_CLIENT_ID": "docledger", provider + "_CLIENT_SECRET": secret, provider + "_URL": url,
		"TOKEN_KEYS": tokenKey, "REDIRECT_ORIGINS": "https://app.example",
	}
}

// With adds the configuration of the ledgers to the options.
func (o Options) With(ledgers ...*Ledger) Options {
	env := maps.Clone(o.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, l := range ledgers {
		maps.Copy(env, l.Env)
	}
	o.Env = env
	return o
}

// Connect grants a consent for an entity to tenants of a ledger. It returns the
// integration, which is not set up.
func (s *Server) Connect(o Organization, entity uuid.UUID, l *Ledger, tenants ...string) (integration string) {
	s.t.Helper()
	asked := s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", o.Admin.Token, map[string]any{
		"entity_id": entity, "provider": l.Provider, "redirect_url": RedirectURL,
	}).OK()
	s.Agree(l, asked.Text("authorization_url"), tenants...)
	return asked.Text("integration_id")
}

// Agree accepts a consent page and follows the redirect to the service. It
// returns the query of the page of the application.
func (s *Server) Agree(l *Ledger, authorizationURL string, tenants ...string) url.Values {
	s.t.Helper()
	to, err := l.Consent(authorizationURL, tenants...)
	must(s.t, err)
	back, err := url.Parse(to)
	must(s.t, err)
	r := s.Send(http.MethodGet, back.RequestURI(), "", nil)
	if r.Status != http.StatusFound {
		s.t.Fatalf("back from the consent page: %d %s", r.Status, r.Raw)
	}
	page, err := url.Parse(r.Header.Get("Location"))
	must(s.t, err)
	if got := page.Scheme + "://" + page.Host + page.Path; got != RedirectURL {
		s.t.Fatalf("the browser is led to %s", got)
	}
	return page.Query()
}

// Activate connects an entity to a tenant of a ledger and sets it up.
func (s *Server) Activate(o Organization, entity uuid.UUID, l *Ledger, tenant string) (integration string) {
	s.t.Helper()
	id := s.Connect(o, entity, l, tenant)
	status := s.SetUp(o, entity, l, id, tenant).OK().Text("status")
	if status != "ACTIVE" {
		s.t.Fatalf("the integration is %s", status)
	}
	return id
}

// SetUp sets up an integration with a tenant.
func (s *Server) SetUp(o Organization, entity uuid.UUID, l *Ledger, integration, tenant string) Response {
	s.t.Helper()
	return s.Do(http.MethodPut, fmt.Sprintf("/api/v1/integrations/%s?entity_id=%s", integration, entity), o.Admin.Token, map[string]any{
		"status": "PENDING", "public_metadata": map[string]any{"provider": l.Provider, "organization_id": tenant, "pays_tax": true},
	})
}
