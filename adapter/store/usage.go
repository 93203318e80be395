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
	if limit != nil && *limit <= 0 {
		return false, nil
	}
	count, values := `INSERT INTO usage_counters (organization_id, counter, period, used) VALUES (?, ?, ?, 1)
		ON CONFLICT (organization_id, counter, period) DO UPDATE SET used = usage_counters.used + 1`, []any{u.Organization, u.Counter, u.Period}
	if limit != nil {
		count, values = count+` WHERE usage_counters.used < ?`, append(values, *limit)
	}
	if u.Entity == uuid.Nil {
		return r.counted(ctx, count, values)
	}
	if r.s.postgres {
		return r.counted(ctx, "WITH counted AS ("+count+" RETURNING organization_id, counter, period) "+shareOf+
			" SELECT organization_id, counter, period, ?::uuid, 1 FROM counted"+oneMore, append(values, u.Entity))
	}
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if took, err = r.counted(ctx, count, values); err != nil || !took {
			return err
		}
		_, err = r.counted(ctx, shareOf+" VALUES (?, ?, ?, ?, 1)"+oneMore, []any{u.Organization, u.Counter, u.Period, u.Entity})
		return err
	})
	return took && err == nil, err
}

// The statement that counts the share of an entity, before and after its values.
const (
	shareOf = `INSERT INTO usage_shares (organization_id, counter, period, entity_id, used)`
	oneMore = ` ON CONFLICT (organization_id, counter, period, entity_id) DO UPDATE SET used = usage_shares.used + 1`
)

// counted runs a statement that counts, without gorm, and reports whether it counted.
func (r Usage) counted(ctx context.Context, statement string, values []any) (bool, error) {
	n, err := r.s.execute(ctx, r.s.numbered(statement), values)
	return n == 1, failed("count usage", err)
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
