package storetest

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
)

// sealer is a readable substitute for encryption: its result names its key and binding, with
// every bit inverted.
type sealer struct {
	key     string
	retired []string
}

func (s sealer) prefix(key string, p secret.Binding) []byte {
	return []byte(key + "|" + p.Table + "|" + p.Row + "|")
}

func turned(b []byte) []byte {
	out := make([]byte, len(b))
	for i, c := range b {
		out[i] = ^c
	}
	return out
}

func (s sealer) Encrypt(p secret.Binding, plain []byte) ([]byte, error) {
	return turned(append(s.prefix(s.key, p), plain...)), nil
}

func (s sealer) Decrypt(p secret.Binding, sealed []byte) ([]byte, error) {
	text := turned(sealed)
	for _, key := range append([]string{s.key}, s.retired...) {
		if plain, ok := bytes.CutPrefix(text, s.prefix(key, p)); ok {
			return plain, nil
		}
		if bytes.HasPrefix(text, []byte(key+"|")) {
			return nil, errors.New("sealed for another place")
		}
	}
	key, _, _ := bytes.Cut(text, []byte("|"))
	return nil, &secret.UnknownKeyError{KeyID: string(key)}
}

func (s sealer) UsesCurrentKey(sealed []byte) bool {
	return bytes.HasPrefix(turned(sealed), []byte(s.key+"|"))
}

func (b *bench) consent(account string) integration.Consent {
	return integration.Consent{
		Account: account, Event: "event 1",
		Tokens: integration.Tokens{
			Access: secret.New("access canary"), AccessExpiresAt: b.at.Add(time.Hour), Refresh: secret.New("refresh canary"),
			RefreshExpiresAt: b.at.Add(24 * time.Hour), Scopes: []string{"read", "write"},
		},
	}
}

func (b *bench) grant(t *testing.T, s identity.Scope, account string) *integration.Grant {
	t.Helper()
	g, err := b.Grants().Put(b.ctx, s.OrganizationID, integration.AccountingA, b.consent(account))
	must(t, err)
	return g
}

func testGrants(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	first := b.grant(t, s, "account")
	got, err := b.Grants().Get(b.ctx, s.OrganizationID, first.ID)
	must(t, err)
	same(t, "what was stored", got, first)
	if got.Tokens.Refresh.Reveal() != "refresh canary" || got.Generation != 1 || got.Ended {
		t.Errorf("stored %+v", got)
	}
	var sealed []byte
	must(t, b.db.WithContext(b.ctx).Table("grants").Select("sealed").Where("id = ?", first.ID).Row().Scan(&sealed))
	if bytes.Contains(sealed, []byte("canary")) {
		t.Error("the tokens can be read in the table")
	}
	// A new consent of the same account replaces the grant; in another organization it is another
	// grant.
	_, ended, err := b.Grants().Update(b.ctx, s.OrganizationID, first.ID, 1, func(g *integration.Grant) { g.Ended = true })
	must(t, err)
	again := b.consent("account")
	again.Event, again.Tokens.Access = "event 2", secret.New("second")
	second, err := b.Grants().Put(b.ctx, s.OrganizationID, integration.AccountingA, again)
	must(t, err)
	if !ended || second.ID != first.ID || second.Generation != 2 || second.Ended || second.Event != "event 2" || second.Tokens.Access.Reveal() != "second" {
		t.Errorf("after a second consent: %+v", second)
	}
	shared, err := b.Grants().SharedAccount(b.ctx, second)
	must(t, err)
	other := b.grant(t, foreign, "account")
	sharedNow, err := b.Grants().SharedAccount(b.ctx, second)
	must(t, err)
	if shared || !sharedNow || other.ID == first.ID {
		t.Errorf("shared before %v, after %v", shared, sharedNow)
	}
	_, err = b.Grants().Get(b.ctx, foreign.OrganizationID, first.ID)
	wantCode(t, err, fault.CodeNotFound)
	_, _, err = b.Grants().Update(b.ctx, foreign.OrganizationID, first.ID, 2, func(g *integration.Grant) { t.Error("changed from outside") })
	wantCode(t, err, fault.CodeNotFound)
	must(t, b.Grants().Remove(b.ctx, foreign.OrganizationID, first.ID))
	_, err = b.Grants().Get(b.ctx, s.OrganizationID, first.ID)
	must(t, err)
	must(t, b.Grants().Remove(b.ctx, s.OrganizationID, first.ID))
	must(t, b.Grants().Remove(b.ctx, s.OrganizationID, first.ID))
	_, err = b.Grants().Get(b.ctx, s.OrganizationID, first.ID)
	wantCode(t, err, fault.CodeNotFound)
}

