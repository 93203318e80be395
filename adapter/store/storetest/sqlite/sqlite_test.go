// Package sqlite runs the contract of adapter/store on SQLite. It is a separate package because
// the race detector makes SQLite twenty times slower.
package sqlite

import (
	"context"
	"testing"

	"docledger/adapter/store/storetest"
	"docledger/infrastructure/database"
	"docledger/test/lib/sqlite"

	"gorm.io/gorm"
)

func TestStoreOnSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, open)
}

func open(t testing.TB, conns int) *gorm.DB {
	t.Helper()
	db, err := database.Open(context.Background(), database.Config{URL: sqlite.New(t), MaxConns: conns})
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
