package migrations_test

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"docledger/infrastructure/database"
	"docledger/migrations"
)

// TestTemplateIsWhatMigrationsCreate compares an empty SQLite database that became a copy of the
// template with one that was migrated step by step: tables, indexes, triggers and rows.
func TestTemplateIsWhatMigrationsCreate(t *testing.T) {
	t.Parallel()
	copied, migrated := contents(t, migrations.SQLite()), contents(t, migrations.WithoutTemplate())
	if len(migrated) < 100 {
		t.Fatalf("the migrations create only %d objects and rows", len(migrated))
	}
	for _, name := range slices.Sorted(maps.Keys(migrated)) {
		if copied[name] != migrated[name] {
			t.Errorf("%s: the migrations create %q, the template contains %q; run `go generate ./migrations`", name, migrated[name], copied[name])
		}
		delete(copied, name)
	}
	for name := range copied {
		t.Errorf("%s: only the template contains it; run `go generate ./migrations`", name)
	}
}

// contents migrates an empty database and returns its objects and rows, without their times.
func contents(t *testing.T, schema database.Schema) map[string]string {
	t.Helper()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "contents.db")}
	must(t, database.Migrate(t.Context(), cfg, schema))
	db, err := database.Open(t.Context(), cfg)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	found, tables := map[string]string{}, []string{}
	for _, row := range rows(t, db.SQL, "SELECT type, name, tbl_name, sql FROM sqlite_master") {
		found[row[0]+" "+row[1]] = row[2] + ": " + row[3]
		if row[0] == "table" && !strings.HasPrefix(row[3], "CREATE VIRTUAL") {
			tables = append(tables, row[1])
		}
	}
	for _, table := range tables {
		var columns []string
		for _, c := range rows(t, db.SQL, "SELECT name, '', '', '' FROM pragma_table_info('"+table+"')") {
			if c[0] != "tstamp" && c[0] != "created_at" {
				columns = append(columns, `quote("`+c[0]+`")`)
			}
		}
		for n, row := range rows(t, db.SQL, fmt.Sprintf(`SELECT %s, '', '', '' FROM "%s" ORDER BY 1`, strings.Join(columns, "||', '||"), table)) {
			found[fmt.Sprintf("row %d of %s", n, table)] = row[0]
		}
	}
	return found
}

func rows(t *testing.T, pool *sql.DB, query string) (found [][4]string) {
	t.Helper()
	result, err := pool.QueryContext(t.Context(), query)
	must(t, err)
	defer result.Close()
	for result.Next() {
		var values [4]sql.NullString
		must(t, result.Scan(&values[0], &values[1], &values[2], &values[3]))
		found = append(found, [4]string{values[0].String, values[1].String, values[2].String, values[3].String})
	}
	must(t, result.Err())
	return found
}

// TestTemplateIsForEmptyDatabases migrates a database that has a table, which the template does
// not replace, and a later migration than those of the template, which is applied to the copy.
func TestTemplateIsForEmptyDatabases(t *testing.T) {
	t.Parallel()
	later := fstest.MapFS{"999001_later.sql": {Data: []byte("-- +goose Up\nCREATE TABLE later (n INTEGER);\n-- +goose Down\nDROP TABLE later;\n")}}
	template := migrations.SQLite().Template
	template.Stamps = nil
	for name, used := range map[string]bool{"empty": true, "with a table": false} {
		folder := t.TempDir()
		cfg := database.Config{URL: "sqlite:" + filepath.Join(folder, "database.db")}
		db, err := database.Open(t.Context(), cfg)
		must(t, err)
		if !used {
			_, err = db.SQL.ExecContext(t.Context(), "CREATE TABLE own (n INTEGER)")
			must(t, err)
		}
		schema := database.Schema{Migrations: later, Template: template}
		must(t, database.Migrate(t.Context(), cfg, schema))
		if backups, err := filepath.Glob(filepath.Join(folder, "*.bak")); err != nil || len(backups) > 0 {
			t.Errorf("%s: the new database was copied before its migration: %v, %v", name, backups, err)
		}
		var invoices, own, after int
		must(t, db.SQL.QueryRowContext(t.Context(), `SELECT count(*) FILTER (WHERE name = 'invoices'), count(*) FILTER (WHERE name = 'own'),
			count(*) FILTER (WHERE name = 'later') FROM sqlite_master WHERE type = 'table'`).Scan(&invoices, &own, &after))
		if (invoices == 1) != used || (own == 1) == used || after != 1 {
			t.Errorf("%s: %d tables of the template, %d of its own, %d of the later migration", name, invoices, own, after)
		}
		must(t, db.Close())
	}
}

// TestTemplateHasTheTimeOfItsCopy expects that the times of migrations are those of the copy.
func TestTemplateHasTheTimeOfItsCopy(t *testing.T) {
	t.Parallel()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "times.db")}
	must(t, database.Migrate(t.Context(), cfg, migrations.SQLite()))
	db, err := database.Open(t.Context(), cfg)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	for table, column := range map[string]string{"goose_db_version": "tstamp", "river_migration": "created_at"} {
		var all, today int
		must(t, db.SQL.QueryRowContext(t.Context(), "SELECT count(*), count(*) FILTER (WHERE "+column+" > datetime('now', '-1 day')) FROM "+table).Scan(&all, &today))
		if all == 0 || today != all {
			t.Errorf("%s: %d of %d times are recent", table, today, all)
		}
	}
}
