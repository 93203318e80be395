package billing_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/billing"
	usecase "docledger/usecase/billing"
)

// eventLog is the processor's log; an event without customer can't be read.
type eventLog []billing.PaymentEvent

func (l eventLog) Since(_ context.Context, _ time.Time, _ []billing.EventType, each func(billing.PaymentEvent, error) error) error {
	for _, e := range l {
		var unreadable error
		if e.Customer == "" {
			unreadable = errors.New("it has no customer")
		}
		if err := each(e, unreadable); err != nil {
			return err
		}
	}
	return nil
}

type bookmark struct{ at time.Time }

func (b *bookmark) Load(context.Context) (time.Time, error) { return b.at, nil }

func (b *bookmark) Store(_ context.Context, to time.Time) error {
	b.at = to
	return nil
}

// TestOneUnreadableEventHoldsUpNoOther reconciles a log with an event that can't
// be read: it is logged by its id, the others are received, and the next run
// goes on after them. One that can't be kept is read again.
func TestOneUnreadableEventHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, failure := range map[string]error{"kept": nil, "not kept": errors.New("the database is away")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var received []string
			var logged strings.Builder
			mark := &bookmark{}
			r := &usecase.Reconciler{
				Events:   eventLog{{ID: "evt_3", Customer: "cus_1"}, {ID: "evt_2"}, {ID: "evt_1", Customer: "cus_1"}},
				Bookmark: mark, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&logged, nil)),
				Receive: func(_ context.Context, e billing.PaymentEvent) error {
					received = append(received, e.ID)
					if e.ID == "evt_1" {
						return failure
					}
					return nil
				},
			}
			n, err := r.Run(t.Context())
			if n != 3 || !errors.Is(err, failure) || !slices.Equal(received, []string{"evt_3", "evt_1"}) || mark.at.IsZero() != (failure != nil) {
				t.Errorf("%d events, received %v, %v; the bookmark is at %s", n, received, err, mark.at)
			}
			if !strings.Contains(logged.String(), "evt_2") {
				t.Errorf("the log says %q", logged.String())
			}
		})
	}
}
