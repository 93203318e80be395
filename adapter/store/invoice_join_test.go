package store

import (
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// TestInvoicesOfIdsAreReadByTheirIDs expects that SQLite reads the invoices of the ids of one part of a filter by their ids,
// not by another part, such as a range of dates.
func TestInvoicesOfIdsAreReadByTheirIDs(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	day, amount := calendar.Date{Year: 2026, Month: 1, Day: 31}, money.MustParse("1")
	ofOtherTables := map[string]func(*invoice.Filter){
		"source":     func(f *invoice.Filter) { f.Sources = []document.Origin{document.FromEmail} },
		"sync_state": func(f *invoice.Filter) { f.SyncStates = []invoice.SyncState{invoice.SyncDone} },
	}
	for name, both := range map[string]invoice.Filter{
		"issue date": {IssueDateTo: day}, "due date": {DueDateFrom: day, DueDateTo: day}, "creation": {CreatedTo: day.Time()}, "update": {UpdatedSince: time.Unix(1, 0)},
		"gross": {GrossMin: &amount}, "supplier": {SupplierIDs: []uuid.UUID{uuid.New()}}, "assigned": {AssignedTo: uuid.New()},
		"external": {ExternalIDs: []string{"a"}}, "check": {FailedChecks: []string{"tax_sum"}},
	} {
		for part, add := range ofOtherTables {
			both := both
			add(&both)
			for _, entity := range []uuid.UUID{uuid.Nil, uuid.New()} {
				both.EntityID = entity
				l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, both, invoice.Sort{}, 50)
				l.after = func(q *gorm.DB, _ string) *gorm.DB { return q }
				reads := map[string]*gorm.DB{}
				if list := l.indexed(); list != nil && list.table != "invoices" {
					reads["the first of the order"] = l.nearest(db)
				}
				for _, p := range l.parts() {
					reads[p.name] = l.of(&p)
				}
				for read, query := range reads {
					var steps []struct{ Detail string }
					if err := db.Raw("EXPLAIN QUERY PLAN ?", query).Scan(&steps).Error; err != nil {
						t.Fatal(err)
					}
					plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
					if !strings.Contains(plan, "SEARCH invoices USING INDEX sqlite_autoindex_invoices_1 (id=?)") {
						t.Errorf("%s of %s and %s, of an entity: %t, reads:\n%s", read, part, name, entity != uuid.Nil, plan)
					}
				}
			}
		}
	}
}
