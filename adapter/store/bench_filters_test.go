package store_test

import (
	"context"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/page"
)

// BenchmarkSelectiveFilters reads the first page of filters that few of 300,000
// invoices match.
func BenchmarkSelectiveFilters(b *testing.B) {
	const rows = 300_000
	ctx := context.Background()
	db := openPostgres(b, 4).Gorm
	s, err := store.New(ctx, db, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	organization, _, entity := seedInvoices(b, db, rows)
	for _, sql := range []string{
		"UPDATE invoices SET gross_fixed = number::bigint * 10000",
		"UPDATE invoices SET failed_checks = ',tax_sum,' WHERE number::bigint % 10000 = 77",
		"VACUUM ANALYZE invoices",
	} {
		if err := db.Exec(sql).Error; err != nil {
			b.Fatal(err)
		}
	}
	least, most := money.MustParse("150.00"), money.MustParse("160.00")
	for name, f := range map[string]invoice.Filter{
		"gross range":          {GrossMin: &least, GrossMax: &most},
		"gross below":          {GrossMax: &most},
		"gross range, entity":  {GrossMin: &least, GrossMax: &most, EntityID: entity},
		"failed check":         {FailedChecks: []string{"tax_sum"}},
		"failed check, entity": {FailedChecks: []string{"tax_sum"}, EntityID: entity},
		"no such check":        {FailedChecks: []string{"gross_sum"}},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				if _, err := s.Invoices().List(ctx, identity.Scope{OrganizationID: organization}, f, invoice.Sort{}, page.Request{}); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(began))
			}
			b.ReportMetric(median(times), "median-ms")
		})
	}
}
