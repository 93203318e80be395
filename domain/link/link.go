// Package link contains links that replace a credential for one purpose and a short time (domain
// D19).
package link

import (
	"context"
	"time"

	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Purpose is what a link can be used for.
type Purpose string

// The purposes.
const (
	Upload Purpose = "UPLOAD" // sends files to one entity
	Export Purpose = "EXPORT" // reads one export
	// Connect gives one consent for an entity and a provider (domain D18).
	Connect Purpose = "CONNECT"
	// AuthorizationCode is the code of an assistant's authorization (domain D16).
	AuthorizationCode Purpose = "AUTHORIZATION_CODE"
)

// The limits of links.
const (
	DefaultLifetime = 15 * time.Minute
	MaxLifetime     = time.Hour
	MaxFiles        = 20
	// The person who gets a connect link may open it days later.
	ConnectLifetime    = 24 * time.Hour
	MaxConnectLifetime = 7 * 24 * time.Hour
	// MaxReads is how often an export can be read: a browser or a program may repeat a request.
	MaxReads = 5
)

// Link acts for the person, assistant or API key that requested it.
type Link struct {
	ID             uuid.UUID
	OrganizationID uuid.UUID
	EntityID       uuid.UUID // of an upload or a consent; zero for every other purpose
	Purpose        Purpose
	ActorType      identity.ActorType
	UserID         uuid.UUID // the user, or the API key
	ClientID       string    // of an assistant
	MaxUses        int
	Uses           int
	Parameters     string // of an export, a consent or an authorization code
	CreatedAt      time.Time
	ExpiresAt      time.Time
}

// Usable reports whether the link can be used once more.
func (l *Link) Usable(now time.Time) bool { return now.Before(l.ExpiresAt) && l.Uses < l.MaxUses }

// Links stores links. Tokens are stored as hashes.
type Links interface {
	// Add stores a link with its token, and deletes the expired links of the organization.
	Add(ctx context.Context, l *Link, token string) error
	// ByToken returns the link of a token, or a NotFound fault. The lookup carries no scope: the
	// token is the credential.
	ByToken(ctx context.Context, p Purpose, token string) (*Link, error)
	// Reserve counts one use. It returns false if the link is used up or expired.
	Reserve(ctx context.Context, id uuid.UUID, now time.Time) (bool, error)
	// Release gives back a use that failed.
	Release(ctx context.Context, id uuid.UUID) error
}
