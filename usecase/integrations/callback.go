package integrations

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// exchangeTimeout limits the exchange of the code, reachTimeout the reading of the covered tenants,
// and settleTimeout everything after the exchange. The work continues if the browser disconnects,
// because the code can be used only once.
const (
	exchangeTimeout = 30 * time.Second
	reachTimeout    = 15 * time.Second
	settleTimeout   = 30 * time.Second
)

// Callback processes the callback from a provider's consent page and returns the URL to which the
// browser is redirected. It refuses a state that is unknown, used or expired, because the redirect
// URL is then unknown.
func (s *Service) Callback(ctx context.Context, query url.Values) (redirect string, err error) {
	attempt, err := s.Attempts.Take(ctx, query.Get("state"))
	if fault.CodeOf(err) == fault.CodeNotFound {
		return "", expired()
	}
	if err != nil {
		return "", err
	}
	if !attempt.ExpiresAt.After(s.Clock.Now()) {
		return "", expired()
	}
	actor, err := s.consenting(ctx, attempt)
	if err != nil {
		return "", err
	}
	i, err := s.Integrations.Get(ctx, actor.Scope(), attempt.IntegrationID)
	if err != nil {
		return "", err
	}
	if err := i.RequireConnectable(); err != nil {
		return "", err
	}
	connector, err := s.connector(i.Provider, "state")
	if err != nil {
		return "", err
	}
	problem := integration.ConsentRefusal{}
	if query.Get("code") == "" {
		problem, err = s.refusedConsent(ctx, i, connector, query), s.declined(ctx, actor, i)
	} else {
		if err := s.useLink(ctx, attempt, i); err != nil {
			return "", err
		}
		if attempt.LinkID != uuid.Nil {
			defer func() {
				if err != nil || problem.Reason != "" {
					// The person who got the link can try again.
					err = errors.Join(err, s.Links.Release(context.WithoutCancel(ctx), attempt.LinkID))
				}
			}()
		}
		problem, err = s.consent(ctx, actor, i, connector, integration.Callback{
			Code: query.Get("code"), RedirectURI: s.CallbackURL, Verifier: attempt.Verifier, Query: query,
		})
	}
	if err != nil {
		return "", err
	}
	if i, err = s.Integrations.Get(ctx, actor.Scope(), i.ID); err != nil {
		return "", err
	}
	return redirectURL(attempt.RedirectURL, i, problem)
}

// useLink counts the use of the connect link with which a consent began. A link that expired after
// that is still valid. It refuses a second consent, which would replace a connection that works.
func (s *Service) useLink(ctx context.Context, attempt *integration.OAuthState, i *integration.Integration) error {
	if attempt.LinkID == uuid.Nil {
		return nil
	}
	if i.Status == integration.Active {
		return errLinkUsed()
	}
	ok, err := s.Links.Reserve(ctx, attempt.LinkID, attempt.ExpiresAt.Add(-integration.AttemptLifetime))
	if err == nil && !ok {
		err = errLinkUsed()
	}
	return err
}

func errLinkUsed() error {
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The account is connected already. Ask the sender of the link for a new one if it must be connected again.")
}

func expired() error {
	return fault.InvalidField("state", "is not pending: it was already used, or is older than %s; connect again",
		integration.AttemptLifetime)
}

// consenting returns the actor who requested a consent, if the actor still has the permission.
func (s *Service) consenting(ctx context.Context, attempt *integration.OAuthState) (identity.Actor, error) {
	if attempt.ActorType == identity.ActorAPIKey {
		k, err := s.Keys.ByID(ctx, attempt.OrganizationID, attempt.UserID)
		if err != nil {
			return identity.Actor{}, fmt.Errorf("find API key: %w", err)
		}
		if !k.AcceptedAt(s.Clock.Now(), s.AdminKeys) {
			return identity.Actor{}, fault.Denied("connect integrations with an API key that has ended")
		}
		a := k.Actor()
		return a, a.RequireAdmin()
	}
	m, err := s.Memberships.Find(ctx, attempt.UserID, attempt.OrganizationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, fault.Denied("connect integrations of an organization that you have left")
	}
	if err != nil {
		return identity.Actor{}, err
	}
	u, err := s.Users.ByID(ctx, attempt.UserID)
	if err != nil {
		return identity.Actor{}, err
	}
	if u.Disabled {
		return identity.Actor{}, fault.Denied("connect integrations with a disabled account")
	}
	// Who changes a password ends what others could begin with the former one, as sessions and links.
	if u.PasswordChangedAt.After(attempt.ExpiresAt.Add(-integration.AttemptLifetime)) {
		return identity.Actor{}, expired()
	}
	a := identity.Actor{Type: identity.ActorUser, UserID: m.UserID, OrganizationID: m.OrganizationID, Role: m.Role}
	return a, a.RequireAdmin()
}

