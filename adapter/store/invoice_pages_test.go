package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/page"
	"docledger/infrastructure/database"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

// manyInvoices exceeds what a list compares one by one, so that a page is read from the index of a
// filter, too.
const manyInvoices = 4500

// TestFiltersOfManyInvoices compares the pages of filters with the invoices that match them in the
// list of all.
func TestFiltersOfManyInvoices(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func() *database.DB{
		"postgres": func() *database.DB { return openPostgres(t, 4) }, "sqlite": func() *database.DB { return openFile(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open()
			f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: manyInvoices, Entities: 5, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.New(t.Context(), db.Gorm, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			readCovered(t, s, f, name == "postgres")
			readsLittle(t, s, f)
			if name == "postgres" {
				expectsFewDuplicates(t, db)
			}
			moveDates(t, db, f)
			removeBills(t, db)
			var emailed []uuid.UUID
			if err := db.Gorm.Table("documents AS d").Joins("JOIN invoices AS i ON i.document_id = d.id").Where("d.origin = ?", document.FromEmail).Pluck("i.id", &emailed).Error; err != nil || len(emailed) == 0 {
				t.Fatalf("no invoice came by e-mail, %v", err)
			}
			cases := filterCases(f, emailed)
			compareFilters(t, s, f, cases)
			comparePairs(t, s, f, cases)
			compareRandom(t, s, f, cases)
			compareParts(t, s, f)
		})
	}
}

// moveDates changes dates of some invoices, so that they are far from the others: those of old invoices to recent
// and future days, and those of recent ones to old days and the ends of the calendar.
func moveDates(t *testing.T, db *database.DB, f filling.Filled) {
	t.Helper()
	for n, change := range []struct {
		column string
		value  any
	}{
		{"updated_at", f.Until.AddDate(0, -1, 0)}, {"updated_at", f.Until.AddDate(-2, 0, 3)}, {"due_date", "2029-02-03"}, {"due_date", "9999-12-31"},
		{"due_date", "0001-01-02"}, {"issue_date", "0001-01-01"}, {"issue_date", "2030-05-06"}, {"issue_date", "2022-06-30"}, {"due_date", "2022-07-03"},
	} {
		var ids []uuid.UUID
		if err := db.Gorm.Table("invoices").Order("id").Offset(40*n).Limit(manyInvoices).Pluck("id", &ids).Error; err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(ids); i += 500 {
			if err := db.Gorm.Table("invoices").Where("id IN ?", ids[i:i+3]).UpdateColumn(change.column, change.value).Error; err != nil {
				t.Fatal(err)
			}
		}
	}
}

// removeBills changes the status of some invoices with a finished sync.
func removeBills(t *testing.T, db *database.DB) {
	t.Helper()
	var ids []uuid.UUID
	if err := db.Gorm.Table("invoices").Where("status = ?", invoice.Synced).Order("id").Limit(manyInvoices).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		t.Fatalf("no invoice is synced, %v", err)
	}
	for i := 0; i < len(ids); i += 300 {
		if err := db.Gorm.Table("invoices").Where("id = ?", ids[i]).UpdateColumn("status", invoice.Approved).Error; err != nil {
			t.Fatal(err)
		}
	}
}

const firstDay = "0001-01-01"

type filterCase struct {
	name    string
	filter  invoice.Filter
	matches func(invoice.Summary) bool
}

