package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"
)

// The read positions with the start of the pause and the end of the last one.
const (
	heldSince = "held since a restore"
	resumedAt = "resumed after a restore"
)

// Holds implements job.Pause.
type Holds struct{ s *Store }

// Since implements job.Pause.
func (r Holds) Since(ctx context.Context) (time.Time, error) { return r.at(ctx, heldSince) }

// Ended implements job.Pause.
func (r Holds) Ended(ctx context.Context) (time.Time, error) { return r.at(ctx, resumedAt) }

// at is zero if the row is missing, which is the usual case.
func (r Holds) at(ctx context.Context, name string) (time.Time, error) {
	var rows []bookmarkRow
	err := r.s.handle(ctx).Where("name = ?", name).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return time.Time{}, failed("look whether work is held", err)
	}
	return instant(rows[0].At), nil
}

// Begin implements job.Pause.
func (r Holds) Begin(ctx context.Context, now time.Time) error {
	row := bookmarkRow{Name: heldSince, At: instant(now)}
	return failed("hold the work", r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// End implements job.Pause.
func (r Holds) End(ctx context.Context, now time.Time) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		done := r.s.handle(ctx).Delete(&bookmarkRow{}, "name = ?", heldSince)
		if done.Error != nil || done.RowsAffected == 0 {
			return failed("let the work go on", done.Error)
		}
		return r.s.Bookmark(resumedAt).Store(ctx, now)
	})
}
