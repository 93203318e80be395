package store

import (
	"fmt"
	"path/filepath"
	"slices"
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
		"invoices_of_other_types (":        {Types: []invoice.Type{invoice.TypeCorrection, invoice.TypeCreditNote}, Unassigned: true},
		"invoices_of_other_types (o":       {Types: []invoice.Type{invoice.TypeCorrection}, EntityID: entity},
		"invoices_newest_by_type (":        {Types: []invoice.Type{invoice.TypeInvoice}, Unassigned: true},
		"invoices_newest_by_currency (":    {Currencies: []string{"CHF"}, EntityID: entity},
		"invoices_by_failed_checks (":      {FailedChecks: []string{"tax_sum"}, EntityID: entity},
		"invoices_with_duplicate":          {HasDuplicate: &yes},
		"invoices_of_supplier (":           {SupplierIDs: []uuid.UUID{uuid.New()}, Unassigned: true},
		"invoices_assigned (":              {AssignedTo: uuid.New(), Types: nil},
		"invoices_with_external_id (":      {ExternalIDs: []string{"a"}},
		"invoice_syncs_by_state (":         {SyncStates: []invoice.SyncState{invoice.SyncQueued}, EntityID: entity},
		"invoice_sources_by_source (":      {Sources: []document.Origin{document.FromEmail}},
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

// TestListsReadFewSpans verifies that a list reads a limited number of parts of its order, also if many weeks that are
// apart can have matching invoices, and that it reads all of these parts.
func TestListsReadFewSpans(t *testing.T) {
	t.Parallel()
	const first, apart, weeks = 100_000, 3, 300
	s, kept := traced(t)
	scope := identity.Scope{OrganizationID: uuid.New()}
	add := func(week int) {
		if err := s.db.Exec("INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b) VALUES (?, 'issue_due', 104000, ?)", scope.OrganizationID, week).Error; err != nil {
			t.Fatal(err)
		}
	}
	add(noWeek)
	for n := range weeks {
		add(first + n*apart)
	}
	const farWeek = first + 2*weeks*apart
	add(farWeek)
	for _, limit := range []int{1, 51, 201} {
		for _, ascending := range []bool{false, true} {
			f := invoice.Filter{IssueDateFrom: calendar.Date{Year: 1990, Month: 1, Day: 1}}
			l := s.invoiceList(scope, f, invoice.Sort{By: invoice.SortByDueDate, Ascending: ascending}, limit)
			spans, err := l.spans(s.db)
			if err != nil || len(spans) > mostSpans+1 {
				t.Errorf("limit %d, ascending %t: %d parts of the order, %v", limit, ascending, len(spans), err)
			}
			for _, want := range []span{l.limited(noWeek, noWeek), l.limited(farWeek, farWeek)} {
				if !slices.Contains(spans, want) {
					t.Errorf("limit %d, ascending %t: %v is not read on its own", limit, ascending, want)
				}
			}
			for n := range weeks {
				week := l.limited(first+n*apart, first+n*apart)
				if !slices.ContainsFunc(spans, func(s span) bool { return !s.low.After(week.low) && !s.high.Before(week.high) }) {
					t.Errorf("limit %d, ascending %t: no part has the week %d", limit, ascending, first+n*apart)
				}
			}
			if !slices.IsSortedFunc(spans, func(a, b span) int {
				if ascending {
					return a.low.Compare(b.low)
				}
				return b.low.Compare(a.low)
			}) {
				t.Errorf("limit %d, ascending %t: the parts are not in the order of the list: %v", limit, ascending, spans)
			}
			kept.all = nil
			if _, ok, err := l.compared(s.db); err != nil || !ok || len(kept.all) > 1+2*(mostSpans+1) {
				t.Errorf("limit %d, ascending %t: %d statements, complete %t, %v", limit, ascending, len(kept.all), ok, err)
			}
			if least := nearRows / nearShare; !strings.Contains(kept.all[1], fmt.Sprintf("OFFSET %d", max(least, shortPages*limit)-1)) {
				t.Errorf("limit %d, ascending %t: not at least %d invoices are compared: %s", limit, ascending, least, kept.all[1])
			}
		}
	}
}

// TestSpansOfSeveralRanges verifies that a list reads the weeks that each range of the filter can have.
func TestSpansOfSeveralRanges(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	scope := identity.Scope{OrganizationID: uuid.New()}
	for _, week := range []struct {
		pair string
		a, b int
	}{
		{"issue_due", 104_000, 100_000}, {"issue_due", 104_001, 100_000}, {"issue_due", 104_000, 100_010}, {"issue_due", 90_000, 100_020},
		{"created_due", 105_600, 100_000}, {"created_due", 105_600, 100_020}, {"created_due", 105_601, 100_030},
	} {
		if err := s.db.Exec("INSERT INTO invoice_weeks (organization_id, pair, week_a, week_b) VALUES (?, ?, ?, ?)", scope.OrganizationID, week.pair, week.a, week.b).Error; err != nil {
			t.Fatal(err)
		}
	}
	f := invoice.Filter{IssueDateFrom: calendar.Date{Year: 1990, Month: 1, Day: 1}, CreatedFrom: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}
	l := s.invoiceList(scope, f, invoice.Sort{By: invoice.SortByDueDate}, 50)
	kept.all = nil
	spans, err := l.spans(s.db)
	if want := []span{l.limited(100_000, 100_000)}; err != nil || !slices.Equal(spans, want) || len(kept.all) != 1 {
		t.Errorf("%v with %d statements, want %v, %v", spans, len(kept.all), want, err)
	}
}
