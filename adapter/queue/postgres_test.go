package queue_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"docledger/adapter/queue"
	"docledger/adapter/queue/queuetest"
	"docledger/adapter/store"
	"docledger/domain/job"
	"docledger/infrastructure/database"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

func TestMain(m *testing.M) {
	queuetest.Child(open)
	os.Exit(m.Run())
}

func TestJobsOnPostgreSQL(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t testing.TB) *queuetest.Env { return open(t, postgres.New(t)) })
}

func TestKilledWorkerOnPostgreSQL(t *testing.T) {
	t.Parallel()
	queuetest.RunKilled(t, postgres.New(t), open)
}

func open(t testing.TB, url string) *queuetest.Env {
	t.Helper()
	db, err := database.Open(context.Background(), database.Config{URL: url, MaxConns: 8})
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
		Config: queue.Config{SQL: db.SQL, Listener: db.Listener}, Queue: q, UnitOfWork: s, Holds: s.Holds(), SQL: db.SQL,
	}
}

// TestLivenessLock checks that a process is alive as long as it has its liveness lock, regardless of
// its jobs. After the lock is lost, other processes run its jobs.
func TestLivenessLock(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := postgres.New(t)
	env := open(t, url)
	env.Enqueue(t)
	if _, err := env.SQL.Exec(`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{"dead","other"}'`); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('docledger worker other', 0))`); err != nil {
		t.Fatal(err)
	}
	var sweeps atomic.Int32
	env.Start(t, func(context.Context, job.ExtractDocument) error { return nil }, func(cfg *queue.Config) {
		cfg.SweepEvery = 10 * time.Millisecond
		cfg.Sweeps = []queue.Task{{Name: "count", Run: func(context.Context) error { sweeps.Add(1); return nil }}}
	})
	queuetest.Await(t, "sweeps", func() bool { return sweeps.Load() > 5 })
	if got := env.State(t, "extract_document"); !slices.Equal(got, []string{"running"}) {
		t.Fatalf("the job of a living process was taken: %v", got)
	}
	if err := other.Close(ctx); err != nil {
		t.Fatal(err)
	}
	queuetest.Await(t, "the job to be done", func() bool { return env.State(t, "extract_document")[0] == "completed" })
}

// TestStartWaitsForTheServer checks that a process that starts while the database server restarts
// waits for it, and that it does not wait for an error that stays.
func TestStartWaitsForTheServer(t *testing.T) {
	t.Parallel()
	url := postgres.New(t)
	failing := func(err error, times int) (*pgxpool.Pool, *atomic.Int32) {
		cfg, parseErr := pgxpool.ParseConfig(url)
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		var attempts atomic.Int32
		cfg.BeforeConnect = func(context.Context, *pgx.ConnConfig) error {
			if int(attempts.Add(1)) <= times {
				return err
			}
			return nil
		}
		pool, newErr := pgxpool.NewWithConfig(t.Context(), cfg)
		if newErr != nil {
			t.Fatal(newErr)
		}
		t.Cleanup(pool.Close)
		return pool, &attempts
	}
	for name, unreachable := range map[string]error{
		"the connection is refused":   syscall.ECONNREFUSED,
		"the connection ends":         io.ErrUnexpectedEOF,
		"the server is starting":      &pgconn.PgError{Code: "57P03"},
		"the server has no free slot": &pgconn.PgError{Code: "53300"},
	} {
		t.Run(name, func(t *testing.T) {
			env := open(t, url)
			env.Config.Listener, _ = failing(unreachable, 3)
			env.Enqueue(t)
			env.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
			queuetest.Await(t, "the job to be done", func() bool {
				return !slices.ContainsFunc(env.State(t, "extract_document"), func(state string) bool { return state != "completed" })
			})
		})
	}
	env := open(t, url)
	var attempts *atomic.Int32
	env.Config.Listener, attempts = failing(&pgconn.PgError{Code: "28P01", Message: "wrong password"}, 1000)
	env.Config.Handlers = queuetest.Only(func(context.Context, job.ExtractDocument) error { return nil })
	runner, err := queue.NewRunner(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "wrong password") || attempts.Load() != 1 {
		t.Errorf("the start fails after %d attempts with %v", attempts.Load(), err)
	}
}

// TestStartSurvivesEachLostConnection refuses one of the connections of a start after the other.
func TestStartSurvivesEachLostConnection(t *testing.T) {
	t.Parallel()
	url := postgres.New(t)
	for refused := range int32(16) {
		env := open(t, url)
		cfg, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		var opened atomic.Int32
		env.Config.SQL = sql.OpenDB(stdlib.GetConnector(*cfg, stdlib.OptionBeforeConnect(func(context.Context, *pgx.ConnConfig) error {
			if opened.Add(1) == refused+1 {
				return syscall.ECONNREFUSED
			}
			return nil
		})))
		env.Config.SQL.SetMaxIdleConns(-1) // each statement opens a connection
		t.Cleanup(func() {
			if err := env.Config.SQL.Close(); err != nil {
				t.Error(err)
			}
		})
		env.Enqueue(t)
		runner := env.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
		queuetest.Await(t, "the job to be done", func() bool {
			return !slices.ContainsFunc(env.State(t, "extract_document"), func(state string) bool { return state != "completed" })
		})
		queuetest.Stop(t, runner)
	}
}

// TestUnheardJobIsGivenBack checks that a job fetched over a broken connection is requeued after
// its kind's maximum running time, although its owner is alive.
func TestUnheardJobIsGivenBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := postgres.New(t)
	env := open(t, url)
	env.Enqueue(t)
	if _, err := env.SQL.Exec(`UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now() - interval '3 minutes', attempted_by = '{"other"}'`); err != nil {
		t.Fatal(err)
	}
	other, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(ctx)
	if _, err := other.Exec(ctx, `SELECT pg_advisory_lock(hashtextextended('docledger worker other', 0))`); err != nil {
		t.Fatal(err)
	}
	env.Start(t, func(context.Context, job.ExtractDocument) error { return nil }, func(cfg *queue.Config) { cfg.SweepEvery = 10 * time.Millisecond })
	queuetest.Await(t, "the job to be done", func() bool { return env.State(t, "extract_document")[0] == "completed" })
}

// TestJobThatNeverBeganIsGivenBack checks that an assigned job that never started is requeued soon,
// and that a running job is left alone.
func TestJobThatNeverBeganIsGivenBack(t *testing.T) {
	t.Parallel()
	env := open(t, postgres.New(t))
	runs := map[uuid.UUID]int{}
	var mu sync.Mutex
	running, goOn := make(chan struct{}), make(chan struct{})
	holder := env.Enqueue(t)
	var sweeps atomic.Int32
	env.Start(t, func(ctx context.Context, args job.ExtractDocument) error {
		mu.Lock()
		runs[args.DocumentID]++
		mu.Unlock()
		if args.DocumentID == holder.DocumentID {
			close(running)
			<-goOn
		}
		return nil
	}, func(cfg *queue.Config) {
		cfg.SweepEvery = 10 * time.Millisecond
		cfg.Sweeps = []queue.Task{{Name: "count", Run: func(context.Context) error { sweeps.Add(1); return nil }}}
	})
	<-running
	exec := func(statement string, values ...any) {
		t.Helper()
		if _, err := env.SQL.Exec(statement, values...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`UPDATE river_job SET attempted_at = now() - interval '1 minute' WHERE state = 'running'`)
	// The database state after a fetch whose response was lost.
	lost := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: uuid.New(), DocumentID: uuid.New()}
	args, err := json.Marshal(lost)
	if err != nil {
		t.Fatal(err)
	}
	exec(`INSERT INTO river_job (kind, args, max_attempts, queue, priority, state, attempt, attempted_at, attempted_by)
		SELECT kind, $1, max_attempts, queue, priority, state, attempt, attempted_at, attempted_by FROM river_job WHERE state = 'running'`, args)
	before := sweeps.Load()
	queuetest.Await(t, "the job to be done, and some sweeps", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return runs[lost.DocumentID] == 1 && sweeps.Load() > before+5
	})
	mu.Lock()
	if runs[holder.DocumentID] != 1 {
		t.Errorf("the job that runs began %d times", runs[holder.DocumentID])
	}
	mu.Unlock()
	close(goOn)
}

// TestMarkIsTakenAgain checks that a liveness lock with a broken connection is reacquired.
func TestMarkIsTakenAgain(t *testing.T) {
	t.Parallel()
	env := open(t, postgres.New(t))
	marks := func() []int {
		rows, err := env.SQL.Query(`SELECT a.pid FROM pg_stat_activity AS a JOIN pg_locks AS l USING (pid)
			WHERE a.application_name = 'docledger worker' AND l.locktype = 'advisory' AND l.granted AND a.datname = current_database()`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var pids []int
		for rows.Next() {
			var pid int
			if err := rows.Scan(&pid); err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
		return pids
	}
	env.Start(t, func(context.Context, job.ExtractDocument) error { return nil })
	first := marks()
	if len(first) != 1 {
		t.Fatalf("marks %v", first)
	}
	if _, err := env.SQL.Exec("SELECT pg_terminate_backend($1)", first[0]); err != nil {
		t.Fatal(err)
	}
	queuetest.Await(t, "the reacquired lock", func() bool {
		now := marks()
		return len(now) == 1 && now[0] != first[0]
	})
}

// TestOneProcessSweeps checks that one process sweeps at a time, and that another one continues
// when it stops.
func TestOneProcessSweeps(t *testing.T) {
	t.Parallel()
	env := open(t, postgres.New(t))
	var inside, overlaps atomic.Int32
	var swept [3]atomic.Int32
	var runners []*queue.Runner
	for i := range swept {
		runners = append(runners, env.Start(t, func(context.Context, job.ExtractDocument) error { return nil }, func(cfg *queue.Config) {
			cfg.SweepEvery = 5 * time.Millisecond
			cfg.Sweeps = []queue.Task{{Name: "count", Run: func(ctx context.Context) error {
				if inside.Add(1) > 1 {
					overlaps.Add(1)
				}
				defer inside.Add(-1)
				swept[i].Add(1)
				_, err := env.SQL.ExecContext(ctx, "SELECT pg_sleep(0.01)")
				return err
			}}}
		}))
	}
	total := func() int32 { return swept[0].Load() + swept[1].Load() + swept[2].Load() }
	queuetest.Await(t, "sweeps", func() bool { return total() > 20 })
	queuetest.Stop(t, runners[0])
	queuetest.Stop(t, runners[1])
	before := swept[2].Load()
	queuetest.Await(t, "the last one to sweep", func() bool { return swept[2].Load() > before+5 })
	if overlaps.Load() > 0 {
		t.Errorf("%d of %d sweeps overlapped", overlaps.Load(), total())
	}
}

// TestRebalanceKeepsARaisedPriority checks that a request which raises the priority of a waiting job while
// Rebalance has found it keeps it.
func TestRebalanceKeepsARaisedPriority(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	env := open(t, postgres.New(t))
	args := job.ReadScan{V: job.ScanVersion, OrganizationID: uuid.New(), DocumentID: uuid.New()}
	if err := env.Queue.Enqueue(ctx, args, job.Bulk); err != nil {
		t.Fatal(err)
	}
	rebalanced := make(chan error, 1)
	err := env.UnitOfWork.InTx(ctx, func(tx context.Context) error {
		if err := env.Queue.Enqueue(tx, args, job.Interactive); err != nil {
			return err
		}
		go func() {
			_, err := env.Queue.Rebalance(ctx)
			rebalanced <- err
		}()
		queuetest.Await(t, "a statement that waits for the job", func() bool {
			var waits int
			if err := env.SQL.QueryRow(`SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE river_job%'`).Scan(&waits); err != nil {
				t.Fatal(err)
			}
			return waits > 0
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-rebalanced; err != nil {
		t.Fatal(err)
	}
	var priority int
	if err := env.SQL.QueryRow("SELECT priority FROM river_job").Scan(&priority); err != nil || priority != int(job.Interactive) {
		t.Errorf("the job has priority %d, %v", priority, err)
	}
}
