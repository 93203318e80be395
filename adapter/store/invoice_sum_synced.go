package store

import (
	"context"
	"slices"

	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// noStatus is no status of an invoice. A filter with it matches no group.
const noStatus invoice.Status = "NONE"

// statusesOfStates returns the statuses of a filter of which the invoices have one of its states of the sync, except those
// in invoice_sync_differences and those with a sync that continues.
func statusesOfStates(f invoice.Filter) []invoice.Status {
	found := []invoice.Status{noStatus}
	for state, status := range map[invoice.SyncState]invoice.Status{invoice.SyncDone: invoice.Synced, invoice.SyncEnded: invoice.SyncFailed} {
		if slices.Contains(f.SyncStates, state) && (len(f.Statuses) == 0 || slices.Contains(f.Statuses, status)) {
			found = append(found, status)
		}
	}
	return found
}

// statesExclude reports whether only invoices in invoice_sync_differences can match both the statuses and the states of the
// sync of a filter.
func statesExclude(f invoice.Filter) bool {
	if len(f.Statuses) == 0 || len(f.SyncStates) == 0 || slices.ContainsFunc(f.SyncStates, func(s invoice.SyncState) bool { return !s.Final() }) {
		return false
	}
	return len(statusesOfStates(f)) == 1 // noStatus
}

// otherwiseSynced returns the counted invoices of an organization, at most so many, of which the status does not tell
// whether the sync has one of some states.
func (s *Store) otherwiseSynced(ctx context.Context, organization uuid.UUID, states []invoice.SyncState, most int) (ids []uuid.UUID, err error) {
	query, values := "SELECT invoice_id FROM invoice_sync_differences WHERE organization_id = ?", []any{organization}
	if continued := slices.DeleteFunc(slices.Clone(states), invoice.SyncState.Final); len(continued) > 0 {
		query += " UNION SELECT invoice_id FROM invoice_syncs WHERE organization_id = ? AND state IN ?"
		values = append(values, organization, continued)
	}
	err = s.handle(ctx).Raw("SELECT d.invoice_id FROM ("+query+") AS d WHERE NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = ? AND u.invoice_id = d.invoice_id) LIMIT ?",
		append(values, organization, most)...).Scan(&ids).Error
	return ids, failed("read the invoices with another state of the sync", err)
}

// readOthers reads the invoices of otherwiseSynced. SQLite has no statistics, and would read every invoice in the order
// of the currencies.
func (s *Store) readOthers(db *gorm.DB, ids []uuid.UUID) *gorm.DB {
	if s.postgres {
		return db.Table("invoices").Where("invoices.id IN ?", ids)
	}
	return db.Table("(SELECT DISTINCT id FROM invoices WHERE id IN ?) AS p", ids).Joins(s.invoicesByID("p.id"))
}
