package integrations

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/integration"
)

// Confirmation is what a person must know before a consent is finished in a
// browser that did not begin it: somebody else may have sent them there, to
// have their account connected to another organization.
type Confirmation struct {
	Organization string
	Entity       string
	Provider     integration.Provider
	Person       string // who asked for the consent
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
	i, err := s.Integrations.Get(ctx, actor.Scope(), attempt.IntegrationID)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, actor.Scope(), i.EntityID)
	if err != nil {
		return nil, err
	}
	o, err := s.OrganizationRecords.ByID(ctx, attempt.OrganizationID)
	if err != nil {
		return nil, fmt.Errorf("find organization: %w", err)
	}
	u, err := s.Users.ByID(ctx, attempt.UserID)
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
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
	return &Confirmation{
		Organization: o.Name, Entity: e.Name, Provider: i.Provider, Person: u.Name, Email: u.Email, Value: value,
	}, nil
}
