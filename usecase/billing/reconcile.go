package billing

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/billing"
)

const (
	// reconcileOverlap is how far before the last look events are read again:
	// the processor lists them by the second, and may list some late.
	reconcileOverlap = 10 * time.Minute
	// reconcileFirst is how far back the first look goes.
	reconcileFirst = 3 * 24 * time.Hour
)

// ReadPosition remembers how far the processor's events have been read.
type ReadPosition interface {
	// Load returns the moment up to which everything was read; zero at first.
	Load(ctx context.Context) (time.Time, error)
	// Store moves it on.
	Store(ctx context.Context, to time.Time) error
}

// Reconciler reads the processor's own log for events whose webhooks never
// came, and hands them to the inbox, which knows those that did.
type Reconciler struct {
	Events   billing.Events
	Bookmark ReadPosition
	// Receive keeps an event as if its webhook had come. unreadable is why the
	// event cannot be interpreted.
	Receive func(ctx context.Context, e billing.PaymentEvent, unreadable error) error
	Now     func() time.Time
}

// Run reads what happened since the last run. It returns how many events the
// processor had.
func (r *Reconciler) Run(ctx context.Context) (int, error) {
	began := r.Now()
	from, err := r.Bookmark.Load(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the bookmark: %w", err)
	}
	if from.IsZero() {
		from = began.Add(-reconcileFirst)
	}
	n := 0
	err = r.Events.Since(ctx, from.Add(-reconcileOverlap), billing.PaymentEvents(), func(e billing.PaymentEvent, unreadable error) error {
		n++
		return r.Receive(ctx, e, unreadable)
	})
	if err != nil {
		return n, fmt.Errorf("read the processor's events: %w", err)
	}
	return n, r.Bookmark.Store(ctx, began)
}
