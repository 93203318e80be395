package integrations_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// TestOneOfForty disconnects one of 40 entities with a common grant. The other
// 39 stay connected, and nothing is revoked.
func TestOneOfForty(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		const count = 40
		a := w.admin()
		var tenants []string
		for n := range count {
			tenants = append(tenants, fmt.Sprintf("tenant-%02d", n))
		}
		var all []*integration.Integration
		grants := map[uuid.UUID]bool{}
		for _, tenant := range tenants {
			i := w.activate(a, w.entity(a), "account", tenant, slices.DeleteFunc(slices.Clone(tenants), func(x string) bool { return x == tenant })...)
			all, grants[i.GrantID] = append(all, i), true
		}
		if len(grants) != 1 {
			t.Fatalf("%d grants, want 1", len(grants))
		}
		p := w.processes[0]
		gone, err := p.Disconnect(w.ctx, a, all[7].ID, 0)
		w.must(err)
		if gone.Status != integration.Disconnected || gone.Reason != integration.EndedHere || gone.GrantID != uuid.Nil {
			t.Errorf("the one that ended: %+v", gone)
		}
		if len(w.provider.revoked) != 0 || !slices.Equal(w.provider.taken, []string{"tenant-07"}) {
			t.Errorf("revoked %v, taken off %v", w.provider.revoked, w.provider.taken)
		}
		for n, i := range all {
			if n == 7 {
				continue
			}
			w.wantStatus(a, i.ID, integration.Active, "")
			w.must(p.ask(w.ctx, w.provider, w.get(a, i.ID)))
		}
		again, err := p.Disconnect(w.ctx, a, all[7].ID, 0)
		w.must(err)
		if again.Version != gone.Version {
			t.Error("ending it again changed it")
		}
		// The last integration deletes the tokens, even if two are disconnected
		// concurrently.
		var callers sync.WaitGroup
		for n, i := range all {
			if n == 7 {
				continue
			}
			callers.Go(func() {
				if _, err := p.Disconnect(w.ctx, a, i.ID, 0); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if !slices.Equal(w.provider.revoked, []string{"account"}) {
			t.Errorf("revoked %v", w.provider.revoked)
		}
		for id := range grants {
			_, err = p.Grants.Get(w.ctx, a.OrganizationID, id)
			w.wantCode(err, fault.CodeNotFound)
		}
	})
}

// TestSharedAccount connects two organizations by consents of one provider
// account. A revocation would end both.
func TestSharedAccount(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p := w.processes[0]
		mine, theirs := w.admin(), w.admin()
		i := w.activate(mine, w.entity(mine), "account", "one", "two", "both")
		j := w.activate(theirs, w.entity(theirs), "account", "two", "one", "both")
		gone, err := p.Disconnect(w.ctx, mine, i.ID, 0)
		w.must(err)
		if gone.Reason != integration.EndedHere || len(w.provider.revoked) != 0 || !slices.Equal(w.provider.taken, []string{"one"}) {
			t.Errorf("%q, revoked %v, taken off %v", gone.Reason, w.provider.revoked, w.provider.taken)
		}
		w.must(p.ask(w.ctx, w.provider, w.get(theirs, j.ID)))
		// If both sync to one tenant, its connection serves the other too.
		k := w.activate(mine, w.entity(mine), "account", "two", "one")
		gone, err = p.Disconnect(w.ctx, mine, k.ID, 0)
		w.must(err)
		if gone.Reason != integration.TenantLeftAtProvider || len(w.provider.taken) != 1 {
			t.Errorf("%q, taken off %v", gone.Reason, w.provider.taken)
		}
		w.must(p.ask(w.ctx, w.provider, w.get(theirs, j.ID)))
		w.wantStatus(theirs, j.ID, integration.Active, "")
	})
}

func TestProviderDownWhileDisconnecting(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		a := w.admin()
		p := w.processes[0]
		e := w.entity(a)
		i := w.activate(a, e, "account", "one", "two")
		j := w.activate(a, w.entity(a), "account", "two", "one")
		w.provider.down = true
		gone, err := p.Disconnect(w.ctx, a, i.ID, 0)
		w.must(err)
		if gone.Status != integration.Disconnected || gone.Reason != integration.TenantLeftAtProvider {
			t.Errorf("%s %q", gone.Status, gone.Reason)
		}
		w.wantStatus(a, j.ID, integration.Active, "")
		settings, err := p.store.Settings().Get(w.ctx, a.Scope(), e)
		w.must(err)
		if settings.AccountingIntegrationID != uuid.Nil {
			t.Error("the settings still name it")
		}
		w.provider.down = false
		_, err = p.Connect(w.ctx, a, i.ID, redirectURL)
		w.wantCode(err, fault.CodeConflict)
		member := identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: a.OrganizationID, Role: identity.RoleMember}
		_, err = p.Disconnect(w.ctx, member, j.ID, 0)
		w.wantCode(err, fault.CodeForbidden)
		_, err = p.Disconnect(w.ctx, w.admin(), j.ID, 0)
		w.wantCode(err, fault.CodeNotFound)
	})
}