func filterCases(f filling.Filled, emailed []uuid.UUID) []filterCase {
	old := f.Until.AddDate(-4, 0, 0)
	day := calendar.Of(old)
	amount := func(text string) *money.Decimal { d := money.MustParse(text); return &d }
	since := f.Until.AddDate(0, -2, 0)
	// The first day of the calendar is like no date.
	until := func(d calendar.Date) bool { return d.String() > firstDay && d.String() <= day.String() }
	cases := []filterCase{
		{"type", invoice.Filter{Types: []invoice.Type{invoice.TypeCorrection}}, func(i invoice.Summary) bool { return i.Type == invoice.TypeCorrection }},
		{"currencies", invoice.Filter{Currencies: []string{"GBP", "CHF"}}, func(i invoice.Summary) bool { return i.Currency == "GBP" || i.Currency == "CHF" }},
		{"no currency", invoice.Filter{Currencies: []string{"XXX"}}, func(invoice.Summary) bool { return false }},
		{"status", invoice.Filter{Statuses: []invoice.Status{invoice.Extracted, invoice.NeedsReview}}, func(i invoice.Summary) bool { return i.Status == invoice.Extracted || i.Status == invoice.NeedsReview }},
		{"sync state", invoice.Filter{SyncStates: []invoice.SyncState{invoice.SyncEnded}}, func(i invoice.Summary) bool { return i.Status == invoice.SyncFailed }},
		{"sync state of another status", invoice.Filter{Statuses: []invoice.Status{invoice.Approved, invoice.Extracted}, SyncStates: []invoice.SyncState{invoice.SyncDone, invoice.SyncEnded}}, func(i invoice.Summary) bool {
			return (i.Status == invoice.Approved || i.Status == invoice.Extracted) && i.SyncState != ""
		}},
		{"source", invoice.Filter{Sources: []document.Origin{document.FromEmail}}, func(i invoice.Summary) bool { return slices.Contains(emailed, i.ID) }},
		{"created before", invoice.Filter{CreatedTo: old}, func(i invoice.Summary) bool { return i.CreatedAt.Before(old) }},
		{"created before, in a currency", invoice.Filter{CreatedTo: old, Currencies: []string{"USD"}}, func(i invoice.Summary) bool { return i.CreatedAt.Before(old) && i.Currency == "USD" }},
		{"issued until", invoice.Filter{IssueDateTo: day}, func(i invoice.Summary) bool { return until(i.IssueDate) }},
		{"due until", invoice.Filter{DueDateTo: day}, func(i invoice.Summary) bool { return until(i.DueDate) }},
		{"due on a day", invoice.Filter{DueDateFrom: day, DueDateTo: day}, func(i invoice.Summary) bool { return i.DueDate == day }},
		{"created in a month", invoice.Filter{CreatedFrom: old.AddDate(2, 0, 0), CreatedTo: old.AddDate(2, 1, 0)}, func(i invoice.Summary) bool {
			return !i.CreatedAt.Before(old.AddDate(2, 0, 0)) && i.CreatedAt.Before(old.AddDate(2, 1, 0))
		}},
		{"updated since", invoice.Filter{UpdatedSince: since}, func(i invoice.Summary) bool { return !i.UpdatedAt.Before(since) }},
		{"below an amount", invoice.Filter{GrossMax: amount("100.00")}, func(i invoice.Summary) bool { return i.GrossTotal != nil && i.GrossTotal.Cmp(*amount("100.00")) <= 0 }},
		{"supplier", invoice.Filter{SupplierIDs: []uuid.UUID{filling.Supplier(3), filling.Supplier(301)}}, func(i invoice.Summary) bool { return i.SellerTaxID == "DE100000003" || i.SellerTaxID == "DE100000301" }},
		{"number", invoice.Filter{Query: "r-59"}, func(i invoice.Summary) bool { return strings.HasPrefix(i.Number, "R-59") }},
		{"seller", invoice.Filter{Query: "Supplier 39 Tr"}, func(i invoice.Summary) bool { return i.SellerName == "Supplier 39 Trading" }},
		{"two letters", invoice.Filter{Query: "-7"}, func(i invoice.Summary) bool { return strings.HasPrefix(i.Number, "R-7") }},
		{"no text", invoice.Filter{Query: "no such text"}, func(invoice.Summary) bool { return false }},
		{"amount", invoice.Filter{Query: "119.00"}, func(i invoice.Summary) bool {
			return i.GrossTotal.String() == "119.00" || i.NetTotal.String() == "119.00"
		}},
	}
	yes := true
	return append(cases,
		filterCase{"duplicate", invoice.Filter{HasDuplicate: &yes}, nil},
		filterCase{"one of two failed checks", invoice.Filter{FailedChecks: []string{"not_a_duplicate", "bank_account_known"}}, func(i invoice.Summary) bool { return i.FailedBlocking > 0 }},
		filterCase{"no such failed check", invoice.Filter{FailedChecks: []string{"tax", "sum"}}, func(invoice.Summary) bool { return false }},
		filterCase{"failed check", invoice.Filter{FailedChecks: []string{"tax_sum"}}, func(i invoice.Summary) bool { return i.FailedWarning > 0 }},
		filterCase{"assigned", invoice.Filter{AssignedTo: f.Assignee}, func(i invoice.Summary) bool { return i.AssignedTo == f.Assignee }})
}

