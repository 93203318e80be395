package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// TestSumsOfEveryEntityReadTheFewestGroups expects that an API key of every entity reads the groups of the organization.
func TestSumsOfEveryEntityReadTheFewestGroups(t *testing.T) {
	t.Parallel()
	organization, suppliers := uuid.New(), []invoice.SumKey{invoice.SumBySupplier}
	for name, test := range map[string]struct {
		scope identity.Scope
		table string
		ok    bool
	}{
		"organization":        {identity.Scope{OrganizationID: organization}, "invoice_sum_totals", true},
		"member":              {identity.Scope{OrganizationID: organization, Member: uuid.New()}, "invoice_sums", false},
		"key of every entity": {identity.Scope{OrganizationID: organization, Key: &identity.KeyRights{}}, "invoice_sum_totals", true},
		"key of an entity":    {identity.Scope{OrganizationID: organization, Key: &identity.KeyRights{EntityIDs: []uuid.UUID{uuid.New()}}}, "invoice_sums", false},
	} {
		if table, _ := fewestGroups(test.scope, invoice.Filter{}, sumsOfSuppliers, suppliers); table != test.table {
			t.Errorf("%s: the sums by supplier read %s, want %s", name, table, test.table)
		}
		if _, ok := partOf(test.scope, invoice.Filter{}, []invoice.SumKey{invoice.SumBySupplier, invoice.SumByMonth}); ok != test.ok {
			t.Errorf("%s: the sums by supplier and month read groups: %v", name, ok)
		}
	}
}

// TestWholeMonths expects that the groups and the days around them have each day of a filter once.
func TestWholeMonths(t *testing.T) {
	t.Parallel()
	for dates, want := range map[[2]string]string{
		{"", ""}:                     " to ",
		{"2026-02-01", ""}:           "2026-02-01 to ",
		{"2026-02-02", ""}:           "2026-03-01 to ; 2026-02-02 to 2026-02-28",
		{"2025-12-31", "2026-12-31"}: "2026-01-01 to 2026-12-31; 2025-12-31 to 2025-12-31",
		{"2026-01-01", "2026-11-30"}: "2026-01-01 to 2026-11-30",
		{"2026-01-01", "2026-11-29"}: "2026-01-01 to 2026-10-31; 2026-11-01 to 2026-11-29",
		{"2025-11-15", "2026-03-15"}: "2025-12-01 to 2026-02-28; 2025-11-15 to 2025-11-30; 2026-03-01 to 2026-03-15",
		{"", "2024-02-28"}:           " to 2024-01-31; 2024-02-01 to 2024-02-28",
		{"", "2024-02-29"}:           " to 2024-02-29",
		{"2026-01-15", "2026-02-15"}: "no month",
		{"2026-01-15", "2026-01-16"}: "no month",
		{"2026-03-01", "2026-02-28"}: "no month",
		{"2026-03-15", "2025-03-15"}: "no month",
		{"9999-12-15", ""}:           "no month",
		{"9999-12-01", "9999-12-31"}: "9999-12-01 to 9999-12-31",
		{"", "0001-01-10"}:           " to 0000-12-31; 0001-01-01 to 0001-01-10",
	} {
		f := invoice.Filter{Currencies: []string{"EUR"}}
		for i, into := range []*calendar.Date{&f.IssueDateFrom, &f.IssueDateTo} {
			if dates[i] == "" {
				continue
			}
			d, err := calendar.Parse(dates[i])
			if err != nil {
				t.Fatal(err)
			}
			*into = d
		}
		whole, edges, ok := wholeMonths(f)
		got := "no month"
		if ok {
			got = fmt.Sprintf("%s to %s", whole.IssueDateFrom, whole.IssueDateTo)
			for _, edge := range edges {
				got += fmt.Sprintf("; %s to %s", edge.IssueDateFrom, edge.IssueDateTo)
				if len(edge.Currencies) != 1 {
					t.Errorf("%v: an edge does not have the rest of the filter", dates)
				}
			}
		}
		if got != want {
			t.Errorf("%v: %s, want %s", dates, got, want)
		}
	}
}

// TestSumsReadTheirIndex compares how SQLite reads the invoices of a sum with a filter that few match, and the days
// around whole months.
func TestSumsReadTheirIndex(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	scope, yes, day, entity := identity.Scope{OrganizationID: uuid.New()}, true, calendar.Date{Year: 2026, Month: 1, Day: 2}, uuid.New()
	for index, f := range map[string]invoice.Filter{
		"invoices_with_duplicate":     {HasDuplicate: &yes},
		"invoices_by_failed_checks (": {FailedChecks: []string{"tax_sum"}, EntityID: entity},
		"invoices_of_supplier (":      {SupplierIDs: []uuid.UUID{uuid.New()}},
		"invoices_assigned (":         {AssignedTo: uuid.New()},
		"invoice_syncs_by_state (":    {SyncStates: []invoice.SyncState{invoice.SyncQueued}},
		"documents_by_uploader (":     {CreatedBy: uuid.New()},
		"invoice_search VIRTUAL":      {Query: "R-9999"},
		"invoices_by_due_date (":      {DueDateTo: day},
		"invoices_by_issue_date (":    {IssueDateFrom: day, IssueDateTo: day},
		"of_entity_by_issue_date (":   {IssueDateFrom: day, IssueDateTo: day, EntityID: entity},
		"invoices_newest_by_status (": {Statuses: []invoice.Status{invoice.SyncFailed}, HasDuplicate: new(bool)},
	} {
		for _, keys := range [][]invoice.SumKey{{invoice.SumByAccount}, {invoice.SumByTax}, {invoice.SumBySupplier, invoice.SumByMonth}} {
			from, _, err := s.Invoices().readMatching(t.Context(), scope, f, keys, mostRows)
			if err != nil {
				t.Fatal(err)
			}
			if !f.IssueDateTo.IsZero() {
				from = s.readCounted(db, scope, f, nil)
			}
			direct, _ := s.Invoices().addUp(from, scope, f, keys)
			var steps []struct{ Detail string }
			if err := db.Raw("EXPLAIN QUERY PLAN ?", direct).Scan(&steps).Error; err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
			_, read, _ := strings.Cut(plan, "SEARCH invoices USING ")
			if read, _, _ = strings.Cut(read, "\n"); !strings.Contains(read, "id=?") && f.IssueDateTo.IsZero() || !strings.Contains(plan, index) {
				t.Errorf("%+v by %v does not read %s and then the invoices by their ids:\n%s", f, keys, index, plan)
			}
		}
	}
}

