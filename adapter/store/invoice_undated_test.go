package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

// TestUndatedInvoicesAreReadOnce expects each invoice once in a list by a date that no invoice has. The first one of the
// filter is, in turn, each of those around the end of the invoices that the list compares first.
func TestUndatedInvoicesAreReadOnce(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: 100, Entities: 1, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Gorm.Exec("UPDATE invoices SET issue_date = NULL").Error; err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stored []struct {
		ID        uuid.UUID
		CreatedAt time.Time
	}
	if err := db.Gorm.Table("invoices").Where("organization_id = ?", f.Organization).Order("id").Find(&stored).Error; err != nil {
		t.Fatal(err)
	}
	const compared, pages, limit, near, few = 16, 2, 2, 20, 1 // compared is eight pages
	for _, ascending := range []bool{true, false} {
		if !ascending {
			slices.Reverse(stored)
		}
		for first := compared - 3; first < compared+2; first++ {
			var want []uuid.UUID
			for _, i := range stored[first : first+pages*limit] {
				want = append(want, i.ID)
			}
			filter := invoice.Filter{CreatedFrom: stored[first].CreatedAt}
			if !ascending {
				filter = invoice.Filter{CreatedTo: stored[first].CreatedAt.Add(time.Microsecond)}
			}
			sort := invoice.Sort{By: invoice.SortByIssueDate, Ascending: ascending}
			got, err := s.ReadPages(t.Context(), identity.Scope{OrganizationID: f.Organization}, filter, sort, pages, limit, near, few)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("ascending %t, from invoice %d: %v, want %v, %v", ascending, first, got, want, err)
			}
		}
	}
}

// TestListsSkipUndatedInvoicesThatDoNotMatch expects that a list by a date finds its page after many invoices without the
// date, none of which matches, and does not read every invoice that matches.
func TestListsSkipUndatedInvoicesThatDoNotMatch(t *testing.T) {
	t.Parallel()
	const invoices, limit, near, few = 600, 3, 60, 1
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: invoices, Entities: 1, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Gorm.Exec("UPDATE invoices SET issue_date = CASE WHEN failed_checks = ',tax_sum,' THEN '2026-01-02' END").Error; err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, entity := range []uuid.UUID{uuid.Nil, f.Entities[0]} {
		filter := invoice.Filter{FailedChecks: []string{"tax_sum"}, EntityID: entity}
		sort := invoice.Sort{By: invoice.SortByIssueDate, Ascending: true}
		n, statements, err := s.StatementsOfOrder(t.Context(), identity.Scope{OrganizationID: f.Organization}, filter, sort, limit, near, few)
		all := strings.Join(statements, "\n")
		if err != nil || n != limit || strings.Contains(all, "CROSS JOIN invoices INDEXED BY sqlite_autoindex_invoices_1 ON invoices.id = p.id") {
			t.Errorf("entity %s: %d invoices, want %d, and no statement that reads each match, %v:\n%s", entity, n, limit, err, all)
		}
	}
}

// TestListsReadOnePageOfUndatedInvoices expects that a list by a date, with one filter, reads the page from the invoices of
// the filter without the date, and compares no others after the first ones of the order.
func TestListsReadOnePageOfUndatedInvoices(t *testing.T) {
	t.Parallel()
	const invoices, limit, near, few = 600, 3, 60, 10
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: invoices, Entities: 1, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	var ended []uuid.UUID
	if err := db.Gorm.Table("invoice_syncs").Order("invoice_id DESC").Limit(2*few).Pluck("invoice_id", &ended).Error; err != nil {
		t.Fatal(err)
	}
	slices.Reverse(ended)
	if err := db.Gorm.Exec("UPDATE invoice_syncs SET state = CASE WHEN invoice_id IN ? THEN 'FAILED' ELSE 'DONE' END", ended).Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Gorm.Exec("UPDATE invoices SET issue_date = NULL").Error; err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, filter := identity.Scope{OrganizationID: f.Organization}, invoice.Filter{SyncStates: []invoice.SyncState{invoice.SyncEnded}}
	sort := invoice.Sort{By: invoice.SortByIssueDate, Ascending: true}
	n, statements, err := s.StatementsOfOrder(t.Context(), scope, filter, sort, limit, near, few)
	all := strings.Join(statements, "\n")
	if err != nil || n != limit || strings.Count(all, " OFFSET ") != 1 { // the end of the first ones
		t.Errorf("%d invoices, want %d, after one comparison of the first ones, %v:\n%s", n, limit, err, all)
	}
	got, err := s.ReadPages(t.Context(), scope, filter, sort, 2, limit, near, few)
	if err != nil || !slices.Equal(got, ended[:2*limit]) {
		t.Errorf("the pages are %v, want %v, %v", got, ended[:2*limit], err)
	}
}