func compareFilters(t *testing.T, s *store.Store, f filling.Filled, cases []filterCase) {
	scopes := map[string]identity.Scope{"organization": {OrganizationID: f.Organization}, "member": {OrganizationID: f.Organization, Member: f.Member}}
	for _, sort := range []invoice.Sort{{}, {By: invoice.SortByDueDate, Ascending: true}, {By: invoice.SortByUpdate}, {By: invoice.SortByGross}} {
		for name, scope := range scopes {
			for _, entity := range []uuid.UUID{uuid.Nil, f.Entities[1]} {
				all := listed(t, s, scope, invoice.Filter{EntityID: entity}, sort)
				for _, c := range cases {
					c.filter.EntityID = entity
					got := listed(t, s, scope, c.filter, sort)
					if c.matches == nil {
						if len(got) == 0 {
							t.Errorf("%s, %s, sorted by %q: no invoice", c.name, name, sort.By)
						}
						continue
					}
					var want []uuid.UUID
					for _, i := range all {
						if c.matches(i) {
							want = append(want, i.ID)
						}
					}
					if ids := idsOf(got); !slices.Equal(ids, want) {
						t.Errorf("%s, %s, entity %s, sorted by %q: %d invoices, want %d", c.name, name, entity, sort.By, len(ids), len(want))
					}
				}
			}
		}
	}
}

// comparePairs compares the first pages of each pair of filters with the invoices that match both, in turn for
// an organization, an entity and a member. The list compares so few invoices one by one that each way to find a
// page is used.
func comparePairs(t *testing.T, s *store.Store, f filling.Filled, cases []filterCase) {
	const pages, limit, near, few = 3, 7, 60, 39
	views := []struct {
		scope  identity.Scope
		entity uuid.UUID
	}{
		{scope: identity.Scope{OrganizationID: f.Organization}},
		{scope: identity.Scope{OrganizationID: f.Organization}, entity: f.Entities[1]},
		{scope: identity.Scope{OrganizationID: f.Organization, Member: f.Member}},
	}
	recent := calendar.Of(f.Until.AddDate(-2, 0, 0))
	cases = append(slices.Clone(cases),
		filterCase{"issued until recently", invoice.Filter{IssueDateTo: recent}, func(i invoice.Summary) bool {
			return i.IssueDate.String() > firstDay && i.IssueDate.String() <= recent.String()
		}},
		filterCase{"due from recently", invoice.Filter{DueDateFrom: recent}, func(i invoice.Summary) bool { return i.DueDate.String() >= recent.String() }},
		filterCase{"many", invoice.Filter{Statuses: []invoice.Status{invoice.Synced}}, func(i invoice.Summary) bool { return i.Status == invoice.Synced }})
	for _, sort := range []invoice.Sort{
		{}, {Ascending: true}, {By: invoice.SortByDueDate}, {By: invoice.SortByDueDate, Ascending: true}, {By: invoice.SortByIssueDate},
		{By: invoice.SortByIssueDate, Ascending: true}, {By: invoice.SortByUpdate}, {By: invoice.SortByUpdate, Ascending: true},
	} {
		var all [3][]invoice.Summary
		for n, v := range views {
			all[n] = listed(t, s, v.scope, invoice.Filter{EntityID: v.entity}, sort)
		}
		pairs := 0
		for i, a := range cases {
			for _, b := range cases[:i] {
				pairs++
				view := pairs % len(views)
				a.filter.EntityID = views[view].entity
				both, ok := combined(a.filter, b.filter)
				if !ok || a.matches == nil || b.matches == nil {
					continue
				}
				var want []uuid.UUID
				for _, of := range all[view] {
					if len(want) < pages*limit && a.matches(of) && b.matches(of) {
						want = append(want, of.ID)
					}
				}
				got, err := s.ReadPages(t.Context(), views[view].scope, both, sort, pages, limit, near, few)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("%s and %s of view %d, sorted by %q, ascending %t: %d invoices, want %d, %v", a.name, b.name, view, sort.By, sort.Ascending, len(got), len(want), err)
				}
			}
		}
	}
}