// refusedConsent returns why the provider's page gave no code, and logs it.
func (s *Service) refusedConsent(
	ctx context.Context, i *integration.Integration, connector integration.Authorizer, query url.Values,
) integration.ConsentRefusal {
	refusal := integration.ConsentRefusal{Reason: integration.ConsentDeclined}
	if explainer, ok := connector.(integration.ConsentExplainer); ok {
		refusal = explainer.ConsentRefusal(query)
	}
	s.Log.WarnContext(ctx, "consent not given", "integration", i.ID, "provider", i.Provider, "reason", refusal.Reason,
		"code", refusal.Provider.Code, "message", refusal.Provider.Message)
	return refusal
}

// declined records that the person declined. A working integration is unchanged.
func (s *Service) declined(ctx context.Context, a identity.Actor, i *integration.Integration) error {
	_, err := s.change(ctx, a, i.ID, 0, "", func(i *integration.Integration) error {
		if i.Status != integration.Pending || i.GrantID != uuid.Nil {
			return errUnchanged
		}
		i.Reason = integration.ConsentRefused
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// consent exchanges the code for tokens and attaches the integration to their grant. problem is the
// failure reported to the browser's page.
func (s *Service) consent(
	ctx context.Context, a identity.Actor, i *integration.Integration, connector integration.Authorizer, c integration.Callback,
) (problem integration.ConsentRefusal, err error) {
	whole := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(whole, exchangeTimeout)
	defer cancel()
	consent, err := connector.Exchange(ctx, c)
	// settleTimeout starts now, so that there is time to store the tokens regardless of the
	// provider's response time.
	ctx, done := context.WithTimeout(whole, settleTimeout)
	defer done()
	if f, ok := fault.As(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.Upstream) {
		s.Log.WarnContext(ctx, "consent failed", "integration", i.ID, "provider", i.Provider, "error", err)
		problem.Reason, problem.Provider = integration.ConsentUnavailable, f.Provider()
		switch {
		case errors.Is(err, integration.ErrAdminRequired):
			problem.Reason = integration.ConsentNeedsAdmin
		case f.Code == fault.CodeProviderSetup:
			problem.Reason = integration.ConsentSetupRequired
		case f.Kind == fault.Invalid, f.Code == fault.CodeProviderUnauthorized:
			problem.Reason = integration.ConsentFailed
		}
		return problem, nil
	}
	if err != nil {
		return problem, fmt.Errorf("exchange the code: %w", err)
	}
	// The grant is stored before any other call, because a later call may fail.
	g, err := s.Grants.Put(ctx, i.OrganizationID, i.Provider, consent)
	if err != nil {
		return problem, fmt.Errorf("store the grant: %w", err)
	}
	return problem, s.consented(ctx, a, i, g, s.reachable(ctx, g))
}

// reachable returns the tenants that a consent covers, or nil if they cannot be read now. In that
// case the next call detects a tenant that is not covered.
func (s *Service) reachable(ctx context.Context, g *integration.Grant) []string {
	reader, ok := s.Connectors[g.Provider].(organizationReader)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	list, err := reader.Organizations(ctx, integration.Access{Token: g.Tokens.Access, Account: g.Account, Event: g.Event})
	if err != nil {
		s.Log.WarnContext(ctx, "tenants of consent unavailable", "grant", g.ID, "provider", g.Provider, "error", err)
		return nil
	}
	tenants := make([]string, 0, len(list))
	for _, o := range list {
		tenants = append(tenants, o.ID)
	}
	return tenants
}

// consented attaches an integration to its new grant and reactivates other integrations of the
// grant (domain D4). The previous grant is deleted if no integration uses it.
func (s *Service) consented(ctx context.Context, a identity.Actor, i *integration.Integration, g *integration.Grant, reachable []string) error {
	left := i.GrantID
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The grant is locked before its integrations, as everywhere. Otherwise two consents of one
		// account could deadlock.
		if _, err := s.lockGrant(ctx, g.OrganizationID, g.ID); err != nil {
			return err
		}
		on, err := s.Integrations.List(ctx, a.Scope(), integration.Filter{GrantID: g.ID})
		if err != nil {
			return err
		}
		ids := []uuid.UUID{i.ID}
		for _, other := range on {
			if other.ID != i.ID {
				ids = append(ids, other.ID)
			}
		}
		for _, id := range ids {
			_, err := s.change(ctx, a, id, 0, "", func(now *integration.Integration) error {
				if err := now.RequireConnectable(); err != nil {
					return err
				}
				now.Consented(g.ID, reachable)
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.lists.forget(i.ID)
	if left == uuid.Nil || left == g.ID {
		return nil
	}
	return s.dropUnused(ctx, i.OrganizationID, left)
}

// redirectURL adds the result of a consent to the redirect URL.
func redirectURL(address string, i *integration.Integration, problem integration.ConsentRefusal) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("read the redirect address: %w", err)
	}
	q := u.Query()
	q.Set("integration_id", i.ID.String())
	q.Set("status", string(i.Status))
	for name, value := range map[string]string{
		"error": problem.Reason, "provider_code": problem.Provider.Code, "provider_message": problem.Provider.Message,
		"provider_request_id": problem.Provider.RequestID,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