// testGrantGenerations stores several pairs of tokens for the same generation concurrently; only
// one may succeed.
func testGrantGenerations(t *testing.T, b *bench) {
	s := b.organization(t)
	g := b.grant(t, s, "account")
	var stored atomic.Int64
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			_, ok, err := b.Grants().Update(b.ctx, s.OrganizationID, g.ID, g.Generation, func(g *integration.Grant) {
				g.Renewed(integration.Tokens{Access: secret.New(newID().String()), Refresh: secret.New("r"), AccessExpiresAt: b.at})
			})
			if err != nil {
				t.Error(err)
			}
			if ok {
				stored.Add(1)
			}
		})
	}
	callers.Wait()
	got, err := b.Grants().Get(b.ctx, s.OrganizationID, g.ID)
	must(t, err)
	if stored.Load() != 1 || got.Generation != g.Generation+1 || !slices.Equal(got.Tokens.Scopes, g.Tokens.Scopes) {
		t.Errorf("%d of 20 stored their tokens; %+v", stored.Load(), got)
	}
}

func testGrantKeys(t *testing.T, b *bench) {
	s := b.organization(t)
	ids := map[uuid.UUID]bool{}
	for n := range 3 {
		ids[b.grant(t, s, string(rune('a'+n))).ID] = true
	}
	reopened := func(k sealer) *store.Store {
		other, err := store.New(b.ctx, b.db, store.Options{Sealer: k})
		must(t, err)
		return other
	}
	without := reopened(sealer{key: "k2"})
	n, missing, err := without.Grants().CheckForOperator(b.ctx)
	must(t, err)
	if n != 3 || missing["k1"] != 3 {
		t.Errorf("of %d grants these keys are missing: %v", n, missing)
	}
	rotating := reopened(sealer{key: "k2", retired: []string{"k1"}})
	for _, want := range []int{3, 0} {
		n, err := rotating.Grants().ResealForRotation(b.ctx)
		must(t, err)
		if n != want {
			t.Errorf("%d grants were encrypted again, want %d", n, want)
		}
	}
	for id := range ids {
		g, err := without.Grants().Get(b.ctx, s.OrganizationID, id)
		must(t, err)
		if g.Tokens.Access.Reveal() != "access canary" {
			t.Error("a token changed by rotation")
		}
	}
	// A value cannot be decrypted in another row.
	must(t, b.db.WithContext(b.ctx).Exec(`UPDATE grants SET sealed = (SELECT sealed FROM grants WHERE account = 'a') WHERE account = 'b'`).Error)
	if _, _, err := without.Grants().CheckForOperator(b.ctx); err == nil {
		t.Error("a value that was moved to another row passes")
	}
}

func (b *bench) integration(t *testing.T, s identity.Scope, entity uuid.UUID, p integration.Provider) *integration.Integration {
	t.Helper()
	i := integration.New(newID(), s.OrganizationID, entity, p)
	i.CreatedAt, i.UpdatedAt = b.at, b.at
	must(t, b.Integrations().Add(b.ctx, i))
	return i
}

