package store

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type bookmarkRow struct {
	Name string `gorm:"primaryKey"`
	At   time.Time
}

// TableName implements gorm's tabler.
func (bookmarkRow) TableName() string { return "bookmarks" }

// ReadPosition stores how far an external log has been read.
type ReadPosition struct {
	s    *Store
	name string
}

// Bookmark returns the read position with a name.
func (s *Store) Bookmark(name string) ReadPosition { return ReadPosition{s, name} }

// Load returns the time up to which everything was read; initially zero.
func (b ReadPosition) Load(ctx context.Context) (time.Time, error) {
	var row bookmarkRow
	err := b.s.handle(ctx).Take(&row, "name = ?", b.name).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return time.Time{}, nil
	}
	return instant(row.At), failed("read the bookmark", err)
}

// Store advances the read position. It never moves it back.
func (b ReadPosition) Store(ctx context.Context, to time.Time) error {
	row := bookmarkRow{Name: b.name, At: instant(to)}
	err := b.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "name"}}, UpdateAll: true,
		Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("bookmarks.at < ?", row.At)}},
	}).Create(&row).Error
	return failed("move the bookmark", err)
}
