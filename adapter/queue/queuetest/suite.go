// Package queuetest contains the tests of adapter/queue, which run on both databases.
package queuetest

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/domain/job"
	"docledger/usecase"

	"github.com/google/uuid"
)

// waitTimeout limits every wait. It is long because a loaded machine may be slow.
const waitTimeout = 30 * time.Second

// Env is a migrated database with its queue and the configuration of a runner.
type Env struct {
	Config     queue.Config
	Queue      *queue.Queue
	UnitOfWork usecase.UnitOfWork
	Holds      job.Pause
	SQL        *sql.DB
}

// Run runs the contract; open gives each test a fresh, migrated database.
func Run(t *testing.T, open func(t testing.TB) *Env) {
	for name, test := range map[string]func(*testing.T, *Env){
		"works a job once":           testOnce,
		"tries again after an error": testRetry,
		"survives a panic":           testPanic,
		"gives up":                   testGiveUp,
		"leaves unknown versions":    testUnknownVersion,
		"leaves unknown kinds":       testUnknownKind,
		"puts off what is held":      testHeld,
		"stops gracefully":           testGracefulStop,
		"stops hard":                 testHardStop,
		"rescues at start":           testRescue,
		"runs what is due":           testDue,
		"sweeps":                     testSweep,
		"works periodically":         testPeriodic,
		"needs every handler":        testHandlers,
		"adds each job once":         testQueue,
		"adds a job once at a time":  testOneJob,
		"shares the queue":           testFairQueue,
		"takes turns with scans":     testFairScans,
		"takes turns with backlogs":  testScansTakeTurns,
		"serves the operator":        testOperator,
		"wakes paused jobs":          testWake,
		"counts jobs":                testCounts,
		"finds records without jobs": testConditions,
		"sends answers separately":   testAnswers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// Await waits until a condition holds.
func Await(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(waitTimeout)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}

// State returns the states of all jobs of a kind, oldest first.
func (e *Env) State(t testing.TB, kind string) []string {
	t.Helper()
	rows, err := e.SQL.Query("SELECT state FROM river_job WHERE kind = '" + kind + "' ORDER BY id")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var states []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		states = append(states, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return states
}

func (e *Env) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	if _, err := e.SQL.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// Enqueue adds an extraction.
func (e *Env) Enqueue(t testing.TB) job.ExtractDocument {
	t.Helper()
	args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: uuid.New(), DocumentID: uuid.New()}
	if err := e.Queue.Enqueue(context.Background(), args, job.Automatic); err != nil {
		t.Fatal(err)
	}
	return args
}

// Only returns handlers of every kind that do nothing, except extract and others.
func Only(extract func(context.Context, job.ExtractDocument) error, others ...queue.Handler) []queue.Handler {
	handlers := append(others, queue.Handle(job.Extraction, extract))
	for _, k := range job.Kinds() {
		if k.Name != job.Periodic.Name && !slices.ContainsFunc(handlers, func(h queue.Handler) bool { return h.Kind() == k.Name }) {
			handlers = append(handlers, queue.Idle(k))
		}
	}
	return handlers
}

// Start starts a runner with a handler, and stops it after the test.
func (e *Env) Start(t testing.TB, extract func(context.Context, job.ExtractDocument) error, change ...func(*queue.Config)) *queue.Runner {
	t.Helper()
	cfg := e.Config
	cfg.Handlers = Only(extract)
	for _, c := range change {
		c(&cfg)
	}
	r, err := queue.NewRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	if err := r.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Stop(t, r) })
	return r
}

// Stop stops a runner, and may be called again.
func Stop(t testing.TB, r *queue.Runner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
}

const extraction = "extract_document"

func (e *Env) awaitStates(t testing.TB, want ...string) {
	t.Helper()
	var got []string
	defer func() {
		if t.Failed() {
			t.Logf("states: %v", got)
		}
	}()
	Await(t, "jobs to be "+want[0], func() bool {
		got = e.State(t, extraction)
		return slices.Equal(got, want)
	})
}

