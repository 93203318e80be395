package integrations

import (
	"context"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// LinkedConsent is a consent that the holder of a connect link begins.
type LinkedConsent struct {
	LinkID        uuid.UUID
	IntegrationID uuid.UUID
	RedirectURL   string // already verified when the link was made
}

// PrepareLink returns the integration that a connect link of the entity is for, and records that
// such a link is made. An empty redirect URL means a page of the service.
func (s *Service) PrepareLink(ctx context.Context, a identity.Actor, in AuthorizeInput) (uuid.UUID, error) {
	if in.RedirectURL != "" {
		if err := s.checkRedirect(in.RedirectURL); err != nil {
			return uuid.Nil, err
		}
	}
	i, _, err := s.prepare(ctx, a, in, func(ctx context.Context, i *integration.Integration) error {
		made := event.By(a, event.IntegrationLinkCreated, i.EntityID, subject(i))
		made.Data = map[string]string{"provider": string(i.Provider)}
		return s.Events.Append(ctx, made)
	})
	if err != nil {
		return uuid.Nil, err
	}
	return i.ID, nil
}

// ConnectByLink requests the consent of the holder of a connect link for the actor who made it.
func (s *Service) ConnectByLink(ctx context.Context, a identity.Actor, c LinkedConsent) (Authorization, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), c.IntegrationID)
	if err != nil {
		return Authorization{}, err
	}
	if err := a.RequireAdmin(); err != nil {
		return Authorization{}, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), i.EntityID)
	if err != nil {
		return Authorization{}, err
	}
	if err := e.RequireOpen(); err != nil {
		return Authorization{}, err
	}
	if err := i.RequireConnectable(); err != nil {
		return Authorization{}, err
	}
	if i.Status == integration.Active {
		return Authorization{}, errLinkUsed()
	}
	connector, err := s.connector(i.Provider, "provider")
	if err != nil {
		return Authorization{}, err
	}
	return s.ask(ctx, a, i, connector, c.RedirectURL, c.LinkID)
}
