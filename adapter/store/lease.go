package store

import (
	"context"
	"time"

	"docledger/usecase"
)

type leaseRow struct {
	Name       string `gorm:"primaryKey"`
	Owner      string
	Until      time.Time
	Generation int64
}

// TableName implements gorm's tabler.
func (leaseRow) TableName() string { return "leases" }

// Leases implements usecase.Leases with one conditional statement that both databases accept.
type Leases struct{ s *Store }

// acquireTimeout limits the statement that takes a lease.
const acquireTimeout = 10 * time.Second

// Acquire implements usecase.Leases. The statement continues when the caller leaves. If it ended
// with the caller, the database may have stored a lease that is not released.
func (r Leases) Acquire(ctx context.Context, name, owner string, now time.Time, ttl time.Duration) (usecase.Lease, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acquireTimeout)
	defer cancel()
	now = instant(now)
	var rows []leaseRow
	err := r.s.handle(ctx).Raw(`INSERT INTO leases (name, owner, until, generation) VALUES (?, ?, ?, 1)
		ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until, generation = leases.generation + 1
		WHERE leases.until <= ? RETURNING name, owner, until, generation`, name, owner, instant(now.Add(ttl)), now).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return usecase.Lease{}, false, failed("take the lease", err)
	}
	return usecase.Lease{Name: rows[0].Name, Owner: rows[0].Owner, Generation: rows[0].Generation}, true, nil
}

// Renew implements usecase.Leases. It refuses an expired lease even if no other process has
// acquired it, so that the caller knows that it was not exclusive all the time.
func (r Leases) Renew(ctx context.Context, l usecase.Lease, now time.Time, ttl time.Duration) (bool, error) {
	done := r.s.handle(ctx).Exec(`UPDATE leases SET until = ? WHERE name = ? AND owner = ? AND generation = ? AND until > ?`,
		instant(now.Add(ttl)), l.Name, l.Owner, l.Generation, instant(now))
	return done.RowsAffected == 1, failed("renew the lease", done.Error)
}

// Release implements usecase.Leases. The row is kept, so that generations continue to increase.
func (r Leases) Release(ctx context.Context, l usecase.Lease) error {
	err := r.s.handle(ctx).Exec(`UPDATE leases SET until = ? WHERE name = ? AND owner = ? AND generation = ?`,
		time.Unix(0, 0).UTC(), l.Name, l.Owner, l.Generation).Error
	return failed("give the lease back", err)
}
