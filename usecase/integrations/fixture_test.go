// These tests check consent, setup, tokens and limits of
// integrations on both databases.
package integrations_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/cmd/service"
	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/organization"
	"docledger/domain/secret"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/crypto"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
	"docledger/test/lib/sqlite"
	"docledger/usecase/integrations"
	"docledger/usecase/suppliers"

	"github.com/google/uuid"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

const (
	callbackURL = "http://localhost:8080/api/v1/integrations/oauth/callback"
	redirectURL = "http://localhost:3000/done?x=1"
)

// steady is a clock that a test moves.
type steady struct {
	mu  sync.Mutex
	now time.Time
}

func (c *steady) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *steady) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
}

// provider is an accounting provider that connects tenants individually. Its
// refresh tokens are valid once, without a grace period.
type provider struct {
	mu        sync.Mutex
	clock     *steady
	accounts  map[string]string   // code → account
	reaches   map[string][]string // account → tenants
	refresh   map[string]string   // refresh token → account
	access    map[string]access
	serial    int
	refreshes int
	revoked   []string
	taken     []string // tenants that were disconnected
	down      bool
	loseNext  bool          // the next refresh is done, but its response lost
	slow      time.Duration // of a refresh, in real time
	poisoned  string        // the tenant whose books lead to a mistake of our own
}

type access struct {
	account string
	expires time.Time
}

func newProvider(c *steady) *provider {
	return &provider{clock: c, accounts: map[string]string{}, reaches: map[string][]string{}, refresh: map[string]string{}, access: map[string]access{}}
}

// grant simulates the consent of an account and returns the code.
func (p *provider) grant(account string, tenants ...string) (code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serial++
	code = fmt.Sprintf("code-%d", p.serial)
	p.accounts[code], p.reaches[account] = account, tenants
	return code
}

func (p *provider) issue(account string) integration.Tokens {
	p.serial++
	t := integration.Tokens{
		Access: secret.New(fmt.Sprintf("access-%d", p.serial)), Refresh: secret.New(fmt.Sprintf("refresh-%d", p.serial)),
		AccessExpiresAt: p.clock.Now().Add(30 * time.Minute), Scopes: []string{"books"},
	}
	p.refresh[t.Refresh.Reveal()] = account
	p.access[t.Access.Reveal()] = access{account, t.AccessExpiresAt}
	return t
}

func (p *provider) AuthorizationURL(r integration.AuthorizationRequest) string {
	return "https://provider.example/authorize?" + url.Values{
		"state": {r.State}, "redirect_uri": {r.RedirectURI}, "code_challenge": {r.Challenge},
	}.Encode()
}

func (p *provider) Exchange(_ context.Context, c integration.Callback) (integration.Consent, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	account, ok := p.accounts[c.Code]
	if !ok {
		return integration.Consent{}, fault.New(fault.Invalid, fault.CodeInvalidRequest, "The code is not valid.")
	}
	delete(p.accounts, c.Code)
	return integration.Consent{Tokens: p.issue(account), Account: account}, nil
}

func (p *provider) Refresh(_ context.Context, token secret.Text) (integration.Tokens, error) {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refreshes++
	if p.down {
		return integration.Tokens{}, integration.Unavailable(integration.AccountingA, 0, errors.New("down"))
	}
	account, ok := p.refresh[token.Reveal()]
	if !ok {
		return integration.Tokens{}, integration.NeedsReconnect(integration.AccountingA, errors.New("invalid_grant"))
	}
	if p.loseNext {
		p.loseNext = false
		p.issue(account)
		return integration.Tokens{}, integration.Unavailable(integration.AccountingA, 0, errors.New("lost"))
	}
	delete(p.refresh, token.Reveal())
	return p.issue(account), nil
}

func (p *provider) Revoke(_ context.Context, t integration.Tokens) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked = append(p.revoked, p.refresh[t.Refresh.Reveal()])
	delete(p.refresh, t.Refresh.Reveal())
	return nil
}

func (p *provider) RevokesAccount() bool { return true }

