package sqlite_test

import (
	"context"
	"testing"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/sqlite"
)

func TestEachDatabaseIsCurrentAndSeparate(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for i := range 2 {
		cfg := database.Config{URL: sqlite.New(t)}
		if err := database.CheckSchema(ctx, cfg, migrations.SQLite()); err != nil {
			t.Fatal(err)
		}
		db, err := database.Open(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.SQL.Exec("CREATE TABLE of_one_test (v INTEGER)"); err != nil {
			t.Errorf("database %d has the tables of another test: %v", i, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
