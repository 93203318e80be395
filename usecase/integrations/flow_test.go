package integrations_test

import (
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/page"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
)

func TestAuthorizeRefuses(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		member := identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: a.OrganizationID, Role: identity.RoleMember}
		good := integrations.AuthorizeInput{EntityID: e, Provider: integration.AccountingA, RedirectURL: redirectURL}
		for name, test := range map[string]struct {
			actor  identity.Actor
			change func(*integrations.AuthorizeInput)
			code   fault.Code
			field  string
		}{
			"foreign origin":     {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "https://evil.example/x" }, fault.CodeInvalidRequest, "redirect_url"},
			"origin as user":     {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "http://localhost:3000@evil.example/" }, fault.CodeInvalidRequest, "redirect_url"},
			"origin as prefix":   {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "http://localhost:3000.evil.example/" }, fault.CodeInvalidRequest, "redirect_url"},
			"script":             {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "javascript:alert(1)" }, fault.CodeInvalidRequest, "redirect_url"},
			"no redirect":        {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "" }, fault.CodeInvalidRequest, "redirect_url"},
			"not configured":     {a, func(in *integrations.AuthorizeInput) { in.Provider = integration.DocstoreB }, fault.CodeInvalidRequest, "provider"},
			"unknown entity":     {a, func(in *integrations.AuthorizeInput) { in.EntityID = uuid.New() }, fault.CodeNotFound, ""},
			"another's entity":   {w.admin(), func(*integrations.AuthorizeInput) {}, fault.CodeNotFound, ""},
			"without the right":  {member, func(*integrations.AuthorizeInput) {}, fault.CodeForbidden, ""},
			"redirect with user": {a, func(in *integrations.AuthorizeInput) { in.RedirectURL = "http://x:y@localhost:3000/" }, fault.CodeInvalidRequest, "redirect_url"},
		} {
			in := good
			test.change(&in)
			_, err := p.Authorize(w.ctx, test.actor, in)
			f := w.wantCode(err, test.code)
			if test.field != "" && (len(f.Fields) != 1 || f.Fields[0].Field != test.field) {
				t.Errorf("%s: fields %v", name, f.Fields)
			}
		}
		first, err := p.Authorize(w.ctx, a, good)
		w.must(err)
		second, err := p.Authorize(w.ctx, a, good)
		w.must(err)
		if first.IntegrationID != second.IntegrationID || first.URL == second.URL {
			t.Errorf("asked twice: %v, then %v", first, second)
		}
	})
}

