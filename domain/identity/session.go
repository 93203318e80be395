package identity

import (
	"context"
	"time"

	"docledger/domain/page"

	"github.com/google/uuid"
)

// SessionLifetime is how long a person stays signed in, however often the
// token is refreshed. TokenLifetime is how long one token is valid.
// RefreshGrace is how long a token stays valid after a refresh superseded it:
// parallel tabs and lost answers still hold it.
const (
	SessionLifetime = 14 * 24 * time.Hour
	TokenLifetime   = time.Hour
	RefreshGrace    = time.Minute
)

// maxSuperseded bounds how many earlier generations are remembered.
const maxSuperseded = 32

// Session is one sign-in. Tokens name it, so that it can be ended.
type Session struct {
	ID             uuid.UUID
	UserID         uuid.UUID
	OrganizationID uuid.UUID
	// Generation is that of the tokens issued since the last refresh. A session
	// starts with 0, which is also that of tokens which state none.
	Generation int
	// Superseded are the times at which the generations before Generation were
	// superseded, the latest first, as far back as one may still be accepted.
	Superseded  []time.Time
	CreatedAt   time.Time
	RefreshedAt time.Time // zero until the first refresh
	ExpiresAt   time.Time
}

// Accepts reports whether a token of a generation is valid at now: the present
// one, or an earlier one that was superseded less than RefreshGrace ago.
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

// Refresh begins the next generation, unless the caller's token is of an
// earlier one: that caller missed a refresh and gets a token of the present
// generation, so that two tabs end up with tokens that are equally valid.
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

// SessionAccess is a session with what its user may do in one organization now.
type SessionAccess struct {
	Session
	Role      Role // "" for somebody who is no member
	Disabled  bool // the account is locked
	Provider  bool // the identity provider keeps the account
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
	// Access returns a session that has not been ended with what its user may do
	// in an organization, or a NotFound fault; its expiry is the caller's to
	// judge.
	Access(ctx context.Context, id, organization uuid.UUID) (*SessionAccess, error)
	// Update changes a session's organization, generation and times under a row
	// lock.
	Update(ctx context.Context, id uuid.UUID, change func(*Session) error) (*Session, error)
	// OfUser lists a person's sessions that have not expired at now, the newest
	// first.
	OfUser(ctx context.Context, user uuid.UUID, now time.Time, p page.Request) (page.Of[Session], error)
	// End ends sessions and returns those that it ended.
	End(ctx context.Context, f SessionFilter) ([]Session, error)
}
