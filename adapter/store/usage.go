package store

import (
	"context"

	"docledger/domain/billing"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

type usageRow struct {
	OrganizationID uuid.UUID       `gorm:"primaryKey"`
	Counter        billing.Counter `gorm:"primaryKey"`
	Period         string          `gorm:"primaryKey"`
	Used           int
}

// TableName implements gorm's tabler.
func (usageRow) TableName() string { return "usage_counters" }

// Usage implements billing.Usage.
type Usage struct{ s *Store }

// Take implements billing.Usage.
func (r Usage) Take(ctx context.Context, u billing.Use, limit *int) (took bool, err error) {
	if u.Entity == uuid.Nil {
		return r.count(ctx, u, limit)
	}
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if took, err = r.count(ctx, u, limit); err != nil || !took {
			return err
		}
		done := r.s.handle(ctx).Exec(`INSERT INTO usage_shares (organization_id, counter, period, entity_id, used) VALUES (?, ?, ?, ?, 1)
			ON CONFLICT (organization_id, counter, period, entity_id) DO UPDATE SET used = usage_shares.used + 1`,
			u.Organization, u.Counter, u.Period, u.Entity)
		return failed("count the entity's usage", done.Error)
	})
	return took && err == nil, err
}

func (r Usage) count(ctx context.Context, u billing.Use, limit *int) (bool, error) {
	if limit != nil && *limit <= 0 {
		return false, nil
	}
	sql := `INSERT INTO usage_counters (organization_id, counter, period, used) VALUES (?, ?, ?, 1)
		ON CONFLICT (organization_id, counter, period) DO UPDATE SET used = usage_counters.used + 1`
	args := []any{u.Organization, u.Counter, u.Period}
	if limit != nil {
		sql += ` WHERE usage_counters.used < ?`
		args = append(args, *limit)
	}
	done := r.s.handle(ctx).Exec(sql, args...)
	return done.RowsAffected == 1, failed("count usage", done.Error)
}

// GiveBack implements billing.Usage.
func (r Usage) GiveBack(ctx context.Context, organization uuid.UUID, c billing.Counter, period string) error {
	err := r.s.handle(ctx).Exec(`UPDATE usage_counters SET used = used - 1
		WHERE organization_id = ? AND counter = ? AND period = ? AND used > 0`, organization, c, period).Error
	return failed("give usage back", err)
}

// Used implements billing.Usage.
func (r Usage) Used(ctx context.Context, organization uuid.UUID, c billing.Counter, period string) (int, error) {
	var rows []usageRow
	err := r.s.handle(ctx).Find(&rows, "organization_id = ? AND counter = ? AND period = ?", organization, c, period).Error
	if err != nil || len(rows) == 0 {
		return 0, failed("read usage", err)
	}
	return rows[0].Used, nil
}

// Shares implements billing.Usage with one statement, so that all rows are from one snapshot.
func (r Usage) Shares(ctx context.Context, s identity.Scope, c billing.Counter, period string) ([]billing.Share, error) {
	var rows []struct {
		EntityID *uuid.UUID
		Used     int
	}
	seen := visible(r.s.db.Table("entities AS x").Select("x.id"), "x", s)
	err := r.s.handle(ctx).Table("usage_shares AS u").Select("e.id AS entity_id, CAST(sum(u.used) AS bigint) AS used").
		Joins("LEFT JOIN (?) AS e ON e.id = u.entity_id", seen).
		Where("u.organization_id = ? AND u.counter = ? AND u.period = ?", s.OrganizationID, c, period).
		Group("e.id").Order("e.id IS NULL, e.id").Scan(&rows).Error
	shares := make([]billing.Share, len(rows))
	for i, row := range rows {
		shares[i].Used = row.Used
		if row.EntityID != nil {
			shares[i].Entity = *row.EntityID
		}
	}
	return shares, failed("read the entities' usage", err)
}
