package queue

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"docledger/infrastructure/database"

	"github.com/riverqueue/river/riverdriver"
)

func embedded(t *testing.T) *sql.DB {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := (Schema{Dialect: string(db.Dialect)}).Migrate(t.Context(), db.SQL); err != nil {
		t.Fatal(err)
	}
	return db.SQL
}

func exec(t *testing.T, pool *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(query, args...); err != nil {
		t.Fatal(err)
	}
}

// TestListener verifies that a listener reads notifications when a commit is signalled, and otherwise
// at its interval, and that it delivers those that are stored after it listens to their topic.
func TestListener(t *testing.T) {
	t.Parallel()
	const insert = "INSERT INTO river_notification (topic, payload) VALUES ($1, $2)"
	for name, poll := range map[string]time.Duration{"signalled": time.Hour, "polled": time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			pool := embedded(t)
			waits, commit := make(chan struct{}, 1000), make(chan struct{})
			driver := newSQLiteDriver(pool, func() <-chan struct{} {
				waits <- struct{}{}
				return commit
			})
			l := driver.GetListener(&riverdriver.GetListenenerParams{}).(*signalledListener)
			l.poll = poll
			exec(t, pool, insert, "a", "before Connect")
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			must(l.Connect(ctx))
			exec(t, pool, insert, "a", "before Listen")
			must(l.Listen(ctx, "a"))
			must(l.Listen(ctx, "b"))
			must(l.Unlisten(ctx, "b"))
			type received struct {
				n   *riverdriver.Notification
				err error
			}
			got := make(chan received, 1)
			go func() {
				n, err := l.WaitForNotification(ctx)
				got <- received{n, err}
			}()
			<-waits
			exec(t, pool, insert, "b", "not awaited")
			exec(t, pool, insert, "a", "first")
			exec(t, pool, insert, "a", "second")
			if name == "signalled" {
				close(commit)
			}
			if r := <-got; r.err != nil || r.n.Topic != "a" || r.n.Payload != "first" {
				t.Fatalf("%+v, %v", r.n, r.err)
			}
			if n, err := l.WaitForNotification(ctx); err != nil || n.Payload != "second" {
				t.Errorf("%+v, %v", n, err)
			}
			stopped, stop := context.WithCancel(ctx)
			stop()
			if n, err := l.WaitForNotification(stopped); n != nil || err == nil {
				t.Errorf("after its end: %+v", n)
			}
			must(l.Close(ctx))
		})
	}
}

// TestListenerReadsEachBatch verifies that a listener finds a notification behind a batch of topics that it does not
// listen to, without another commit.
func TestListenerReadsEachBatch(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	pool := embedded(t)
	driver := newSQLiteDriver(pool, func() <-chan struct{} { return nil })
	l := driver.GetListener(&riverdriver.GetListenenerParams{}).(*signalledListener)
	l.poll = time.Hour
	if err := errors.Join(l.Connect(ctx), l.Listen(ctx, "a")); err != nil {
		t.Fatal(err)
	}
	exec(t, pool, `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1)
		INSERT INTO river_notification (topic, payload) SELECT 'b', n FROM numbers`, 2*notificationBatch)
	exec(t, pool, "INSERT INTO river_notification (topic, payload) VALUES ('a', 'last')")
	if n, err := l.WaitForNotification(ctx); err != nil || n.Payload != "last" {
		t.Errorf("%+v, %v", n, err)
	}
}

// TestEmptyQueueTakesNoLock verifies that a fetch waits for no other transaction if no job is due, and
// that it finds a due job.
func TestEmptyQueueTakesNoLock(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	pool := embedded(t)
	fetch := func() int {
		t.Helper()
		found, err := newSQLiteDriver(pool, nil).GetExecutor().JobGetAvailable(ctx, &riverdriver.JobGetAvailableParams{
			ClientID: "one", MaxAttemptedBy: 10, MaxToLock: 10, Queue: "default",
		})
		if err != nil {
			t.Fatal(err)
		}
		return len(found.Jobs)
	}
	const insert = `INSERT INTO river_job (args, kind, max_attempts, queue, state, scheduled_at)
		VALUES (jsonb('{}'), 'some', 3, $1, 'available', datetime('now', 'subsec', $2))`
	exec(t, pool, insert, "default", "+1 hour")
	exec(t, pool, insert, "other", "-1 second")
	writes, err := pool.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := fetch(); n != 0 {
		t.Errorf("%d jobs were fetched", n)
	}
	if err := writes.Rollback(); err != nil {
		t.Fatal(err)
	}
	exec(t, pool, insert, "default", "-1 second")
	if n := fetch(); n != 1 {
		t.Errorf("%d jobs were fetched, want the due one", n)
	}
}
