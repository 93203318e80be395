package store_test

import (
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/organization"
	"docledger/test/lib/filling"
)

// TestErasureCleansTheIndexOfSearches expects no part of the texts of deleted invoices in the
// segments of SQLite's index.
func TestErasureCleansTheIndexOfSearches(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	erased, err := filling.Fill(t.Context(), db, filling.Options{Seed: 1, Invoices: 1, Entities: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filling.Fill(t.Context(), db, filling.Options{Seed: 2, Invoices: 600, Entities: 2}); err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := func(sql string, values ...any) {
		t.Helper()
		if err := db.Gorm.Exec(sql, values...).Error; err != nil {
			t.Fatal(err)
		}
	}
	left := func() (n int) {
		t.Helper()
		if err := db.Gorm.Raw("SELECT count(*) FROM invoice_search_data WHERE instr(hex(block), hex('zqx')) > 0").Scan(&n).Error; err != nil {
			t.Fatal(err)
		}
		return n
	}
	run("UPDATE invoices SET search = CASE organization_id WHEN ? THEN 'zqxjohndoe' ELSE search || 'kkk' END", erased.Organization)
	run("DELETE FROM documents WHERE organization_id = ?", erased.Organization)
	if left() == 0 {
		t.Fatal("the index no longer keeps parts of deleted texts, so that this test shows nothing")
	}
	if err := s.Erasures().Begin(t.Context(), erased.Organization, organization.ErasedByOperator, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := s.Erasures().Finish(t.Context(), erased.Organization, time.Now()); err != nil {
		t.Fatal(err)
	}
	if n := left(); n > 0 {
		t.Errorf("%d segments have parts of deleted texts", n)
	}
}

// TestSearchReadsOneOrganization fills two organizations with the same texts. A search in the index of
// SQLite finds the texts of one, also after they changed.
func TestSearchReadsOneOrganization(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	const invoices = 30
	var filled []filling.Filled
	for seed := range uint64(2) {
		f, err := filling.Fill(t.Context(), db, filling.Options{Seed: seed, Invoices: invoices, Entities: 2})
		if err != nil {
			t.Fatal(err)
		}
		filled = append(filled, f)
	}
	for _, change := range []string{"", "UPDATE invoices SET search = search || 'changed'"} {
		if change != "" {
			if err := db.Gorm.Exec(change).Error; err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range filled {
			var n int
			if err := db.Gorm.Raw("SELECT count(*) FROM invoice_search WHERE invoice_search MATCH ?", store.SearchOf(f.Organization, "trading")).Scan(&n).Error; err != nil {
				t.Fatal(err)
			}
			if n != invoices {
				t.Errorf("a search reads the texts of %d invoices instead of %d", n, invoices)
			}
		}
	}
}
