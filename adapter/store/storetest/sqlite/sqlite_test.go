// Package sqlite runs the contract of adapter/store on SQLite. It is a separate package because
// the race detector makes SQLite twenty times slower.
package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"docledger/adapter/store/storetest"
	"docledger/infrastructure/database"
	"docledger/migrations"

	"gorm.io/gorm"
)

func TestStoreOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

// template is the migrated file that every test copies.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "docledger-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := database.Migrate(context.Background(), database.Config{URL: "sqlite:" + path}, migrations.SQLite()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

func open(t testing.TB, conns int) *gorm.DB {
	t.Helper()
	file, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(context.Background(), database.Config{URL: "sqlite:" + path, MaxConns: conns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db.Gorm
}