func testOnce(t *testing.T, e *Env) {
	var mu sync.Mutex
	var got []job.ExtractDocument
	e.Start(t, func(ctx context.Context, args job.ExtractDocument) error {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("a job without a deadline")
		}
		mu.Lock()
		defer mu.Unlock()
		got = append(got, args)
		return nil
	})
	want := []job.ExtractDocument{e.Enqueue(t), e.Enqueue(t)}
	e.awaitStates(t, "completed", "completed")
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 2 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[1]) {
		t.Errorf("worked %v, want %v", got, want)
	}
}

func testRetry(t *testing.T, e *Env) {
	var calls atomic.Int32
	args := e.Enqueue(t)
	e.Start(t, func(context.Context, job.ExtractDocument) error {
		live, err := e.Queue.Live(context.Background(), args)
		if err != nil || !live {
			t.Errorf("a running job is live: %t, %v", live, err)
		}
		if calls.Add(1) == 1 {
			return errors.New("not yet")
		}
		return nil
	})
	e.awaitStates(t, "completed")
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

func testPanic(t *testing.T, e *Env) {
	var calls atomic.Int32
	e.Enqueue(t)
	e.Start(t, func(context.Context, job.ExtractDocument) error {
		if calls.Add(1) == 1 {
			panic("boom")
		}
		return nil
	})
	e.awaitStates(t, "completed")
	if calls.Load() != 2 {
		t.Errorf("%d calls", calls.Load())
	}
}

func testGiveUp(t *testing.T, e *Env) {
	args := e.Enqueue(t)
	e.exec(t, "UPDATE river_job SET attempt = 9")
	e.Start(t, func(context.Context, job.ExtractDocument) error { return errors.New("never") })
	e.awaitStates(t, "cancelled")
	live, err := e.Queue.Live(context.Background(), args)
	if err != nil || live {
		t.Errorf("live: %t, %v", live, err)
	}
}

func testUnknownVersion(t *testing.T, e *Env) {
	future := job.ExtractDocument{V: job.ExtractVersion + 1, DocumentID: uuid.New()}
	if err := e.Queue.Enqueue(context.Background(), future, job.Automatic); err != nil {
		t.Fatal(err)
	}
	e.Start(t, func(context.Context, job.ExtractDocument) error {
		t.Error("a job with an unknown version was run")
		return nil
	})
	e.awaitStates(t, "scheduled")
	var attempt int
	if err := e.SQL.QueryRow("SELECT attempt FROM river_job").Scan(&attempt); err != nil || attempt != 0 {
		t.Errorf("attempt %d, %v", attempt, err)
	}
}

// However often a job is put off while work is held, it loses no attempt and
// comes when it is woken.
func testHeld(t *testing.T, e *Env) {
	e.Enqueue(t)
	var held atomic.Bool
	held.Store(true)
	e.Start(t, func(context.Context, job.ExtractDocument) error {
		if held.Load() {
			return job.ErrPaused
		}
		return nil
	})
	wake := func() {
		e.exec(t, "UPDATE river_job SET state = 'available', scheduled_at = CURRENT_TIMESTAMP WHERE state = 'scheduled'")
	}
	for range 12 { // more often than a job is tried
		e.awaitStates(t, "scheduled")
		wake()
	}
	e.awaitStates(t, "scheduled")
	var attempt int
	if err := e.SQL.QueryRow("SELECT attempt FROM river_job").Scan(&attempt); err != nil || attempt != 0 {
		t.Errorf("attempt %d, %v", attempt, err)
	}
	held.Store(false)
	wake()
	e.awaitStates(t, "completed")
}

type otherArgs struct{ V int }

func (otherArgs) Kind() string { return "of_a_newer_release" }

func testUnknownKind(t *testing.T, e *Env) {
	if err := e.Queue.Enqueue(context.Background(), otherArgs{}, job.Interactive); err != nil {
		t.Fatal(err)
	}
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	e.Enqueue(t)
	e.awaitStates(t, "completed")
	if got := e.State(t, otherArgs{}.Kind()); !slices.Equal(got, []string{"available"}) {
		t.Errorf("states %v", got)
	}
}

func testGracefulStop(t *testing.T, e *Env) {
	started, goOn := make(chan struct{}), make(chan struct{})
	r := e.Start(t, func(ctx context.Context, _ job.ExtractDocument) error {
		close(started)
		<-goOn
		return ctx.Err()
	})
	e.Enqueue(t)
	<-started
	time.AfterFunc(50*time.Millisecond, func() { close(goOn) })
	Stop(t, r)
	if got := e.State(t, extraction); !slices.Equal(got, []string{"completed"}) {
		t.Errorf("states %v", got)
	}
}

func testHardStop(t *testing.T, e *Env) {
	started := make(chan struct{})
	r := e.Start(t, func(ctx context.Context, _ job.ExtractDocument) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	e.Enqueue(t)
	<-started
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := r.Stop(ctx); err != nil {
		t.Errorf("stop: %v", err)
	}
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	e.awaitStates(t, "completed")
}

func testRescue(t *testing.T, e *Env) {
	e.Enqueue(t)
	ghost := `'{"ghost"}'`
	if e.Config.Listener == nil {
		ghost = `jsonb('["ghost"]')`
	}
	e.exec(t, "UPDATE river_job SET state = 'running', attempt = 1, attempted_at = CURRENT_TIMESTAMP, attempted_by = "+ghost)
	began := time.Now()
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	e.awaitStates(t, "completed")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// testDue: what waits for its time does not wait for a leader to be elected,
// too.
func testDue(t *testing.T, e *Env) {
	e.Enqueue(t)
	past := "now() - interval '1 minute'"
	expires := "now() + interval '1 minute'"
	if e.Config.Listener == nil {
		past, expires = "datetime('now', '-60 seconds')", "datetime('now', '60 seconds')"
	}
	e.exec(t, "UPDATE river_job SET state = 'retryable', scheduled_at = "+past)
	e.exec(t, "INSERT INTO river_leader (elected_at, expires_at, leader_id) VALUES ("+past+", "+expires+", 'ghost')")
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	e.awaitStates(t, "completed")
}

func testSweep(t *testing.T, e *Env) {
	var first, second, panicking atomic.Int32
	r := e.Start(t, func(context.Context, job.ExtractDocument) error { return nil }, func(cfg *queue.Config) {
		cfg.SweepEvery = 10 * time.Millisecond
		cfg.Logger = slog.New(slog.DiscardHandler)
		cfg.Sweeps = []queue.Task{
			{Name: "fails", Run: func(context.Context) error { first.Add(1); return errors.New("no") }},
			{Name: "panics", Run: func(context.Context) error { panicking.Add(1); panic("no") }},
			{Name: "works", Run: func(context.Context) error { second.Add(1); return nil }},
		}
	})
	Await(t, "sweeps", func() bool { return first.Load() > 3 && panicking.Load() > 3 && second.Load() > 3 })
	Stop(t, r)
	stopped := second.Load()
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	if second.Load() != stopped {
		t.Error("it swept on after it was stopped")
	}
}

func testPeriodic(t *testing.T, e *Env) {
	var hourly, often atomic.Int32
	e.Start(t, func(context.Context, job.ExtractDocument) error { return nil }, func(cfg *queue.Config) {
		cfg.Periodic = []queue.Periodic{
			{Name: "hourly", Every: time.Hour, Run: func(context.Context) error { hourly.Add(1); return nil }},
			{Name: "often", Every: time.Second, Run: func(context.Context) error { often.Add(1); return nil }},
		}
	})
	Await(t, "periodic work", func() bool { return often.Load() > 1 && hourly.Load() > 0 })
	if hourly.Load() != 1 {
		t.Errorf("hourly work ran %d times", hourly.Load())
	}
}

func testHandlers(t *testing.T, e *Env) {
	if _, err := queue.NewRunner(e.Config); err == nil {
		t.Error("a runner without handlers")
	}
	cfg := e.Config
	cfg.Handlers = Only(func(context.Context, job.ExtractDocument) error { return nil })
	cfg.Handlers = append(cfg.Handlers, cfg.Handlers[0])
	if _, err := queue.NewRunner(cfg); err == nil {
		t.Error("a runner with two handlers of one kind")
	}
}
