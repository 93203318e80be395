package store

import (
	"context"

	"docledger/domain/billing"

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
func (r Usage) Take(ctx context.Context, organization uuid.UUID, c billing.Counter, period string, limit *int) (bool, error) {
	if limit != nil && *limit <= 0 {
		return false, nil
	}
	sql := `INSERT INTO usage_counters (organization_id, counter, period, used) VALUES (?, ?, ?, 1)
		ON CONFLICT (organization_id, counter, period) DO UPDATE SET used = usage_counters.used + 1`
	args := []any{organization, c, period}
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
