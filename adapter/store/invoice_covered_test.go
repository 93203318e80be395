package store_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docledger/adapter/store"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

var everyOrder = []invoice.Sort{
	{}, {Ascending: true}, {By: invoice.SortByUpdate}, {By: invoice.SortByUpdate, Ascending: true},
	{By: invoice.SortByIssueDate}, {By: invoice.SortByIssueDate, Ascending: true}, {By: invoice.SortByDueDate}, {By: invoice.SortByDueDate, Ascending: true},
	{By: invoice.SortByGross}, {By: invoice.SortByGross, Ascending: true},
}

// readCovered verifies that lists of a filter read the entries of an index alone, in each order, and no invoice.
func readCovered(t *testing.T, s *store.Store, f filling.Filled, postgres bool) {
	t.Helper()
	scope := identity.Scope{OrganizationID: f.Organization}
	for part, c := range map[string]struct {
		index  string
		filter invoice.Filter
	}{
		"assigned_to": {"invoices_assigned", invoice.Filter{AssignedTo: f.Assignee}},
		"supplier_id": {"invoices_of_supplier", invoice.Filter{SupplierIDs: []uuid.UUID{filling.Supplier(3)}}},
		"type":        {"invoices_of_other_types", invoice.Filter{Types: []invoice.Type{invoice.TypeCorrection}}},
		"updated_at":  {"invoices_by_update", invoice.Filter{UpdatedSince: f.Until.AddDate(0, 0, -3)}},
		"created_at":  {"invoices_by_creation", invoice.Filter{CreatedFrom: f.Until.AddDate(0, 0, -3)}},
		"source":      {"invoice_sources_by_source", invoice.Filter{Sources: []document.Origin{document.FromEmail}}},
		// The index has no column of another order.
		"failed_checks": {"invoices_by_failed_checks", invoice.Filter{FailedChecks: []string{"tax_sum"}}},
	} {
		for _, entity := range []uuid.UUID{uuid.Nil, f.Entities[1]} {
			for _, sort := range everyOrder {
				// PostgreSQL has the other columns in no index by a time.
				byTime := part == "updated_at" || part == "created_at"
				if byTime && (entity != uuid.Nil || postgres && sort.By != invoice.SortByCreation || sort.By == invoice.SortByUpdate) {
					continue
				}
				if part == "failed_checks" && sort.By != invoice.SortByCreation {
					continue
				}
				if part == "source" && sort.By == invoice.SortByUpdate {
					continue // each change of an invoice would change its entry
				}
				if part == "created_at" && (postgres || sort.By == invoice.SortByCreation) {
					continue // the list is in the order of the index
				}
				c.filter.EntityID = entity
				plans, err := s.CoveredPlans(t.Context(), scope, c.filter, sort)
				// PostgreSQL chooses the index.
				plan := plans[part]
				alone := strings.Contains(plan, "COVERING INDEX "+c.index+" ") || strings.Contains(plan, "Index Only Scan using invoice") && !strings.Contains(plan, "Heap Scan")
				if err != nil || !alone {
					t.Errorf("%s of entity %s, sorted by %q: the index %s is not read alone: %q, %v", part, entity, sort.By, c.index, plan, err)
				}
			}
		}
	}
}

