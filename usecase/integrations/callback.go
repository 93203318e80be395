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

// exchangeTimeout bounds giving a code for tokens, reachTimeout reading which
// tenants they reach, and settleTimeout all that follows the exchange. They go on
// when the browser goes away, since the code is good once.
const (
	exchangeTimeout = 30 * time.Second
	reachTimeout    = 15 * time.Second
	settleTimeout   = 30 * time.Second
)

// Callback takes what a browser brought back from a provider's consent page and
// returns where the browser goes next. A state that is unknown, used or too old
// is refused, for nobody knows then where the browser belongs.
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
	problem := ""
	if query.Get("code") == "" {
		problem, err = "access_denied", s.declined(ctx, actor, i)
	} else {
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

func expired() error {
	return fault.InvalidField("state", "is not one that waits for an answer: it was used already, or is older than %s; connect again",
		integration.AttemptLifetime)
}

// consenting is who asked for a consent, if they may still do so.
func (s *Service) consenting(ctx context.Context, attempt *integration.OAuthState) (identity.Actor, error) {
	m, err := s.Memberships.Find(ctx, attempt.UserID, attempt.OrganizationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, fault.Denied("connect integrations of an organization that you have left")
	}
	if err != nil {
		return identity.Actor{}, err
	}
	a := identity.Actor{Type: identity.ActorUser, UserID: m.UserID, OrganizationID: m.OrganizationID, Role: m.Role}
	return a, a.RequireAdmin()
}

// declined notes that the person said no; an integration that works goes on.
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

// consent gives the code for tokens and puts the integration on their grant.
// problem tells the browser's page why that came to nothing.
func (s *Service) consent(
	ctx context.Context, a identity.Actor, i *integration.Integration, connector integration.Authorizer, c integration.Callback,
) (problem string, err error) {
	whole := context.WithoutCancel(ctx)
	ctx, cancel := context.WithTimeout(whole, exchangeTimeout)
	defer cancel()
	consent, err := connector.Exchange(ctx, c)
	// However long the provider took, there is time to store what it gave.
	ctx, done := context.WithTimeout(whole, settleTimeout)
	defer done()
	if f, ok := fault.As(err); ok && (f.Kind == fault.Invalid || f.Kind == fault.Upstream) {
		s.Log.WarnContext(ctx, "a consent came to nothing", "integration", i.ID, "provider", i.Provider, "error", err)
		if f.Kind == fault.Invalid {
			return "consent_failed", nil
		}
		return "provider_unavailable", nil
	}
	if err != nil {
		return "", fmt.Errorf("exchange the code: %w", err)
	}
	// Stored before anything else is asked with it: what comes next may fail.
	g, err := s.Grants.Put(ctx, i.OrganizationID, i.Provider, consent)
	if err != nil {
		return "", fmt.Errorf("store the grant: %w", err)
	}
	return "", s.consented(ctx, a, i, g, s.reachable(ctx, g))
}

// reachable reads which tenants a consent reaches; nil where that can't be
// told now. A tenant that is not reached shows at the next call then.
func (s *Service) reachable(ctx context.Context, g *integration.Grant) []string {
	reader, ok := s.Connectors[g.Provider].(organizationReader)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	list, err := reader.Organizations(ctx, integration.Access{Token: g.Tokens.Access, Account: g.Account, Event: g.Event})
	if err != nil {
		s.Log.WarnContext(ctx, "the tenants of a consent could not be read", "grant", g.ID, "provider", g.Provider, "error", err)
		return nil
	}
	tenants := make([]string, 0, len(list))
	for _, o := range list {
		tenants = append(tenants, o.ID)
	}
	return tenants
}

// consented puts an integration on its new grant and heals whatever else
// stands on it (domain D4). The grant that it leaves is erased when nothing
// stands on that any more.
func (s *Service) consented(ctx context.Context, a identity.Actor, i *integration.Integration, g *integration.Grant, reachable []string) error {
	left := i.GrantID
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The grant's lock comes before those of its integrations, as everywhere:
		// else two consents of one account would wait for each other for ever.
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

// redirectURL adds what came of a consent to the address that the browser goes
// to.
func redirectURL(address string, i *integration.Integration, problem string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("read the redirect address: %w", err)
	}
	q := u.Query()
	q.Set("integration_id", i.ID.String())
	q.Set("status", string(i.Status))
	if problem != "" {
		q.Set("error", problem)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}
