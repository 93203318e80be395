package store

import (
	"context"
	"time"

	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/domain/webhook"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"
)

type deliveryRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	WebhookID      uuid.UUID
	OrganizationID uuid.UUID
	EventID        uuid.UUID
	Event          jsonOf[deliveredJSON]
	State          webhook.State
	Attempts       int
	Tries          int
	NextAttemptAt  *time.Time
	LastAttemptAt  *time.Time
	Status         int
	Failure        string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (deliveryRow) TableName() string { return "webhook_deliveries" }

// deliveredJSON is an event without its changes and data.
type deliveredJSON struct {
	Type           event.Type         `json:"type"`
	EntityID       uuid.UUID          `json:"entity_id,omitzero"`
	SubjectType    event.SubjectType  `json:"subject_type"`
	SubjectID      uuid.UUID          `json:"subject_id"`
	SubjectVersion int                `json:"subject_version,omitempty"`
	ExternalID     string             `json:"external_id,omitempty"`
	ActorType      identity.ActorType `json:"actor_type"`
	ActorID        uuid.UUID          `json:"actor_id,omitzero"`
	ClientID       string             `json:"client_id,omitempty"`
	RequestID      string             `json:"request_id,omitempty"`
	CreatedAt      time.Time          `json:"created_at"`
}

// Deliveries implements webhook.Deliveries.
type Deliveries struct{ s *Store }

// Deliveries returns the deliveries of webhooks.
func (s *Store) Deliveries() Deliveries { return Deliveries{s} }

func (row deliveryRow) fromRow() webhook.Delivery {
	e := row.Event.V
	return webhook.Delivery{
		ID: row.ID, WebhookID: row.WebhookID, OrganizationID: row.OrganizationID,
		Event: event.Event{
			ID: row.EventID, Type: e.Type, OrganizationID: row.OrganizationID, EntityID: e.EntityID,
			Subject:   event.Subject{Type: e.SubjectType, ID: e.SubjectID, Version: e.SubjectVersion, ExternalID: e.ExternalID},
			ActorType: e.ActorType, ActorID: e.ActorID, ClientID: e.ClientID, RequestID: e.RequestID, CreatedAt: instant(e.CreatedAt),
		},
		State: row.State, Attempts: row.Attempts, Tries: row.Tries, NextAttemptAt: fromOptionalTime(row.NextAttemptAt),
		LastAttemptAt: fromOptionalTime(row.LastAttemptAt), Status: row.Status, Failure: row.Failure,
		CreatedAt: instant(row.CreatedAt), UpdatedAt: instant(row.UpdatedAt),
	}
}

func toDeliveryRow(d *webhook.Delivery) deliveryRow {
	e := d.Event
	return deliveryRow{
		ID: d.ID, WebhookID: d.WebhookID, OrganizationID: d.OrganizationID, EventID: e.ID,
		Event: jsonOf[deliveredJSON]{deliveredJSON{
			Type: e.Type, EntityID: e.EntityID, SubjectType: e.Subject.Type, SubjectID: e.Subject.ID, SubjectVersion: e.Subject.Version,
			ExternalID: clean(e.Subject.ExternalID),
			ActorType:  e.ActorType, ActorID: e.ActorID, ClientID: clean(e.ClientID), RequestID: clean(e.RequestID), CreatedAt: instant(e.CreatedAt),
		}},
		State: d.State, Attempts: d.Attempts, Tries: d.Tries, NextAttemptAt: optionalTime(d.NextAttemptAt),
		LastAttemptAt: optionalTime(d.LastAttemptAt), Status: d.Status, Failure: clean(d.Failure),
		CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt),
	}
}

// Add implements webhook.Deliveries.
func (r Deliveries) Add(ctx context.Context, deliveries ...*webhook.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	rows := mapped(deliveries, toDeliveryRow)
	return failed("add the deliveries", r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&rows, batch).Error)
}

// List implements webhook.Deliveries. The ids of deliveries grow with time.
func (r Deliveries) List(ctx context.Context, organization, hook uuid.UUID, state webhook.State, p page.Request) (page.Of[webhook.Delivery], error) {
	b := bind("deliveries", organization).with("webhook", hook).with("state", state).done()
	after, err := b.idKey(p.After)
	if err != nil {
		return page.Of[webhook.Delivery]{}, err
	}
	q := r.s.handle(ctx).Where("organization_id = ? AND webhook_id = ?", organization, hook)
	if state != "" {
		q = q.Where("state = ?", state)
	}
	if after != uuid.Nil {
		q = q.Where("id < ?", after)
	}
	var rows []deliveryRow
	if err := q.Order("id DESC").Limit(p.Size() + 1).Find(&rows).Error; err != nil {
		return page.Of[webhook.Delivery]{}, failed("list deliveries", err)
	}
	return pageOf(rows, p.Size(), deliveryRow.fromRow, func(row deliveryRow) string { return b.cursor(row.ID[:]) }), nil
}

// Update implements webhook.Deliveries.
func (r Deliveries) Update(ctx context.Context, organization, hook, id uuid.UUID, do func(*webhook.Delivery) error) (*webhook.Delivery, error) {
	var d webhook.Delivery
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		var row deliveryRow
		err := r.s.handle(ctx).Clauses(lock).Where("organization_id = ? AND webhook_id = ? AND id = ?", organization, hook, id).Take(&row).Error
		if err != nil {
			return found("delivery", err)
		}
		d = row.fromRow()
		if err := do(&d); err != nil {
			return err
		}
		row = toDeliveryRow(&d)
		return failed("change the delivery", save(r.s.handle(ctx), &row))
	})
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// Expire implements webhook.Deliveries.
func (r Deliveries) Expire(ctx context.Context, before time.Time) error {
	return failed("remove old deliveries", r.s.handle(ctx).Where("next_attempt_at IS NULL AND updated_at < ?", instant(before)).Delete(&deliveryRow{}).Error)
}

// DueDeliveries implements webhook.Outbox.
func (r Webhooks) DueDeliveries(ctx context.Context, id uuid.UUID, now time.Time, limit int) ([]webhook.Delivery, error) {
	var rows []deliveryRow
	err := r.s.handle(ctx).Where("webhook_id = ? AND next_attempt_at <= ?", id, instant(now)).
		Order("next_attempt_at, id").Limit(limit).Find(&rows).Error
	return mapped(rows, deliveryRow.fromRow), failed("find due deliveries", err)
}
