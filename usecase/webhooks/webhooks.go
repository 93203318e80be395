// Package webhooks manages outgoing webhooks and delivers events to them (domain
// D17).
package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/domain/secret"
	"docledger/domain/webhook"
	"docledger/usecase"

	"github.com/google/uuid"
)

// secretBytes is the length of a new secret.
const secretBytes = 32

// Service holds the operations on webhooks. Everything but Enqueue, Run and Expire
// needs an administrator.
type Service struct {
	Webhooks   webhook.Repository
	Deliveries webhook.Deliveries
	Outbox     webhook.Outbox
	Sender     webhook.Sender
	Entities   entity.Reader
	Events     event.Log
	Queue      job.Queue
	Holds      job.Pause
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
}

// Input describes a webhook. In a change, nil values keep what is stored.
type Input struct {
	URL   *string
	Types []string
	// EntityIDs limits the events if SetEntities is true; nil then means every event.
	EntityIDs   []uuid.UUID
	SetEntities bool
	Enabled     *bool
}

// Create adds a webhook. Its Secret is shown to the caller this once.
func (s *Service) Create(ctx context.Context, a identity.Actor, in Input) (*webhook.Webhook, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	key, err := newSecret()
	if err != nil {
		return nil, err
	}
	w := &webhook.Webhook{
		ID: s.IDs.New(), OrganizationID: a.OrganizationID, Enabled: true, Secret: key, CreatedBy: a.UserID, CreatedAt: now, UpdatedAt: now,
	}
	if in.Enabled != nil {
		w.Enabled = *in.Enabled
	}
	if err := s.apply(ctx, a, w, in); err != nil {
		return nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.Webhooks.Add(ctx, w); err != nil {
			return err
		}
		return s.Events.Append(ctx, event.By(a, event.WebhookCreated, uuid.Nil, subject(w)))
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

func newSecret() (secret.Text, error) {
	raw := make([]byte, secretBytes)
	if _, err := rand.Read(raw); err != nil {
		return secret.Text{}, fmt.Errorf("generate secret: %w", err)
	}
	return secret.New(webhook.SecretPrefix + base64.StdEncoding.EncodeToString(raw)), nil
}

// apply writes the given values into the webhook.
func (s *Service) apply(ctx context.Context, a identity.Actor, w *webhook.Webhook, in Input) error {
	if in.URL != nil {
		if why := s.Sender.Accepts(*in.URL); why != "" {
			return fault.InvalidField("url", "%s", why)
		}
		w.URL = *in.URL
	}
	for i, t := range in.Types {
		if !webhook.ValidType(t) {
			return fault.InvalidField(fmt.Sprintf("types[%d]", i), "must be a type of an event, a group such as invoice.*, or *")
		}
	}
	if in.Types != nil {
		w.Types = slices.Compact(slices.Sorted(slices.Values(in.Types)))
	}
	if in.SetEntities {
		for i, id := range in.EntityIDs {
			_, err := s.Entities.Get(ctx, a.Scope(), id)
			if fault.CodeOf(err) == fault.CodeNotFound {
				return fault.InvalidField(fmt.Sprintf("entity_ids[%d]", i), "must be an entity of the organization")
			}
			if err != nil {
				return fmt.Errorf("find entity: %w", err)
			}
		}
		w.EntityIDs = in.EntityIDs
	}
	return nil
}

// Get returns a webhook without its secrets.
func (s *Service) Get(ctx context.Context, a identity.Actor, id uuid.UUID) (*webhook.Webhook, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	return s.Webhooks.Describe(ctx, a.OrganizationID, id)
}

// List returns the webhooks of the organization without their secrets, newest first.
func (s *Service) List(ctx context.Context, a identity.Actor, p page.Request) (page.Of[webhook.Webhook], error) {
	if err := a.RequireAdmin(); err != nil {
		return page.Of[webhook.Webhook]{}, err
	}
	return s.Webhooks.List(ctx, a.OrganizationID, p)
}

// Change changes a webhook. A webhook that is enabled again receives the events from
// now on, and its deliveries that were pending.
func (s *Service) Change(ctx context.Context, a identity.Actor, id uuid.UUID, in Input) (*webhook.Webhook, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	return s.update(ctx, a, id, func(ctx context.Context, w *webhook.Webhook) (bool, *event.Event, error) {
		before := *w
		if err := s.apply(ctx, a, w, in); err != nil {
			return false, nil, err
		}
		started := in.Enabled != nil && w.Enable(*in.Enabled)
		changes := differences(&before, w)
		if len(changes) == 0 {
			return false, nil, nil
		}
		w.UpdatedAt = s.Clock.Now()
		e := event.By(a, event.WebhookChanged, uuid.Nil, subject(w))
		e.Changes = changes
		return started, &e, nil
	})
}

// differences names what changed. The address is not repeated: it can contain a token.
func differences(before, after *webhook.Webhook) (out []event.Change) {
	if before.URL != after.URL {
		out = append(out, event.Change{Field: "url"})
	}
	if !slices.Equal(before.Types, after.Types) {
		out = append(out, event.Change{Field: "types", From: fmt.Sprint(before.Types), To: fmt.Sprint(after.Types)})
	}
	if from, to := ids(before.EntityIDs), ids(after.EntityIDs); from != to {
		out = append(out, event.Change{Field: "entity_ids", From: from, To: to})
	}
	if before.Enabled != after.Enabled {
		out = append(out, event.Change{Field: "enabled", From: fmt.Sprint(before.Enabled), To: fmt.Sprint(after.Enabled)})
	}
	return out
}

func ids(list []uuid.UUID) string {
	if list == nil {
		return ""
	}
	return fmt.Sprint(list)
}

// Rotate replaces the secret. The one before it still signs for
// webhook.SecretOverlap. Secret of the result is shown to the caller this once.
func (s *Service) Rotate(ctx context.Context, a identity.Actor, id uuid.UUID) (*webhook.Webhook, error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	key, err := newSecret()
	if err != nil {
		return nil, err
	}
	return s.update(ctx, a, id, func(_ context.Context, w *webhook.Webhook) (bool, *event.Event, error) {
		w.Rotate(key, s.Clock.Now())
		e := event.By(a, event.WebhookSecretRotated, uuid.Nil, subject(w))
		return false, &e, nil
	})
}

// update changes a webhook and records the event, if there is one, in one transaction.
func (s *Service) update(
	ctx context.Context, a identity.Actor, id uuid.UUID,
	do func(ctx context.Context, w *webhook.Webhook) (restart bool, e *event.Event, err error),
) (w *webhook.Webhook, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var happened *event.Event
		w, err = s.Webhooks.Update(ctx, a.OrganizationID, id, func(w *webhook.Webhook) (restart bool, err error) {
			restart, happened, err = do(ctx, w)
			return restart, err
		})
		if err != nil || happened == nil {
			return err
		}
		return s.Events.Append(ctx, *happened)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Delete removes a webhook with its deliveries.
func (s *Service) Delete(ctx context.Context, a identity.Actor, id uuid.UUID) (w *webhook.Webhook, err error) {
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if w, err = s.Webhooks.Delete(ctx, a.OrganizationID, id); err != nil {
			return err
		}
		return s.Events.Append(ctx, event.By(a, event.WebhookDeleted, uuid.Nil, subject(w)))
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Test adds a delivery of a sample. The sample is not in the event log.
func (s *Service) Test(ctx context.Context, a identity.Actor, id uuid.UUID) (*webhook.Delivery, error) {
	w, err := s.enabled(ctx, a, id)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	e := event.By(a, event.WebhookTest, uuid.Nil, subject(w))
	e.ID, e.CreatedAt = s.IDs.New(), now
	d := webhook.New(s.IDs.New(), w, e, now)
	if err := s.Deliveries.Add(ctx, d); err != nil {
		return nil, err
	}
	return d, nil
}

// enabled returns a webhook, or a Conflict fault if it is disabled.
func (s *Service) enabled(ctx context.Context, a identity.Actor, id uuid.UUID) (*webhook.Webhook, error) {
	w, err := s.Get(ctx, a, id)
	if err == nil && !w.Enabled {
		err = fault.New(fault.Conflict, fault.CodeConflict, "The webhook is disabled. Enable it first.")
	}
	return w, err
}

// ListDeliveries returns the deliveries of a webhook, newest first.
func (s *Service) ListDeliveries(
	ctx context.Context, a identity.Actor, id uuid.UUID, state webhook.State, p page.Request,
) (page.Of[webhook.Delivery], error) {
	if _, err := s.Get(ctx, a, id); err != nil {
		return page.Of[webhook.Delivery]{}, err
	}
	return s.Deliveries.List(ctx, a.OrganizationID, id, state, p)
}

// Retry makes a delivery due now. A delivery that is pending or was delivered can be
// retried too: the receiver gets the same event with the same id again.
func (s *Service) Retry(ctx context.Context, a identity.Actor, id, delivery uuid.UUID) (*webhook.Delivery, error) {
	if _, err := s.enabled(ctx, a, id); err != nil {
		return nil, err
	}
	return s.Deliveries.Update(ctx, a.OrganizationID, id, delivery, func(d *webhook.Delivery) error {
		d.Retry(s.Clock.Now())
		return nil
	})
}

// Expire removes old deliveries.
func (s *Service) Expire(ctx context.Context, now time.Time) error {
	return s.Deliveries.Expire(ctx, now.Add(-webhook.DeliveryRetention))
}

func subject(w *webhook.Webhook) event.Subject {
	return event.Subject{Type: event.SubjectWebhook, ID: w.ID}
}