func TestCallback(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		ask := func() (string, uuid.UUID) {
			asked, err := p.Authorize(w.ctx, a, integrations.AuthorizeInput{EntityID: e, Provider: integration.AccountingA, RedirectURL: redirectURL})
			w.must(err)
			return stateOf(t, asked), asked.IntegrationID
		}
		state, id := ask()
		// A state is valid once, even for concurrent requests.
		var good atomic.Int64
		var callers sync.WaitGroup
		for n := range 10 {
			code := w.provider.grant("account", "tenant")
			callers.Go(func() {
				to, err := w.processes[n%2].Callback(w.ctx, url.Values{"state": {state}, "code": {code}})
				if err == nil {
					good.Add(1)
					u, _ := url.Parse(to)
					if u.Host != "localhost:3000" || u.Query().Get("x") != "1" || u.Query().Get("integration_id") != id.String() || u.Query().Get("status") != "PENDING" || u.Query().Has("error") {
						t.Errorf("led back to %s", to)
					}
				} else if fault.CodeOf(err) != fault.CodeInvalidRequest {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if good.Load() != 1 {
			t.Errorf("a state was good %d times", good.Load())
		}
		w.wantStatus(a, id, integration.Pending, integration.SetupMissing)
		for name, q := range map[string]url.Values{
			"unknown state": {"state": {"x"}, "code": {"y"}}, "no state": {"code": {"y"}}, "nothing": {},
		} {
			_, err := p.Callback(w.ctx, q)
			if f := w.wantCode(err, fault.CodeInvalidRequest); f.Fields[0].Field != "state" {
				t.Errorf("%s: %v", name, f.Fields)
			}
		}
		state, _ = ask()
		w.clock.Advance(integration.AttemptLifetime)
		_, err := p.Callback(w.ctx, url.Values{"state": {state}, "code": {w.provider.grant("account", "tenant")}})
		w.wantCode(err, fault.CodeInvalidRequest)

		state, _ = ask()
		to, err := p.Callback(w.ctx, url.Values{"state": {state}, "error": {"access_denied"}})
		w.must(err)
		if !strings.Contains(to, "error=access_denied") {
			t.Errorf("after a refusal led back to %s", to)
		}
		state, _ = ask()
		to, err = p.Callback(w.ctx, url.Values{"state": {state}, "code": {"no such code"}})
		w.must(err)
		if !strings.Contains(to, "error=consent_failed") {
			t.Errorf("after a wrong code led back to %s", to)
		}
		// A user who has lost the permission cannot complete the consent.
		state, _ = ask()
		w.must(p.store.Memberships().Put(w.ctx, identity.Membership{UserID: a.UserID, OrganizationID: a.OrganizationID, Role: identity.RoleMember}))
		_, err = p.Callback(w.ctx, url.Values{"state": {state}, "code": {w.provider.grant("account", "tenant")}})
		w.wantCode(err, fault.CodeForbidden)
	})
}

func TestSetUp(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e, other := w.entity(a), w.entity(a)
		asked, err := p.Authorize(w.ctx, a, integrations.AuthorizeInput{EntityID: e, Provider: integration.AccountingA, RedirectURL: redirectURL})
		w.must(err)
		id := asked.IntegrationID
		// A step in the wrong order names the missing step.
		_, err = p.SetUp(w.ctx, a, id, e, 0, setup("one"))
		if f := w.wantCode(err, fault.CodeConflict); f.Details["missing_step"] != "authorize" {
			t.Errorf("details %v", f.Details)
		}
		_, err = p.Organizations(w.ctx, a, id, e, integrations.Part{})
		w.wantCode(err, fault.CodeConflict)
		i := w.connect(a, e, "account", "one", "two")
		if i.ID != id {
			t.Fatal("another integration was connected")
		}
		_, err = p.Accounts(w.ctx, a, id, nil, integrations.Part{})
		if f := w.wantCode(err, fault.CodeConflict); f.Details["missing_step"] != "set_up" {
			t.Errorf("details %v", f.Details)
		}
		for name, test := range map[string]struct {
			change func(*integrations.Setup)
			fields []string
		}{
			"status":          {func(s *integrations.Setup) { s.Status = "ACTIVE" }, []string{"status"}},
			"no status":       {func(s *integrations.Setup) { s.Status = "" }, []string{"status"}},
			"provider":        {func(s *integrations.Setup) { s.Provider = "ACCOUNTING_B" }, []string{"public_metadata.provider"}},
			"organization":    {func(s *integrations.Setup) { *s.OrganizationID = "three" }, []string{"public_metadata.organization_id"}},
			"no organization": {func(s *integrations.Setup) { s.OrganizationID = nil }, []string{"public_metadata.organization_id"}},
			"neither":         {func(s *integrations.Setup) { s.OrganizationID, s.PaysTax = nil, nil }, []string{"public_metadata.organization_id", "public_metadata.pays_tax"}},
		} {
			in := setup("one")
			test.change(&in)
			_, err := p.SetUp(w.ctx, a, id, e, 0, in)
			f := w.wantCode(err, fault.CodeInvalidRequest)
			var fields []string
			for _, x := range f.Fields {
				fields = append(fields, x.Field)
			}
			if strings.Join(fields, " ") != strings.Join(test.fields, " ") {
				t.Errorf("%s: fields %v, want %v", name, fields, test.fields)
			}
		}
		_, err = p.SetUp(w.ctx, a, id, other, 0, setup("one"))
		w.wantCode(err, fault.CodeNotFound)
		i, err = p.SetUp(w.ctx, a, id, e, 0, setup("one"))
		w.must(err)
		if i.Status != integration.Active || i.Accounting.TenantName != "Books of one" || !i.Accounting.PaysTax {
			t.Errorf("set up as %+v %+v", i, i.Accounting)
		}
		settings, err := p.store.Settings().Get(w.ctx, a.Scope(), e)
		w.must(err)
		if settings.AccountingIntegrationID != id {
			t.Error("the settings do not follow the integration")
		}
		// A later setup changes what it names.
		no := false
		i, err = p.SetUp(w.ctx, a, id, e, i.Version, integrations.Setup{Status: "PENDING", Provider: "ACCOUNTING_A", PaysTax: &no})
		w.must(err)
		if i.Status != integration.Active || i.Tenant() != "one" || i.Accounting.PaysTax {
			t.Errorf("changed to %+v", i.Accounting)
		}
		_, err = p.SetUp(w.ctx, a, id, e, 1, setup("two"))
		w.wantCode(err, fault.CodeVersionConflict)
		// A tenant serves one entity.
		j := w.connect(a, other, "account", "one", "two")
		_, err = p.SetUp(w.ctx, a, j.ID, other, 0, setup("one"))
		if f := w.wantCode(err, fault.CodeConflict); f.Details["used_by_entity_id"] != e.String() {
			t.Errorf("details %v", f.Details)
		}
		list, err := p.Organizations(w.ctx, a, j.ID, other, integrations.Part{})
		w.must(err)
		if len(list.Items) != 2 || list.Items[0].UsedBy != e || list.Items[1].UsedBy != uuid.Nil {
			t.Errorf("organizations %+v", list.Items)
		}
		_, err = p.Organizations(w.ctx, a, j.ID, e, integrations.Part{})
		w.wantCode(err, fault.CodeNotFound)
	})
}

