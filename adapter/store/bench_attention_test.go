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

// BenchmarkAttention counts what needs a person of 1,000,000 invoices.
func BenchmarkAttention(b *testing.B) {
	ctx := context.Background()
	db := openPostgres(b, 4)
	s, err := store.New(ctx, db.Gorm, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f := filled(b, db, 1_000_000)
	for name, scope := range map[string]identity.Scope{
		"organization": {OrganizationID: f.Organization}, "member": {OrganizationID: f.Organization, Member: f.Member},
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
