// Package idempotency lets a caller repeat a creating request without creating a resource twice
// (decisions 1, domain D25).
package idempotency

import (
	"context"
	"time"

	"github.com/google/uuid"
)

const (
	// Lifetime is how long a response is stored.
	Lifetime = 24 * time.Hour
	// Lease is the time without a sign of the request after which its key counts as abandoned.
	Lease = 2 * time.Minute
	// MaxKey is the longest key, in characters.
	MaxKey = 255
)

// Key identifies one request of one credential.
type Key struct {
	OrganizationID uuid.UUID
	Credential     string // who: user, API key or client
	Operation      string // operationId
	Key            string // the caller's own, at most MaxKey characters
}

// Answer is the response to the first request. Fingerprint detects whether a repeated request is
// the same.
type Answer struct {
	Fingerprint string
	Body        []byte
	ETag        string
}

// State is the state of a key.
type State int

// The states.
const (
	Started  State = iota // the caller owns the key and must call Finish or Abandon
	Running               // another request with the key is in progress
	Finished              // completed; see Answer
	Other                 // the key was used for another request
)

// Claim is the result of Begin.
type Claim struct {
	State  State
	Answer *Answer   // set if Finished
	Owner  uuid.UUID // set if Started: proves the ownership to the store
	// Reserved is the id of the resource that the request creates. It is the same for every request
	// with the key, so that a repeated request finds a resource whose response was lost.
	Reserved uuid.UUID
}

// Store stores keys and responses, shared by all processes.
type Store interface {
	// Begin claims the key at now. A key older than Lifetime is free again. A key that was
	// abandoned, or whose owner sent no sign for Lease, passes to the caller if the fingerprints
	// are equal. An unknown fingerprint, "", equals any.
	Begin(ctx context.Context, k Key, fingerprint string, now time.Time) (Claim, error)
	// Extend records that the owner is still working.
	Extend(ctx context.Context, k Key, owner uuid.UUID, now time.Time) error
	// Finish stores the response, unless the key has another owner.
	Finish(ctx context.Context, k Key, owner uuid.UUID, a Answer, now time.Time) error
	// Abandon frees the key, unless it has another owner.
	Abandon(ctx context.Context, k Key, owner uuid.UUID) error
	// Expire deletes keys older than Lifetime.
	Expire(ctx context.Context, now time.Time) error
}