// TestSetUpWhileOutOfReach stores a setup and verifies it later.
func TestSetUpWhileOutOfReach(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e, f := w.entity(a), w.entity(a)
		good, wrong := w.connect(a, e, "account", "one"), w.connect(a, f, "account", "one")
		w.provider.down = true
		for i, tenant := range map[*integration.Integration]string{good: "one", wrong: "no such tenant"} {
			stored, err := p.SetUp(w.ctx, a, i.ID, i.EntityID, 0, setup(tenant))
			w.must(err)
			if stored.Status != integration.Pending || stored.Reason != integration.VerificationPending {
				t.Errorf("stored as %s %q", stored.Status, stored.Reason)
			}
			_, err = p.Accounts(w.ctx, a, i.ID, nil, integrations.Part{})
			w.wantCode(err, fault.CodeConflict)
		}
		w.clock.Advance(time.Minute)
		n, err := p.SweepUnverified(w.ctx)
		w.must(err)
		if n != 0 {
			t.Errorf("%d verified while the provider is down", n)
		}
		w.provider.down = false
		w.clock.Advance(time.Minute)
		n, err = p.SweepUnverified(w.ctx)
		w.must(err)
		if n != 2 {
			t.Errorf("%d came to an end, want 2", n)
		}
		w.wantStatus(a, good.ID, integration.Active, "")
		w.wantStatus(a, wrong.ID, integration.Failed, integration.TenantChanged)
	})
}

// TestOneSetUpKeepsNoOtherWaiting verifies several setups, of which the first
// one always fails unexpectedly.
func TestOneSetUpKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		w.provider.poisoned = "poison"
		var ids []uuid.UUID
		for _, tenant := range []string{"poison", "one"} {
			i := w.connect(a, w.entity(a), "account", "poison", "one")
			w.provider.down = true
			_, err := p.SetUp(w.ctx, a, i.ID, i.EntityID, 0, setup(tenant))
			w.must(err)
			w.provider.down = false
			ids = append(ids, i.ID)
			w.clock.Advance(time.Second)
		}
		w.clock.Advance(time.Minute)
		n, err := p.SweepUnverified(w.ctx)
		if n != 1 || err == nil || !strings.Contains(err.Error(), ids[0].String()) {
			t.Errorf("%d came to an end, error %v", n, err)
		}
		w.wantStatus(a, ids[0], integration.Pending, integration.VerificationPending)
		w.wantStatus(a, ids[1], integration.Active, "")
	})
}

