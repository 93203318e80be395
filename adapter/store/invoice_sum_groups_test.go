package store

import (
	"testing"

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
