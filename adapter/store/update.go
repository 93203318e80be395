package store

import (
	"time"

	"docledger/domain/fault"

	"gorm.io/gorm/clause"
)

// lock locks the rows of a query. SQLite has no such clause and needs none: its transactions
// acquire the only write lock at their start.
var lock = clause.Locking{Strength: clause.LockingStrengthUpdate, Table: clause.Table{Name: clause.CurrentTable}}

// shared locks rows against changes, and not against other readers with this lock.
var shared = clause.Locking{Strength: clause.LockingStrengthShare, Table: clause.Table{Name: clause.CurrentTable}}

// current refuses a change if the caller has seen another version; 0 accepts any version.
func current(ifVersion, version int) error {
	if ifVersion > 0 && ifVersion != version {
		return fault.StaleVersion(version)
	}
	return nil
}

// touch sets a time of change that the change itself has not advanced.
func (s *Store) touch(t *time.Time, before time.Time) {
	if t.Equal(before) {
		*t = s.now()
	}
	*t = instant(*t)
}
