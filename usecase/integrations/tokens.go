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
	// refreshTimeout limits one refresh, and storeTimeout storing its result, which must not depend
	// on the provider's response time. The lease outlives both, so that a second refresh cannot
	// start while the first may still store its result.
	refreshTimeout = 30 * time.Second
	storeTimeout   = 10 * time.Second
	refreshLease   = 45 * time.Second
	// refreshPoll is the interval at which waiting callers check for the new pair.
	refreshPoll = 50 * time.Millisecond
	// refreshWaitTimeout is the maximum wait for another process's refresh.
	refreshWaitTimeout = 40 * time.Second
	// touchEvery is the minimum interval between updates of an integration's activity.
	touchEvery = time.Minute
)

// Tokens provides access to providers and renews grants. Only one process renews a grant at a time,
// and a new pair is stored before it is used.
type Tokens struct {
	Integrations integration.Repository
	Grants       integration.Grants
	Events       event.Log
	Leases       usecase.Leases
	Connectors   Connectors
	UnitOfWork   usecase.UnitOfWork
	Clock        usecase.Clock
	IDs          usecase.IDs
	// Pause waits for d, or returns the context's error.
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
		case integration.CapabilityRefused(err):
			return err // the token is new: only this capability is missing
		case errors.Is(err, integration.ErrTenantGone):
			return errors.Join(err, t.fail(ctx, i, integration.TenantDisconnected))
		case errors.Is(err, integration.ErrAccessRefused):
			// A new token was refused: the access to this tenant has ended although the consent is
			// valid.
			return errors.Join(err, t.fail(ctx, i, integration.ReconnectNeeded))
		}
		return err
	}
}

// touch records that a call succeeded. Its own failure is only logged, because it must not be
// mistaken for a failure of the call.
func (t *Tokens) touch(ctx context.Context, i *integration.Integration) {
	now := t.Clock.Now()
	if now.Sub(i.LastActivityAt) < touchEvery {
		return
	}
	if t.Integrations.Touch(ctx, i.OrganizationID, i.ID, now) == nil {
		i.LastActivityAt = now
	}
}

// Fresh returns a grant with a valid access token and renews it if necessary. refused is a token
// that the provider refused, if any.
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
		if waited >= refreshWaitTimeout {
			return nil, integration.Unavailable(g.Provider, time.Second, errors.New("timed out waiting for another process to renew the token"))
		}
		if err := t.Pause(ctx, refreshPoll); err != nil {
			return nil, err
		}
	}
}

// Try renews a grant even if its access token is valid, to check whether the provider accepts its
// refresh token. If the provider does not, the grant has ended, as in any renewal.
func (t *Tokens) Try(ctx context.Context, organization, id uuid.UUID) error {
	g, err := t.Grants.Get(ctx, organization, id)
	if err != nil {
		return err
	}
	_, err = t.Fresh(ctx, organization, id, g.Tokens.Access)
	return err
}

// renewUnder renews a grant under its lease. It continues if the caller cancels, because the
// provider may have used up the old token.
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
		// After a lost response the next caller tries the same token again. It succeeds within the
		// provider's grace period, or fails with ErrReconnect.
		return nil, err
	}
	stored, _, err := t.Grants.Update(ctx, organization, id, g.Generation, func(g *integration.Grant) { g.Renewed(pair) })
	if err != nil {
		return nil, fmt.Errorf("store the renewed access: %w", err)
	}
	// A newer generation means that a new consent was stored in the meantime. Its pair is kept.
	return stored, nil
}

// ended marks a grant that the provider no longer accepts, and its integrations. A newer consent is
// kept.
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

// fail sets one integration to ERROR. An integration whose setup is incomplete becomes PENDING
// without a consent.
func (t *Tokens) fail(ctx context.Context, i *integration.Integration, r integration.Reason) error {
	actor := identity.System(i.OrganizationID)
	return t.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var before integration.Integration
		after, err := t.Integrations.Update(ctx, actor.Scope(), i.ID, 0, func(now *integration.Integration) error {
			// An integration that was reconnected in the meantime is unchanged.
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
