// Package idempotency lets a caller repeat a creating request without creating
// twice (decisions 1, records D25).
package idempotency

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// Lifetime is how long an answer is kept; Lease how long a request may run
// before its key counts as abandoned.
const (
	Lifetime = 24 * time.Hour
	Lease    = 2 * time.Minute
	MaxKey   = 255
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
	Status      int
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
)

// Store keeps keys and answers, shared by all replicas.
type Store interface {
	// Begin claims the key at now. A key older than Lifetime, or begun longer
	// than Lease ago and neither finished nor abandoned, is free again.
	Begin(ctx context.Context, k Key, now time.Time) (State, *Answer, error)
	// Finish keeps the answer of a key that the caller owns.
	Finish(ctx context.Context, k Key, a Answer, now time.Time) error
	// Abandon frees a key that the caller owns, so that a repetition runs anew.
	Abandon(ctx context.Context, k Key) error
	// Expire removes keys older than Lifetime.
	Expire(ctx context.Context, now time.Time) error
}
