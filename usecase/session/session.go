// Package session signs people in and tells who is calling.
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

// AttemptWindow is the time within which failed sign-ins of a network are
// counted.
const AttemptWindow = 15 * time.Minute

const (
	accountAttemptPrefix = "account-network:"
	networkAttemptPrefix = "network:"
)

// Limits are the failed sign-ins from one network after which the next attempt
// is refused: to one account for a time that grows, and to all accounts within
// AttemptWindow (domain D25).
type Limits struct {
	PerAccount int
	PerAddress int
}

// Tokens makes and reads our own tokens.
type Tokens interface {
	// Issue signs the claims.
	Issue(c identity.Claims) (string, error)
	// Verify returns the claims of a token that we signed and that is good at
	// now; anything else is an Unauthenticated fault.
	Verify(token string, now time.Time) (identity.Claims, error)
	// Ours says whether a token claims to be one of ours. It proves nothing.
	Ours(token string) bool
}

// Provider is the identity provider's side of signing in.
type Provider interface {
	// Authenticate returns the actor of a token that the provider issued.
	Authenticate(ctx context.Context, bearer string) (identity.Actor, error)
	// CheckPassword returns the account whose address and password these are at
	// the provider, with its memberships brought up to date; invalid_credentials
	// otherwise.
	CheckPassword(ctx context.Context, email, password string) (*identity.User, error)
	// Confirm brings the memberships of an account to what the provider says
	// now; it does nothing for a local one.
	Confirm(ctx context.Context, user uuid.UUID) error
	// ConfirmMembers does so for everybody in an organization.
	ConfirmMembers(ctx context.Context, organization uuid.UUID) error
}

// Passwords hashes and compares passwords, slowly on purpose.
type Passwords interface {
	// Hash returns a salted hash in PHC notation.
	Hash(ctx context.Context, password string) (string, error)
	// Matches says whether the password gave the hash. An empty hash matches
	// nothing, and takes as long as any other to say so.
	Matches(ctx context.Context, hash, password string) (bool, error)
}

// Service holds the operations of signing in.
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
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
	Limits        Limits
	// FailureFloor is the least time that a refused sign-in takes, so that the
	// reason can't be told from it; 0 where hashing a password is all there is.
	FailureFloor time.Duration
	Log          *slog.Logger
}

// Token is a signed-in caller's credential.
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

// errUnauthorized reads the same whatever is wrong with a credential.
func errUnauthorized() *fault.Error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is missing, expired or not valid. Sign in again.")
}
