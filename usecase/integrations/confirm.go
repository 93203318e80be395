package integrations

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Confirmation is what a person must know before a consent is finished in a
// browser that did not begin it: somebody else may have sent them there, to
// have their account connected to another organization.
type Confirmation struct {
	Organization string
	Entity       string
	Provider     integration.Provider
	Person       string // who asked for the consent, or created the API key that asked
	Program      string // the name of the API key that asked; "" for a person
	Email        string // of that person; "" where none is known
	Value        string // to be sent back with the person's confirmation
}

// Proof is what a browser sends to prove that it may finish a consent.
type Proof struct {
	Cookie       string // Authorization.BrowserSecret; "" for none
	Confirmation string // Confirmation.Value; "" for none
}

// Confirm returns nil where the proof suffices to finish the consent of a
// state. Otherwise it returns what the person must confirm first. It does not
// use the state up.
func (s *Service) Confirm(ctx context.Context, state string, p Proof) (*Confirmation, error) {
	attempt, err := s.Attempts.Find(ctx, state)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, expired()
	}
	if err != nil {
		return nil, err
	}
	if !attempt.ExpiresAt.After(s.Clock.Now()) {
		return nil, expired()
	}
	if attempt.IsProven(p.Cookie, p.Confirmation) {
		return nil, nil
	}
	actor, err := s.consenting(ctx, attempt)
	if err != nil {
		return nil, err
	}
	asked, err := s.Asking(ctx, actor, attempt.IntegrationID)
	if err != nil {
		return nil, err
	}
	value, err := random()
	if err != nil {
		return nil, err
	}
	err = s.Attempts.Ask(ctx, state, integration.OAuthHash(value))
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, expired()
	}
	if err != nil {
		return nil, err
	}
	asked.Value = value
	return asked, nil
}

// Asking returns what a person must know before a consent for an integration that the actor asked
// for. Its Value is empty.
func (s *Service) Asking(ctx context.Context, a identity.Actor, integrationID uuid.UUID) (*Confirmation, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), integrationID)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), i.EntityID)
	if err != nil {
		return nil, err
	}
	o, err := s.OrganizationRecords.ByID(ctx, a.OrganizationID)
	if err != nil {
		return nil, fmt.Errorf("find organization: %w", err)
	}
	c := &Confirmation{Organization: o.Name, Entity: e.Name, Provider: i.Provider}
	person := a.UserID
	if a.Key != nil {
		k, err := s.Keys.ByID(ctx, a.OrganizationID, a.UserID)
		if err != nil {
			return nil, fmt.Errorf("find API key: %w", err)
		}
		person, c.Program = k.CreatedBy, k.Name
	}
	u, err := s.Users.ByID(ctx, person)
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	c.Person, c.Email = u.Name, u.Email
	return c, nil
}
