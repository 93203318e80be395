package store_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// BenchmarkListDepth reads a page of invoices near the start and near the end
// of a list of 100,000 (DOCLEDGER_BENCH_ROWS), for each kind of reader. The
// two must cost the same.
func BenchmarkListDepth(b *testing.B) {
	rows := 100_000
	if n := os.Getenv("DOCLEDGER_BENCH_ROWS"); n != "" {
		if _, err := fmt.Sscan(n, &rows); err != nil {
			b.Fatal(err)
		}
	}
	ctx := context.Background()
	db := openPostgres(b, 4).Gorm
	s, err := store.New(ctx, db, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	organization, member, entity := seedInvoices(b, db, rows)
	whole := identity.Scope{OrganizationID: organization}
	few := identity.Scope{OrganizationID: organization, Member: member}
	for _, reader := range []struct {
		name  string
		scope identity.Scope
		f     invoice.Filter
	}{
		{"organization", whole, invoice.Filter{}},
		{"entity", whole, invoice.Filter{EntityID: entity}},
		{"status", whole, invoice.Filter{Statuses: []invoice.Status{invoice.Rejected}}},
		{"member", few, invoice.Filter{}},
	} {
		ends := []string{""}
		for after := ""; ; {
			p, err := s.Invoices().List(ctx, reader.scope, reader.f, invoice.Sort{}, page.Request{Limit: page.MaxLimit, After: after})
			if err != nil {
				b.Fatal(err)
			}
			if after = p.Next; after == "" {
				break
			}
			ends = append(ends, after)
		}
		read := func(after string) time.Duration {
			began := time.Now()
			if _, err := s.Invoices().List(ctx, reader.scope, reader.f, invoice.Sort{}, page.Request{After: after}); err != nil {
				b.Fatal(err)
			}
			return time.Since(began)
		}
		b.Run(reader.name, func(b *testing.B) {
			var near, far []time.Duration
			for b.Loop() {
				near, far = append(near, read("")), append(far, read(ends[max(0, len(ends)-2)]))
			}
			b.ReportMetric(median(near), "near-ms")
			b.ReportMetric(median(far), "far-ms")
			b.ReportMetric(median(far)/median(near), "ratio")
		})
	}
}

// median is in milliseconds. A few disturbed measurements do not change it.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1000
}

// seedInvoices creates invoices of 100 entities. A member sees two of the entities.
func seedInvoices(t testing.TB, db *gorm.DB, rows int) (organization, member, entity uuid.UUID) {
	t.Helper()
	organization, member = uuid.New(), uuid.New()
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := db.Exec(sql, args...).Error; err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	exec("INSERT INTO organizations (id, name, created_at, updated_at) VALUES (?, '', ?, ?)", organization, now, now)
	exec(`INSERT INTO entities SELECT gen_random_uuid(), ?, '', '', '[]', '[]', '', '', 'RESTRICTED', 'VIEWER', false, 1, now(), now()
		FROM generate_series(1, 100)`, organization)
	exec("INSERT INTO entity_members SELECT id, ?, 'VIEWER' FROM (SELECT id FROM entities ORDER BY id LIMIT 2) AS e", member)
	exec(`CREATE TABLE made AS SELECT
		(lpad(to_hex(n), 12, '0') || '7000' || '8' || substr(md5(n::text), 1, 15))::uuid AS id,
		(SELECT array_agg(id ORDER BY id) FROM entities)[1 + n % 100] AS entity_id, n FROM generate_series(1, ?) AS n`, rows)
	exec(`INSERT INTO documents SELECT id, entity_id, ?, 'f', '', 1, id::text, 0, 'UPLOAD', NULL, '', 'EXTRACTED', NULL, '', NULL, NULL, 0,
		NULL, '[]', 1, 1, 0, false, false, 1, NULL, now(), now() FROM made`, organization)
	exec(`INSERT INTO invoices SELECT id, id, entity_id, ?, CASE WHEN n % 200 = 0 THEN 'REJECTED' ELSE 'EXTRACTED' END, 'INVOICE', n::text,
		current_date, NULL, 'EUR', 'Seller', '', '', '', '1', '1', '1', '1', 0, 0, 0, 1, 1, 1, 'x', 'f', '{}', 1, now(), now() FROM made`, organization)
	exec("ANALYZE")
	if err := db.Raw("SELECT entity_id FROM entity_members LIMIT 1").Row().Scan(&entity); err != nil {
		t.Fatal(err)
	}
	return organization, member, entity
}
