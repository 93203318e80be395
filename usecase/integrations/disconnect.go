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

// revokeTimeout bounds what is ended at the provider.
const revokeTimeout = 30 * time.Second

// Disconnect ends one integration (domain D4): others on the same grant go
// on, and the tokens are erased with the last one. Whatever can't be ended at
// the provider is told in the reason. Documents and invoices stay.
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
	// The provider is told after the fact: were it the other way round, a crash
	// in between would leave an integration that does not work. Until it is
	// told the reason says what is left there.
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

// ending is an integration that has ended, with what its provider is still to
// be told.
type ending struct {
	integration *integration.Integration
	left        integration.Reason // what is left at the provider until it was told
	before      integration.Integration
	grant       *integration.Grant // nil without a consent
	last        bool               // the grant is erased
	revoke      bool               // the consent is to be revoked
	tenant      bool               // the tenant's connection is to be ended
	calls       []docstore.Subscription
}

// end marks an integration as ended and erases the grant with its last one.
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
	return fault.New(fault.Conflict, fault.CodeConflict, "The integration was connected anew just now; repeat the request.")
}

// planDisconnect finds out, under the grant's lock, what ends with an integration.
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

// lockGrant reads a grant and keeps others from changing it until the
// transaction ends.
func (s *Service) lockGrant(ctx context.Context, organization, id uuid.UUID) (*integration.Grant, error) {
	const none = -1 // no grant has this generation: nothing is changed
	g, _, err := s.Grants.Update(ctx, organization, id, none, func(*integration.Grant) {})
	return g, err
}

// endAtProvider tells the provider, and says whether nothing is left there.
func (s *Service) endAtProvider(ctx context.Context, end ending) bool {
	if end.grant.Ended {
		return true // the provider ended it itself
	}
	connector := s.Connectors[end.before.Provider]
	var err error
	tenants, _ := connector.(integration.TenantDisconnector)
	switch {
	case end.revoke:
		err = connector.Revoke(ctx, end.grant.Tokens)
	case !end.tenant:
		return false // others stand on the same consent, or the same connection
	default:
		err = s.asEnded(ctx, end, tenants.DisconnectTenant)
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a connection could not be ended at the provider",
			"integration", end.before.ID, "provider", end.before.Provider, "error", err)
	}
	return err == nil
}

// endCalls has a store no longer call us. Where that fails it ends by itself,
// and until then its calls find no address.
func (s *Service) endCalls(ctx context.Context, end ending) {
	notifier, ok := s.Connectors[end.before.Provider].(docstore.Notifier)
	if !ok || end.grant == nil || end.grant.Ended {
		return
	}
	for _, c := range end.calls {
		err := s.asEnded(ctx, end, func(ctx context.Context, a integration.Access) error { return notifier.Unsubscribe(ctx, a, c) })
		if err != nil {
			s.Log.WarnContext(ctx, "a subscription could not be ended at the store",
				"integration", end.before.ID, "provider", end.before.Provider, "error", err)
		}
	}
}

// asEnded makes a call for an integration that has ended, whose tokens may be
// erased already.
func (s *Service) asEnded(ctx context.Context, end ending, call func(context.Context, integration.Access) error) error {
	if !end.last {
		return s.Tokens.With(ctx, &end.before, false, call)
	}
	if t := end.grant.Tokens; !end.grant.Fresh(s.Clock.Now(), t.Refresh) {
		renewed, err := s.Connectors[end.before.Provider].Refresh(ctx, t.Refresh)
		if err != nil {
			return err
		}
		end.grant.Renewed(renewed) // the former may be spent
	}
	return call(ctx, integration.Access{
		Token: end.grant.Tokens.Access, Account: end.grant.Account, Event: end.grant.Event, Tenant: end.before.Tenant(),
	})
}

// dropUnused erases a grant that nothing stands on any more, and revokes it
// where that ends nothing else.
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
		return nil // somebody else has
	}
	if err != nil || g == nil || !revoke || g.Ended {
		return err
	}
	if err := s.Connectors[g.Provider].Revoke(ctx, g.Tokens); err != nil {
		s.Log.WarnContext(ctx, "a grant that nothing stands on could not be revoked", "provider", g.Provider, "error", err)
	}
	return nil
}
