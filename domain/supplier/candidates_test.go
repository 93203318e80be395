package supplier_test

import (
	"testing"

	"docledger/domain/invoice"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

func TestCandidatesAreThoseOfOneInvoice(t *testing.T) {
	stated := func(change func(*invoice.Invoice)) *invoice.Invoice {
		inv := &invoice.Invoice{EntityID: uuid.UUID{1}}
		inv.Seller.Name, inv.Seller.TaxID = "Seller", "DE123456789"
		if change != nil {
			change(inv)
		}
		return inv
	}
	first := stated(nil)
	candidates := &supplier.Candidates{EntityID: first.EntityID, Keys: supplier.KeysOf(first)}
	for name, c := range map[string]struct {
		candidates *supplier.Candidates
		change     func(*invoice.Invoice)
		want       bool
	}{
		"same keys":      {candidates, func(inv *invoice.Invoice) { inv.Number = "1" }, true},
		"no candidates":  {nil, nil, false},
		"another entity": {candidates, func(inv *invoice.Invoice) { inv.EntityID = uuid.UUID{2} }, false},
		"another name":   {candidates, func(inv *invoice.Invoice) { inv.Seller.Name = "Other" }, false},
		"another tax id": {candidates, func(inv *invoice.Invoice) { inv.Seller.TaxID = "DE999999999" }, false},
	} {
		if got := c.candidates.Of(stated(c.change)); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
