package integrations

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Authorization is a requested consent.
type Authorization struct {
	URL           string
	IntegrationID uuid.UUID
	// State names the consent. BrowserSecret proves at the callback that it is
	// the same browser that began it.
	State         string
	BrowserSecret string
}

// AuthorizeInput describes the connection that an entity requests.
type AuthorizeInput struct {
	EntityID    uuid.UUID
	Provider    integration.Provider
	RedirectURL string
}

// Authorize starts connecting an entity (interface 4.2, row 1). It reuses an integration that still
// awaits its first step. It also reconnects an accounting integration that is not disconnected,
// because an entity syncs to one ledger.
func (s *Service) Authorize(ctx context.Context, a identity.Actor, in AuthorizeInput) (Authorization, error) {
	if err := s.checkRedirect(in.RedirectURL); err != nil {
		return Authorization{}, err
	}
	i, connector, err := s.prepare(ctx, a, in, nil)
	if err != nil {
		return Authorization{}, err
	}
	return s.ask(ctx, a, i, connector, in.RedirectURL, uuid.Nil)
}

// prepare returns the integration that a consent of the entity is for, a new one if necessary. also
// runs in the same transaction, unless it is nil.
func (s *Service) prepare(
	ctx context.Context, a identity.Actor, in AuthorizeInput, also func(ctx context.Context, i *integration.Integration) error,
) (i *integration.Integration, connector integration.Authorizer, err error) {
	e, err := s.Entities.Get(ctx, a.Scope(), in.EntityID)
	if err != nil {
		return nil, nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, nil, err
	}
	if connector, err = s.connector(in.Provider, "provider"); err != nil {
		return nil, nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if i, err = s.findReusable(ctx, a, in); err != nil {
			return err
		}
		if i == nil {
			i = integration.New(s.IDs.New(), a.OrganizationID, in.EntityID, in.Provider)
			i.CreatedBy, i.CreatedAt = a.UserID, s.Clock.Now()
			i.UpdatedAt = i.CreatedAt
			if err := s.Integrations.Add(ctx, i); err != nil {
				return err
			}
		}
		if also == nil {
			return nil
		}
		return also(ctx, i)
	})
	return i, connector, err
}

// findReusable finds the existing integration that an authorization continues.
func (s *Service) findReusable(ctx context.Context, a identity.Actor, in AuthorizeInput) (*integration.Integration, error) {
	all, err := s.Integrations.List(ctx, a.Scope(), integration.Filter{EntityID: in.EntityID, Provider: in.Provider})
	if err != nil {
		return nil, err
	}
	for n := range all {
		i := &all[n]
		waits := i.Status == integration.Pending && !i.IsSetUp()
		if waits || i.Type() == integration.Accounting && i.Status != integration.Disconnected {
			return i, nil
		}
	}
	return nil, nil
}

// Connect requests another consent for an integration.
func (s *Service) Connect(ctx context.Context, a identity.Actor, id uuid.UUID, redirectURL string) (Authorization, error) {
	if err := s.checkRedirect(redirectURL); err != nil {
		return Authorization{}, err
	}
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return Authorization{}, err
	}
	if err := a.RequireAdmin(); err != nil {
		return Authorization{}, err
	}
	if err := i.RequireConnectable(); err != nil {
		return Authorization{}, err
	}
	connector, err := s.connector(i.Provider, "integration_id")
	if err != nil {
		return Authorization{}, err
	}
	return s.ask(ctx, a, i, connector, redirectURL, uuid.Nil)
}

// ask stores the OAuthState and returns the URL of the consent page. linkID is the connect link that
// the consent uses up; zero for none.
func (s *Service) ask(
	ctx context.Context, a identity.Actor, i *integration.Integration, connector integration.Authorizer, redirectURL string, linkID uuid.UUID,
) (Authorization, error) {
	state, err := random()
	if err != nil {
		return Authorization{}, err
	}
	verifier, err := random()
	if err != nil {
		return Authorization{}, err
	}
	browserSecret, err := random()
	if err != nil {
		return Authorization{}, err
	}
	err = s.Attempts.Add(ctx, integration.OAuthState{
		State: state, OrganizationID: i.OrganizationID, IntegrationID: i.ID, ActorType: a.Type, UserID: a.UserID, LinkID: linkID, Verifier: verifier,
		RedirectURL: redirectURL, ExpiresAt: s.Clock.Now().Add(integration.AttemptLifetime),
		BrowserHash: integration.OAuthHash(browserSecret),
	})
	if err != nil {
		return Authorization{}, err
	}
	challenge := sha256.Sum256([]byte(verifier))
	return Authorization{
		IntegrationID: i.ID, State: state, BrowserSecret: browserSecret,
		URL: connector.AuthorizationURL(integration.AuthorizationRequest{
			State: state, RedirectURI: s.CallbackURL, Challenge: base64.RawURLEncoding.EncodeToString(challenge[:]),
		}),
	}, nil
}

// random returns 256 random bits as 43 characters.
func random() (string, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", errors.Join(errors.New("generate a secret"), err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}
