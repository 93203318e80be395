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

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// BenchmarkExport reads the rows of an export of 100,000 invoices from both databases. The goal
// of the whole export is 10 s in constant memory.
func BenchmarkExport(b *testing.B) {
	const rows = 100_000
	for name, open := range map[string]func() (*gorm.DB, uuid.UUID){
		"PostgreSQL": func() (*gorm.DB, uuid.UUID) {
			db := openPostgres(b, 4).Gorm
			organization, _, _ := seedInvoices(b, db, rows)
			return db, organization
		},
		"SQLite": func() (*gorm.DB, uuid.UUID) { return sqliteInvoices(b, rows) },
	} {
		b.Run(name, func(b *testing.B) {
			ctx := context.Background()
			db, organization := open()
			s, err := store.New(ctx, db, store.Options{})
			if err != nil {
				b.Fatal(err)
			}
			for _, kind := range []invoice.ExportRows{invoice.ExportInvoices, invoice.ExportLines, invoice.ExportTaxes} {
				b.Run(string(kind), func(b *testing.B) {
					for b.Loop() {
						began, read, most := time.Now(), 0, uint64(0)
						err := s.Invoices().Export(ctx, identity.Scope{OrganizationID: organization}, invoice.Filter{}, kind, time.Minute, func(page []invoice.Exported) error {
							if read += len(page); read%20_000 == 0 {
								most = max(most, liveBytes())
							}
							return nil
						})
						if err != nil || read != rows {
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

// sqliteInvoices creates invoices of one entity in a new file.
func sqliteInvoices(t testing.TB, rows int) (*gorm.DB, uuid.UUID) {
	t.Helper()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "export.db")}
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
	organization, entity, now := uuid.New(), uuid.New(), time.Now()
	made := `WITH RECURSIVE made(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM made WHERE n < ?),
		ids AS (SELECT n, printf('%08x-0000-7000-8000-%012x', n, n) AS id FROM made)`
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{"INSERT INTO organizations (id, name, created_at, updated_at) VALUES (?, '', ?, ?)", []any{organization, now, now}},
		{"INSERT INTO entities SELECT ?, ?, '', '', '[]', '[]', '', '', 'RESTRICTED', 'VIEWER', false, 1, ?, ?", []any{entity, organization, now, now}},
		{`INSERT INTO documents (id, entity_id, organization_id, filename, media_type, size_bytes, sha256, page_count, origin, source_path,
			status, held_reason, part, attachments, attempts, run, restarts, requested, forced, version, created_at, updated_at) ` + made +
			` SELECT id, ?, ?, 'f', '', 1, id, 0, 'UPLOAD', '', 'EXTRACTED', '', 0, '[]', 1, 1, 0, false, false, 1, ?, ? FROM ids`,
			[]any{rows, entity, organization, now, now}},
		{`INSERT INTO invoices (id, document_id, entity_id, organization_id, status, type, number, issue_date, currency, seller_name,
			seller_tax_id, buyer_name, buyer_tax_id, net_total, tax_total, gross_total, amount_due, failed_blocking, failed_warning,
			lines_total, net_fixed, gross_fixed, due_fixed, search, search_file, body, version, created_at, updated_at) ` + made +
			` SELECT id, id, ?, ?, 'EXTRACTED', 'INVOICE', n, '2026-03-31', 'EUR', 'Seller', '', '', '', '1', '1', '1', '1', 0, 0, 1, 1, 1, 1, 'x', 'f',
			'{}', 1, ?, ? FROM ids`, []any{rows, entity, organization, now, now}},
	} {
		if err := db.Gorm.Exec(statement.sql, statement.args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	return db.Gorm, organization
}
