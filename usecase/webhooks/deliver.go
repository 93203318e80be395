package webhooks

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/domain/webhook"

	"github.com/google/uuid"
)

const (
	// dueLimit is the maximum number of webhooks that get a job at a time.
	dueLimit = 200
	// readLimit is the number of events that become deliveries in one transaction.
	readLimit = 500
	// deliverLimit is the number of deliveries that are found at a time.
	deliverLimit = 50
	// turn is how long one job delivers before it yields to other webhooks.
	turn = 30 * time.Second
)

// Enqueue enqueues a job for every webhook with work. A webhook whose job is queued or
// running gets no second job.
func (s *Service) Enqueue(ctx context.Context) (int, error) {
	if held, err := job.Paused(ctx, s.Holds); err != nil || held {
		return 0, err
	}
	due, err := s.Outbox.Due(ctx, s.Clock.Now(), dueLimit)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	jobs := make([]job.Args, len(due))
	for n, w := range due {
		jobs[n] = job.DeliverWebhook{V: job.WebhookVersion, OrganizationID: w.OrganizationID, WebhookID: w.ID}
	}
	return len(due), s.Queue.EnqueueAll(ctx, jobs, job.Automatic)
}

// Run turns new events into deliveries of one webhook and makes the attempts that are
// due. It ends after an attempt without a response, so that a receiver that does not
// respond uses a worker for the time of one attempt only.
func (s *Service) Run(ctx context.Context, args job.DeliverWebhook) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	if held {
		return job.ErrPaused
	}
	w, err := s.Webhooks.Get(ctx, args.OrganizationID, args.WebhookID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read webhook: %w", err)
	}
	if !w.Enabled {
		return nil
	}
	if err := s.collect(ctx, w); err != nil {
		return err
	}
	return s.deliver(ctx, w)
}

// collect turns the events after the cursor into deliveries. The deliveries and the new
// cursor are stored in one transaction: no event is lost, and none is added twice.
func (s *Service) collect(ctx context.Context, w *webhook.Webhook) error {
	for {
		events, err := s.Outbox.Unread(ctx, w.OrganizationID, w.Cursor, readLimit)
		if err != nil || len(events) == 0 {
			return err
		}
		last := events[len(events)-1].Place
		now := s.Clock.Now()
		var deliveries []*webhook.Delivery
		for i := range events {
			if e := &events[i].Event; w.Wants(e) {
				deliveries = append(deliveries, webhook.New(s.IDs.New(), w, *e, now))
			}
		}
		moved := false
		err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
			if moved, err = s.Outbox.Advance(ctx, w.ID, w.Cursor, last); err != nil || !moved {
				return err
			}
			return s.Deliveries.Add(ctx, deliveries...)
		})
		if err != nil || !moved {
			return err
		}
		w.Cursor = last
		if len(events) < readLimit {
			return nil
		}
	}
}

// deliver makes the attempts that are due, oldest first, until the turn ends.
func (s *Service) deliver(ctx context.Context, w *webhook.Webhook) error {
	end := s.Clock.Now().Add(turn)
	for {
		due, err := s.Outbox.DueDeliveries(ctx, w.ID, s.Clock.Now(), deliverLimit)
		if err != nil || len(due) == 0 {
			return err
		}
		for i := range due {
			more, err := s.attempt(ctx, w, &due[i])
			if err != nil || !more || !s.Clock.Now().Before(end) {
				return err
			}
		}
	}
}

// attempt makes one attempt: it stores that the attempt starts, sends the event outside
// of a transaction, and stores the result. more is false if the receiver did not
// respond or the webhook receives nothing any more.
func (s *Service) attempt(ctx context.Context, w *webhook.Webhook, d *webhook.Delivery) (more bool, err error) {
	// The webhook may have changed during the attempts before.
	current, err := s.Webhooks.Get(ctx, w.OrganizationID, w.ID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read webhook: %w", err)
	}
	if !current.Enabled {
		return false, nil
	}
	var start bool
	started, err := s.Deliveries.Update(ctx, w.OrganizationID, w.ID, d.ID, func(d *webhook.Delivery) error {
		now := s.Clock.Now()
		switch {
		case d.State != webhook.Pending || d.NextAttemptAt.After(now):
		case d.Exhausted(): // the process ended during the last attempt
			d.Fail(now)
		default:
			d.Start(now)
			start = true
		}
		return nil
	})
	if err != nil || !start {
		if fault.CodeOf(err) == fault.CodeNotFound {
			return false, nil
		}
		return true, err
	}
	result := s.Sender.Send(ctx, current, started, s.Clock.Now())
	if ctx.Err() != nil && !result.Succeeded() {
		return false, ctx.Err() // not the receiver's failure; the attempt is due again later
	}
	return result.Status != 0, s.record(context.WithoutCancel(ctx), current, started, result)
}

// record stores the result of an attempt in the delivery and in the webhook.
func (s *Service) record(ctx context.Context, w *webhook.Webhook, started *webhook.Delivery, r webhook.Result) error {
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		_, err := s.Deliveries.Update(ctx, w.OrganizationID, w.ID, started.ID, func(d *webhook.Delivery) error {
			if d.Attempts == started.Attempts && d.Tries == started.Tries { // not retried meanwhile
				d.Finish(r, now)
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("store the result of a delivery: %w", err)
		}
		if r.Succeeded() && w.FailingSince.IsZero() && w.ResumeAt.IsZero() {
			return nil // nothing to note
		}
		disabled := false
		changed, err := s.Webhooks.Update(ctx, w.OrganizationID, w.ID, func(w *webhook.Webhook) (bool, error) {
			disabled = w.Note(r, now)
			return false, nil
		})
		if err != nil || !disabled {
			return err
		}
		e := event.By(identity.System(w.OrganizationID), event.WebhookDisabled, uuid.Nil, subject(w))
		e.Data = map[string]string{"failing_since": changed.FailingSince.UTC().Format(time.RFC3339)}
		return s.Events.Append(ctx, e)
	})
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil // deleted meanwhile
	}
	return err
}
