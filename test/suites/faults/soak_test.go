package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/jackc/pgx/v5"
)

const (
	// soakRate is the number of documents in each second. DOCLEDGER_SOAK_RATE sets another one.
	soakRate = 5
	// soakWhole is the duration from which on the goals of memory and queue apply. A shorter
	// run ends before caches are full, so its limits are soakSlack times as high.
	soakWhole = 20 * time.Minute
	soakSlack = 10
	// soakWarm is the part of the time after which memory and tables must not grow.
	soakWarm = 4
	// soakDrift and soakQueue are the goals: growth of the memory and age of the oldest due job.
	soakDrift = 0.05
	soakQueue = 2 * time.Second
	// soakRows is the number of rows that a table may have more without being one that grows.
	soakRows = 60
)

// soakGrowing are the tables with rows for each document, file or request. The rows of jobs are
// counted while the jobs wait; finished ones are deleted after a day.
var soakGrowing = []string{
	"documents", "invoices", "invoice_lines", "invoice_taxes", "invoice_syncs", "invoice_sources", "invoice_duplicate_keys", "invoice_duplicates",
	"events", "renditions", "watch_nodes", "watch_versions", "supplier_codings", "supplier_keys", "plan_events", "river_job",
	"invoices_uncounted", "invoice_sum_changes", "invoice_sums", "invoice_sum_totals", // a job empties the first two each minute
}

// TestSoak runs three replicas with both ledgers and a document store for DOCLEDGER_SOAK and
// sends documents at a steady rate. Memory must stay flat, no table may grow but those of the
// documents and their events, and no due job may wait.
func TestSoak(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("DOCLEDGER_SOAK"))
	if err != nil || duration < time.Minute {
		t.Skip("set DOCLEDGER_SOAK to a duration of at least 1m, for example 20m")
	}
	rate := soakRate
	if n, err := strconv.Atoi(os.Getenv("DOCLEDGER_SOAK_RATE")); err == nil && n > 0 {
		rate = n
	}
	slack := 1.0
	if duration < soakWhole {
		slack = soakSlack
	}
	w := &watched{st: harness.StoresOf()["DOCSTORE_B"](t), draw: rand.New(rand.NewPCG(1, 1)), folders: []string{""}}
	c := newClusterWith(t, w.variables(t), func(s *service.Service, admin identity.Actor) { w.watch(t, s, admin) })
	w.product = c.product
	w.reach(c.alive[0])
	ctx, end := context.WithTimeout(t.Context(), duration)
	defer end()
	var sent atomic.Int64
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		c.steady(ctx, w, rate, &sent)
	}()
	s := c.observe(ctx, duration)
	<-loaded
	t.Logf("%d documents were accepted in %s", sent.Load(), duration)
	if int(sent.Load()) < rate*int(duration/time.Second)/2 {
		t.Errorf("less than half of %d documents a second were accepted", rate)
	}
	s.judge(t, slack)
	c.allExtracted(int(sent.Load()))
}

// steady sends documents to the replicas in turn: eight of ten to the ledgers, one printed and
// one to the document store.
func (c *cluster) steady(ctx context.Context, w *watched, rate int, sent *atomic.Int64) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		r := c.alive[n%len(c.alive)]
		ok := true
		switch n % 10 {
		case 8:
			_, ok = c.upload(ctx, r, printed(fmt.Sprintf("P-%d", n)))
		case 9:
			w.serial++
			w.st.Add("", fmt.Sprintf("f%d.xml", w.serial), harness.UBL(fmt.Sprintf("W-%d", w.serial)))
		default:
			b := c.ledgers[n%len(c.ledgers)]
			_, content := b.invoice(n, suppliers)
			_, ok = c.uploadTo(ctx, r, b.entity, content)
		}
		if ok {
			sent.Add(1)
		}
	}
}

// soaked is what a run observed.
type soaked struct {
	memory [][]int64 // of each replica: bytes at each second after the warm-up
	early  map[string]int64
	late   map[string]int64
	oldest time.Duration // of the due jobs
}

