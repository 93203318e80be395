package integrations_test

import (
	"context"
	"errors"
	"testing"
	"time"

	sim "docledger/adapter/sim/xero"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
)

// forgetful is a store that loses the next tokens, like a process that is
// killed between the response of the provider and its commit.
type forgetful struct {
	integration.Grants
	lose bool
}

var errDied = errors.New("the process died")

func (f *forgetful) Update(
	ctx context.Context, organization, id uuid.UUID, generation int64, change func(*integration.Grant),
) (*integration.Grant, bool, error) {
	if f.lose {
		f.lose = false
		return nil, false, errDied
	}
	return f.Grants.Update(ctx, organization, id, generation, change)
}

// TestPairLostBeforeItIsStored loses issued tokens. During the grace period of
// the provider the old token works; after it, a user must reconnect.
func TestPairLostBeforeItIsStored(t *testing.T) {
	t.Parallel()
	onEach(t, 1, func(t *testing.T, w *world) {
		a := w.admin()
		p := press(t, w, func(l *sim.Limits) { l.TokenLifetime = 30 * time.Minute })
		st := w.processes[0].store
		consent := p.consent(sim.TaxedOrganization)
		g, err := st.Grants().Put(w.ctx, a.OrganizationID, integration.AccountingA, consent)
		w.must(err)
		i := w.onGrant(a, g)
		grants := &forgetful{Grants: st.Grants()}
		tokens := &integrations.Tokens{
			Integrations: st.Integrations(), Grants: grants, Events: st.Events(), Leases: st.Leases(), UnitOfWork: st,
			Connectors: integrations.Connectors{integration.AccountingA: p.reads[0]}, Clock: p.stage.clock, IDs: w.processes[0].IDs, Pause: p.stage.pause,
		}
		read := func() error {
			return tokens.With(w.ctx, i, false, func(ctx context.Context, a integration.Access) error {
				_, err := p.reads[0].Organizations(ctx, a)
				return err
			})
		}
		w.must(read())
		p.stage.clock.Advance(time.Hour)
		grants.lose = true
		if err := read(); !errors.Is(err, errDied) {
			t.Fatalf("the lost pair: %v", err)
		}
		p.stage.clock.Advance(20 * time.Minute)
		w.must(read())
		w.wantStatus(a, i.ID, integration.Active, "")

		p.stage.clock.Advance(time.Hour)
		grants.lose = true
		if err := read(); !errors.Is(err, errDied) {
			t.Fatalf("the lost pair: %v", err)
		}
		p.stage.clock.Advance(31 * time.Minute)
		if err := read(); !errors.Is(err, integration.ErrReconnect) {
			t.Fatalf("after the grace: %v", err)
		}
		w.wantStatus(a, i.ID, integration.Failed, integration.ReconnectNeeded)
	})
}

// onGrant creates an integration with a grant.
func (w *world) onGrant(a identity.Actor, g *integration.Grant) *integration.Integration {
	w.t.Helper()
	st := w.processes[0].store
	i := integration.New(uuid.Must(uuid.NewV7()), a.OrganizationID, w.entity(a), g.Provider)
	i.Consented(g.ID, nil)
	i.Accounting = &integration.AccountingMetadata{Tenant: sim.TaxedOrganization}
	i.Verified()
	w.must(st.Integrations().Add(w.ctx, i))
	return i
}
