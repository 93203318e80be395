package store_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/organization"
	"docledger/test/lib/filling"
)

// TestErasureCleansTheFile expects no erased text in the files of SQLite, where deleted rows leave
// their bytes in free pages and in the log.
func TestErasureCleansTheFile(t *testing.T) {
	t.Parallel()
	db := openFile(t)
	erased, err := filling.Fill(t.Context(), db, filling.Options{Seed: 1, Invoices: 40, Entities: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := filling.Fill(t.Context(), db, filling.Options{Seed: 2, Invoices: 40, Entities: 1}); err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	update := "UPDATE invoices SET search = search || ' zqxjohndoe', body = replace(body, '{', '{\"zqxjohndoe\":\"zqxjohndoe\",') WHERE organization_id = ?"
	if err := db.Gorm.Exec(update, erased.Organization).Error; err != nil {
		t.Fatal(err)
	}
	found := func() (n int) {
		t.Helper()
		for _, name := range []string{db.Path, db.Path + "-wal"} {
			content, err := os.ReadFile(name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			n += bytes.Count(content, []byte("zqxjohndoe"))
		}
		return n
	}
	if found() == 0 {
		t.Fatal("the files do not have the text before the erasure")
	}
	e, now := s.Erasures(), time.Now()
	if err := e.Begin(t.Context(), erased.Organization, organization.ErasedByOperator, now); err != nil {
		t.Fatal(err)
	}
	for _, step := range []func() (int, error){
		func() (int, error) { return e.Documents(t.Context(), erased.Organization, 10, now) },
		func() (int, error) { return e.Rows(t.Context(), erased.Organization, 100) },
	} {
		for n := -1; n != 0; {
			if n, err = step(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := e.Finish(t.Context(), erased.Organization, now); err != nil {
		t.Fatal(err)
	}
	reader, err := db.SQL.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := reader.ExecContext(t.Context(), "BEGIN DEFERRED; SELECT count(*) FROM organizations"); err != nil {
		t.Fatal(err)
	}
	// The other connection does not wait for the reader.
	db.SQL.SetMaxOpenConns(2)
	if _, err := db.SQL.ExecContext(t.Context(), "PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	if err := e.Clean(t.Context()); !errors.Is(err, organization.ErrLogInUse) {
		t.Errorf("while another connection reads, Clean returns %v", err)
	}
	if _, err := reader.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := e.Clean(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := found(); n > 0 {
		t.Errorf("the files have the erased text %d times", n)
	}
}
