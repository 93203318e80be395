package database_test

import (
	"path/filepath"
	"testing"

	"docledger/infrastructure/database"
)

// TestCommits verifies that a commit is signalled if it wrote to the observed table, when it is visible.
func TestCommits(t *testing.T) {
	t.Parallel()
	url := "sqlite:" + filepath.Join(t.TempDir(), "x.db")
	db := open(t, database.Config{URL: url, Observed: "observed"})
	exec := func(query string) {
		t.Helper()
		if _, err := db.SQL.Exec(query); err != nil {
			t.Fatal(err)
		}
	}
	exec("CREATE TABLE observed (v int)")
	exec("CREATE TABLE other (v int)")
	inTx := func(end string, queries ...string) {
		t.Helper()
		tx, err := db.SQL.Begin()
		if err != nil {
			t.Fatal(err)
		}
		signalled := db.Commits.Next()
		for _, query := range queries {
			if _, err := tx.Exec(query); err != nil {
				t.Fatal(err)
			}
		}
		if closed(signalled) {
			t.Errorf("%q is signalled before its commit", queries)
		}
		if end == "COMMIT" {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		do   func()
		want bool
	}{
		{"a statement", func() { exec("INSERT INTO observed VALUES (1)") }, true},
		{"a statement of another table", func() { exec("INSERT INTO other VALUES (1)") }, false},
		{"a transaction", func() { inTx("COMMIT", "INSERT INTO observed VALUES (1)", "INSERT INTO other VALUES (1)") }, true},
		{"a transaction of another table", func() { inTx("COMMIT", "INSERT INTO other VALUES (1)") }, false},
		{"a rolled back transaction", func() { inTx("ROLLBACK", "INSERT INTO observed VALUES (1)") }, false},
		{"a transaction after a rolled back one", func() { inTx("COMMIT", "INSERT INTO other VALUES (1)") }, false},
		{"a statement after the transactions", func() { exec("INSERT INTO observed VALUES (1)") }, true},
		{"a read", func() {
			var n int
			if err := db.SQL.QueryRow("SELECT count(*) FROM observed").Scan(&n); err != nil || n != 3 {
				t.Fatal(n, err)
			}
		}, false},
	} {
		signalled := db.Commits.Next()
		if c.do(); closed(signalled) != c.want {
			t.Errorf("%s: signalled is %t", c.name, !c.want)
		}
	}
	if other := open(t, database.Config{URL: url}); other.Commits != nil {
		t.Error("commits are observed without a table")
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