// TestCommonSearchesReadTheIndexOfSums expects that SQLite reads a sum with a search that many match from the index of sums
// alone, and sorts the invoices by no key, unless it reads each visible entity.
func TestCommonSearchesReadTheIndexOfSums(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	const none = -1 // no search has so few invoices
	for _, f := range []invoice.Filter{{Query: "trading"}, {Query: "123.45", Currencies: []string{"EUR"}}, {Query: "trading", EntityID: uuid.New(), Types: []invoice.Type{invoice.TypeInvoice}}} {
		for _, scope := range []identity.Scope{{OrganizationID: uuid.New()}, {OrganizationID: uuid.New(), Member: uuid.New()}} {
			for _, keys := range [][]invoice.SumKey{{invoice.SumByCurrency}, {invoice.SumByEntity, invoice.SumByStatus}, {invoice.SumByType, invoice.SumByMonth}, {invoice.SumBySupplier}} {
				from, order, err := s.Invoices().readMatching(t.Context(), scope, f, keys, none)
				if err != nil {
					t.Fatal(err)
				}
				direct, _ := s.Invoices().addUp(from, scope, f, keys, order...)
				var steps []struct{ Detail string }
				if err := db.Raw("EXPLAIN QUERY PLAN ?", direct).Scan(&steps).Error; err != nil {
					t.Fatal(err)
				}
				plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
				sorts := strings.Contains(plan, "B-TREE")
				if !strings.Contains(plan, "invoices USING COVERING INDEX invoices_sums (") || sorts && scope.EveryEntity() && !slices.Contains(keys, invoice.SumBySupplier) {
					t.Errorf("%+v by %v reads invoices outside the index of sums, or sorts them:\n%s", f, keys, plan)
				}
			}
		}
	}
}

// TestWholeMonthsOfCreation expects that the groups and the times around them have each time of a filter once, in any
// zone and at the ends of the calendar.
func TestWholeMonthsOfCreation(t *testing.T) {
	t.Parallel()
	for times, want := range map[[2]string]string{
		{"2026-01-31T23:00:00-01:00", "2026-03-01T02:00:00+02:00"}: "2026-02-01 00:00 to 2026-03-01 00:00",
		{"2026-02-01T00:00:00+01:00", ""}:                          "2026-02-01 00:00 to ; 2026-01-31 23:00 to 2026-02-01 00:00",
		{"2026-01-15T00:00:00Z", "2026-03-15T00:00:00Z"}:           "2026-02-01 00:00 to 2026-03-01 00:00; 2026-01-15 00:00 to 2026-02-01 00:00; 2026-03-01 00:00 to 2026-03-15 00:00",
		{"2026-01-15T00:00:00Z", "2026-01-16T00:00:00Z"}:           "no month",
		{"2026-01-15T00:00:00Z", "2026-02-15T00:00:00Z"}:           "no month",
		{"0001-01-01T00:00:00+05:00", "2026-02-01T00:00:00Z"}:      " to 2026-02-01 00:00",
		{"0001-01-01T00:00:00-05:00", ""}:                          "0001-02-01 00:00 to ; 0001-01-01 05:00 to 0001-02-01 00:00",
		{"", "0001-01-01T00:00:00+05:00"}:                          "no month",
		{"", "0001-01-20T00:00:00Z"}:                               "no month",
		{"9999-12-15T00:00:00Z", ""}:                               "no month",
		{"9999-12-31T23:30:00-01:00", ""}:                          "no month",
		{"", "9999-12-31T23:30:00-01:00"}:                          " to 9999-12-01 00:00; 9999-12-01 00:00 to 9999-12-31 23:59",
	} {
		f := invoice.Filter{Currencies: []string{"EUR"}}
		for i, into := range []*time.Time{&f.CreatedFrom, &f.CreatedTo} {
			if times[i] == "" {
				continue
			}
			var err error
			if *into, err = time.Parse(time.RFC3339, times[i]); err != nil {
				t.Fatal(err)
			}
		}
		text := func(f invoice.Filter) string {
			if len(f.Currencies) != 1 {
				t.Errorf("%v: a part does not have the rest of the filter", times)
			}
			limits := [2]string{}
			for i, at := range []time.Time{f.CreatedFrom, f.CreatedTo} {
				if !at.IsZero() {
					limits[i] = at.Format("2006-01-02 15:04")
				}
			}
			return limits[0] + " to " + limits[1]
		}
		whole, edges, ok := wholeMonths(f)
		got := "no month"
		if ok {
			got = text(whole)
			for _, edge := range edges {
				got += "; " + text(edge)
			}
		}
		if got != want {
			t.Errorf("%v: %s, want %s", times, got, want)
		}
	}
}
