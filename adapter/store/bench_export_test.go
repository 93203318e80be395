package store_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/migrations"
)

// BenchmarkExport reads the rows of an export of 100,000 invoices from both databases. The goal
// of the whole export is 10 s in constant memory.
func BenchmarkExport(b *testing.B) {
	const rows = 100_000
	for name, open := range map[string]func() *database.DB{
		"PostgreSQL": func() *database.DB { return openPostgres(b, 4) }, "SQLite": func() *database.DB { return openFile(b) },
	} {
		b.Run(name, func(b *testing.B) {
			ctx := context.Background()
			db := open()
			f := filled(b, db, rows)
			s, err := store.New(ctx, db.Gorm, store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for _, kind := range []invoice.ExportRows{invoice.ExportInvoices, invoice.ExportLines, invoice.ExportTaxes} {
				b.Run(string(kind), func(b *testing.B) {
					for b.Loop() {
						began, read, most := time.Now(), 0, uint64(0)
						err := s.Invoices().Export(ctx, identity.Scope{OrganizationID: f.Organization}, invoice.Filter{}, kind, time.Minute, func(page []invoice.Exported) error {
							if read += len(page); read%20_000 == 0 {
								most = max(most, liveBytes())
							}
							return nil
						})
						if err != nil || read != rows+1 { // with the model
							b.Fatalf("%d rows, %v", read, err)
						}
						b.ReportMetric(time.Since(began).Seconds(), "s/export")
						b.ReportMetric(float64(most)/(1<<20), "live-MB")
					}
				})
			}
		})
	}
}

func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// openFile opens a new SQLite file with the current schema.
func openFile(t testing.TB) *database.DB {
	t.Helper()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "filled.db")}
	if err := database.Migrate(context.Background(), cfg, migrations.SQLite()); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(context.Background(), cfg)
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
