package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/test/lib/filling"
)

// TestSumsOfSearchedSellers compares the sums of a search, which read the groups of the sellers with a name that matches and
// the invoices of which another text matches, with those of all invoices, because no group has the time of the last update.
func TestSumsOfSearchedSellers(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*testing.T) *database.DB{
		"SQLite":     func(t *testing.T) *database.DB { t.Helper(); return openFile(t) },
		"PostgreSQL": func(t *testing.T) *database.DB { t.Helper(); return openPostgres(t, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: 1000, Entities: 3, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
			if err != nil {
				t.Fatal(err)
			}
			s, err := store.New(t.Context(), db.Gorm, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			// Some invoices match the search by another text, too, and one by this text alone.
			for _, sql := range []string{
				"UPDATE invoices SET search_file = 'from a trading company' WHERE number IN ('R-11', 'R-12')",
				"UPDATE invoices SET seller_name = 'Somebody', search = 'r-12' || chr(10) || 'somebody' || chr(10) || 'trading 12' WHERE number = 'R-12'",
			} {
				if !strings.HasPrefix(db.Gorm.Name(), "postgres") {
					sql = strings.ReplaceAll(sql, "chr(", "char(")
				}
				if err := db.Gorm.Exec(sql).Error; err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Invoices().CountSums(t.Context()); err != nil {
				t.Fatal(err)
			}
			compareSearchedSums(t, s, f)
		})
	}
}

func compareSearchedSums(t *testing.T, s *store.Store, f filling.Filled) {
	t.Helper()
	year := func(f invoice.Filter) invoice.Filter {
		f.IssueDateFrom, f.IssueDateTo = calendar.Date{Year: 2025, Month: 1, Day: 15}, calendar.Date{Year: 2025, Month: 12, Day: 16}
		return f
	}
	for query, common := range map[string]bool{"trading": true, "Supplier 1": true, "R-12": true, "somebody": true, "no such text": true, "invoice": false, "R-": false, "99.0": true} {
		reads, err := s.SearchedInGroups(t.Context(), f.Organization, query)
		if err != nil || reads != common {
			t.Errorf("a sum with the search %q reads groups: %v, want %v; %v", query, reads, common, err)
		}
		for _, filter := range []invoice.Filter{{Query: query}, {Query: query, EntityID: f.Entities[0], Types: []invoice.Type{invoice.TypeInvoice}}, year(invoice.Filter{Query: query}), {Query: query, SyncStates: []invoice.SyncState{invoice.SyncDone}}} {
			for _, keys := range [][]invoice.SumKey{{invoice.SumByCurrency}, {invoice.SumByEntity, invoice.SumByStatus}, {invoice.SumBySupplier}, {invoice.SumByMonth}, {invoice.SumByAccount}, {invoice.SumByTax}} {
				sum := func(filter invoice.Filter) []invoice.Sum {
					sums, err := s.Invoices().Sum(t.Context(), identity.Scope{OrganizationID: f.Organization}, filter, keys)
					if err != nil {
						t.Fatal(err)
					}
					return sums
				}
				plain := filter
				plain.UpdatedSince = time.Unix(0, 0)
				if got, want := sum(filter), sum(plain); !reflect.DeepEqual(got, want) || len(want) == 0 && query == "trading" {
					t.Errorf("%+v by %v: the sums are %+v, want %+v", filter, keys, got, want)
				}
			}
		}
	}
}
