package store_test

import (
	"context"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/attention"
	"docledger/domain/calendar"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// BenchmarkAttention counts what needs a person of 1,000,000 invoices, of which nearly all wait for
// approval.
func BenchmarkAttention(b *testing.B) {
	ctx := context.Background()
	db := openPostgres(b, 4).Gorm
	s, err := store.New(ctx, db, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	organization, member, _ := seedInvoices(b, db, 1_000_000)
	if err := db.Exec("VACUUM ANALYZE invoices").Error; err != nil {
		b.Fatal(err)
	}
	for name, scope := range map[string]identity.Scope{
		"organization": {OrganizationID: organization}, "member": {OrganizationID: organization, Member: member},
	} {
		b.Run(name, func(b *testing.B) {
			var times []time.Duration
			for b.Loop() {
				began := time.Now()
				for _, cause := range attention.Causes() {
					if _, err := s.Attention().Count(ctx, scope, uuid.Nil, cause, calendar.Of(time.Now())); err != nil {
						b.Fatal(err)
					}
				}
				times = append(times, time.Since(began))
			}
			b.ReportMetric(median(times), "median-ms")
		})
	}
}
