package identity

import (
	"context"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// SessionLifetime is the duration of a sign-in, regardless of token refreshes.
// TokenLifetime is the validity of one token. RefreshGrace is how long a token stays
// valid after a refresh superseded it, because parallel tabs and clients with a lost
// response still use it.
//
// GrantLifetime is the duration of the session that a person begins for an assistant.
const (
	SessionLifetime = 14 * 24 * time.Hour
	GrantLifetime   = 90 * 24 * time.Hour
	TokenLifetime   = time.Hour
	RefreshGrace    = time.Minute
)

// maxSuperseded is the maximum number of stored earlier generations.
const maxSuperseded = 32

// Session is one sign-in of a person, or one consent of a person to an assistant. Tokens
// refer to it, so that it can be ended.
type Session struct {
	ID             uuid.UUID
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	ClientID       string // the OAuth client of an assistant; "" for a sign-in
	// Generation is the generation of the tokens since the last refresh. A session
	// starts with 0. A token without a generation also has 0.
	Generation int
	// Superseded are the times at which earlier generations were superseded, latest
	// first. It includes only generations that may still be accepted.
	Superseded  []time.Time
	CreatedAt   time.Time
	RefreshedAt time.Time // zero until the first refresh
	ExpiresAt   time.Time
}

// Accepts reports whether a token of a generation is valid at now: the current
// generation, or an earlier one that was superseded less than RefreshGrace ago.
func (s Session) Accepts(generation int, now time.Time) bool {
	age := s.Generation - generation
	switch {
	case age == 0:
		return true
	case age < 0 || age > len(s.Superseded):
		return false
	}
	return now.Before(s.Superseded[age-1].Add(RefreshGrace))
}

// Refresh starts the next generation, unless the caller's token is of an earlier one.
// That caller missed a refresh and gets a token of the current generation, so that
// two tabs have equally valid tokens.
func (s *Session) Refresh(generation int, now time.Time) {
	if generation != s.Generation {
		return
	}
	kept := []time.Time{now}
	for _, at := range s.Superseded {
		if now.Before(at.Add(RefreshGrace)) && len(kept) < maxSuperseded {
			kept = append(kept, at)
		}
	}
	s.Superseded, s.RefreshedAt = kept, now
	s.Generation++
}

// SessionAccess is a session with the current rights of its user in one organization.
type SessionAccess struct {
	Session
	Role      Role // "" if the user is not a member
	Disabled  bool // the account is locked
	Provider  bool // the identity provider manages the account
	CheckedAt time.Time
}

// SessionFilter selects sessions of one user; a zero id selects all.
type SessionFilter struct {
	UserID         uuid.UUID
	ID             uuid.UUID
	OrganizationID uuid.UUID
}

// Sessions stores sign-ins.
type Sessions interface {
	Add(ctx context.Context, s Session) error
	// Access returns a session that was not ended, with the current rights of its
	// user in an organization, or a NotFound fault. The caller must check the expiry.
	Access(ctx context.Context, id, organization uuid.UUID) (*SessionAccess, error)
	// Update changes a session's organization, generation and times under a row
	// lock.
	Update(ctx context.Context, id uuid.UUID, change func(*Session) error) (*Session, error)
	// OfUser lists a user's sessions that have not expired at now, newest first.
	OfUser(ctx context.Context, user uuid.UUID, now time.Time, p page.Request) (page.Of[Session], error)
	// End ends sessions and returns the ended ones.
	End(ctx context.Context, f SessionFilter) ([]Session, error)
}
