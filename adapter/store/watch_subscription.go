package store

import (
	"context"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/watch"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type watchSubscriptionRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	IntegrationID  uuid.UUID
	OrganizationID uuid.UUID
	Proof          []byte
	Source         string
	SubSource      string
	RemoteID       string
	Resource       string
	ExpiresAt      *time.Time
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's tabler.
func (watchSubscriptionRow) TableName() string { return "watch_subscriptions" }

func (r watchSubscriptionRow) fromRow() watch.Subscription {
	return watch.Subscription{
		ID: r.ID, IntegrationID: r.IntegrationID, OrganizationID: r.OrganizationID, Proof: r.Proof,
		Place:     docstore.Location{Source: r.Source, SubSource: r.SubSource},
		Remote:    docstore.Subscription{ID: r.RemoteID, Resource: r.Resource, ExpiresAt: fromOptionalTime(r.ExpiresAt)},
		CreatedAt: instant(r.CreatedAt),
	}
}

// WatchSubscriptions implements watch.Subscriptions.
type WatchSubscriptions struct{ s *Store }

// Find implements watch.Subscriptions.
func (r WatchSubscriptions) Find(ctx context.Context, id uuid.UUID) (*watch.Subscription, error) {
	var row watchSubscriptionRow
	if err := r.s.handle(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return nil, found("subscription", err)
	}
	s := row.fromRow()
	return &s, nil
}

// Of implements watch.Subscriptions.
func (r WatchSubscriptions) Of(ctx context.Context, integration uuid.UUID) ([]watch.Subscription, error) {
	var rows []watchSubscriptionRow
	err := r.of(ctx, integration).Order("created_at DESC, id DESC").Find(&rows).Error
	return mapped(rows, watchSubscriptionRow.fromRow), failed("read the subscriptions", err)
}

func (r WatchSubscriptions) of(ctx context.Context, integration uuid.UUID) *gorm.DB {
	return r.s.handle(ctx).Where("integration_id = ?", integration)
}

// Add implements watch.Subscriptions.
func (r WatchSubscriptions) Add(ctx context.Context, s *watch.Subscription) error {
	r.s.stamp(&s.CreatedAt)
	row := watchSubscriptionRow{
		ID: s.ID, IntegrationID: s.IntegrationID, OrganizationID: s.OrganizationID, Proof: s.Proof,
		Source: clean(s.Place.Source), SubSource: clean(s.Place.SubSource), RemoteID: clean(s.Remote.ID), Resource: clean(s.Remote.Resource),
		ExpiresAt: optionalTime(s.Remote.ExpiresAt), CreatedAt: s.CreatedAt,
	}
	return failed("store the subscription", r.s.handle(ctx).Create(&row).Error)
}

// Answered implements watch.Subscriptions.
func (r WatchSubscriptions) Answered(ctx context.Context, id uuid.UUID, remote docstore.Subscription) (there bool, err error) {
	done := r.s.handle(ctx).Model(&watchSubscriptionRow{}).Where("id = ?", id).Updates(map[string]any{
		"remote_id": clean(remote.ID), "resource": clean(remote.Resource), "expires_at": optionalTime(remote.ExpiresAt),
	})
	return done.RowsAffected == 1, failed("store what became of the subscription", done.Error)
}

// Remove implements watch.Subscriptions.
func (r WatchSubscriptions) Remove(ctx context.Context, id uuid.UUID) error {
	return failed("remove the subscription", r.s.handle(ctx).Delete(&watchSubscriptionRow{}, "id = ?", id).Error)
}

// Take implements watch.Subscriptions.
func (r WatchSubscriptions) Take(ctx context.Context, integration uuid.UUID) ([]watch.Subscription, error) {
	var rows []watchSubscriptionRow
	err := r.s.handle(ctx).Raw("DELETE FROM watch_subscriptions WHERE integration_id = ? RETURNING *", integration).Scan(&rows).Error
	return mapped(rows, watchSubscriptionRow.fromRow), failed("take the subscriptions", err)
}