// observe reads memory and tables until ctx ends.
func (c *cluster) observe(ctx context.Context, duration time.Duration) soaked {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.postgres.URL)
	c.must(err)
	defer conn.Close(c.t.Context())
	s := soaked{memory: make([][]int64, len(c.alive))}
	warm := time.Now().Add(duration / soakWarm)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			s.late = c.rows(conn)
			return s
		case <-tick.C:
		}
		if time.Now().Before(warm) {
			continue
		}
		if s.early == nil {
			s.early = c.rows(conn)
		}
		var age float64
		c.must(conn.QueryRow(c.t.Context(), `SELECT coalesce(extract(epoch FROM max(now() - scheduled_at)), 0)::float8 FROM river_job WHERE state = 'available'`).Scan(&age))
		s.oldest = max(s.oldest, time.Duration(age*float64(time.Second)))
		for i, r := range c.alive {
			s.memory[i] = append(s.memory[i], residentOf(c.t, r.cmd.Process.Pid))
		}
	}
}

// rows returns the number of rows of each table.
func (c *cluster) rows(conn *pgx.Conn) map[string]int64 {
	c.t.Helper()
	ctx := c.t.Context()
	found, err := conn.Query(ctx, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
	c.must(err)
	names, err := pgx.CollectRows(found, pgx.RowTo[string])
	c.must(err)
	out := map[string]int64{}
	for _, name := range names {
		var n int64
		c.must(conn.QueryRow(ctx, "SELECT count(*) FROM "+pgx.Identifier{name}.Sanitize()).Scan(&n))
		out[name] = n
	}
	var waiting int64
	c.must(conn.QueryRow(ctx, `SELECT count(*) FROM river_job WHERE state NOT IN ('completed', 'cancelled', 'discarded')`).Scan(&waiting))
	out["jobs that wait"] = waiting
	return out
}

// residentOf returns the memory of a process that it filled itself.
func residentOf(t *testing.T, pid int) int64 {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(raw), &size, &resident, &shared); err != nil {
		t.Fatal(err)
	}
	return (resident - shared) * int64(os.Getpagesize())
}

// judge compares what a run observed with the goals.
func (s soaked) judge(t *testing.T, slack float64) {
	t.Helper()
	limit := time.Duration(slack * float64(soakQueue))
	t.Logf("the oldest due job waited %s, the limit is %s", s.oldest.Round(time.Millisecond), limit)
	if s.oldest > limit {
		t.Errorf("a due job waited %s, want at most %s", s.oldest, limit)
	}
	for i, values := range s.memory {
		const parts = 4
		if len(values) < 2*parts {
			t.Fatalf("%d measurements of memory are too few", len(values))
		}
		middle := func(part []int64) float64 {
			sorted := slices.Sorted(slices.Values(part))
			return float64(sorted[len(sorted)/2])
		}
		first, last := middle(values[:len(values)/parts]), middle(values[len(values)-len(values)/parts:])
		drift := last/first - 1
		t.Logf("replica %d: %.1f MB, then %.1f MB (%+.1f %%), the limit is %+.0f %%", i+1, first/1e6, last/1e6, 100*drift, 100*slack*soakDrift)
		if drift > slack*soakDrift {
			t.Errorf("the memory of replica %d grew by %.1f %%", i+1, 100*drift)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.late)) {
		grown := s.late[name] - s.early[name]
		if grown != 0 {
			t.Logf("%s: %d rows, then %d", name, s.early[name], s.late[name])
		}
		if grown > soakRows && !slices.Contains(soakGrowing, name) && !strings.HasPrefix(name, "goose") {
			t.Errorf("%s grew from %d to %d rows", name, s.early[name], s.late[name])
		}
	}
}

// allExtracted waits until every accepted document has its invoice.
func (c *cluster) allExtracted(sent int) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.postgres.URL)
	c.must(err)
	defer conn.Close(c.t.Context())
	await(c.t, calmed, "every document has an invoice", func() bool {
		var documents, invoices int
		c.must(conn.QueryRow(c.t.Context(), "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM invoices)").Scan(&documents, &invoices))
		return documents >= sent && invoices >= documents
	})
}
