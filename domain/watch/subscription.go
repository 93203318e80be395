package watch

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"time"

	"docledger/domain/docstore"

	"github.com/google/uuid"
)

// Subscription is a store's promise to call an address of ours when something
// changes in the place of an integration. A call only brings the next poll
// forward: polling alone misses nothing.
type Subscription struct {
	// ID stands in the address.
	ID             uuid.UUID
	IntegrationID  uuid.UUID
	OrganizationID uuid.UUID
	// Proof is the digest of the secret that each call brings.
	Proof []byte
	// Place is what the store tells of.
	Place docstore.Location
	// Remote is the store's own side; its ID is "" while the store was asked and
	// has not answered.
	Remote    docstore.Subscription
	CreatedAt time.Time
}

// ProofOf is what is kept of a secret.
func ProofOf(secret string) []byte {
	digest := sha256.Sum256([]byte(secret))
	return digest[:]
}

// Proves says whether a secret is the subscription's. How long that takes says
// nothing of it.
func (s *Subscription) Proves(secret string) bool {
	return subtle.ConstantTimeCompare(ProofOf(secret), s.Proof) == 1
}

// Serves says whether the store still tells of a place.
func (s *Subscription) Serves(p docstore.Location, now time.Time) bool {
	return s.Remote.ID != "" && s.Place == p && now.Before(s.Remote.ExpiresAt)
}

// Subscriptions stores where stores call, for every organization.
type Subscriptions interface {
	// Find returns the subscription that an address names, or a NotFound fault.
	Find(ctx context.Context, id uuid.UUID) (*Subscription, error)
	// Of lists those of an integration, the newest first.
	Of(ctx context.Context, integration uuid.UUID) ([]Subscription, error)
	// Add stores one before the store is asked for it.
	Add(ctx context.Context, s *Subscription) error
	// Answered stores what the store said of one; there is false where it was
	// taken away meanwhile.
	Answered(ctx context.Context, id uuid.UUID, remote docstore.Subscription) (there bool, err error)
	// Remove removes one, which need not be there.
	Remove(ctx context.Context, id uuid.UUID) error
	// Take removes those of an integration and returns them.
	Take(ctx context.Context, integration uuid.UUID) ([]Subscription, error)
}
