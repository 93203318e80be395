// Package idempotency lets a caller repeat a creating request without creating
// twice (decisions 1, domain D25).
package idempotency

import (
	"context"
	"time"

	"github.com/google/uuid"
)

const (
	// Lifetime is how long an answer is kept.
	Lifetime = 24 * time.Hour
	// Lease is how long a request may be silent before its key counts as left
	// behind.
	Lease = 2 * time.Minute
	// MaxKey is the longest key, in characters.
	MaxKey = 255
)

// Key names one request of one credential.
type Key struct {
	OrganizationID uuid.UUID
	Credential     string // who: user, API key or client
	Operation      string // operationId
	Key            string // the caller's own, at most MaxKey characters
}

// Answer is what the first request was answered. Fingerprint tells whether a
// repeated request is the same one.
type Answer struct {
	Fingerprint string
	Body        []byte
	ETag        string
}

// State is what is known of a key.
type State int

// The states.
const (
	Started  State = iota // the caller owns the key and must Finish or Abandon it
	Running               // another request with the key is still running
	Finished              // answered; the Answer holds
	Other                 // the key was used for another request
)

// Claim is the outcome of Begin.
type Claim struct {
	State  State
	Answer *Answer   // where Finished
	Owner  uuid.UUID // where Started: proves ownership to the store
	// Reserved is the id that the request gives to what it creates: the same
	// for every request of the key, so that one which was cut off after its
	// effect is found by the next.
	Reserved uuid.UUID
}

// Store keeps keys and answers, shared by all replicas.
type Store interface {
	// Begin claims the key at now. A key older than Lifetime is free again; one
	// that was abandoned, or whose owner has been silent for Lease, passes to
	// the caller if the fingerprints agree. An unknown fingerprint, "", agrees
	// with any.
	Begin(ctx context.Context, k Key, fingerprint string, now time.Time) (Claim, error)
	// Extend tells that the owner is still at work.
	Extend(ctx context.Context, k Key, owner uuid.UUID, now time.Time) error
	// Finish keeps the answer, unless the key has passed to another owner.
	Finish(ctx context.Context, k Key, owner uuid.UUID, a Answer, now time.Time) error
	// Abandon frees the key, unless it has passed to another owner.
	Abandon(ctx context.Context, k Key, owner uuid.UUID) error
	// Expire removes keys older than Lifetime.
	Expire(ctx context.Context, now time.Time) error
}
