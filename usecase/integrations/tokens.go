package integrations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/usecase"

	"github.com/google/uuid"
)

const (
	// refreshTimeout bounds one refresh, and storeTimeout the storing of what it
	// brought, which must not suffer from how long the provider took; the lease
	// outlives both, so that a second refresher can't start while the first may
	// still store.
	refreshTimeout = 30 * time.Second
	storeTimeout   = 10 * time.Second
	refreshLease   = 45 * time.Second
	// refreshPoll is how often those who wait look whether the new pair is
	// there.
	refreshPoll = 50 * time.Millisecond
	// refreshPatience is how long a caller waits for another's refresh.
	refreshPatience = 40 * time.Second
	// touchEvery bounds how often an integration's activity is noted.
	touchEvery = time.Minute
)

// Tokens lends access to providers and keeps the grants alive. Of all processes
// one renews a grant at a time; a pair is stored before it is used.
type Tokens struct {
	Integrations integration.Repository
	Grants       integration.Grants
	Events       event.Log
	Leases       usecase.Leases
	Connectors   Connectors
	UnitOfWork   usecase.UnitOfWork
	Clock        usecase.Clock
	IDs          usecase.IDs
	// Pause waits, or returns the context's error.
	Pause func(ctx context.Context, d time.Duration) error
}

var _ integration.Accesses = (*Tokens)(nil)

// With implements integration.Accesses.
func (t *Tokens) With(
	ctx context.Context, i *integration.Integration, background bool, call func(context.Context, integration.Access) error,
) error {
	if i.GrantID == uuid.Nil {
		return i.RequireConsent()
	}
	refused := secret.Text{}
	for again := false; ; again = true {
		g, err := t.Fresh(ctx, i.OrganizationID, i.GrantID, refused)
		if err != nil {
			return err
		}
		err = call(ctx, integration.Access{
			Token: g.Tokens.Access, Account: g.Account, Event: g.Event, Tenant: i.Tenant(), Background: background,
		})
		switch {
		case err == nil:
			t.touch(ctx, i)
			return nil
		case errors.Is(err, integration.ErrAccessRefused) && !again:
			refused = g.Tokens.Access
			continue
		case errors.Is(err, integration.ErrTenantGone):
			return errors.Join(err, t.fail(ctx, i, integration.TenantDisconnected))
		case errors.Is(err, integration.ErrAccessRefused):
			// Renewed a moment ago and refused again: this tenant's access is
			// gone, though the consent lives.
			return errors.Join(err, t.fail(ctx, i, integration.ReconnectNeeded))
		}
		return err
	}
}

// touch notes that a call succeeded. What the call did stands whether or not
// that can be noted, so an error must not pass for the call's.
func (t *Tokens) touch(ctx context.Context, i *integration.Integration) {
	now := t.Clock.Now()
	if now.Sub(i.LastActivityAt) < touchEvery {
		return
	}
	if t.Integrations.Touch(ctx, i.OrganizationID, i.ID, now) == nil {
		i.LastActivityAt = now
	}
}

// Fresh returns a grant whose access token is good now, renewed where it is
// not. refused is a token that the provider refused, if any.
func (t *Tokens) Fresh(ctx context.Context, organization, id uuid.UUID, refused secret.Text) (*integration.Grant, error) {
	owner := t.IDs.New().String()
	for waited := time.Duration(0); ; waited += refreshPoll {
		g, err := t.Grants.Get(ctx, organization, id)
		if err != nil {
			return nil, err
		}
		if g.Ended {
			return nil, integration.NeedsReconnect(g.Provider, nil)
		}
		if g.Fresh(t.Clock.Now(), refused) {
			return g, nil
		}
		lease, ok, err := t.Leases.Acquire(ctx, "grant:"+id.String(), owner, t.Clock.Now(), refreshLease)
		if err != nil {
			return nil, err
		}
		if ok {
			return t.renewUnder(ctx, lease, organization, id, refused)
		}
		if waited >= refreshPatience {
			return nil, integration.Unavailable(g.Provider, time.Second, errors.New("another process has been renewing the access for too long"))
		}
		if err := t.Pause(ctx, refreshPoll); err != nil {
			return nil, err
		}
	}
}

