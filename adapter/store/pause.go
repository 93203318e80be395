package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"
)

// The bookmarks that say since when work is held, and when that ended last.
const (
	heldSince = "held since a restore"
	resumedAt = "resumed after a restore"
)

// wakeFor is how long after the end of a hold its jobs are woken. Longer than
// any job is put off, after which it is due by itself.
const wakeFor = 5 * time.Minute

// Holds implements job.Holds.
type Holds struct{ s *Store }

// Since implements job.Holds.
func (r Holds) Since(ctx context.Context) (time.Time, error) { return r.at(ctx, heldSince) }

// at is zero where the bookmark is not there, which is the usual case.
func (r Holds) at(ctx context.Context, name string) (time.Time, error) {
	var rows []bookmarkRow
	err := r.s.handle(ctx).Where("name = ?", name).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return time.Time{}, failed("look whether work is held", err)
	}
	return instant(rows[0].At), nil
}

// Begin implements job.Holds.
func (r Holds) Begin(ctx context.Context, now time.Time) error {
	row := bookmarkRow{Name: heldSince, At: instant(now)}
	return failed("hold the work", r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// End implements job.Holds.
func (r Holds) End(ctx context.Context, now time.Time) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		done := r.s.handle(ctx).Delete(&bookmarkRow{}, "name = ?", heldSince)
		if done.Error != nil || done.RowsAffected == 0 {
			return failed("let the work go on", done.Error)
		}
		return r.s.Bookmark(resumedAt).Store(ctx, now)
	})
}

// Wake implements job.Holds.
func (r Holds) Wake(ctx context.Context, now time.Time, kinds ...string) (int, error) {
	ended, err := r.at(ctx, resumedAt)
	if err != nil || ended.IsZero() || now.Sub(ended) > wakeFor {
		return 0, err
	}
	// Only what is put off is in this state. Looked for first: what changes
	// nothing must not hold others up.
	var ids []int64
	err = r.s.handle(ctx).Raw("SELECT id FROM river_job WHERE state = 'scheduled' AND kind IN ? ORDER BY id LIMIT 1000", kinds).Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return 0, failed("look for held jobs", err)
	}
	done := r.s.handle(ctx).Exec("UPDATE river_job SET state = 'available', scheduled_at = "+r.s.nowExpr()+" WHERE id IN ? AND state = 'scheduled'", ids)
	return int(done.RowsAffected), failed("wake the held jobs", done.Error)
}

// nowExpr is the SQL of the moment as the queue writes it.
func (s *Store) nowExpr() string {
	if s.postgres {
		return "now()"
	}
	return "datetime('now', 'subsec')"
}
