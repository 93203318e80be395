// Package queue is the job queue: it stores jobs in the database of the repositories (Queue), and
// runs them (Runner). The runner calls the use case of each job kind, requeues orphaned jobs, and runs
// the sweep. No other package uses River or its tables.
//
// The aggregate, not the job, is the source of truth. A job that is discarded leaves an unfinished
// aggregate, and the sweep enqueues a job for it again.
package queue

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"docledger/domain/job"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
)

const (
	defaultWorkers    = 4
	defaultSweepEvery = 2 * time.Second
	// webhookWorkers is the number of concurrent deliveries in addition to Workers. A delivery mostly
	// waits for its receiver.
	webhookWorkers = 16
	// answerWorkers is the number of answers to e-mail that are sent at the same time, in addition to Workers. The
	// server of the operator limits its connections.
	answerWorkers = 2
	// fastTaskInterval is the interval of the fast tasks.
	fastTaskInterval = 500 * time.Millisecond
	// fetchCooldown is the minimum interval between fetches. River's default of 100 ms limits the
	// throughput.
	fetchCooldown = 20 * time.Millisecond
	// ownTimeout limits acquiring and releasing the liveness lock.
	ownTimeout = 10 * time.Second
	// startTimeout is the time that a start waits for a database that cannot be reached, such as one
	// that restarts.
	startTimeout = 30 * time.Second
	// hardStop is the time that jobs have to end after their contexts are cancelled.
	hardStop = 5 * time.Second
)

// Task is a part of the sweep. It runs at start and every two seconds, in one process at a time.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// Periodic is work that runs at fixed intervals, in one process at a time.
type Periodic struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

// Config is the configuration of a runner.
type Config struct {
	SQL *sql.DB
	// Listener is the pool of long-lived PostgreSQL connections; nil means that SQL is SQLite.
	Listener *pgxpool.Pool
	// Exclusive acquires the lock that makes this process the only worker of a SQLite database. It
	// waits until ctx ends.
	Exclusive func(ctx context.Context) (release func() error, err error)
	// Committed returns a channel that is closed by the next commit of this process that writes to
	// NotificationTable of a SQLite database. If it is nil, notifications are read 20 times each second.
	Committed func() <-chan struct{}

	// Handlers has one handler for each kind of job, except job.Periodic.
	Handlers []Handler
	Sweeps   []Task
	// FastTasks run twice a second in every worker process. They enqueue jobs for records that are
	// due; the queue prevents duplicates.
	FastTasks []Task
	Periodic  []Periodic
	// Workers is the number of concurrent jobs; 0 means 4.
	Workers int
	// Scans is the number of concurrent scans, in addition to Workers; 0 means 1.
	Scans int
	// SweepEvery is the interval of the sweep; 0 means 2 s.
	SweepEvery time.Duration
	// Observe is called after every job with its kind and outcome (done, failed, panicked,
	// postponed); nil disables it.
	Observe func(kind, outcome string, took time.Duration)
	// Trace starts a span for a job, within the stored trace of the code that enqueued it; nil
	// disables it.
	Trace  func(ctx context.Context, carried, kind string, id int64, attempt int) (context.Context, func(error))
	Logger *slog.Logger
}

// Runner runs jobs from Start until Stop.
type Runner struct {
	cfg    Config
	log    *slog.Logger
	client *river.Client[*sql.Tx]
	owner  owner

	cancel     context.CancelFunc // stops the background tasks; nil before Start and after Stop
	background sync.WaitGroup
}

