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

// OrganizationLock makes transactions that change invoices of one organization run one after the
// other (domain D7). Such a transaction locks the organization before it locks an invoice or a
// supplier, so that no two transactions wait for each other.
type OrganizationLock interface {
	// InTurn runs fn in a transaction that has the lock of the organization. Within a process, one
	// transaction of an organization at a time waits for the lock, so that the others of the process
	// wait without a connection of the pool.
	InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error
}

// Clock returns the current time in UTC and whole microseconds, the precision of both databases.
type Clock interface{ Now() time.Time }

// IDs makes new ids.
type IDs interface{ New() uuid.UUID }

// Lease is the sole right to do something for a while, across processes.
type Lease struct {
	Name       string
	Owner      string
	Generation int64 // increases with every owner, so that a late owner is detected
}

// Leases gives leases out. A foreign call that only one caller may make at a
// time is made under one: taken before, the call outside any transaction, its
// result stored by compare-and-set.
type Leases interface {
	// Acquire takes the lease until now + ttl, unless somebody else holds it;
	// ok says whether it did. It does not end with the context, so that the caller
	// always knows whether to release the lease.
	Acquire(ctx context.Context, name, owner string, now time.Time, ttl time.Duration) (l Lease, ok bool, err error)
	// Renew holds the lease until now + ttl; ok is false where it was lost.
	Renew(ctx context.Context, l Lease, now time.Time, ttl time.Duration) (ok bool, err error)
	// Release gives it back; one that has passed to another owner stays theirs.
	Release(ctx context.Context, l Lease) error
}