func (p *provider) DisconnectTenant(_ context.Context, a integration.Access) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = append(p.taken, a.Tenant)
	return p.check(a)
}

// check refuses invalid tokens.
func (p *provider) check(a integration.Access) error {
	t, ok := p.access[a.Token.Reveal()]
	switch {
	case p.down:
		return integration.Unavailable(integration.AccountingA, 0, errors.New("down"))
	case !ok || !p.clock.Now().Before(t.expires):
		return integration.AccessRefused(integration.AccountingA, errors.New("401"))
	}
	return nil
}

func (p *provider) Organizations(_ context.Context, a integration.Access) ([]accounting.Organization, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.check(a); err != nil {
		return nil, err
	}
	list := []accounting.Organization{}
	for _, tenant := range p.reaches[p.access[a.Token.Reveal()].account] {
		list = append(list, accounting.Organization{ID: tenant, Name: "Books of " + tenant, ConnectedNow: true})
	}
	return list, nil
}

func (p *provider) Organization(ctx context.Context, a integration.Access) (accounting.Organization, error) {
	if p.poisoned != "" && a.Tenant == p.poisoned {
		return accounting.Organization{}, errors.New("a mistake of ours")
	}
	list, err := p.Organizations(ctx, a)
	for _, o := range list {
		if o.ID == a.Tenant {
			return o, nil
		}
	}
	return accounting.Organization{}, errors.Join(err, integration.TenantGone(integration.AccountingA, nil))
}

// world is an installation of several processes with one database.
type world struct {
	t         *testing.T
	ctx       context.Context
	clock     *steady
	provider  *provider
	processes []*process
	url       string
}

// process is the use cases of one process with separate connections.
type process struct {
	*integrations.Service
	store *store.Store
}

func onEach(t *testing.T, processes int, test func(t *testing.T, w *world)) {
	t.Helper()
	for _, dialect := range []string{"sqlite", "postgres"} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			fresh := sqlite.New
			if dialect == "postgres" {
				fresh = postgres.New
			}
			url := fresh(t)
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			t.Cleanup(cancel)
			w := &world{t: t, ctx: ctx, clock: &steady{now: start}, url: url}
			w.provider = newProvider(w.clock)
			for range processes {
				w.processes = append(w.processes, w.process())
			}
			test(t, w)
		})
	}
}

func (w *world) process() *process {
	w.t.Helper()
	db, err := database.Open(w.ctx, database.Config{URL: w.url, MaxConns: 8})
	w.must(err)
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	keys, err := crypto.NewKeyset([]byte(strings.Repeat("k", crypto.KeySize)))
	w.must(err)
	st, err := store.New(w.ctx, db.Gorm, store.Options{Now: w.clock.Now, Sealer: service.Sealer(keys), SettleTimeout: 10 * time.Second})
	w.must(err)
	connectors := integrations.Connectors{integration.AccountingA: w.provider}
	ids := clock.UUIDv7{}
	log := slog.New(slog.DiscardHandler)
	return &process{store: st, Service: &integrations.Service{
		Reader: st.Integrations(), Integrations: st.Integrations(), Everywhere: st.Integrations(), Grants: st.Grants(),
		Attempts: st.ConsentAttempts(), Meters: st.Meters(), Entities: st.Entities(), Settings: st.Settings(),
		Memberships: st.Memberships(), Users: st.Users(), Events: st.Events(), Connectors: connectors, Providers: service.Catalog(service.Registrations()),
		Tokens: &integrations.Tokens{
			Integrations: st.Integrations(), Grants: st.Grants(), Events: st.Events(), Leases: st.Leases(), Connectors: connectors,
			UnitOfWork: st, Clock: w.clock, IDs: ids, Pause: clock.Pause,
		},
		UnitOfWork: st, Clock: w.clock, IDs: ids, Log: log, CallbackURL: callbackURL, RedirectOrigins: []string{"http://localhost:3000"},
		Booked: st.Bookings().AnyThrough, Resume: st.Bookings().Resume,
		Suppliers: &suppliers.Service{Suppliers: st.Suppliers(), Events: st.Events(), UnitOfWork: st, Clock: w.clock, IDs: ids, Log: log},
	}}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) wantCode(err error, code fault.Code) *fault.Error {
	w.t.Helper()
	if got := fault.CodeOf(err); got != code {
		w.t.Fatalf("error %v: code %q, want %q", err, got, code)
	}
	f, _ := fault.As(err)
	return f
}