// readsLittle verifies that a list reads a page from the newest invoices or from few entries of an index if it can, and
// not all invoices of a part of the filter.
func readsLittle(t *testing.T, s *store.Store, f filling.Filled) {
	t.Helper()
	const limit, few = 5, 10
	yes := true
	scope := identity.Scope{OrganizationID: f.Organization}
	for name, c := range map[string]struct {
		filter     invoice.Filter
		want, most int // invoices and statements
	}{
		"newest invoices":        {invoice.Filter{UpdatedSince: f.Until.AddDate(0, -3, 0)}, limit, 2},
		"newest of an entity":    {invoice.Filter{Types: []invoice.Type{invoice.TypeInvoice}, EntityID: f.Entities[0]}, limit, 2},
		"a type of an entity":    {invoice.Filter{Types: []invoice.Type{invoice.TypeCreditNote}, EntityID: f.Entities[0]}, limit, 2},
		"a failed check":         {invoice.Filter{FailedChecks: []string{"tax_sum"}}, limit, 3},
		"a duplicate":            {invoice.Filter{HasDuplicate: &yes}, limit, 2},
		"a duplicate, an entity": {invoice.Filter{HasDuplicate: &yes, EntityID: f.Entities[0]}, 1, 2},
		"parts that exclude":     {invoice.Filter{Types: []invoice.Type{invoice.TypeCreditNote}, Currencies: []string{"GBP"}, Statuses: []invoice.Status{invoice.Synced}}, 0, 5},
		"except the rejected":    {invoice.Filter{Types: []invoice.Type{invoice.TypeCreditNote}, Currencies: []string{"GBP"}}, 0, 8},
		"no such check":          {invoice.Filter{FailedChecks: []string{"gross_sum"}}, 0, 1},
		"no such check, another": {invoice.Filter{FailedChecks: []string{"gross_sum"}, Currencies: []string{"EUR"}}, 0, 1},
	} {
		n, statements, err := s.StatementsOfPage(t.Context(), scope, c.filter, limit, few)
		if err != nil || n != c.want || len(statements) > c.most {
			t.Errorf("%s: %d invoices, want %d; want at most %d statements (%v):\n%s", name, n, c.want, c.most, err, strings.Join(statements, "\n"))
		}
		for _, statement := range statements {
			if strings.Contains(statement, " LIKE ") && c.filter.UpdatedSince.IsZero() && len(c.filter.Types) == 0 {
				t.Errorf("%s: invoices are compared one by one: %s", name, statement)
			}
		}
	}
}

// compareRandom compares the first pages of random filters, orders and limits with the invoices that match them in
// the list of all.
func compareRandom(t *testing.T, s *store.Store, f filling.Filled, cases []filterCase) {
	const seed, lists, pages = 18, 300, 4
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // no secret
	scopes := []identity.Scope{{OrganizationID: f.Organization}, {OrganizationID: f.Organization}, {OrganizationID: f.Organization, Member: f.Member}}
	type view struct {
		scope  int
		entity uuid.UUID
		sort   int
	}
	all := map[view][]invoice.Summary{}
	cases = slices.DeleteFunc(slices.Clone(cases), func(c filterCase) bool { return c.matches == nil })
	for n := range lists {
		v := view{scope: random.IntN(len(scopes)), sort: random.IntN(len(everyOrder))}
		if v.scope == 1 {
			v.entity = f.Entities[random.IntN(2)]
		}
		scope, sort := scopes[v.scope], everyOrder[v.sort]
		if all[v] == nil {
			all[v] = listed(t, s, scope, invoice.Filter{EntityID: v.entity}, sort)
		}
		filter, names := invoice.Filter{EntityID: v.entity}, []string(nil)
		var matches []func(invoice.Summary) bool
		for range 1 + random.IntN(3) {
			c := cases[random.IntN(len(cases))]
			if both, ok := combined(filter, c.filter); ok {
				filter, names, matches = both, append(names, c.name), append(matches, c.matches)
			}
		}
		limit, near, few := 1+random.IntN(30), 40+random.IntN(200), 1+random.IntN(60)
		var want []uuid.UUID
		for _, of := range all[v] {
			if len(want) < pages*limit && !slices.ContainsFunc(matches, func(match func(invoice.Summary) bool) bool { return !match(of) }) {
				want = append(want, of.ID)
			}
		}
		got, err := s.ReadPages(t.Context(), scope, filter, sort, pages, limit, near, few)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("list %d of seed %d, %q of entity %s, sorted by %q, ascending %t, limit %d, near %d, few %d: %d invoices, want %d, %v",
				n, seed, names, v.entity, sort.By, sort.Ascending, limit, near, few, len(got), len(want), err)
		}
	}
}