// combined returns a filter with the conditions of two; ok is false if both have the same one.
func combined(a, b invoice.Filter) (both invoice.Filter, ok bool) {
	to, from := reflect.ValueOf(&a).Elem(), reflect.ValueOf(b)
	for i := range from.NumField() {
		switch {
		case from.Field(i).IsZero():
		case !to.Field(i).IsZero():
			return a, false
		default:
			to.Field(i).Set(from.Field(i))
		}
	}
	return a, true
}

// expectsFewDuplicates verifies that PostgreSQL knows how few invoices are suspected duplicates.
func expectsFewDuplicates(t *testing.T, db *database.DB) {
	t.Helper()
	var text string
	err := db.Gorm.Raw("EXPLAIN (FORMAT JSON) SELECT 1 FROM invoices WHERE strpos(failed_checks, ',not_a_duplicate,') > 0").Row().Scan(&text)
	var plans []struct {
		Plan struct {
			Rows int `json:"Plan Rows"`
		}
	}
	if err := errors.Join(err, json.Unmarshal([]byte(text), &plans)); err != nil || len(plans) != 1 || plans[0].Plan.Rows > manyInvoices/50 {
		t.Errorf("PostgreSQL expects %+v duplicates among %d invoices, %v", plans, manyInvoices, err)
	}
}

// compareParts verifies that the part of a filter with the fewest invoices is found.
func compareParts(t *testing.T, s *store.Store, f filling.Filled) {
	scope := identity.Scope{OrganizationID: f.Organization}
	day, yes := calendar.Of(f.Until.AddDate(-4, 0, 0)), true
	for want, filter := range map[string]invoice.Filter{
		"type":        {IssueDateTo: day, Types: []invoice.Type{invoice.TypeCorrection}},
		"issue_date":  {IssueDateTo: day, Statuses: []invoice.Status{invoice.Synced}},
		"assigned_to": {AssignedTo: f.Assignee, Currencies: []string{"USD"}, DueDateTo: day},
		"duplicate":   {HasDuplicate: &yes, Sources: []document.Origin{document.FromEmail}},
		"source":      {Sources: []document.Origin{document.FromEmail}, Currencies: []string{"USD"}},
		"sync_state":  {SyncStates: []invoice.SyncState{invoice.SyncEnded}, FailedChecks: []string{"tax_sum"}},
		"":            {Statuses: []invoice.Status{invoice.Synced}, Currencies: []string{"EUR"}},
	} {
		const most = 1000
		if got, n, err := s.FewestPart(t.Context(), scope, filter, most); got != want || err != nil {
			t.Errorf("%+v: the part is %q with %d invoices, want %q, %v", filter, got, n, want, err)
		}
	}
}

func idsOf(items []invoice.Summary) (ids []uuid.UUID) {
	for _, i := range items {
		ids = append(ids, i.ID)
	}
	return ids
}

func listed(t *testing.T, s *store.Store, scope identity.Scope, f invoice.Filter, sort invoice.Sort) (all []invoice.Summary) {
	t.Helper()
	for after := ""; ; {
		p, err := s.Invoices().List(context.Background(), scope, f, sort, page.Request{Limit: page.MaxLimit, After: after})
		if err != nil {
			t.Fatal(fmt.Errorf("%+v: %w", f, err))
		}
		all = append(all, p.Items...)
		if after = p.Next; after == "" {
			return all
		}
	}
}
