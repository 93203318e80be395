package watch

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"docledger/domain/docstore"

	"github.com/google/uuid"
)

// Subscription is a registration for change notifications of an integration's location. A change
// notification only brings the next poll forward; polling alone misses nothing.
type Subscription struct {
	// ID is part of the notification URL.
	ID             uuid.UUID
	IntegrationID  uuid.UUID
	OrganizationID uuid.UUID
	// Proof is the digest of the secret that each change notification contains.
	Proof []byte
	// Place is the location that the document store reports on.
	Place docstore.Location
	// Remote is the subscription in the document store. Its ID is "" until the document store has
	// confirmed it.
	Remote    docstore.Subscription
	CreatedAt time.Time
}

// ProofOf returns the digest that is stored for a secret.
func ProofOf(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}

// Proves reports whether a secret is the subscription's. It takes constant time.
func (s *Subscription) Proves(secret string) bool {
	return subtle.ConstantTimeCompare(ProofOf(secret), s.Proof) == 1
}

// Serves reports whether the subscription is valid for a location at now.
func (s *Subscription) Serves(p docstore.Location, now time.Time) bool {
	return s.Remote.ID != "" && s.Place == p && now.Before(s.Remote.ExpiresAt)
}

// Subscriptions stores subscriptions across organizations.
type Subscriptions interface {
	// Find returns the subscription with the id, or a NotFound fault.
	Find(ctx context.Context, id uuid.UUID) (*Subscription, error)
	// Of lists the subscriptions of an integration, newest first.
	Of(ctx context.Context, integration uuid.UUID) ([]Subscription, error)
	// Add stores a subscription before docledger requests it from the document store.
	Add(ctx context.Context, s *Subscription) error
	// Answered stores the document store's response. there is false if the subscription was removed
	// in the meantime.
	Answered(ctx context.Context, id uuid.UUID, remote docstore.Subscription) (there bool, err error)
	// Remove removes a subscription; a missing one is not an error.
	Remove(ctx context.Context, id uuid.UUID) error
	// Take removes the subscriptions of an integration and returns them.
	Take(ctx context.Context, integration uuid.UUID) ([]Subscription, error)
}
