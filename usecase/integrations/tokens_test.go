package integrations_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"

	"github.com/google/uuid"
)

// TestOneRefresh sends calls of two processes with 100 callers each, with an
// expired grant whose refresh token is valid once.
func TestOneRefresh(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		a := w.admin()
		i := w.activate(a, w.entity(a), "account", "tenant")
		w.provider.slow = 30 * time.Millisecond
		for round := range 3 {
			w.clock.Advance(time.Hour)
			before := w.provider.refreshes
			var callers sync.WaitGroup
			for _, p := range w.processes {
				for range 100 {
					own := *i
					callers.Go(func() {
						if err := p.ask(w.ctx, w.provider, &own); err != nil {
							t.Error(err)
						}
					})
				}
			}
			callers.Wait()
			if n := w.provider.refreshes - before; n != 1 {
				t.Errorf("round %d: %d refreshes, want 1", round, n)
			}
		}
		w.wantStatus(a, i.ID, integration.Active, "")
	})
}

// TestRefusedTokenIsRenewedOnce uses a provider that ended an access token
// early.
func TestRefusedTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	onEach(t, 2, func(t *testing.T, w *world) {
		a := w.admin()
		i := w.activate(a, w.entity(a), "account", "tenant")
		clear(w.provider.access)
		var callers sync.WaitGroup
		for n := range 20 {
			own := *i
			callers.Go(func() {
				if err := w.processes[n%2].ask(w.ctx, w.provider, &own); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		if w.provider.refreshes != 1 {
			t.Errorf("%d refreshes, want 1", w.provider.refreshes)
		}
		// A refused optional call does not end the consent.
		err := w.processes[0].Tokens.With(w.ctx, i, false, func(context.Context, integration.Access) error {
			return integration.Optional(integration.AccessRefused(integration.AccountingA, nil))
		})
		if !integration.CapabilityRefused(err) {
			t.Errorf("a refused optional call: %v", err)
		}
		w.wantStatus(a, i.ID, integration.Active, "")
		// A token that is refused immediately after its refresh causes an error
		// for a user.
		calls := 0
		err = w.processes[0].Tokens.With(w.ctx, i, false, func(context.Context, integration.Access) error {
			calls++
			return integration.AccessRefused(integration.AccountingA, nil)
		})
		w.wantCode(err, fault.CodeProviderUnauthorized)
		if calls != 2 {
			t.Errorf("%d calls, want 2", calls)
		}
		w.wantStatus(a, i.ID, integration.Failed, integration.ReconnectNeeded)
	})
}

// TestLostRefreshAnswer loses the response of a refresh. During the grace
// period of the provider the old token works; after it, a user must reconnect.
func TestLostRefreshAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		a := w.admin()
		one, two := w.entity(a), w.entity(a)
		i := w.activate(a, one, "account", "tenant", "other")
		j := w.activate(a, two, "account", "other", "tenant")
		w.clock.Advance(time.Hour)
		w.provider.loseNext = true
		w.wantCode(w.processes[0].ask(w.ctx, w.provider, i), fault.CodeProviderUnavailable)
		w.wantStatus(a, i.ID, integration.Active, "")
		w.must(w.processes[0].ask(w.ctx, w.provider, i))

		w.clock.Advance(time.Hour)
		clear(w.provider.refresh)
		err := w.processes[0].ask(w.ctx, w.provider, i)
		if !errors.Is(err, integration.ErrReconnect) {
			t.Fatalf("a refused refresh token: %v", err)
		}
		// Both integrations of the grant report it, and docledger does not
		// retry.
		for _, id := range []*integration.Integration{i, j} {
			w.wantStatus(a, id.ID, integration.Failed, integration.ReconnectNeeded)
		}
		before := w.provider.refreshes
		w.wantCode(w.processes[0].ask(w.ctx, w.provider, j), fault.CodeProviderUnauthorized)
		if w.provider.refreshes != before {
			t.Error("a grant that has ended was refreshed again")
		}
		// One consent of the account repairs both.
		w.connect(a, one, "account", "tenant", "other")
		for _, id := range []*integration.Integration{i, j} {
			w.wantStatus(a, id.ID, integration.Active, "")
			w.must(w.processes[0].ask(w.ctx, w.provider, w.get(a, id.ID)))
		}
	})
}

// TestCallerLeavesDuringRefresh cancels the context of a caller during a
// refresh. The tokens must be stored.
func TestCallerLeavesDuringRefresh(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		a := w.admin()
		i := w.activate(a, w.entity(a), "account", "tenant")
		w.clock.Advance(time.Hour)
		w.provider.slow = 50 * time.Millisecond
		ctx, cancel := context.WithTimeout(w.ctx, 10*time.Millisecond)
		defer cancel()
		_ = w.processes[0].ask(ctx, w.provider, i) // the result of this caller is irrelevant
		w.must(w.processes[0].ask(w.ctx, w.provider, i))
		if w.provider.refreshes != 1 {
			t.Errorf("%d refreshes, want 1", w.provider.refreshes)
		}
	})
}

// deadlines are a provider and a store that record their deadlines.
type deadlines struct {
	*provider
	integration.Grants
	toAsk, toStore time.Time
}

func (d *deadlines) Refresh(ctx context.Context, token secret.Text) (integration.Tokens, error) {
	d.toAsk, _ = ctx.Deadline()
	return d.provider.Refresh(ctx, token)
}

func (d *deadlines) Exchange(ctx context.Context, c integration.Callback) (integration.Consent, error) {
	d.toAsk, _ = ctx.Deadline()
	return d.provider.Exchange(ctx, c)
}

func (d *deadlines) Update(
	ctx context.Context, organization, id uuid.UUID, generation int64, change func(*integration.Grant),
) (*integration.Grant, bool, error) {
	d.toStore, _ = ctx.Deadline()
	return d.Grants.Update(ctx, organization, id, generation, change)
}

func (d *deadlines) Put(ctx context.Context, organization uuid.UUID, p integration.Provider, c integration.Consent) (*integration.Grant, error) {
	d.toStore, _ = ctx.Deadline()
	return d.Grants.Put(ctx, organization, p, c)
}

// TestTimeToStoreTokens verifies that storing tokens has a separate time limit,
// even if the provider uses all of its time.
func TestTimeToStoreTokens(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		p, a := w.processes[0], w.admin()
		d := &deadlines{provider: w.provider, Grants: p.Grants}
		p.Connectors[integration.AccountingA] = d
		p.Grants, p.Tokens.Grants = d, d
		i := w.connect(a, w.entity(a), "account", "one")
		if d.toStore.Equal(d.toAsk) {
			t.Errorf("a consent is asked for until %s and stored until %s", d.toAsk, d.toStore)
		}
		w.clock.Advance(time.Hour)
		w.must(p.ask(w.ctx, w.provider, i))
		if d.toStore.Equal(d.toAsk) {
			t.Errorf("a pair is asked for until %s and stored until %s", d.toAsk, d.toStore)
		}
	})
}
