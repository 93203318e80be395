package migrations_test

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"

	"github.com/pressly/goose/v3"
)

// TestSumsOfEarlierInvoices verifies that invoices from before sums or their totals were counted are in the
// sums, before and after they are counted, and that a changed or deleted one is subtracted.
func TestSumsOfEarlierInvoices(t *testing.T) {
	t.Parallel()
	const beforeTotals, before = 1211, 1201
	for dialect, url := range map[goose.Dialect]string{
		goose.DialectPostgres: postgres.New(t), goose.DialectSQLite3: "sqlite:" + filepath.Join(t.TempDir(), "m.db"),
	} {
		t.Run(string(dialect), func(t *testing.T) {
			ctx, now := t.Context(), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			if dialect == goose.DialectSQLite3 {
				must(t, database.Migrate(ctx, database.Config{URL: url}, migrations.SQLite()))
			}
			db, err := database.Open(ctx, database.Config{URL: url})
			must(t, err)
			t.Cleanup(func() { must(t, db.Close()) })
			s, err := store.New(ctx, db.Gorm, store.Options{})
			must(t, err)
			scope, _ := fill(t, ctx, s, []time.Time{now, now, now})
			must(t, s.Invoices().CountSums(ctx))
			provider, err := goose.NewProvider(dialect, db.SQL, migrations.For(db.Gorm.Name()).Migrations)
			must(t, err)
			var ids []string
			must(t, db.Gorm.Table("invoices").Order("id").Pluck("document_id", &ids).Error)
			count := func(want map[invoice.Status]int) {
				t.Helper()
				sums, err := s.Invoices().Sum(ctx, scope, invoice.Filter{}, []invoice.SumKey{invoice.SumByStatus})
				must(t, err)
				got := map[invoice.Status]int{}
				for _, sum := range sums {
					got[sum.Status] = sum.Count
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%s has the sums %v, want %v", dialect, got, want)
				}
			}
			for _, version := range []int64{beforeTotals, before} {
				_, err = provider.DownTo(ctx, version)
				must(t, err)
				_, err = provider.Up(ctx)
				must(t, err)
				count(map[invoice.Status]int{invoice.Extracted: 3})
			}
			must(t, s.Invoices().CountSums(ctx))
			count(map[invoice.Status]int{invoice.Extracted: 3})
			must(t, db.Gorm.Exec("UPDATE invoices SET status = ? WHERE document_id = ?", invoice.Approved, ids[0]).Error)
			must(t, db.Gorm.Exec("DELETE FROM documents WHERE id = ?", ids[1]).Error)
			count(map[invoice.Status]int{invoice.Extracted: 1, invoice.Approved: 1})
			must(t, s.Invoices().CountSums(ctx))
			count(map[invoice.Status]int{invoice.Extracted: 1, invoice.Approved: 1})
		})
	}
}
