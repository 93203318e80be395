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