// admin creates an organization with an administrator.
func (w *world) admin() identity.Actor {
	w.t.Helper()
	st := w.processes[0].store
	o := &organization.Organization{ID: uuid.Must(uuid.NewV7()), Name: "Organization"}
	w.must(st.Organizations().Add(w.ctx, o))
	u := &identity.User{ID: uuid.Must(uuid.NewV7()), Email: uuid.NewString() + "@example.com"}
	w.must(st.Users().Add(w.ctx, u))
	w.must(st.Memberships().Put(w.ctx, identity.Membership{UserID: u.ID, OrganizationID: o.ID, Role: identity.RoleAdmin}))
	return identity.Actor{Type: identity.ActorUser, UserID: u.ID, OrganizationID: o.ID, Role: identity.RoleAdmin}
}

func (w *world) entity(a identity.Actor) uuid.UUID {
	w.t.Helper()
	st := w.processes[0].store
	e := &entity.Entity{ID: uuid.Must(uuid.NewV7()), OrganizationID: a.OrganizationID, Name: "Entity", Access: entity.AccessOrganization, DefaultRole: identity.Approver}
	w.must(st.Entities().Add(w.ctx, e))
	settings := entity.DefaultSettings(a.OrganizationID, e.ID)
	w.must(st.Settings().Add(w.ctx, &settings))
	return e.ID
}

// connect grants a consent as an account and returns the integration.
func (w *world) connect(a identity.Actor, entityID uuid.UUID, account string, tenants ...string) *integration.Integration {
	w.t.Helper()
	p := w.processes[0]
	asked, err := p.Authorize(w.ctx, a, integrations.AuthorizeInput{EntityID: entityID, Provider: integration.AccountingA, RedirectURL: redirectURL})
	w.must(err)
	_, err = p.Callback(w.ctx, url.Values{"state": {stateOf(w.t, asked)}, "code": {w.provider.grant(account, tenants...)}})
	w.must(err)
	return w.get(a, asked.IntegrationID)
}

func stateOf(t *testing.T, asked integrations.Authorization) string {
	t.Helper()
	u, err := url.Parse(asked.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("state")
}

func (w *world) get(a identity.Actor, id uuid.UUID) *integration.Integration {
	w.t.Helper()
	i, err := w.processes[0].Get(w.ctx, a.Scope(), id)
	w.must(err)
	return i
}

// activate connects an entity and sets it up with a tenant.
func (w *world) activate(a identity.Actor, entityID uuid.UUID, account, tenant string, reach ...string) *integration.Integration {
	w.t.Helper()
	i := w.connect(a, entityID, account, append(reach, tenant)...)
	i, err := w.processes[0].SetUp(w.ctx, a, i.ID, entityID, 0, setup(tenant))
	w.must(err)
	if i.Status != integration.Active {
		w.t.Fatalf("the integration is %s: %s", i.Status, i.Reason)
	}
	return i
}

func setup(tenant string) integrations.Setup {
	pays := true
	return integrations.Setup{Status: "PENDING", Provider: "ACCOUNTING_A", OrganizationID: &tenant, PaysTax: &pays}
}

// ask makes a call that requires a valid token.
func (p *process) ask(ctx context.Context, from *provider, i *integration.Integration) error {
	return p.Tokens.With(ctx, i, false, func(_ context.Context, a integration.Access) error {
		from.mu.Lock()
		defer from.mu.Unlock()
		return from.check(a)
	})
}

func (w *world) wantStatus(a identity.Actor, id uuid.UUID, s integration.Status, r integration.Reason) {
	w.t.Helper()
	if i := w.get(a, id); i.Status != s || i.Reason != r {
		w.t.Errorf("the integration is %s %q, want %s %q", i.Status, i.Reason, s, r)
	}
}
