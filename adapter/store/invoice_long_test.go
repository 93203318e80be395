package store_test

import (
	"math/rand/v2"
	"testing"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/test/lib/filling"
)

// TestLongSeller stores a seller with the longest texts of the API that no database compresses.
func TestLongSeller(t *testing.T) {
	t.Parallel()
	const longest = 1000
	text := make([]rune, longest)
	for n := range text {
		text[n] = 0x4E00 + rand.Int32N(20_000) // three bytes each
	}
	for name, open := range map[string]func(*testing.T) *database.DB{
		"sqlite":   func(t *testing.T) *database.DB { return openFile(t) },
		"postgres": func(t *testing.T) *database.DB { return openPostgres(t, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 1, Invoices: 1, Entities: 1})
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.New(t.Context(), db.Gorm, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			scope := identity.Scope{OrganizationID: f.Organization}
			first := listed(t, s, scope, invoice.Filter{}, invoice.Sort{})[0]
			if _, err := s.Invoices().Update(t.Context(), scope, first.ID, 0, func(inv *invoice.Invoice) error {
				inv.Seller.Name, inv.Seller.TaxID = string(text), string(text)
				inv.IssueDate = calendar.Date{}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			// The first day of all is no range for an invoice without a date.
			fromFirstDay := invoice.Filter{IssueDateFrom: calendar.Date{Year: 1, Month: 1, Day: 1}}
			for _, i := range listed(t, s, scope, fromFirstDay, invoice.Sort{}) {
				if i.ID == first.ID {
					t.Error("an invoice without a date is in a range")
				}
			}
		})
	}
}
