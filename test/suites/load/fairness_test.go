package load

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"

	"github.com/jackc/pgx/v5"
)

// BenchmarkFairness uploads documents one by one, first idle and then with
// 10,000 queued documents of another organization. The goal is twice the idle
// time and one job (domain D22).
func BenchmarkFairness(b *testing.B) {
	const rounds, backlog = 15, 10_000
	for b.Loop() {
		idle, _ := start(b)
		alone := median(rounds, reader(b, idle))

		o := harness.Options{DatabaseURL: postgres.New(b), DataDir: b.TempDir(), NoWorkers: true, Env: map[string]string{
			"DATABASE_MAX_CONNECTIONS": connections, "JWT_SIGNING_KEYS": seed, "LOG_LEVEL": "warn",
		}}
		taking := harness.Start(b, o)
		upload := uploader(taking, taking.NewOrganization("Busy"))
		perSecond(b, backlog, func(ctx context.Context, i int64) error { return upload(ctx, harness.UBL(fmt.Sprint("B-", i))) })
		read := reader(b, taking)
		conn, err := pgx.Connect(b.Context(), o.DatabaseURL)
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close(b.Context())
		o.NoWorkers = false
		working := harness.Start(b, o)
		working.Eventually("working", time.Minute, func() bool { return extracted(b, conn) > 0 }, func() string { return "no document was read" })
		busy := median(rounds, read)
		left := backlog + rounds - extracted(b, conn)
		if left <= 0 {
			b.Fatal("the backlog was done before the other organization's documents were")
		}
		b.ReportMetric(float64(alone.Milliseconds()), "idle-ms")
		b.ReportMetric(float64(busy.Milliseconds()), "busy-ms")
		b.ReportMetric(float64(left), "left")
		b.ReportMetric(float64(busy)/float64(alone), "ratio")
	}
}

// reader returns a function that uploads a document of a separate organization
// and returns the time until it is an invoice.
func reader(b *testing.B, s *harness.Server) func() time.Duration {
	b.Helper()
	org, n := s.NewOrganization("Other"), 0
	return func() time.Duration {
		b.Helper()
		n++
		began := time.Now()
		document := s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL(fmt.Sprint("F-", n))).OK().Text("id")
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for ; time.Since(began) < time.Minute; <-tick.C {
			if s.Do(http.MethodGet, "/api/documents/"+document, org.Admin.Token, nil).OK().Text("status") == "EXTRACTED" {
				return time.Since(began)
			}
		}
		b.Fatal("the document is not read")
		return 0
	}
}

// median is the median duration of several rounds.
func median(rounds int, round func() time.Duration) time.Duration {
	took := make([]time.Duration, rounds)
	for i := range took {
		took[i] = round()
	}
	slices.Sort(took)
	return took[rounds/2]
}
