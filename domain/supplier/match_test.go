package supplier

import (
	"testing"

	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// TestSuppliersAreMatchedByTheStrongestEvidence matches invoices by tax id, then by a known bank account, then by
// name. A supplier with another tax id is never matched.
func TestSuppliersAreMatchedByTheStrongestEvidence(t *testing.T) {
	t.Parallel()
	const one, two = "DE89370400440532013000", "DE02120300000000202051"
	byTax := Supplier{ID: uuid.New(), Name: "Tax Ltd", TaxIDs: []string{"DE136695976"}}
	byAccount := Supplier{ID: uuid.New(), Name: "Account Ltd", Accounts: []BankAccount{{IBAN: one, Trusted: true}, {IBAN: two}}}
	byName := Supplier{ID: uuid.New(), Name: "Name Ltd", Aliases: []string{"Other Name"}}
	all := []Supplier{byName, byAccount, byTax}
	for name, c := range map[string]struct {
		seller invoice.Party
		iban   string
		want   uuid.UUID
		by     Match
	}{
		"tax id before account and name":        {invoice.Party{TaxID: "DE 136 695 976", Name: "Name Ltd"}, one, byTax.ID, ByTaxID},
		"account before name":                   {invoice.Party{Name: "Name Ltd"}, one, byAccount.ID, ByIBAN},
		"an account that is not known":          {invoice.Party{Name: "Name Ltd"}, two, byName.ID, ByName},
		"name without regard to its form":       {invoice.Party{Name: "NAME  ltd."}, "", byName.ID, ByName},
		"alias":                                 {invoice.Party{Name: "other name"}, "", byName.ID, ByName},
		"the name of a supplier, other tax id":  {invoice.Party{Name: "Tax Ltd", TaxID: "DE129273398"}, "", uuid.Nil, NoMatch},
		"the tax id of none, supplier has none": {invoice.Party{Name: "Name Ltd", TaxID: "DE129273398"}, "", byName.ID, ByName},
		"nothing":                               {invoice.Party{Name: "Unknown Ltd"}, "", uuid.Nil, NoMatch},
	} {
		inv := &invoice.Invoice{Content: invoice.Content{Seller: c.seller, Payment: invoice.Payment{IBAN: c.iban}}}
		got, by := Find(inv, all)
		if by != c.by || got == nil && c.want != uuid.Nil || got != nil && got.ID != c.want {
			t.Errorf("%s: %+v by %q", name, got, by)
		}
	}
}

// TestAnotherTaxIDDoesNotHideANewBankAccount states the name of a known supplier with another tax id. An account
// that the supplier does not have is BLOCKING, as with its own tax id.
func TestAnotherTaxIDDoesNotHideANewBankAccount(t *testing.T) {
	t.Parallel()
	const known, fresh = "DE89370400440532013000", "DE02120300000000202051"
	one := Supplier{ID: uuid.New(), Name: "Acme Paper", TaxIDs: []string{"DE136695976"}, LastInvoiceID: uuid.New(), Accounts: []BankAccount{{IBAN: known, Trusted: true}}}
	for name, c := range map[string]struct {
		seller invoice.Party
		iban   string
		want   invoice.Severity
	}{
		"its tax id":              {invoice.Party{Name: "Acme Paper", TaxID: "DE136695976"}, fresh, invoice.Blocking},
		"no tax id":               {invoice.Party{Name: "Acme Paper"}, fresh, invoice.Blocking},
		"another tax id":          {invoice.Party{Name: "ACME paper", TaxID: "DE129273398"}, fresh, invoice.Blocking},
		"another, known account":  {invoice.Party{Name: "Acme Paper", TaxID: "DE129273398"}, known, invoice.Warning},
		"another, and other name": {invoice.Party{Name: "Zenith", TaxID: "DE129273398"}, fresh, invoice.Warning},
	} {
		inv := &invoice.Invoice{Content: invoice.Content{Seller: c.seller, Payment: invoice.Payment{IBAN: c.iban}}}
		found, _ := Find(inv, []Supplier{one})
		checks := Checks(inv, found, Namesake(inv, []Supplier{one}))
		if len(checks) != 1 || checks[0].Passed || checks[0].Severity != c.want {
			t.Errorf("%s: %+v", name, checks)
		}
	}
}
