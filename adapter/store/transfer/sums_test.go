package transfer_test

import (
	"fmt"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

// TestSumsOfMovedInvoices compares the sums before and after the invoices move to each database. The groups and the
// invoices with another state of the sync are not moved.
func TestSumsOfMovedInvoices(t *testing.T) {
	t.Parallel()
	source := open(t, database.SQLite)
	f, err := filling.Fill(t.Context(), source, filling.Options{Seed: 3, Invoices: 400, Entities: 3, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	must(t, err)
	var synced []uuid.UUID
	must(t, source.Gorm.Table("invoices").Where("status = ?", invoice.Synced).Order("id").Limit(5).Pluck("id", &synced).Error)
	must(t, source.Gorm.Table("invoices").Where("id IN ?", synced).UpdateColumn("status", invoice.Approved).Error)
	scope, done := identity.Scope{OrganizationID: f.Organization}, []invoice.SyncState{invoice.SyncDone}
	filters := []invoice.Filter{
		{SyncStates: done}, {SyncStates: done, Statuses: []invoice.Status{invoice.Approved}}, {SyncStates: done, CreatedTo: f.Until.AddDate(0, -6, 0)},
		{DueDateTo: calendar.Date{Year: 2026, Month: 1, Day: 31}}, {CreatedTo: f.Until.AddDate(0, -6, 0)}, {Sources: []document.Origin{document.FromEmail}},
	}
	sums := func(db *database.DB) (out []string) {
		t.Helper()
		s, err := store.New(t.Context(), db.Gorm, store.Options{})
		must(t, err)
		for _, filter := range filters {
			found, err := s.Invoices().Sum(t.Context(), scope, filter, []invoice.SumKey{invoice.SumByStatus, invoice.SumByEntity})
			must(t, err)
			text := ""
			for _, sum := range found {
				text += fmt.Sprintf("%s %s %s: %d %s\n", sum.EntityID, sum.Status, sum.Currency, sum.Count, invoice.Show(sum.Gross))
			}
			out = append(out, text)
		}
		must(t, s.Invoices().CountSums(t.Context()))
		return out
	}
	want, rows := sums(source), lines(t, source)
	for _, dialect := range dialects {
		db := open(t, dialect)
		must(t, fill(db, rows))
		for _, when := range []string{"before", "after"} {
			for i, got := range sums(db) {
				if got != want[i] || got == "" {
					t.Errorf("%s, %s the invoices are counted: the sums with %+v are\n%swant\n%s", dialect, when, filters[i], got, want[i])
				}
			}
		}
		var others []uuid.UUID
		must(t, db.Gorm.Table("invoice_sync_differences").Order("invoice_id").Pluck("invoice_id", &others).Error)
		if fmt.Sprint(others) != fmt.Sprint(synced) {
			t.Errorf("%s: the invoices with another state of the sync are %v, want %v", dialect, others, synced)
		}
	}
}
