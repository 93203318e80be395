package clerk_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/adapter/sim/definition/definitiontest"
)

const (
	ada      = "user_ada"
	bob      = "user_bob"
	carol    = "user_carol"
	acme     = "org_acme"
	other    = "org_other"
	client   = "client_assistant"
	stranger = "client_stranger"

	password  = "correct-horse-canary"
	secretKey = "sk_test_canary"
	hook      = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
)

// provider is a simulated provider and a client of it.
type provider struct {
	*clerk.Client
	sim    *sim.Server
	server *httptest.Server
}

// newProvider starts a provider whose client may be varied.
func newProvider(t *testing.T, vary ...func(*clerk.Options)) provider {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	simulated := sim.New(sim.Options{
		Origin:    "http://" + server.Listener.Addr().String(),
		SecretKey: secretKey,
		Users: []sim.User{
			{ID: ada, Email: "ada@example.com", Password: password, FirstName: "Ada", LastName: "Byron"},
			{ID: bob, Email: "bob@example.com", Password: password, SecondFactor: true},
			{ID: carol, Email: "carol@example.com", Password: password, Unconfirmed: true},
			{ID: "user_banned", Email: "banned@example.com", Password: password, Banned: true},
			{ID: "user_nopassword", Email: "nopassword@example.com"},
		},
		Organizations: []sim.Organization{
			{ID: acme, Name: "Acme", CreatedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
			{ID: other, Name: "Other"},
		},
		Memberships: []sim.Membership{
			{UserID: ada, OrganizationID: acme, Role: "org:admin", CreatedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)},
			{UserID: ada, OrganizationID: other, Role: "org:member", CreatedAt: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)},
		},
		Clients: []sim.Client{{ID: client, LoopbackRedirects: true}, {ID: stranger, LoopbackRedirects: true}},
	})
	server.Config.Handler = definitiontest.Handler(t, "clerk", simulated)
	server.Start()
	t.Cleanup(func() { server.Close(); simulated.Close() })
	o := clerk.Options{
		PublishableKey: simulated.PublishableKey(), SecretKey: secretKey, WebhookSecrets: []string{hook},
		ClientID: client, APIURL: simulated.Origin(), LoopbackHTTP: true, FailureFloor: time.Millisecond,
	}
	for _, v := range vary {
		v(&o)
	}
	c, err := clerk.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return provider{c, simulated, server}
}

func (p provider) session(t *testing.T, user, organization string, o sim.TokenOptions) string {
	t.Helper()
	token, err := p.sim.SessionToken(user, organization, o)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (p provider) oauth(t *testing.T, user, organization, client string, o sim.TokenOptions) string {
	t.Helper()
	token, err := p.sim.AccessToken(user, organization, client, o)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// recorder counts requests by host and path.
type recorder struct {
	mu   sync.Mutex
	seen []string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.seen = append(r.seen, req.URL.Host+req.URL.Path)
	r.mu.Unlock()
	return http.DefaultTransport.RoundTrip(req)
}

func (r *recorder) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.seen...)
}

// secretless fails where an error would carry a secret into a log.
func secretless(t *testing.T, err error, secrets ...string) {
	t.Helper()
	if err == nil {
		return
	}
	for _, secret := range append(secrets, secretKey, password, hook) {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error carries a secret: %v", err)
		}
	}
}

// within answers requests in this process.
type within struct{ handler http.Handler }

func (w within) RoundTrip(req *http.Request) (*http.Response, error) {
	recorded := httptest.NewRecorder()
	if req.Body == nil {
		req.Body = http.NoBody
	}
	w.handler.ServeHTTP(recorded, req)
	return recorded.Result(), nil
}
