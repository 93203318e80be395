package session

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"
)

// Authenticate returns the actor of a bearer token: ours, or one that the
// identity provider issued. Who issued it decides who judges it.
func (s *Service) Authenticate(ctx context.Context, bearer string) (identity.Actor, error) {
	if s.Provider != nil && !s.Tokens.Ours(bearer) {
		return s.Provider.Authenticate(ctx, bearer)
	}
	return s.own(ctx, bearer)
}

// own returns the actor of a token of ours. The session must still stand: it
// ends after 14 days, when the password changes and when the account is
// disabled (decisions 4).
func (s *Service) own(ctx context.Context, bearer string) (identity.Actor, error) {
	now := s.Clock.Now()
	claims, err := s.Tokens.Verify(bearer, now)
	if err != nil {
		return identity.Actor{}, err
	}
	session, err := s.Sessions.Find(ctx, claims.SessionID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, errUnauthorized()
	}
	if err != nil {
		return identity.Actor{}, fmt.Errorf("find session: %w", err)
	}
	if !now.Before(session.ExpiresAt) || session.UserID != claims.UserID {
		return identity.Actor{}, errUnauthorized()
	}
	return identity.Actor{
		Type: identity.ActorUser, UserID: claims.UserID, OrganizationID: claims.OrganizationID,
		Role: claims.Role, SessionID: claims.SessionID, ExpiresAt: claims.ExpiresAt,
	}, nil
}
