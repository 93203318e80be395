package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docledger/adapter/store/transfer"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"
	"docledger/test/lib/sqlite"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dialect database.Dialect) *database.DB {
	t.Helper()
	fresh := sqlite.New
	if dialect == database.Postgres {
		fresh = postgres.New
	}
	db, err := database.Open(context.Background(), database.Config{URL: fresh(t)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

func of(db *database.DB) transfer.Database {
	return transfer.Of(db.SQL, db.Dialect == database.Postgres)
}

var dialects = []database.Dialect{database.SQLite, database.Postgres}

// TestNothingIsForgotten compares the list of transferred tables with the migrated schemas.
func TestNothingIsForgotten(t *testing.T) {
	t.Parallel()
	for _, dialect := range dialects {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			db := open(t, dialect)
			check := func() (err error) {
				must(t, of(db).Read(context.Background(), func(r transfer.Rows) error {
					err = r.Check(context.Background())
					return nil
				}))
				return err
			}
			if err := check(); err != nil {
				t.Fatalf("the list and the schema differ; add what is new to tables.go: %v", err)
			}
			for _, change := range []struct{ sql, want string }{
				{"CREATE TABLE later (id text)", "later.id is not known"},
				{"ALTER TABLE users ADD COLUMN later text", "users.later is not known"},
				{"ALTER TABLE bookmarks RENAME COLUMN at TO since", "bookmarks.at is missing"},
				{"ALTER TABLE inbox RENAME TO outbox", "inbox.body is missing"},
			} {
				_, err := db.SQL.Exec(change.sql)
				must(t, err)
				if err := check(); err == nil || !strings.Contains(err.Error(), change.want) {
					t.Errorf("after %s: %v, want %s", change.sql, err, change.want)
				}
			}
		})
	}
}

// lines reads every table.
func lines(t *testing.T, db *database.DB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	must(t, of(db).Read(context.Background(), func(r transfer.Rows) error {
		for _, table := range transfer.Tables() {
			err := r.Each(context.Background(), table, func(line []byte) error {
				out[table] = append(out[table], string(line))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return out
}

// fill writes lines to an empty database.
func fill(db *database.DB, all map[string][]string) error {
	ctx := context.Background()
	return of(db).Fill(ctx, func(f *transfer.Filler) error {
		for _, table := range transfer.Tables() {
			for _, line := range all[table] {
				if err := f.Insert(ctx, table, []byte(line)); err != nil {
					return err
				}
			}
			if err := f.Flush(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRowsAreTheSameOnBothDatabases transfers rows of every table, with values that databases may
// change, from one database to the other and back.
func TestRowsAreTheSameOnBothDatabases(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{1, 503} { // less and more than a batch
		want := hostileRows(rows)
		for _, way := range [][]database.Dialect{{database.SQLite, database.Postgres}, {database.Postgres, database.SQLite}} {
			t.Run(fmt.Sprint(rows, way), func(t *testing.T) {
				t.Parallel()
				last := want
				for _, dialect := range way {
					db := open(t, dialect)
					must(t, fill(db, last))
					got := lines(t, db)
					for _, table := range transfer.Tables() {
						if len(want[table]) == 0 {
							t.Errorf("%s has no rows to move", table)
						}
						wantLines(t, table, got[table], want[table])
					}
					last = got
					wantGoesOn(t, db, rows)
				}
			})
		}
	}
}

// wantLines reports the first difference.
func wantLines(t *testing.T, table string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s has %d rows, want %d", table, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s has\n%s\nwant\n%s", table, got[i], want[i])
			return
		}
	}
}

// wantGoesOn writes an event as the store does. Its number must follow the transferred ones.
func wantGoesOn(t *testing.T, db *database.DB, rows int) {
	t.Helper()
	var seq int
	must(t, db.SQL.QueryRow(`INSERT INTO events (id, type, organization_id, subject_type, subject_id, subject_version, actor_type,
		client_id, request_id, created_at) VALUES ('00000000-0000-4000-9000-000000000000', 't', '00000000-0000-4000-9000-000000000000', 's',
		'00000000-0000-4000-9000-000000000000', 1, 'u', '', '', '2026-01-01 00:00:00+00:00') RETURNING seq`).Scan(&seq))
	if seq != rows+1 {
		t.Errorf("the next event has the number %d, want %d", seq, rows+1)
	}
}

// Rows are ordered by their bytes, independently of the server's locale.
func TestOrderIsThatOfBytes(t *testing.T) {
	t.Parallel()
	want := []string{`["B","2026-01-01T00:00:00.000000Z"]`, `["_","2026-01-01T00:00:00.000000Z"]`, `["a","2026-01-01T00:00:00.000000Z"]`, `["é","2026-01-01T00:00:00.000000Z"]`}
	for _, dialect := range dialects {
		db := open(t, dialect)
		if dialect == database.Postgres {
			_, err := db.SQL.Exec(`CREATE COLLATION people (provider = icu, locale = 'und'); ALTER TABLE bookmarks ALTER COLUMN name TYPE text COLLATE people`)
			must(t, err)
			var first string
			must(t, db.SQL.QueryRow("SELECT min(name) FROM (VALUES ('B' COLLATE people), ('a')) AS x(name)").Scan(&first))
			if first != "a" {
				t.Fatal("the server has no other order")
			}
		}
		must(t, fill(db, map[string][]string{"bookmarks": want}))
		wantLines(t, "bookmarks", lines(t, db)["bookmarks"], want)
	}
}

// Fill does not change a database that has rows, and rolls back an incomplete fill.
func TestOnlyAnEmptyDatabaseIsFilled(t *testing.T) {
	t.Parallel()
	for _, dialect := range dialects {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			db := open(t, dialect)
			for name, broken := range map[string]map[string][]string{
				"too few values":            {"bookmarks": {`["one","2026-01-01T00:00:00.000000Z"]`, `["two"]`}},
				"another kind":              {"bookmarks": {`["one","2026-01-01T00:00:00.000000Z"]`, `["two",7]`}},
				"no JSON":                   {"bookmarks": {`["one","2026-01-01T00:00:00.000000Z"]`, `["two"`}},
				"twice":                     {"bookmarks": {`["one","2026-01-01T00:00:00.000000Z"]`, `["one","2026-01-01T00:00:00.000000Z"]`}},
				"member of no organization": {"entity_members": {`["00000000-0000-4000-8000-000000000000","00000000-0000-4000-8000-000000000000","x"]`}},
			} {
				if err := fill(db, broken); err == nil {
					t.Errorf("%s: taken", name)
				}
				if left := lines(t, db); len(left) > 0 {
					t.Errorf("%s: it left %v", name, left)
				}
			}
			there := map[string][]string{"bookmarks": {`["one","2026-01-01T00:00:00.000000Z"]`}}
			must(t, fill(db, there))
			err := fill(db, hostileRows(1))
			if !errors.Is(err, transfer.ErrNotEmpty) || !strings.Contains(err.Error(), "bookmarks (1)") {
				t.Errorf("a second installation is refused with %v", err)
			}
			if left := lines(t, db); len(left) != 1 {
				t.Errorf("what was there became %v", left)
			}
		})
	}
}

// The error names a row that one of the databases cannot store.
func TestUnmovableTextIsNamed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\x00b", "a\xffb"} {
		db := open(t, database.SQLite)
		_, err := db.SQL.Exec("INSERT INTO bookmarks VALUES ('here', '2026-01-01 00:00:00+00:00')")
		must(t, err)
		_, err = db.SQL.Exec("INSERT INTO leases VALUES (?, ?, '2026-01-01 00:00:00+00:00', 1)", text, text) // excluded
		must(t, err)
		if got := lines(t, db); len(got) != 1 {
			t.Errorf("read %v", got)
		}
		_, err = db.SQL.Exec("INSERT INTO provider_meters VALUES ('m', ?, '2026-01-01 00:00:00+00:00')", `{"a":"`+text+`"}`)
		must(t, err)
		_, err = db.SQL.Exec("INSERT INTO sign_in_attempts (key_hash, attempts, ends_at) VALUES (?, 1, '2026-01-01 00:00:00+00:00')", text)
		must(t, err)
		err = of(db).Read(context.Background(), func(r transfer.Rows) error {
			return r.Each(context.Background(), "sign_in_attempts", func([]byte) error { return nil })
		})
		if err == nil || !strings.Contains(err.Error(), "key_hash of sign_in_attempts") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
