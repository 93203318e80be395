package operations

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/adapter/queue/queuetest"
	"docledger/adapter/store"
	"docledger/domain/job"
	"docledger/infrastructure/database"
	"docledger/test/lib/harness"
	"docledger/test/lib/sqlite"

	"github.com/google/uuid"
)

const workers = 4

// queueOf returns a queue in a new database and the dependencies of a runner.
func queueOf(t *testing.T, o harness.Options) (*queue.Queue, queue.Config) {
	t.Helper()
	ctx, cfg := context.Background(), database.Config{URL: o.DatabaseURL, MaxConns: 8}
	if o.DatabaseURL == "" {
		cfg.URL = sqlite.New(t)
	}
	db, err := database.Open(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	st, err := store.New(ctx, db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.New(st, db.SQL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q, queue.Config{SQL: db.SQL, Listener: db.Listener, Workers: workers, Exclusive: func(context.Context) (func() error, error) {
		return func() error { return nil }, nil
	}}
}

// TestBacklogsDoNotStarveOthers checks 10,000 queued documents of one organization.
// The document of another organization waits only for the jobs before it. A second
// backlog is processed at the same time as the first.
func TestBacklogsDoNotStarveOthers(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		q, cfg := queueOf(t, o)
		ctx := context.Background()
		backlog, second, single := uuid.New(), uuid.New(), uuid.New()
		enqueue := func(organization uuid.UUID, n int) {
			t.Helper()
			for range max(n/1000, 1) {
				args := make([]job.Args, min(n, 1000))
				for i := range args {
					args[i] = job.ExtractDocument{V: job.ExtractVersion, OrganizationID: organization, DocumentID: uuid.New()}
				}
				if err := q.EnqueueAll(ctx, args, job.Automatic); err != nil {
					t.Error(err)
				}
			}
		}
		enqueue(backlog, 10_000)
		var mu sync.Mutex
		var order []uuid.UUID
		started := sync.OnceFunc(func() {
			enqueue(single, 1)
			enqueue(second, 1000)
		})
		cfg.SweepEvery = 200 * time.Millisecond
		cfg.Sweeps = []queue.Task{{Name: "backlogs", Run: func(ctx context.Context) error { _, err := q.Rebalance(ctx); return err }}}
		cfg.Handlers = queuetest.Only(func(_ context.Context, args job.ExtractDocument) error {
			started() // running jobs wait here until the others are queued
			mu.Lock()
			defer mu.Unlock()
			order = append(order, args.OrganizationID)
			return nil
		})
		runner, err := queue.NewRunner(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := runner.Start(ctx); err != nil {
			t.Fatal(err)
		}
		of := func(organization uuid.UUID) (n int) {
			mu.Lock()
			defer mu.Unlock()
			for _, o := range order {
				if o == organization {
					n++
				}
			}
			return n
		}
		await(t, "the second backlog to be worked", func() bool { return of(second) > 3*job.NormalPriorityPerOrg })
		if of(backlog) >= 10_000 {
			t.Error("the second backlog waited for the end of the first")
		}
		if err := runner.Stop(ctx); err != nil {
			t.Error(err)
		}
		if at := slices.Index(order, single); at < 0 || at > workers+job.NormalPriorityPerOrg {
			t.Errorf("the other organization's document was extracted as number %d", at+1)
		}
	})
}
