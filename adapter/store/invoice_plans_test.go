package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/migrations"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// plannedStore returns an empty store with SQLite, and its database.
func plannedStore(t *testing.T) (*Store, *gorm.DB) {
	t.Helper()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "plans.db")}
	if err := database.Migrate(t.Context(), cfg, migrations.SQLite()); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := New(t.Context(), db.Gorm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s, db.Gorm
}

// TestFiltersReadTheirIndex compares how SQLite reads the invoices of a filter that few match. It has
// no statistics, so the plan does not depend on the rows.
func TestFiltersReadTheirIndex(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	yes, day := true, calendar.Date{Year: 2026, Month: 1, Day: 2}
	entity := uuid.New()
	for index, f := range map[string]invoice.Filter{
		"invoices_newest_by_type (":        {Types: []invoice.Type{invoice.TypeCorrection, invoice.TypeCreditNote}, Unassigned: true},
		"invoices_newest_by_type (o":       {Types: []invoice.Type{invoice.TypeCorrection}, EntityID: entity},
		"invoices_newest_by_currency (":    {Currencies: []string{"CHF"}, EntityID: entity},
		"invoices_by_failed_checks (":      {FailedChecks: []string{"tax_sum"}, EntityID: entity},
		"invoices_with_duplicate":          {HasDuplicate: &yes},
		"invoices_of_supplier (":           {SupplierIDs: []uuid.UUID{uuid.New()}, Unassigned: true},
		"invoices_assigned (":              {AssignedTo: uuid.New(), Types: nil},
		"invoices_with_external_id (":      {ExternalIDs: []string{"a"}},
		"invoice_syncs_by_state (":         {SyncStates: []invoice.SyncState{invoice.SyncQueued}, EntityID: entity},
		"documents_by_origin (":            {Sources: []document.Origin{document.FromEmail}},
		"documents_by_uploader (":          {CreatedBy: uuid.New()},
		"invoice_search VIRTUAL TABLE":     {Query: "text"},
		"invoices_by_other_due (":          {Query: "123.45"},
		"invoices_by_net (":                {Query: "123.45"},
		"invoices_by_issue_date (":         {IssueDateTo: day},
		"invoices_of_entity_by_due_date (": {DueDateTo: day, EntityID: entity},
		"invoices_by_update (":             {UpdatedSince: time.Now()},
	} {
		l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, f, invoice.Sort{}, 50)
		l.after = func(q *gorm.DB, _ string) *gorm.DB { return q }
		ids := l.far()
		if column, ok := l.days(); ok {
			ids = l.newestOfDays(column)
		}
		var steps []struct{ Detail string }
		if err := db.Raw("EXPLAIN QUERY PLAN ?", ids).Scan(&steps).Error; err != nil {
			t.Fatal(err)
		}
		plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
		if !strings.Contains(plan, strings.TrimSuffix(index, "o")) {
			t.Errorf("%+v does not read %s:\n%s", f, index, plan)
		}
		for _, part := range l.parts() {
			steps = nil
			if err := db.Raw("EXPLAIN QUERY PLAN ?", l.of(&part)).Scan(&steps).Error; err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
			if _, read, _ := strings.Cut(plan, "SEARCH invoices USING "); !strings.Contains(strings.SplitN(read, "\n", 2)[0], "id=?") {
				t.Errorf("the invoices of the part %q are not read by their ids:\n%s", part.name, plan)
			}
		}
	}
}

// TestSpansReadTheOrder verifies that SQLite reads the invoices of an order by a date from its index, and sorts none,
// also those without the date.
func TestSpansReadTheOrder(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	for index, f := range map[string]invoice.Filter{"invoices_by_due_date": {}, "invoices_of_entity_by_due_date": {EntityID: uuid.New()}} {
		for _, ascending := range []bool{false, true} {
			l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, f, invoice.Sort{By: invoice.SortByDueDate, Ascending: ascending}, 50)
			dated := position{dayNumber(&day{Year: 2026, Month: 1, Day: 2}), uuid.New()}
			undated := position{dayNumber(nil), uuid.New()}
			for _, read := range []struct {
				span         span
				cursor, last *position
			}{
				{span: l.limited(100_000, 110_000)}, {span: l.limited(100_000, 110_000), cursor: &dated, last: &dated},
				{span: l.limited(noWeek, noWeek)}, {span: l.limited(noWeek, noWeek), cursor: &undated, last: &undated},
			} {
				l.span, l.cursor = &read.span, read.cursor
				var steps []struct{ Detail string }
				if err := db.Raw("EXPLAIN QUERY PLAN ?", l.inOrder(read.last).Select("invoices.id").Order(l.orderInSpan())).Scan(&steps).Error; err != nil {
					t.Fatal(err)
				}
				if len(steps) != 1 || !strings.Contains(steps[0].Detail, "INDEX "+index+" (organization_id=? AND <expr>") && !strings.Contains(steps[0].Detail, "INDEX "+index+" (entity_id=? AND <expr>") {
					t.Errorf("%+v, ascending %t: %+v", read, ascending, steps)
				}
			}
		}
	}
}
