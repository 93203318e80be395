package store

import (
	"context"
	"time"

	"docledger/domain/identity"
	"docledger/domain/link"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

type linkRow struct {
	ID             uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	EntityID       *uuid.UUID
	Purpose        link.Purpose
	TokenHash      string
	ActorType      identity.ActorType
	UserID         uuid.UUID
	ClientID       string
	MaxUses        int
	Uses           int
	Parameters     string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	ExpiresAt      time.Time
}

// TableName implements gorm's tabler.
func (linkRow) TableName() string { return "links" }

// Links implements link.Links.
type Links struct{ s *Store }

// Links returns the links.
func (s *Store) Links() Links { return Links{s} }

var _ link.Links = Links{}

// Add implements link.Links.
func (r Links) Add(ctx context.Context, l *link.Link, token string) error {
	r.s.stamp(&l.CreatedAt)
	row := linkRow{
		ID: l.ID, OrganizationID: l.OrganizationID, EntityID: optionalID(l.EntityID), Purpose: l.Purpose, TokenHash: hashed(token),
		ActorType: l.ActorType, UserID: l.UserID, ClientID: clean(l.ClientID), MaxUses: l.MaxUses, Uses: l.Uses, Parameters: clean(l.Parameters),
		CreatedAt: instant(l.CreatedAt), ExpiresAt: instant(l.ExpiresAt),
	}
	return r.s.inOne(ctx, func(ctx context.Context) error {
		db := r.s.handle(ctx)
		if err := db.Delete(&linkRow{}, "organization_id = ? AND expires_at <= ?", l.OrganizationID, instant(l.CreatedAt)).Error; err != nil {
			return failed("delete expired links", err)
		}
		return failed("add the link", db.Create(&row).Error)
	})
}

// ByToken implements link.Links.
func (r Links) ByToken(ctx context.Context, p link.Purpose, token string) (*link.Link, error) {
	var row linkRow
	if err := r.s.handle(ctx).Take(&row, "token_hash = ? AND purpose = ?", hashed(token), p).Error; err != nil {
		return nil, found("link", err)
	}
	return &link.Link{
		ID: row.ID, OrganizationID: row.OrganizationID, EntityID: fromOptionalID(row.EntityID), Purpose: row.Purpose, ActorType: row.ActorType,
		UserID: row.UserID, ClientID: row.ClientID, MaxUses: row.MaxUses, Uses: row.Uses, Parameters: row.Parameters,
		CreatedAt: instant(row.CreatedAt), ExpiresAt: instant(row.ExpiresAt),
	}, nil
}

// Reserve implements link.Links. The one statement lets no two uses take the last one.
func (r Links) Reserve(ctx context.Context, id uuid.UUID, now time.Time) (bool, error) {
	q := r.s.handle(ctx).Model(&linkRow{}).Where("id = ? AND uses < max_uses AND expires_at > ?", id, instant(now)).
		UpdateColumn("uses", gorm.Expr("uses + 1"))
	return q.RowsAffected == 1, failed("use the link", q.Error)
}

// Release implements link.Links.
func (r Links) Release(ctx context.Context, id uuid.UUID) error {
	q := r.s.handle(ctx).Model(&linkRow{}).Where("id = ? AND uses > 0", id).UpdateColumn("uses", gorm.Expr("uses - 1"))
	return failed("give back a use of the link", q.Error)
}
