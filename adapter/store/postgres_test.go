package store_test

import (
	"context"
	"testing"

	"docledger/adapter/store/storetest"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"

	"gorm.io/gorm"
)

func TestStoreOnPostgreSQL(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB, conns int) *gorm.DB { return openPostgres(t, conns).Gorm })
}

func openPostgres(t testing.TB, conns int) *database.DB {
	t.Helper()
	db, err := database.Open(context.Background(), database.Config{URL: postgres.New(t), MaxConns: conns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}
