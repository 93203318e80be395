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
	"docledger/infrastructure/database"
	"docledger/test/lib/filling"
)

// BenchmarkListDepth reads a page of invoices near the start and near the end
// of a list of 100,000 (DOCLEDGER_BENCH_ROWS), for each kind of reader. The
// two must cost the same. It measures as often as DOCLEDGER_BENCH_ROUNDS says, once
// by default: storing the invoices takes much longer than a round.
func BenchmarkListDepth(b *testing.B) {
	rows, rounds := 100_000, 1
	for name, value := range map[string]*int{"DOCLEDGER_BENCH_ROWS": &rows, "DOCLEDGER_BENCH_ROUNDS": &rounds} {
		if n := os.Getenv(name); n != "" {
			if _, err := fmt.Sscan(n, value); err != nil {
				b.Fatal(err)
			}
		}
	}
	ctx := context.Background()
	db := openPostgres(b, 4)
	s, err := store.New(ctx, db.Gorm, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f := filled(b, db, rows)
	whole := identity.Scope{OrganizationID: f.Organization}
	few := identity.Scope{OrganizationID: f.Organization, Member: f.Member}
	for _, reader := range []struct {
		name  string
		scope identity.Scope
		f     invoice.Filter
	}{
		{"organization", whole, invoice.Filter{}},
		{"entity", whole, invoice.Filter{EntityID: f.Entities[1]}},
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
		for range rounds {
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
}

// median is in milliseconds. A few disturbed measurements do not change it.
func median(times []time.Duration) float64 {
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1000
}

// filled fills a database with invoices, which no sum counts.
func filled(t testing.TB, db *database.DB, rows int) filling.Filled {
	t.Helper()
	f, err := filling.Fill(context.Background(), db, filling.Options{Seed: 1, Invoices: rows, Uncounted: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
