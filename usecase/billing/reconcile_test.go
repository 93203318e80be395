package billing_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"docledger/domain/billing"
	usecase "docledger/usecase/billing"
)

// eventLog is the event log of the processor. An event without customer is
// unreadable.
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

// TestUnreadableEventBlocksNoOther reconciles a log with an unreadable event. The
// reconciler receives it with the reason, receives the others, and the next run
// continues after them. The next run reads an event again that could not be stored.
func TestUnreadableEventBlocksNoOther(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for name, failure := range map[string]error{"kept": nil, "not kept": errors.New("the database is unavailable")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var received, unread []string
			mark := &bookmark{}
			r := &usecase.Reconciler{
				Events:   eventLog{{ID: "evt_3", Customer: "cus_1"}, {ID: "evt_2"}, {ID: "evt_1", Customer: "cus_1"}},
				Bookmark: mark, Now: func() time.Time { return now },
				Receive: func(_ context.Context, e billing.PaymentEvent, unreadable error) error {
					received = append(received, e.ID)
					if unreadable != nil {
						unread = append(unread, e.ID)
					}
					if e.ID == "evt_1" {
						return failure
					}
					return nil
				},
			}
			n, err := r.Run(t.Context())
			if n != 3 || !errors.Is(err, failure) || !slices.Equal(received, []string{"evt_3", "evt_2", "evt_1"}) || mark.at.IsZero() != (failure != nil) {
				t.Errorf("%d events, received %v, %v; the read position is %s", n, received, err, mark.at)
			}
			if !slices.Equal(unread, []string{"evt_2"}) {
				t.Errorf("received as unreadable: %v", unread)
			}
		})
	}
}
