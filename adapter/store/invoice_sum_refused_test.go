package store

import (
	"fmt"
	"strings"
	"testing"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// TestSumsWithTooManyGroupsReadTheFirst expects that a sum with too many groups is refused before it adds them up, but not
// if changes that are not merged can make enough of them empty.
func TestSumsWithTooManyGroupsReadTheFirst(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	scope, keys := identity.Scope{OrganizationID: uuid.New()}, []invoice.SumKey{invoice.SumBySupplier}
	add := func(table string, from, to, sign int) {
		t.Helper()
		for n := from; n < to; n++ {
			err := s.db.Exec(fmt.Sprintf("INSERT INTO %s (%s, %s) VALUES (?, 'supplier', ?, 'EUR', 'APPROVED', 'INVOICE', '', ?, 'Name', ?, 0, 0, 0, 0, ?, ?, 0, 0)", table, sumColumns, strings.Join(sumValues, ", ")),
				scope.OrganizationID, uuid.Max, fmt.Sprint("DE", n), sign, 10_000*sign, sign).Error
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	sum := func() (found int, addedUp bool, err error) {
		kept.all = nil
		sums, err := s.Invoices().Sum(t.Context(), scope, invoice.Filter{}, keys)
		return len(sums), strings.Contains(strings.Join(kept.all, "\n"), "sum(invoices)"), err
	}
	add("invoice_sums", 0, invoice.MaxSums, 1)
	if found, addedUp, err := sum(); found != invoice.MaxSums || !addedUp || err != nil {
		t.Errorf("%d groups, added up: %v, %v; want %d", found, addedUp, err, invoice.MaxSums)
	}
	add("invoice_sums", invoice.MaxSums, invoice.MaxSums+10, 1)
	if _, addedUp, err := sum(); addedUp || fault.CodeOf(err) != fault.CodeInvalidRequest {
		t.Errorf("the sum adds up all groups: %v; %v", addedUp, err)
	}
	add("invoice_sum_changes", 0, 9, -1)
	if _, addedUp, err := sum(); addedUp || fault.CodeOf(err) != fault.CodeInvalidRequest {
		t.Errorf("the sum adds up all groups, of which one too many has invoices: %v; %v", addedUp, err)
	}
	add("invoice_sum_changes", 9, 10, -1)
	if found, addedUp, err := sum(); found != invoice.MaxSums || !addedUp || err != nil {
		t.Errorf("%d groups, added up: %v, %v; want %d without the empty ones", found, addedUp, err, invoice.MaxSums)
	}
}
