package store_test

import (
	"reflect"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/test/lib/filling"

	"github.com/google/uuid"
)

// TestSumsOfAPartOfAFilter compares sums of SQLite that begin with the part of a filter with the fewest invoices with
// those that read every invoice.
func TestSumsOfAPartOfAFilter(t *testing.T) {
	t.Parallel()
	const invoices = 1000
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: invoices, Entities: 3, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var emailed []uuid.UUID
	if err := db.Gorm.Table("documents AS d").Joins("JOIN invoices AS i ON i.document_id = d.id").Where("d.origin = ?", document.FromEmail).Pluck("i.id", &emailed).Error; err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, c := range filterCases(f, emailed) {
		for _, scope := range []identity.Scope{{OrganizationID: f.Organization}, {OrganizationID: f.Organization, Member: f.Member}} {
			for _, entity := range []uuid.UUID{{}, f.Entities[1]} {
				for _, keys := range [][]invoice.SumKey{{invoice.SumByStatus}, {invoice.SumByEntity, invoice.SumBySupplier}, {invoice.SumByMonth}, {invoice.SumByAccount, invoice.SumByMonth}, {invoice.SumByTax}} {
					filter := c.filter
					filter.EntityID = entity
					got, err := s.SumOf(t.Context(), scope, filter, keys, invoices)
					if err != nil {
						t.Fatal(err)
					}
					want, err := s.SumOf(t.Context(), scope, filter, keys, -1)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, want) {
						t.Errorf("%s by %v of entity %v: the sums are %+v, want %+v", c.name, keys, entity, got, want)
					}
					found += len(got)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no invoice matches a filter, so the test proves nothing")
	}
}

// TestSumsOfACommonSearch compares the sums of a search that many invoices match, which SQLite reads from the index of
// sums, because no group has the keys, with those of its invoices, which it reads without this index because of the time of
// the last update.
func TestSumsOfACommonSearch(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	f, err := filling.Fill(t.Context(), db, filling.Options{Seed: 7, Invoices: 1000, Entities: 3, Until: time.Date(2026, 6, 30, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"trading", "Invoice 7", "R-", "1 Trading", "99.0"} {
		for _, scope := range []identity.Scope{{OrganizationID: f.Organization}, {OrganizationID: f.Organization, Member: f.Member}} {
			for _, filter := range []invoice.Filter{{Query: query}, {Query: query, EntityID: f.Entities[0], Types: []invoice.Type{invoice.TypeInvoice}}} {
				for _, keys := range [][]invoice.SumKey{{invoice.SumByStatus, invoice.SumByMonth}, {invoice.SumByType, invoice.SumByMonth}, {invoice.SumByEntity, invoice.SumByMonth}, {invoice.SumByStatus, invoice.SumBySupplier, invoice.SumByMonth}} {
					got, err := s.SumOf(t.Context(), scope, filter, keys, -1)
					if err != nil {
						t.Fatal(err)
					}
					plain := filter
					plain.UpdatedSince = time.Unix(0, 0)
					want, err := s.SumOf(t.Context(), scope, plain, keys, -1)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, want) || len(want) == 0 && query == "trading" && scope.EveryEntity() {
						t.Errorf("%+v by %v: the sums are %+v, want %+v", filter, keys, got, want)
					}
				}
			}
		}
	}
}
