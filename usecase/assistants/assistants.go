// Package assistants lets a person connect an assistant where docledger is its own authorization
// server (domain D16): the consent, the authorization code, and the tokens of the session that
// the consent begins.
package assistants

import (
	"context"
	"log/slog"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/link"
	"docledger/domain/oauthclient"
	"docledger/usecase"
)

// CodeLifetime is how long an authorization code can be exchanged.
const CodeLifetime = time.Minute

// Tokens signs and verifies the tokens of assistants.
type Tokens interface {
	// Issue signs the claims of an access token, IssueRefresh those of a refresh token.
	Issue(c identity.Claims) (string, error)
	IssueRefresh(c identity.Claims) (string, error)
	// Verify returns the claims of an access token that is valid at now, VerifyRefresh those of
	// a refresh token. Otherwise they return an Unauthenticated fault.
	Verify(token string, now time.Time) (identity.Claims, error)
	VerifyRefresh(token string, now time.Time) (identity.Claims, error)
}

// Service connects assistants.
type Service struct {
	ClientID  string // of the one OAuth client
	Issuer    string // of the tokens and of authorization responses
	Redirects oauthclient.Redirects

	Links      link.Links // keeps the authorization codes
	Users      identity.Users
	Sessions   identity.Sessions
	Events     event.Log
	Tokens     Tokens
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Log        *slog.Logger
}

// Granted is the answer of the token endpoint.
type Granted struct {
	AccessToken  string
	RefreshToken string
	Scope        string
	ExpiresIn    time.Duration
}

// The codes of OAuth errors (RFC 6749, sections 4.1.2.1 and 5.2).
const (
	InvalidRequest      = "invalid_request"
	InvalidClient       = "invalid_client"
	InvalidGrant        = "invalid_grant"
	UnsupportedGrant    = "unsupported_grant_type"
	UnsupportedResponse = "unsupported_response_type"
	AccessDenied        = "access_denied"
	InteractionRequired = "interaction_required"
	RequestNotSupported = "request_not_supported"
)

// Refusal is an OAuth error.
type Refusal struct {
	Code        string
	Description string
}

// Error implements error.
func (r *Refusal) Error() string { return r.Code + ": " + r.Description }

func refuse(code, description string) *Refusal { return &Refusal{code, description} }

// errGrant is the same for each reason, so that a caller learns nothing about a code or token.
func errGrant() *Refusal {
	return refuse(InvalidGrant, "The code or the refresh token is unknown, used, expired or withdrawn. Connect again.")
}

func errClient() *Refusal {
	return refuse(InvalidClient, "The client_id is not that of this installation. Register again.")
}

// issue signs the tokens of a session.
func (s *Service) issue(session identity.Session, now time.Time) (Granted, error) {
	expires := now.Add(identity.TokenLifetime)
	if expires.After(session.ExpiresAt) {
		expires = session.ExpiresAt
	}
	c := identity.Claims{
		UserID: session.UserID, OrganizationID: session.OrganizationID, SessionID: session.ID, ClientID: session.ClientID,
		Generation: session.Generation, IssuedAt: now, ExpiresAt: expires,
	}
	access, err := s.Tokens.Issue(c)
	if err != nil {
		return Granted{}, err
	}
	c.ExpiresAt = session.ExpiresAt
	refresh, err := s.Tokens.IssueRefresh(c)
	return Granted{AccessToken: access, RefreshToken: refresh, Scope: identity.ScopeReadOrganization, ExpiresIn: expires.Sub(now)}, err
}

// lockAccount locks the account for the transaction, as a sign-in does. A concurrent end of the
// membership or of the sessions either sees the new session and ends it, or is visible here. It
// refuses an account that is disabled or missing.
func (s *Service) lockAccount(ctx context.Context, claimed identity.Session) error {
	u, err := s.Users.Update(ctx, claimed.UserID, func(*identity.User) error { return nil })
	if fault.CodeOf(err) == fault.CodeNotFound || err == nil && u.Disabled {
		return errGrant()
	}
	return err
}

// live returns a session with the rights of its user. It refuses a session that ended and one
// of a user who is no member.
func (s *Service) live(ctx context.Context, claimed identity.Session, now time.Time) (*identity.SessionAccess, error) {
	x, err := s.Sessions.Access(ctx, claimed.ID, claimed.OrganizationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, errGrant()
	}
	if err != nil {
		return nil, err
	}
	if x.UserID != claimed.UserID || x.ClientID != claimed.ClientID || x.Disabled || !x.Role.Valid() || !now.Before(x.ExpiresAt) {
		return nil, errGrant()
	}
	return x, nil
}
