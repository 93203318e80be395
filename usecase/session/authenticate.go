package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Authenticate returns the actor of a bearer token that docledger or the identity
// provider issued. The issuer verifies the token.
func (s *Service) Authenticate(ctx context.Context, bearer string) (identity.Actor, error) {
	if s.Keys != nil && strings.HasPrefix(bearer, identity.KeyPrefix) {
		return s.Keys.Authenticate(ctx, bearer)
	}
	if s.Provider != nil && !s.Tokens.Ours(bearer) {
		return s.Provider.Authenticate(ctx, bearer)
	}
	return s.own(ctx, bearer)
}

// AuthenticateRefresh is Authenticate for the call that refreshes a token. If
// docledger superseded its token too long ago, it ends the session: two parties have
// used the token, and docledger cannot identify the owner.
func (s *Service) AuthenticateRefresh(ctx context.Context, bearer string) (identity.Actor, error) {
	a, err := s.Authenticate(ctx, bearer)
	var old *supersededError
	if !errors.As(err, &old) {
		return a, err
	}
	if failed := s.endReplayed(ctx, old.session); failed != nil {
		return a, fmt.Errorf("end the session of a reused token: %w", failed)
	}
	return a, err
}

// supersededError is the cause of a refusal: the token is of an earlier generation.
type supersededError struct{ session identity.Session }

// Error implements error.
func (e *supersededError) Error() string {
	return "a token of session " + e.session.ID.String() + " was superseded"
}

// endReplayed ends the session of a reused token and records it.
func (s *Service) endReplayed(ctx context.Context, session identity.Session) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		ended, err := s.Sessions.End(ctx, identity.SessionFilter{UserID: session.UserID, ID: session.ID})
		if err != nil || len(ended) == 0 {
			return err
		}
		e := event.By(identity.System(session.OrganizationID), event.MemberSessionEnded, uuid.Nil,
			event.Subject{Type: event.SubjectMember, ID: session.UserID})
		e.Data = map[string]string{"session_id": session.ID.String(), "reason": "token_reused"}
		return s.Events.Append(ctx, e)
	})
}

// own returns the actor of a token that docledger issued, with the current role of
// the user. The session must still exist: it ends after 14 days, when the password
// changes and when the account is disabled (decisions 4). The user must be a member
// of the token's organization.
func (s *Service) own(ctx context.Context, bearer string) (identity.Actor, error) {
	now := s.Clock.Now()
	claims, err := s.Tokens.Verify(bearer, now)
	if err != nil {
		return identity.Actor{}, err
	}
	access, err := s.access(ctx, claims)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return identity.Actor{}, errUnauthorized()
	}
	if err != nil {
		return identity.Actor{}, fmt.Errorf("find session: %w", err)
	}
	if !now.Before(access.ExpiresAt) || access.UserID != claims.UserID || access.ClientID != claims.ClientID || access.Disabled || !access.Role.Valid() {
		return identity.Actor{}, errUnauthorized()
	}
	if claims.ClientID != "" && claims.ClientID != s.AssistantClient {
		return identity.Actor{}, errUnauthorized() // the operator changed the client
	}
	if !access.Accepts(claims.Generation, now) {
		return identity.Actor{}, errUnauthorized().WithCause(&supersededError{access.Session})
	}
	a := identity.Actor{
		Type: identity.ActorUser, UserID: claims.UserID, OrganizationID: claims.OrganizationID, Role: access.Role, ClientID: claims.ClientID,
		SessionID: claims.SessionID, Generation: claims.Generation, ExpiresAt: claims.ExpiresAt,
	}
	if claims.ClientID != "" {
		a.Type = identity.ActorAssistant
	}
	return a, nil
}

// access reads the session of a token with the current permissions of its user. It
// first confirms a membership of the identity provider that was confirmed too long
// ago. If the provider does not respond, the last known role applies.
func (s *Service) access(ctx context.Context, claims identity.Claims) (*identity.SessionAccess, error) {
	access, err := s.Sessions.Access(ctx, claims.SessionID, claims.OrganizationID)
	if err != nil || s.Provider == nil || !access.Provider || s.Clock.Now().Sub(access.CheckedAt) < identity.MembershipFresh {
		return access, err
	}
	s.confirm(ctx, func(ctx context.Context) error { return s.Provider.Confirm(ctx, access.UserID) })
	return s.Sessions.Access(ctx, claims.SessionID, claims.OrganizationID)
}
