// Package session signs users in and identifies the caller.
package session

import (
	"context"
	"log/slog"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// AttemptWindow is the period in which failed sign-ins of a network are counted.
const AttemptWindow = 15 * time.Minute

const (
	accountAttemptPrefix = "account-network:"
	networkAttemptPrefix = "network:"
)

// Limits are the numbers of failed sign-ins from one network after which the next
// attempt is refused. The limit of one account applies for an increasing time. The
// limit of all accounts applies within AttemptWindow (domain D25).
type Limits struct {
	PerAccount int
	PerAddress int
}

// Tokens issues and verifies the tokens of docledger.
type Tokens interface {
	// Issue signs the claims.
	Issue(c identity.Claims) (string, error)
	// Verify returns the claims of a token that docledger signed and that is valid at
	// now. Otherwise it returns an Unauthenticated fault.
	Verify(token string, now time.Time) (identity.Claims, error)
	// Ours reports whether a token claims to be issued by docledger. It verifies
	// nothing.
	Ours(token string) bool
}

// Provider is the part of the identity provider that sign-in uses.
type Provider interface {
	// Authenticate returns the actor of a token that the provider issued.
	Authenticate(ctx context.Context, bearer string) (identity.Actor, error)
	// CheckPassword returns the account with this address and password at the
	// provider, with current memberships; invalid_credentials otherwise.
	CheckPassword(ctx context.Context, email, password string) (*identity.User, error)
	// Confirm updates the memberships of an account from the provider. It does
	// nothing for a local account.
	Confirm(ctx context.Context, user uuid.UUID) error
	// ConfirmMembers updates the memberships of all members of an organization.
	ConfirmMembers(ctx context.Context, organization uuid.UUID) error
}

// KeyAuthenticator identifies callers by API keys.
type KeyAuthenticator interface {
	// Authenticate returns the actor of an API key's secret. Every other secret is
	// an Unauthenticated fault.
	Authenticate(ctx context.Context, secret string) (identity.Actor, error)
}

// Passwords hashes and compares passwords with an intentionally slow function.
type Passwords interface {
	// Hash returns a salted hash in PHC notation.
	Hash(ctx context.Context, password string) (string, error)
	// Matches reports whether the hash is that of the password. An empty hash matches
	// nothing and takes the same time.
	Matches(ctx context.Context, hash, password string) (bool, error)
}

// Service implements the sign-in operations.
type Service struct {
	Users         identity.Users
	Memberships   identity.Memberships
	Sessions      identity.Sessions
	Attempts      identity.Attempts
	Organizations organization.Repository
	Events        event.Log
	Tokens        Tokens
	Passwords     Passwords
	Provider      Provider // nil without an identity provider
	Keys          KeyAuthenticator
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
	Limits        Limits
	// FailureFloor is the minimum duration of a refused sign-in, so that the duration
	// does not reveal the reason; 0 if only the hash of the password takes time.
	FailureFloor time.Duration
	// AssistantClient is the id of the OAuth client of assistants. Tokens of another client are
	// refused.
	AssistantClient string
	// Setup creates the first administrator; nil if people are managed by an identity
	// provider.
	Setup *Setup
	Log   *slog.Logger

	turns usecase.Turns[string] // of the attempts on one account from one network
}

// Token is the credential of a signed-in caller.
type Token struct {
	Token     string
	ExpiresAt time.Time
}

func (s *Service) issue(session identity.Session, role identity.Role, now time.Time) (Token, error) {
	expires := now.Add(identity.TokenLifetime)
	if expires.After(session.ExpiresAt) {
		expires = session.ExpiresAt
	}
	expires = expires.Truncate(time.Second)
	token, err := s.Tokens.Issue(identity.Claims{
		UserID: session.UserID, OrganizationID: session.OrganizationID, SessionID: session.ID, Role: role,
		Generation: session.Generation,
		IssuedAt:   now, ExpiresAt: expires,
	})
	return Token{Token: token, ExpiresAt: expires}, err
}

// errUnauthorized returns the same error for every invalid credential.
func errUnauthorized() *fault.Error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is missing, expired or not valid. Sign in again.")
}
