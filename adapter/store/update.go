package store

import (
	"time"

	"docledger/domain/fault"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// lock makes a query lock the rows it reads. SQLite has no such clause and
// needs none: its transactions take the one write lock at their start.
var lock = clause.Locking{Strength: clause.LockingStrengthUpdate, Table: clause.Table{Name: clause.CurrentTable}}

// current refuses a change of another version than the caller has seen; 0
// accepts any.
func current(ifVersion, version int) error {
	if ifVersion > 0 && ifVersion != version {
		return fault.StaleVersion(version)
	}
	return nil
}

// touch moves a time of change on where the change itself has not.
func (s *Store) touch(t *time.Time, before time.Time) {
	if t.Equal(before) {
		*t = s.now()
	}
	*t = instant(*t)
}

// save stores every column of a row that was read under lock; keep names
// columns that never change.
func save(q *gorm.DB, row any, keep ...string) error {
	return q.Select("*").Omit(keep...).Updates(row).Error
}
