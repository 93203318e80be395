// Package sqlite runs the contract of adapter/queue on SQLite. It is a separate package because
// the race detector makes SQLite twenty times slower.
package sqlite

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/adapter/queue/queuetest"
	"docledger/adapter/store"
	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/infrastructure/database"
	"docledger/test/lib/sqlite"
)

func TestMain(m *testing.M) {
	queuetest.Child(open)
	os.Exit(m.Run())
}

func TestJobsOnSQLite(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t testing.TB) *queuetest.Env { return open(t, fresh(t)) })
}

func TestKilledWorkerOnSQLite(t *testing.T) {
	t.Parallel()
	queuetest.RunKilled(t, fresh(t), open)
}

func TestOnlyOneProcessWorksOnAFile(t *testing.T) {
	t.Parallel()
	env := open(t, fresh(t))
	nothing := func(context.Context, job.ExtractDocument) error { return nil }
	first := env.Start(t, nothing)
	cfg := env.Config
	cfg.Handlers = queuetest.Only(nothing)
	second, err := queue.NewRunner(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	err = second.Start(ctx)
	if fault.CodeOf(err) != fault.CodeUnavailable || !errors.Is(err, database.ErrLocked) {
		t.Errorf("a second one started: %v", err)
	}
	queuetest.Stop(t, first)
	env.Start(t, nothing)
}

// TestEachJobIsAnnounced verifies that a job soon after another one is announced too. Otherwise it waits until its
// queue is read again.
func TestEachJobIsAnnounced(t *testing.T) {
	t.Parallel()
	env := open(t, fresh(t))
	for range 2 {
		env.Enqueue(t)
		began := time.Now()
		queuetest.Await(t, "the next job", func() bool { return time.Since(began) > time.Millisecond })
	}
	var n int
	if err := env.SQL.QueryRow("SELECT count(*) FROM " + queue.NotificationTable).Scan(&n); err != nil || n != 2 {
		t.Errorf("%d announcements (%v)", n, err)
	}
}

func fresh(t testing.TB) string {
	t.Helper()
	return sqlite.New(t)
}

func open(t testing.TB, url string) *queuetest.Env {
	t.Helper()
	db, err := database.Open(context.Background(), database.Config{URL: url, Observed: queue.NotificationTable})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := store.New(context.Background(), db.Gorm, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.New(s, db.SQL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &queuetest.Env{
		Config: queue.Config{SQL: db.SQL, Committed: db.Commits.Next, Exclusive: func(ctx context.Context) (func() error, error) {
			return database.LockFile(ctx, db.Path+".worker")
		}},
		Queue: q, UnitOfWork: s, Holds: s.Holds(), SQL: db.SQL,
	}
}
