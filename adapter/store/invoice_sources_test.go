package store

import (
	"slices"
	"strings"
	"testing"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// TestListsOfSourcesReadNoDocument expects that a list with a source reads no document, and that the sources exclude
// invoices of another filter before these are read.
func TestListsOfSourcesReadNoDocument(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	email := []document.Origin{document.FromEmail}
	for _, f := range []invoice.Filter{
		{Sources: email}, {Sources: email, EntityID: uuid.New()}, {Sources: email, Statuses: []invoice.Status{invoice.Approved}},
		{Sources: email, AssignedTo: uuid.New()}, {Sources: email, Query: "123.45"},
	} {
		for _, order := range []invoice.SortKey{invoice.SortByCreation, invoice.SortByGross} {
			l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, f, invoice.Sort{By: order}, 50)
			l.after = func(q *gorm.DB, _ string) *gorm.DB { return q }
			reads := map[string]*gorm.DB{"the first of the order": l.nearest(db), "all that match": l.far()}
			if ids, ok := l.merged(); ok {
				reads["each value"] = ids
			}
			for _, part := range l.parts() {
				reads[part.name] = l.of(&part)
			}
			for name, read := range reads {
				var steps []struct{ Detail string }
				if err := db.Raw("EXPLAIN QUERY PLAN ?", read).Scan(&steps).Error; err != nil {
					t.Fatal(err)
				}
				plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
				if strings.Contains(plan, "documents_") {
					t.Errorf("%s of %+v by %v reads documents:\n%s", name, f, order, plan)
				}
				before, _, _ := strings.Cut(plan, "SEARCH invoices ")
				if slices.Contains([]string{"status", "assigned_to", "source", "q"}, name) && !strings.Contains(before, "invoice_sources_by_source") {
					t.Errorf("%s of %+v by %v does not exclude other sources before it reads invoices:\n%s", name, f, order, plan)
				}
			}
		}
	}
}

// TestOrdersCompareTheSourceOfEachInvoice expects that SQLite reads the invoices of an order once, and the source of each.
func TestOrdersCompareTheSourceOfEachInvoice(t *testing.T) {
	t.Parallel()
	s, db := plannedStore(t)
	f := invoice.Filter{Sources: []document.Origin{document.FromEmail}}
	for _, order := range []invoice.SortKey{invoice.SortByIssueDate, invoice.SortByDueDate, invoice.SortByUpdate, invoice.SortByGross} {
		l := s.invoiceList(identity.Scope{OrganizationID: uuid.New()}, f, invoice.Sort{By: order, Ascending: true}, 50)
		l.after = func(q *gorm.DB, _ string) *gorm.DB { return q }
		reads := []*gorm.DB{l.nearest(db)}
		if order == invoice.SortByIssueDate || order == invoice.SortByDueDate {
			undated := l.limited(noWeek, noWeek)
			l.span = &undated
			reads = append(reads, s.narrowInvoices(l.inOrder(nil), "invoices", f).Select("invoices.id").Order(l.orderInSpan()).Limit(50))
		}
		for _, read := range reads {
			var steps []struct{ Detail string }
			if err := db.Raw("EXPLAIN QUERY PLAN ?", read).Scan(&steps).Error; err != nil {
				t.Fatal(err)
			}
			plan := strings.Join(mapped(steps, func(s struct{ Detail string }) string { return s.Detail }), "\n")
			if !strings.Contains(plan, "SEARCH o USING PRIMARY KEY (organization_id=? AND invoice_id=?)") || strings.Index(plan, "SEARCH o") < strings.Index(plan, "invoices") {
				t.Errorf("the order %v does not compare the source of each invoice:\n%s", order, plan)
			}
		}
	}
}

// TestSumsOfSourcesReadGroups expects that a sum with a source reads groups, with each other filter of a group.
func TestSumsOfSourcesReadGroups(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	scope := identity.Scope{OrganizationID: uuid.New()}
	email := []document.Origin{document.FromEmail}
	for _, f := range []invoice.Filter{
		{Sources: email}, {Sources: email, Types: []invoice.Type{invoice.TypeInvoice}, EntityID: uuid.New()},
		{Sources: email, IssueDateFrom: calendar.Date{Year: 2026, Month: 1, Day: 1}}, {Sources: email, SyncStates: []invoice.SyncState{invoice.SyncDone}},
	} {
		kept.all = nil
		if _, err := s.Invoices().Sum(t.Context(), scope, f, []invoice.SumKey{invoice.SumByStatus, invoice.SumByMonth}); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(kept.all, "\n"); !strings.Contains(text, "invoice_sum_changes") || strings.Contains(text, "documents") {
			t.Errorf("the sum with %+v reads no groups:\n%s", f, text)
		}
	}
}
