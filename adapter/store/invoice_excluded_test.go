package store_test

import (
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/filling"
)

// TestListsOfRejectedInvoicesReadTheirOrder expects that a list of rejected invoices reads the first ones of its order.
// The groups of sums have no rejected invoice, so they cannot say that each one is to be read.
func TestListsOfRejectedInvoicesReadTheirOrder(t *testing.T) {
	t.Parallel()
	const invoices, limit, near, few = 600, 2, 400, 5
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: invoices, Entities: 1, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Gorm.Exec("UPDATE invoices SET status = 'REJECTED' WHERE currency = 'EUR' AND status = 'APPROVED'").Error; err != nil {
		t.Fatal(err)
	}
	if err := db.Gorm.Exec("DELETE FROM invoices_uncounted").Error; err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	filter := invoice.Filter{Statuses: []invoice.Status{invoice.Rejected}, Currencies: []string{"EUR"}}
	for _, by := range []invoice.SortKey{invoice.SortByIssueDate, invoice.SortByUpdate} {
		n, statements, err := s.StatementsOfOrder(t.Context(), identity.Scope{OrganizationID: f.Organization}, filter, invoice.Sort{By: by}, limit, near, few)
		all := strings.Join(statements, "\n")
		if err != nil || n != limit || strings.Contains(all, "ON invoices.id = p.id") {
			t.Errorf("sorted by %s: %d invoices, want %d, and no statement that reads each rejected invoice, %v:\n%s", by, n, limit, err, all)
		}
	}
}