func testIntegrations(t *testing.T, b *bench) {
	s := b.organization(t)
	e, g := b.entity(t, s), b.grant(t, s, "account")
	i := b.integration(t, s, e.ID, integration.AccountingA)
	got, err := b.Integrations().Get(b.ctx, s, i.ID)
	must(t, err)
	same(t, "what was stored", got, i)
	changed, err := b.Integrations().Update(b.ctx, s, i.ID, 1, func(i *integration.Integration) error {
		i.Consented(g.ID, nil)
		i.Accounting = &integration.AccountingMetadata{Tenant: "tenant", TenantName: "Tenant", PaysTax: true}
		i.Unverified()
		i.CreatedBy, i.LastActivityAt = newID(), b.at
		i.EntityID, i.Provider = newID(), integration.AccountingB // no changes
		return nil
	})
	must(t, err)
	got, err = b.Integrations().Get(b.ctx, s, i.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	if got.Version != 2 || got.EntityID != e.ID || got.Provider != integration.AccountingA || got.Tenant() != "tenant" {
		t.Errorf("changed to %+v", got)
	}
	_, err = b.Integrations().Update(b.ctx, s, i.ID, 1, func(*integration.Integration) error { return nil })
	wantCode(t, err, fault.CodeVersionConflict)
	must(t, b.Integrations().Touch(b.ctx, s.OrganizationID, i.ID, b.at.Add(time.Hour)))
	got, err = b.Integrations().Get(b.ctx, s, i.ID)
	must(t, err)
	if got.Version != 2 || !got.LastActivityAt.Equal(b.at.Add(time.Hour)) {
		t.Errorf("touched: %+v", got)
	}
	unverified, err := b.Integrations().UnverifiedForSweep(b.ctx, changed.UpdatedAt.Add(time.Second), 10)
	must(t, err)
	early, err := b.Integrations().UnverifiedForSweep(b.ctx, changed.UpdatedAt, 10)
	must(t, err)
	if len(unverified) != 1 || len(early) != 0 {
		t.Errorf("%d unverified, %d of them too young", len(unverified), len(early))
	}

	alone, err := b.Integrations().TenantInUseForDisconnect(b.ctx, got)
	must(t, err)
	elsewhere := b.organization(t)
	twin := b.integration(t, elsewhere, b.entity(t, elsewhere).ID, integration.AccountingA)
	_, err = b.Integrations().Update(b.ctx, elsewhere, twin.ID, 0, func(i *integration.Integration) error {
		i.Accounting = &integration.AccountingMetadata{Tenant: "tenant"}
		return nil
	})
	must(t, err)
	inUse, err := b.Integrations().TenantInUseForDisconnect(b.ctx, got)
	must(t, err)
	_, err = b.Integrations().Update(b.ctx, elsewhere, twin.ID, 0, func(i *integration.Integration) error {
		i.Disconnect(integration.EndedHere)
		return nil
	})
	must(t, err)
	ended, err := b.Integrations().TenantInUseForDisconnect(b.ctx, got)
	must(t, err)
	if alone || !inUse || ended {
		t.Errorf("the tenant is in use elsewhere: alone %v, with a twin %v, after its end %v", alone, inUse, ended)
	}

	// Neither another entity's integration for the tenant, nor another ledger of the entity
	// counts.
	for other, tenant := range map[*integration.Integration]string{
		b.integration(t, s, b.entity(t, s).ID, integration.AccountingA): "tenant",
		b.integration(t, s, e.ID, integration.AccountingB):              "another",
	} {
		_, err = b.Integrations().Update(b.ctx, s, other.ID, 0, func(i *integration.Integration) error {
			i.Accounting = &integration.AccountingMetadata{Tenant: tenant}
			return nil
		})
		wantCode(t, err, fault.CodeConflict)
		must(t, b.db.WithContext(b.ctx).Exec("DELETE FROM integrations WHERE id = ?", other.ID).Error)
	}

	watcher := b.integration(t, s, b.entity(t, s).ID, integration.DocstoreA)
	_, err = b.Integrations().Update(b.ctx, s, watcher.ID, 0, func(i *integration.Integration) error {
		i.Trigger = &integration.TriggerMetadata{Source: "site", SubSource: "library", Directories: []string{"/a b", "ü"}}
		i.Disconnect(integration.EndedHere)
		return nil
	})
	must(t, err)
	got, err = b.Integrations().Get(b.ctx, s, watcher.ID)
	must(t, err)
	if got.Trigger == nil || !slices.Equal(got.Trigger.Directories, []string{"/a b", "ü"}) || got.GrantID != uuid.Nil {
		t.Errorf("the watcher came back as %+v", got)
	}
	for name, test := range map[string]struct {
		f    integration.Filter
		want []uuid.UUID
	}{
		"all":         {integration.Filter{}, []uuid.UUID{i.ID, watcher.ID}},
		"by entity":   {integration.Filter{EntityID: e.ID}, []uuid.UUID{i.ID}},
		"by provider": {integration.Filter{Provider: integration.DocstoreA}, []uuid.UUID{watcher.ID}},
		"by grant":    {integration.Filter{GrantID: g.ID}, []uuid.UUID{i.ID}},
		"by tenant":   {integration.Filter{Tenant: "tenant"}, []uuid.UUID{i.ID}},
		"by status":   {integration.Filter{Statuses: []integration.Status{integration.Pending, integration.Active}}, []uuid.UUID{i.ID}},
		"none":        {integration.Filter{Tenant: "other"}, nil},
	} {
		list, err := b.Integrations().List(b.ctx, s, test.f)
		must(t, err)
		var ids []uuid.UUID
		for _, i := range list {
			ids = append(ids, i.ID)
		}
		if !slices.Equal(ids, test.want) {
			t.Errorf("%s: %v, want %v", name, ids, test.want)
		}
	}
}

func testIntegrationTenancy(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	member, stranger := newID(), newID()
	open, closed := b.entity(t, s), b.entity(t, s, member)
	inOpen := b.integration(t, s, open.ID, integration.AccountingA)
	inClosed := b.integration(t, s, closed.ID, integration.AccountingA)
	for name, test := range map[string]struct {
		scope        identity.Scope
		open, closed bool
	}{
		"whole organization":   {s, true, true},
		"listed member":        {identity.Scope{OrganizationID: s.OrganizationID, Member: member}, true, true},
		"other member":         {identity.Scope{OrganizationID: s.OrganizationID, Member: stranger}, true, false},
		"another organization": {foreign, false, false},
		"unknown":              {identity.Scope{}, false, false},
	} {
		count := 0
		for i, reach := range map[*integration.Integration]bool{inOpen: test.open, inClosed: test.closed} {
			want := fault.CodeNotFound
			if reach {
				want, count = "", count+1
			}
			_, err := b.Integrations().Get(b.ctx, test.scope, i.ID)
			wantCode(t, err, want)
			_, err = b.Integrations().Update(b.ctx, test.scope, i.ID, 0, func(*integration.Integration) error { return nil })
			wantCode(t, err, want)
		}
		list, err := b.Integrations().List(b.ctx, test.scope, integration.Filter{})
		must(t, err)
		if len(list) != count {
			t.Errorf("%s: %d listed, want %d", name, len(list), count)
		}
	}
	// An integration cannot refer to another organization's consent.
	theirs := b.grant(t, foreign, "account")
	_, err := b.Integrations().Update(b.ctx, s, inOpen.ID, 0, func(i *integration.Integration) error {
		i.GrantID = theirs.ID
		return nil
	})
	wantCode(t, err, fault.CodeConflict)
}

func testConsentAttempts(t *testing.T, b *bench) {
	s := b.organization(t)
	i := b.integration(t, s, b.entity(t, s).ID, integration.AccountingB)
	a := integration.OAuthState{
		State: "state canary", OrganizationID: s.OrganizationID, IntegrationID: i.ID, ActorType: identity.ActorAPIKey, UserID: newID(), LinkID: newID(), Verifier: "verifier canary",
		RedirectURL: "http://localhost:3000/done?x=1", ExpiresAt: b.at.Add(integration.AttemptLifetime),
		BrowserHash: integration.OAuthHash("cookie"),
	}
	must(t, b.ConsentAttempts().Add(b.ctx, a))
	a.ConfirmationHash = integration.OAuthHash("confirmed")
	must(t, b.ConsentAttempts().Ask(b.ctx, a.State, a.ConfirmationHash))
	wantCode(t, b.ConsentAttempts().Ask(b.ctx, "unknown", "x"), fault.CodeNotFound)
	for range 2 {
		found, err := b.ConsentAttempts().Find(b.ctx, a.State)
		must(t, err)
		same(t, "what was found", *found, a)
	}
	if _, err := b.ConsentAttempts().Find(b.ctx, "unknown"); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("an unknown state: %v", err)
	}
	var taken atomic.Int64
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() {
			got, err := b.ConsentAttempts().Take(b.ctx, a.State)
			switch {
			case err == nil:
				taken.Add(1)
				same(t, "what was stored", *got, a)
			case fault.CodeOf(err) != fault.CodeNotFound:
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if taken.Load() != 1 {
		t.Errorf("a state was good %d times", taken.Load())
	}
	must(t, b.ConsentAttempts().Add(b.ctx, a))
	must(t, b.ConsentAttempts().RemoveExpired(b.ctx, a.ExpiresAt.Add(-time.Second)))
	var rows int64
	must(t, b.db.WithContext(b.ctx).Table("consent_attempts").Where("state_hash <> ?", a.State).Count(&rows).Error)
	must(t, b.ConsentAttempts().RemoveExpired(b.ctx, a.ExpiresAt))
	_, err := b.ConsentAttempts().Take(b.ctx, a.State)
	wantCode(t, err, fault.CodeNotFound)
	if rows != 1 {
		t.Errorf("%d rows before the end, none of which shows the state", rows)
	}
}

// testMeters changes one rate tracker concurrently.
func testMeters(t *testing.T, b *bench) {
	c := integration.Call{Limits: integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: 7}}}}
	key := integration.MeterKey(integration.AccountingA, "tenant|'x")
	var admitted atomic.Int64
	var callers sync.WaitGroup
	for range 40 {
		callers.Go(func() {
			err := b.Meters().Change(b.ctx, key, func(m *integration.RateTracker) {
				if m.Admit(b.at, newID().String(), c).Admitted {
					admitted.Add(1)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	m, err := b.Meters().Look(b.ctx, key)
	must(t, err)
	if admitted.Load() != 7 || len(m.Running) != 7 {
		t.Errorf("%d of 40 were admitted, %d are under way, want 7", admitted.Load(), len(m.Running))
	}
	must(t, b.Meters().Expire(b.ctx, time.Now().Add(-time.Hour)))
	kept, err := b.Meters().Look(b.ctx, key)
	must(t, err)
	must(t, b.Meters().Expire(b.ctx, time.Now().Add(time.Hour)))
	gone, err := b.Meters().Look(b.ctx, key)
	must(t, err)
	if len(kept.Running) != 7 || len(gone.Running) != 0 {
		t.Errorf("%d kept, %d after the end", len(kept.Running), len(gone.Running))
	}
}
