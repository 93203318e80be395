// Package session signs people in and tells who is calling.
package session

import (
	"context"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"
)

// AttemptWindow is the time within which sign-in attempts are counted.
const AttemptWindow = 15 * time.Minute

const (
	accountAttemptPrefix = "account:"
	addressAttemptPrefix = "address:"
)

// Limits are the sign-in attempts allowed within AttemptWindow (records D25).
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
	Tokens        Tokens
	Passwords     Passwords
	UnitOfWork    usecase.UnitOfWork
	Clock         usecase.Clock
	IDs           usecase.IDs
	Limits        Limits
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
		IssuedAt: now, ExpiresAt: expires,
	})
	return Token{Token: token, ExpiresAt: expires}, err
}

// errUnauthorized reads the same whatever is wrong with a credential.
func errUnauthorized() *fault.Error {
	return fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is missing, expired or not valid. Sign in again.")
}
