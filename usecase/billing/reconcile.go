package billing

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/billing"
)

const (
	// reconcileOverlap is the period before the last run that is read again. The
	// processor lists events with a resolution of one second and may list some late.
	reconcileOverlap = 10 * time.Minute
	// reconcileFirst is the period that the first run reads.
	reconcileFirst = 3 * 24 * time.Hour
)

// ReadPosition stores the position in the processor's event log.
type ReadPosition interface {
	// Load returns the time up to which all events were read; zero before the first
	// run.
	Load(ctx context.Context) (time.Time, error)
	// Store advances the position.
	Store(ctx context.Context, to time.Time) error
}

// Reconciler reads the processor's event log for events with lost webhooks and passes
// them to the inbox. The inbox ignores known events.
type Reconciler struct {
	Events   billing.Events
	Bookmark ReadPosition
	// Receive stores an event as if its webhook had arrived. unreadable is the reason
	// why the event cannot be interpreted.
	Receive func(ctx context.Context, e billing.PaymentEvent, unreadable error) error
	Now     func() time.Time
}

// Run reads the events since the last run. It returns the number of events of the
// processor.
func (r *Reconciler) Run(ctx context.Context) (int, error) {
	began := r.Now()
	from, err := r.Bookmark.Load(ctx)
	if err != nil {
		return 0, fmt.Errorf("load the read position: %w", err)
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