// Try renews a grant although its access token may still be good, to learn
// whether the provider takes its refresh token. One that it no longer takes has
// ended, as in any renewal.
func (t *Tokens) Try(ctx context.Context, organization, id uuid.UUID) error {
	g, err := t.Grants.Get(ctx, organization, id)
	if err != nil {
		return err
	}
	_, err = t.Fresh(ctx, organization, id, g.Tokens.Access)
	return err
}

// renewUnder renews a grant under its lease. The caller's going away does not
// stop it: the provider may have spent the old token already.
func (t *Tokens) renewUnder(
	ctx context.Context, lease usecase.Lease, organization, id uuid.UUID, refused secret.Text,
) (_ *integration.Grant, err error) {
	whole := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(whole, refreshTimeout)
	defer cancel()
	defer func() { err = errors.Join(err, t.Leases.Release(whole, lease)) }()
	g, err := t.Grants.Get(ctx, organization, id)
	if err != nil {
		return nil, err
	}
	if g.Fresh(t.Clock.Now(), refused) {
		return g, nil
	}
	connector, ok := t.Connectors[g.Provider]
	if !ok {
		return nil, integration.Unavailable(g.Provider, time.Minute, errors.New("no connector is configured"))
	}
	pair, err := connector.Refresh(ctx, g.Tokens.Refresh)
	ctx, done := context.WithTimeout(whole, storeTimeout)
	defer done()
	if errors.Is(err, integration.ErrReconnect) {
		return t.ended(ctx, g, err)
	}
	if err != nil {
		// Where the answer was lost, the next caller tries the same token
		// again: the provider's grace heals it, or says that it has ended.
		return nil, err
	}
	stored, _, err := t.Grants.Update(ctx, organization, id, g.Generation, func(g *integration.Grant) { g.Renewed(pair) })
	if err != nil {
		return nil, fmt.Errorf("store the renewed access: %w", err)
	}
	// Where the generation had moved on, a new consent came in meanwhile; its
	// pair is the newer one.
	return stored, nil
}

// ended marks a grant that the provider no longer accepts, with every
// integration on it. A consent that came in meanwhile wins.
func (t *Tokens) ended(ctx context.Context, g *integration.Grant, cause error) (*integration.Grant, error) {
	renewed := false
	err := t.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		now, ok, err := t.Grants.Update(ctx, g.OrganizationID, g.ID, g.Generation, func(g *integration.Grant) { g.Ended = true })
		if err != nil {
			return err
		}
		if !ok {
			renewed, g = true, now
			return nil
		}
		scope := identity.Scope{OrganizationID: g.OrganizationID}
		on, err := t.Integrations.List(ctx, scope, integration.Filter{GrantID: g.ID})
		if err != nil {
			return err
		}
		for n := range on {
			if err := t.fail(ctx, &on[n], integration.ReconnectNeeded); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if renewed {
		return g, nil
	}
	return nil, cause
}

// fail marks one integration; a set-up that is not finished only loses its
// consent.
func (t *Tokens) fail(ctx context.Context, i *integration.Integration, r integration.Reason) error {
	actor := identity.System(i.OrganizationID)
	return t.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var before integration.Integration
		after, err := t.Integrations.Update(ctx, actor.Scope(), i.ID, 0, func(now *integration.Integration) error {
			// Whoever connected anew meanwhile is not undone.
			if now.GrantID != i.GrantID || now.Status == integration.Disconnected || now.Status == integration.Failed && now.Reason == r {
				return errUnchanged
			}
			before = *now
			now.Fail(r)
			now.UpdatedAt = t.Clock.Now()
			return nil
		})
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}
		return t.Events.Append(ctx, eventsOf(actor, before, after, "")...)
	})
}
