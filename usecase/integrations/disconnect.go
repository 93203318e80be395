package integrations

import (
	"context"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// revokeTimeout limits the calls that end a connection at the provider.
const revokeTimeout = 30 * time.Second

// Disconnect ends one integration (domain D4). Other integrations of the grant continue; the tokens
// are deleted with the last one. The reason reports what could not be ended at the provider.
// Documents and invoices are kept.
func (s *Service) Disconnect(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int) (*integration.Integration, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if i.Status == integration.Disconnected {
		return i, nil
	}
	end, err := s.end(ctx, a, i, ifVersion)
	if err != nil {
		return nil, err
	}
	s.lists.forget(id)
	// The provider is called after the change is stored. In the opposite order a crash would leave
	// an integration that does not work. Until the call succeeds, the reason states what remains at
	// the provider.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTimeout)
	defer cancel()
	s.endCalls(ctx, end)
	if end.left == integration.EndedHere || !s.endAtProvider(ctx, end) {
		return end.integration, nil
	}
	return s.change(ctx, a, id, 0, "", func(i *integration.Integration) error {
		i.Reason = integration.EndedHere
		return nil
	})
}

// ending is a disconnected integration with the calls that remain to be made.
type ending struct {
	integration *integration.Integration
	left        integration.Reason // what remains at the provider until the calls succeed
	before      integration.Integration
	grant       *integration.Grant // nil if there is no consent
	last        bool               // the grant is deleted
	revoke      bool               // the consent must be revoked
	tenant      bool               // the tenant must be disconnected
	calls       []docstore.Subscription
}

// end marks an integration as disconnected and deletes the grant with its last integration.
func (s *Service) end(ctx context.Context, a identity.Actor, i *integration.Integration, ifVersion int) (end ending, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		end = ending{before: *i, left: integration.EndedHere}
		if i.Trigger != nil {
			if end.calls, err = s.Watches.Release(ctx, i); err != nil {
				return err
			}
		}
		if i.GrantID != uuid.Nil {
			if err := s.planDisconnect(ctx, i, &end); err != nil {
				return err
			}
		}
		end.integration, err = s.change(ctx, a, i.ID, ifVersion, "", func(now *integration.Integration) error {
			if now.GrantID != i.GrantID {
				return connectedAnew()
			}
			now.Disconnect(end.left)
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.forgetInSettings(ctx, a, end.integration); err != nil {
			return err
		}
		if end.last {
			return s.Grants.Remove(ctx, i.OrganizationID, i.GrantID)
		}
		return nil
	})
	return end, err
}

func connectedAnew() error {
	return fault.New(fault.Conflict, fault.CodeConflict, "The integration was connected again during this request. Repeat the request.")
}

// planDisconnect determines, under the grant's lock, what ends with an integration.
func (s *Service) planDisconnect(ctx context.Context, i *integration.Integration, end *ending) error {
	g, err := s.lockGrant(ctx, i.OrganizationID, i.GrantID)
	if err != nil {
		return err
	}
	end.grant = g
	on, err := s.Integrations.List(ctx, identity.Scope{OrganizationID: i.OrganizationID}, integration.Filter{GrantID: g.ID})
	if err != nil {
		return err
	}
	end.last = len(on) == 1
	connector := s.Connectors[i.Provider]
	if end.last {
		end.left = integration.LeftAtProvider
		shared, err := s.Grants.SharedAccount(ctx, g)
		if err != nil {
			return err
		}
		reach, ok := connector.(integration.RevocationReach)
		end.revoke = connector != nil && !(shared && ok && reach.RevokesAccount())
	}
	if _, ok := connector.(integration.TenantDisconnector); !ok || end.revoke || i.Tenant() == "" {
		return nil
	}
	end.left = integration.TenantLeftAtProvider
	inUse, err := s.Everywhere.TenantInUseForDisconnect(ctx, i)
	end.tenant = !inUse
	return err
}

// lockGrant reads a grant and locks it until the transaction ends.
func (s *Service) lockGrant(ctx context.Context, organization, id uuid.UUID) (*integration.Grant, error) {
	const none = -1 // no grant has this generation, so Update changes nothing
	g, _, err := s.Grants.Update(ctx, organization, id, none, func(*integration.Grant) {})
	return g, err
}

// endAtProvider makes the remaining calls and reports whether nothing remains at the provider.
func (s *Service) endAtProvider(ctx context.Context, end ending) bool {
	if end.grant.Ended {
		return true // the provider has ended it
	}
	connector := s.Connectors[end.before.Provider]
	var err error
	tenants, _ := connector.(integration.TenantDisconnector)
	switch {
	case end.revoke:
		err = connector.Revoke(ctx, end.grant.Tokens)
	case !end.tenant:
		return false // other integrations use the same consent or connection
	default:
		err = s.asEnded(ctx, end, tenants.DisconnectTenant)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "connection could not be ended at the provider",
			"integration", end.before.ID, "provider", end.before.Provider, "error", err)
	}
	return err == nil
}

// endCalls removes the change notification subscriptions. If that fails they expire, and until then
// their notifications are refused.
func (s *Service) endCalls(ctx context.Context, end ending) {
	notifier, ok := s.Connectors[end.before.Provider].(docstore.Notifier)
	if !ok || end.grant == nil || end.grant.Ended {
		return
	}
	for _, c := range end.calls {
		err := s.asEnded(ctx, end, func(ctx context.Context, a integration.Access) error { return notifier.Unsubscribe(ctx, a, c) })
		if err != nil {
			s.Log.WarnContext(ctx, "subscription could not be removed",
				"integration", end.before.ID, "provider", end.before.Provider, "error", err)
		}
	}
}

// asEnded makes a call for a disconnected integration, whose tokens may already be deleted.
func (s *Service) asEnded(ctx context.Context, end ending, call func(context.Context, integration.Access) error) error {
	if !end.last {
		return s.Tokens.With(ctx, &end.before, false, call)
	}
	if t := end.grant.Tokens; !end.grant.Fresh(s.Clock.Now(), t.Refresh) {
		renewed, err := s.Connectors[end.before.Provider].Refresh(ctx, t.Refresh)
		if err != nil {
			return err
		}
		end.grant.Renewed(renewed) // the previous pair may be used up
	}
	return call(ctx, integration.Access{
		Token: end.grant.Tokens.Access, Account: end.grant.Account, Event: end.grant.Event, Tenant: end.before.Tenant(),
	})
}

// dropUnused deletes a grant without integrations, and revokes it if that ends nothing else.
func (s *Service) dropUnused(ctx context.Context, organization, id uuid.UUID) error {
	var g *integration.Grant
	revoke := false
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) (err error) {
		if g, err = s.lockGrant(ctx, organization, id); err != nil {
			return err
		}
		on, err := s.Integrations.List(ctx, identity.Scope{OrganizationID: organization}, integration.Filter{GrantID: id})
		if err != nil || len(on) > 0 {
			g = nil
			return err
		}
		shared, err := s.Grants.SharedAccount(ctx, g)
		revoke = !shared
		if err != nil {
			return err
		}
		return s.Grants.Remove(ctx, organization, id)
	})
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil // another process has
	}
	if err != nil || g == nil || !revoke || g.Ended {
		return err
	}
	if err := s.Connectors[g.Provider].Revoke(ctx, g.Tokens); err != nil {
		s.Log.WarnContext(ctx, "unused grant could not be revoked", "provider", g.Provider, "error", err)
	}
	return nil
}
