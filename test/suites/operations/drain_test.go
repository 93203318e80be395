package operations

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/adapter/queue/queuetest"
	"docledger/domain/job"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// handlersOf returns job handlers that only extract.
// TestCancelledJobIsRunAgain checks that a job which outlives the drain is cancelled.
// The next process runs it once and immediately, and also runs queued jobs.
func TestCancelledJobIsRunAgain(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		ctx := context.Background()
		q, cfg := queueOf(t, o)
		cfg.Workers = 1
		running, cancelled := make(chan uuid.UUID, 10), make(chan uuid.UUID, 10)
		first := cfg
		first.Handlers = queuetest.Only(func(ctx context.Context, args job.ExtractDocument) error {
			running <- args.DocumentID
			<-ctx.Done()
			cancelled <- args.DocumentID
			return ctx.Err()
		})
		ending := runnerOf(t, first)
		outlives, waits := uuid.New(), uuid.New()
		for _, document := range []uuid.UUID{outlives, waits} {
			args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: uuid.New(), DocumentID: document}
			if err := q.Enqueue(ctx, args, job.Automatic); err != nil {
				t.Fatal(err)
			}
		}
		if got := within(t, running, "the first job begins"); got != outlives {
			t.Fatal("the second job started first")
		}
		drain, cancel := context.WithTimeout(ctx, 50*time.Millisecond) // SHUTDOWN_TIMEOUT
		defer cancel()
		if err := ending.Stop(drain); err != nil {
			t.Errorf("the process ends with %v", err)
		}
		if got := within(t, cancelled, "the first job is cancelled"); got != outlives {
			t.Error("another job was cancelled")
		}
		if len(running) > 0 {
			t.Error("a stopping process started a job")
		}

		var tries atomic.Int64
		done := make(chan uuid.UUID, 10)
		second := cfg
		second.Handlers = queuetest.Only(func(_ context.Context, args job.ExtractDocument) error {
			tries.Add(1)
			done <- args.DocumentID
			return nil
		})
		next := runnerOf(t, second)
		got := map[uuid.UUID]bool{within(t, done, "the next process runs a job"): true, within(t, done, "the next process runs the second job"): true}
		if !got[outlives] || !got[waits] {
			t.Error("a job was lost")
		}
		if err := next.Stop(ctx); err != nil {
			t.Error(err)
		}
		if n := tries.Load(); n != 2 {
			t.Errorf("the next process started %d jobs", n)
		}
	})
}

func runnerOf(t *testing.T, cfg queue.Config) *queue.Runner {
	t.Helper()
	r, err := queue.NewRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Stop(context.Background()) }) // already stopped if the test passed
	return r
}

func within(t *testing.T, c <-chan uuid.UUID, what string) uuid.UUID {
	t.Helper()
	select {
	case id := <-c:
		return id
	case <-time.After(30 * time.Second):
		t.Fatalf("timeout: %s", what)
		return uuid.Nil
	}
}