// TestConsentsOfOneAccountAtOnce grants concurrent consents of one account for
// several integrations. Each consent repairs all the others.
func TestConsentsOfOneAccountAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		a := w.admin()
		tenants := []string{"one", "two", "three", "four"}
		var all []*integration.Integration
		for _, tenant := range tenants {
			all = append(all, w.activate(a, w.entity(a), "account", tenant, tenants...))
		}
		for range 10 {
			var callers sync.WaitGroup
			for n, i := range all {
				p := w.processes[n%2]
				asked, err := p.Connect(w.ctx, a, i.ID, redirectURL)
				w.must(err)
				state, code := stateOf(t, asked), w.provider.grant("account", tenants...)
				callers.Go(func() {
					if _, err := p.Callback(w.ctx, url.Values{"state": {state}, "code": {code}}); err != nil {
						t.Error(err)
					}
				})
			}
			callers.Wait()
		}
		for _, i := range all {
			w.wantStatus(a, i.ID, integration.Active, "")
		}
	})
}

// TestTenantChanged reconnects with a consent that does not include the tenant
// of the setup.
func TestTenantChanged(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		i := w.activate(a, e, "account", "one")
		first := i.GrantID
		i = w.connect(a, e, "another account", "two")
		if i.Status != integration.Failed || i.Reason != integration.TenantChanged || i.GrantID == first {
			t.Fatalf("after another account's consent: %s %q", i.Status, i.Reason)
		}
		// No integration uses the first grant any more.
		_, err := p.Grants.Get(w.ctx, a.OrganizationID, first)
		w.wantCode(err, fault.CodeNotFound)
		_, err = p.Accounts(w.ctx, a, i.ID, nil, integrations.Part{})
		w.wantCode(err, fault.CodeConflict)
		i = w.connect(a, e, "account", "one")
		if i.Status != integration.Active {
			t.Fatalf("after the first account's consent: %s %q", i.Status, i.Reason)
		}
	})
}

// TestNewTenantClearsSettings verifies that accounts and tax rates are cleared
// with their tenant.
func TestNewTenantClearsSettings(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		move := func(tenant string) *entity.Settings {
			i := w.activate(a, e, "account", tenant)
			settings, err := p.store.Settings().Get(w.ctx, a.Scope(), e)
			w.must(err)
			if settings.AccountingIntegrationID != i.ID {
				t.Error("the settings do not name the integration")
			}
			_, err = p.Disconnect(w.ctx, a, i.ID, 0)
			w.must(err)
			return settings
		}
		move("one")
		_, err := p.store.Settings().Update(w.ctx, a.Scope(), e, 0, func(s *entity.Settings) error {
			s.DefaultAccountID, s.DefaultTaxRateID = "400", "INPUT"
			s.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "19", TaxRateID: "INPUT"}}
			return nil
		})
		w.must(err)
		if s := move("one"); s.DefaultAccountID != "400" || len(s.TaxMappings) != 1 {
			t.Errorf("connected to the same tenant again: %+v", s)
		}
		if s := move("two"); s.DefaultAccountID != "" || s.DefaultTaxRateID != "" || len(s.TaxMappings) != 0 {
			t.Errorf("connected to another tenant: %+v", s)
		}
		events, err := p.store.Events().List(w.ctx, a.Scope(), event.Filter{Types: []event.Type{event.SettingsChanged}}, page.Request{Limit: 200})
		w.must(err)
		reported := false
		for _, e := range events.Items {
			for _, c := range e.Changes {
				reported = reported || c.Field == "default_account_id" && c.From == "400" && c.To == ""
			}
		}
		if !reported {
			t.Error("no event reports that the default account was cleared")
		}
	})
}

// TestHealedConnectionKeepsSettings loses and repairs the connection of an
// entity that had another ledger before.
func TestHealedConnectionKeepsSettings(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		former := w.activate(a, e, "account", "one")
		_, err := p.Disconnect(w.ctx, a, former.ID, 0)
		w.must(err)
		i := w.activate(a, e, "account", "two")
		_, err = p.store.Settings().Update(w.ctx, a.Scope(), e, 0, func(s *entity.Settings) error {
			s.DefaultAccountID, s.DefaultTaxRateID = "400", "INPUT"
			return nil
		})
		w.must(err)
		w.connect(a, e, "stranger", "three")
		w.wantStatus(a, i.ID, integration.Failed, integration.TenantChanged)
		w.connect(a, e, "account", "two")
		w.wantStatus(a, i.ID, integration.Active, "")
		s, err := p.store.Settings().Get(w.ctx, a.Scope(), e)
		w.must(err)
		if s.DefaultAccountID != "400" || s.DefaultTaxRateID != "INPUT" || s.AccountingIntegrationID != i.ID {
			t.Errorf("connected to the same tenant again: %+v", s)
		}
	})
}

