package migrations_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"docledger/adapter/store"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"

	"github.com/pressly/goose/v3"
)

func names(t *testing.T, fsys fs.FS) []string {
	t.Helper()
	found, err := fs.Glob(fsys, "*")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Both databases have the same migrations, numbered by generation.
func TestSameMigrationsOnBoth(t *testing.T) {
	t.Parallel()
	of, lite := names(t, migrations.Postgres().Migrations), names(t, migrations.SQLite().Migrations)
	if !slices.Equal(of, lite) {
		t.Errorf("PostgreSQL has %v, SQLite %v", of, lite)
	}
	for _, name := range of {
		version, err := strconv.Atoi(name[:6])
		if err != nil || name[6] != '_' || version < database.GenerationSize {
			t.Errorf("%s: not GGGNNN_name.sql", name)
		}
	}
}

// Every migration can be taken back, and applied again.
func TestUpDownUp(t *testing.T) {
	t.Parallel()
	for dialect, url := range map[string]string{
		"postgres": postgres.NewEmpty(t), "sqlite": "sqlite:" + filepath.Join(t.TempDir(), "m.db"),
	} {
		ctx := context.Background()
		db, err := database.Open(ctx, database.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		as := map[string]goose.Dialect{"postgres": goose.DialectPostgres, "sqlite": goose.DialectSQLite3}[dialect]
		provider, err := goose.NewProvider(as, db.SQL, migrations.For(dialect).Migrations)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := provider.Up(ctx); err != nil {
				t.Errorf("%s: %v", dialect, err)
			}
			if _, err := provider.DownTo(ctx, 0); err != nil {
				t.Errorf("%s: %v", dialect, err)
			}
		}
		tables, err := db.Gorm.Migrator().GetTables()
		if err != nil {
			t.Fatal(err)
		}
		tables = slices.DeleteFunc(tables, func(name string) bool { return name == "goose_db_version" || name == "sqlite_sequence" })
		if len(tables) > 0 {
			t.Errorf("%s: left behind %v", dialect, tables)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// onBothDatabases runs a test of a migration on both databases. The provider migrates down and up.
func onBothDatabases(t *testing.T, test func(t *testing.T, db *database.DB, s *store.Store, provider *goose.Provider)) {
	t.Helper()
	for dialect, url := range map[goose.Dialect]string{
		goose.DialectPostgres: postgres.New(t), goose.DialectSQLite3: "sqlite:" + filepath.Join(t.TempDir(), "m.db"),
	} {
		t.Run(string(dialect), func(t *testing.T) {
			if dialect == goose.DialectSQLite3 {
				must(t, database.Migrate(t.Context(), database.Config{URL: url}, migrations.SQLite()))
			}
			db, err := database.Open(t.Context(), database.Config{URL: url})
			must(t, err)
			t.Cleanup(func() { must(t, db.Close()) })
			s, err := store.New(t.Context(), db.Gorm, store.Options{})
			must(t, err)
			provider, err := goose.NewProvider(dialect, db.SQL, migrations.For(db.Gorm.Name()).Migrations)
			must(t, err)
			test(t, db, s, provider)
		})
	}
}
