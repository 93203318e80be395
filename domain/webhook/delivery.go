package webhook

import (
	"time"

	"docledger/domain/event"

	"github.com/google/uuid"
)

// State is the state of a delivery.
type State string

// The states.
const (
	Pending   State = "PENDING"
	Delivered State = "DELIVERED"
	Failed    State = "FAILED" // no attempt is left
)

// Delivery is one event for one webhook.
type Delivery struct {
	ID             uuid.UUID
	WebhookID      uuid.UUID
	OrganizationID uuid.UUID
	// Event has neither Changes nor Data.
	Event event.Event
	State State
	// Attempts counts all attempts; Tries counts those since the last request to
	// retry, which starts the schedule again.
	Attempts      int
	Tries         int
	NextAttemptAt time.Time // zero unless the state is Pending
	LastAttemptAt time.Time // zero before the first attempt
	Status        int       // HTTP status of the last attempt; 0 if there was no response
	Failure       string    // why the last attempt failed; "" if it did not
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// New returns a delivery that is due now.
func New(id uuid.UUID, w *Webhook, e event.Event, now time.Time) *Delivery {
	e.Changes, e.Data = nil, nil
	return &Delivery{
		ID: id, WebhookID: w.ID, OrganizationID: w.OrganizationID, Event: e,
		State: Pending, NextAttemptAt: now, CreatedAt: now, UpdatedAt: now,
	}
}

// Start counts an attempt before it is made. If the process ends during the
// attempt, the delivery is due again as after a failure.
func (d *Delivery) Start(now time.Time) {
	d.Attempts++
	d.Tries++
	d.LastAttemptAt, d.UpdatedAt = now, now
	d.NextAttemptAt = now.Add(max(d.delay(), 2*Timeout))
}

// delay is the time between the last attempt and the next one.
func (d *Delivery) delay() time.Duration { return retryDelays[min(d.Tries, len(retryDelays)-1)] }

// Exhausted reports whether no attempt is left.
func (d *Delivery) Exhausted() bool { return d.Tries >= len(retryDelays) }

// Finish records the result of the started attempt.
func (d *Delivery) Finish(r Result, now time.Time) {
	d.Status, d.Failure, d.UpdatedAt = r.Status, r.Failure, now
	switch {
	case r.Succeeded():
		d.State, d.NextAttemptAt = Delivered, time.Time{}
	case d.Exhausted():
		d.Fail(now)
	default:
		d.NextAttemptAt = d.LastAttemptAt.Add(d.delay())
	}
}

// Fail ends the attempts without a success.
func (d *Delivery) Fail(now time.Time) {
	d.State, d.NextAttemptAt, d.UpdatedAt = Failed, time.Time{}, now
}

// Retry makes the delivery due and starts its schedule again.
func (d *Delivery) Retry(now time.Time) {
	d.State, d.Tries, d.NextAttemptAt, d.UpdatedAt = Pending, 0, now, now
}

// Result is the result of one attempt.
type Result struct {
	Status  int    // 0 if there was no response
	Failure string // why there was no response, or what the status means; "" for a success
}

// Succeeded reports whether the receiver accepted the event.
func (r Result) Succeeded() bool { return r.Failure == "" }