// TestMovingToAnotherTenant sets up a working integration with another tenant.
// Before the first sync this clears the settings of the first tenant; after it,
// it is refused.
func TestMovingToAnotherTenant(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		e := w.entity(a)
		i := w.activate(a, e, "account", "one", "two", "three")
		_, err := p.store.Settings().Update(w.ctx, a.Scope(), e, 0, func(s *entity.Settings) error {
			s.DefaultAccountID, s.DefaultTaxRateID = "400", "INPUT"
			return nil
		})
		w.must(err)
		i, err = p.SetUp(w.ctx, a, i.ID, e, 0, setup("two"))
		w.must(err)
		settings, err := p.store.Settings().Get(w.ctx, a.Scope(), e)
		w.must(err)
		if i.Tenant() != "two" || settings.DefaultAccountID != "" || settings.AccountingIntegrationID != i.ID {
			t.Errorf("moved to %s with settings %+v", i.Tenant(), settings)
		}
		inv := w.invoice(a, e)
		for n, state := range []invoice.SyncState{invoice.SyncChecking, invoice.SyncDone} {
			_, _, err = p.store.Bookings().Change(w.ctx, a.Scope(), inv, func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
				b := &ledgersync.Sync{InvoiceID: inv, OrganizationID: a.OrganizationID, EntityID: e}
				b.State, b.IntegrationID = state, i.ID
				if state == invoice.SyncDone {
					b.RemoteID = "bill-1"
				}
				return b, false, nil
			})
			w.must(err)
			_, err = p.SetUp(w.ctx, a, i.ID, e, 0, setup("three"))
			if f := w.wantCode(err, fault.CodeConflict); f.Details["organization_id"] != "two" {
				t.Errorf("try %d: details %v", n, f.Details)
			}
		}
		// Changes within the same tenant are allowed.
		no := false
		_, err = p.SetUp(w.ctx, a, i.ID, e, 0, integrations.Setup{Status: "PENDING", Provider: "ACCOUNTING_A", PaysTax: &no})
		w.must(err)
	})
}

// invoice makes an invoice of an entity.
func (w *world) invoice(a identity.Actor, entityID uuid.UUID) uuid.UUID {
	w.t.Helper()
	st := w.processes[0].store
	d := &document.Document{
		ID: uuid.Must(uuid.NewV7()), EntityID: entityID, OrganizationID: a.OrganizationID, Filename: "i.xml", MediaType: "application/xml",
		SHA256: strings.Repeat("0", 64), Origin: document.FromUpload, Status: document.Extracted,
	}
	_, err := st.Documents().Add(w.ctx, d)
	w.must(err)
	inv := &invoice.Invoice{
		ID: uuid.Must(uuid.NewV7()), DocumentID: d.ID, EntityID: entityID, OrganizationID: a.OrganizationID, Status: invoice.Approved,
		Content: invoice.Content{Type: invoice.TypeInvoice, Number: "R-1"},
	}
	w.must(st.Invoices().Add(w.ctx, inv))
	return inv.ID
}

// TestTwoEntitiesWantOneTenant sets up two entities concurrently with one
// tenant, by consents of different accounts.
func TestTwoEntitiesWantOneTenant(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		a := w.admin()
		for round := range 5 {
			tenant := "tenant " + strings.Repeat("x", round+1)
			var refused atomic.Int64
			var callers sync.WaitGroup
			for n := range 2 {
				i := w.connect(a, w.entity(a), "account "+tenant+strings.Repeat("y", n), tenant)
				callers.Go(func() {
					_, err := w.processes[n].SetUp(w.ctx, a, i.ID, i.EntityID, 0, setup(tenant))
					if err != nil {
						refused.Add(1)
						if fault.CodeOf(err) != fault.CodeConflict {
							t.Error(err)
						}
					}
				})
			}
			callers.Wait()
			if refused.Load() != 1 {
				t.Errorf("round %d: %d of two were refused, want one", round, refused.Load())
			}
		}
	})
}
