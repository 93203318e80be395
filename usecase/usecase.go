// Package usecase holds what every use-case shares; each sub-package serves
// one goal of a user, one file per operation.
package usecase

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// UnitOfWork runs work in a transaction.
type UnitOfWork interface {
	// InTx runs fn with a context that carries a transaction, which every
	// repository and the queue use. It commits when fn returns nil, and rolls
	// back when fn returns an error or panics. A nested call is a savepoint.
	// Nothing may be called over the network inside.
	InTx(ctx context.Context, fn func(ctx context.Context) error) error
}

// Clock tells the time, in UTC and whole microseconds, which is what both
// databases keep.
type Clock interface{ Now() time.Time }

// IDs makes new ids.
type IDs interface{ New() uuid.UUID }
