package webhook

import (
	"context"
	"time"

	"docledger/domain/event"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Repository stores webhooks. Their secrets are encrypted.
type Repository interface {
	// Add stores a webhook whose cursor is the present end of the log. An event that
	// is committed later is after it. It returns a Conflict fault if the organization
	// has MaxPerOrganization webhooks.
	Add(ctx context.Context, w *Webhook) error
	// Get returns a webhook of an organization, or a NotFound fault.
	Get(ctx context.Context, organization, id uuid.UUID) (*Webhook, error)
	// Describe is Get without the secrets. It needs no key, so that a webhook with a lost key
	// can be read and deleted.
	Describe(ctx context.Context, organization, id uuid.UUID) (*Webhook, error)
	// List returns the webhooks of an organization without their secrets, newest first.
	List(ctx context.Context, organization uuid.UUID, p page.Request) (page.Of[Webhook], error)
	// Update changes a webhook under a lock, or returns a NotFound fault. If restart
	// is true after do, its cursor moves to the present end of the log.
	Update(ctx context.Context, organization, id uuid.UUID, do func(*Webhook) (restart bool, err error)) (*Webhook, error)
	// Delete removes a webhook with its deliveries and returns it without its secrets, or
	// a NotFound fault.
	Delete(ctx context.Context, organization, id uuid.UUID) (*Webhook, error)
}

// Deliveries stores deliveries.
type Deliveries interface {
	// Add stores deliveries. One that exists for the same webhook and event is kept.
	Add(ctx context.Context, deliveries ...*Delivery) error
	// List returns the deliveries of a webhook, newest first. An empty state selects
	// all.
	List(ctx context.Context, organization, webhook uuid.UUID, state State, p page.Request) (page.Of[Delivery], error)
	// Update changes a delivery under a lock, or returns a NotFound fault.
	Update(ctx context.Context, organization, webhook, id uuid.UUID, do func(*Delivery) error) (*Delivery, error)
	// Expire removes deliveries that are not PENDING and did not change since a time.
	Expire(ctx context.Context, before time.Time) error
}

// Outbox finds the work of workers, across organizations.
type Outbox interface {
	// Due returns enabled webhooks with events after their cursor or with deliveries
	// that are due.
	Due(ctx context.Context, now time.Time, limit int) ([]Webhook, error)
	// Unread returns the events of an organization after a place, oldest first, as far
	// as no event can be committed before them.
	Unread(ctx context.Context, organization uuid.UUID, after event.Place, limit int) ([]event.Placed, error)
	// Advance moves the cursor of a webhook. It reports false, and changes nothing, if
	// the cursor is not at from any more or the webhook is disabled.
	Advance(ctx context.Context, webhook uuid.UUID, from, to event.Place) (bool, error)
	// DueDeliveries returns the PENDING deliveries of a webhook that are due, oldest
	// first.
	DueDeliveries(ctx context.Context, webhook uuid.UUID, now time.Time, limit int) ([]Delivery, error)
}

// Sender makes attempts.
type Sender interface {
	// Send sends a delivery to its webhook. It never follows a redirect.
	Send(ctx context.Context, w *Webhook, d *Delivery, now time.Time) Result
	// Accepts returns why an address can never receive events, or "".
	Accepts(address string) string
}