// NewRunner returns a runner; call Start to run jobs.
func NewRunner(cfg Config) (*Runner, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, string, time.Duration) {}
	}
	if cfg.Trace == nil {
		cfg.Trace = func(ctx context.Context, _, _ string, _ int64, _ int) (context.Context, func(error)) {
			return ctx, func(error) {}
		}
	}
	if cfg.Workers <= 0 {
		cfg.Workers = defaultWorkers
	}
	if cfg.SweepEvery <= 0 {
		cfg.SweepEvery = defaultSweepEvery
	}
	id := newID()
	r := &Runner{cfg: cfg, log: cfg.Logger.With("worker", id)}
	began := &startedJobs{}
	var driver riverdriver.Driver[*sql.Tx]
	if cfg.Listener != nil {
		driver = riverdatabasesql.NewWithPgxListener(cfg.SQL, cfg.Listener)
		r.owner = &postgresOwner{id: id, sql: cfg.SQL, pool: cfg.Listener, log: r.log, longest: longest(), begun: began}
	} else {
		driver = newSQLiteDriver(cfg.SQL, cfg.Committed)
		r.owner = &sqliteOwner{sql: cfg.SQL, lock: cfg.Exclusive}
	}
	workers, err := register(cfg, began)
	if err != nil {
		return nil, err
	}
	r.client, err = river.NewClient(driver, &river.Config{
		ID: id,
		Queues: map[string]river.QueueConfig{
			job.DefaultQueue: {MaxWorkers: cfg.Workers}, job.ScanQueue: {MaxWorkers: max(1, cfg.Scans)}, job.WebhookQueue: {MaxWorkers: webhookWorkers},
			job.AnswerQueue: {MaxWorkers: answerWorkers},
		},
		Workers:             workers,
		PeriodicJobs:        schedule(cfg.Periodic),
		ErrorHandler:        &errorHandler{log: r.log},
		JobStuckHandler:     r.stuck,
		RetryPolicy:         backoff{},
		FetchCooldown:       fetchCooldown,
		FetchOnlyKnownKinds: true, // jobs of a newer release wait for it
		Logger:              slog.New(warnings{cfg.Logger.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("set the job queue up: %w", err)
	}
	return r, nil
}

// newID returns the unique name of a process: its host and a random part.
func newID() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	host = strings.Map(func(c rune) rune {
		if c < '!' || c > '~' {
			return '_'
		}
		return c
	}, host)
	return fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), rand.Text()[:12])
}

// Start acquires the liveness lock, requeues orphaned jobs, and starts to run jobs. It waits for a
// database that cannot be reached for at most 30 seconds. ctx limits only the start.
func (r *Runner) Start(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := r.start(ctx)
		if err == nil {
			break
		}
		if !r.owner.unreachable(err) {
			return err
		}
		r.log.Warn("the database cannot be reached; the start waits for it", "error", err)
		select {
		case <-waiting.Done():
			return err
		case <-time.After(relockInterval):
		}
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = stop
	r.background.Go(func() { r.owner.monitor(background) })
	r.background.Go(func() { r.sweepUntil(background) })
	r.background.Go(func() { r.runFastTasks(background) })
	return nil
}

// start is one attempt of Start. After an error it can be called again.
func (r *Runner) start(ctx context.Context) error {
	hold, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	if err := r.owner.acquire(hold); err != nil {
		return fmt.Errorf("start to run jobs: %w", err)
	}
	// This takes as long as there are orphaned jobs.
	if err := r.owner.requeueOrphans(ctx, true); err != nil {
		return errors.Join(fmt.Errorf("requeue orphaned jobs: %w", err), r.owner.release())
	}
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(fmt.Errorf("start the job queue: %w", err), r.owner.release())
	}
	return nil
}

// Stop lets running jobs finish until ctx ends, and then cancels them. The next process runs a
// cancelled job again.
func (r *Runner) Stop(ctx context.Context) error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	r.background.Wait()
	err := r.client.Stop(ctx)
	if err != nil {
		hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), hardStop)
		defer cancel()
		err = r.client.StopAndCancel(hard)
	}
	r.cancel = nil
	return errors.Join(err, r.owner.release())
}

func (r *Runner) stuck(_ context.Context, p river.JobStuckHandlerParams) river.JobStuckHandlerResult {
	r.log.Error("job did not end after its timeout", "job", p.ID, "kind", p.Kind, "stuck", p.TotalStuckJobs)
	return river.JobStuckHandlerResult{AddWorkerSlot: true}
}
