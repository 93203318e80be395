// Package jobs works what the queue holds: it calls the use-case of each kind
// of job, gives back the jobs of processes that are gone, and sweeps for what
// lost its job.
//
// The aggregate, not the job, is the truth: a job that is given up for good
// leaves a document that is not finished, and the sweep enqueues it anew.
package jobs

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
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

const (
	defaultWorkers    = 4
	defaultSweepEvery = 2 * time.Second
	// fastTaskInterval is the pause between rounds of the prompt tasks.
	fastTaskInterval = 500 * time.Millisecond
	// fetchCooldown bounds how often jobs are fetched; River's default of
	// 100 ms bounds the throughput.
	fetchCooldown = 20 * time.Millisecond
	// ownTimeout bounds taking hold of the mark of life, and letting go of it.
	ownTimeout = 10 * time.Second
	// hardStop is how long jobs have after their contexts are cancelled.
	hardStop = 5 * time.Second
)

// Handlers are the use-cases, one for each kind of job. Each may be called
// again for the same job, and for one whose data is gone.
type Handlers struct {
	Poll    func(ctx context.Context, args job.PollStore) error
	Extract func(ctx context.Context, args job.ExtractDocument) error
	Scan    func(ctx context.Context, args job.ReadScan) error
	Event   func(ctx context.Context, args job.ProcessEvent) error
	Sync    func(ctx context.Context, args job.SyncInvoice) error
}

// Task is a part of the sweep. It runs at start and every two seconds, in one
// process at a time.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// Periodic is work that is due every so often, in one process of all.
type Periodic struct {
	Name  string
	Every time.Duration
	Run   func(ctx context.Context) error
}

// Config says what a runner works with.
type Config struct {
	SQL *sql.DB
	// Listener is the pool of long-lived connections on PostgreSQL; nil says
	// that SQL is SQLite.
	Listener *pgxpool.Pool
	// Exclusive, on SQLite, takes the lock that makes this process the only one
	// that works; it waits until ctx ends.
	Exclusive func(ctx context.Context) (release func() error, err error)

	Handlers Handlers
	Sweeps   []Task
	// FastTasks tasks run twice a second in every process that works: they give
	// jobs to what is due by the clock, which the queue keeps from being added
	// twice.
	FastTasks []Task
	Periodic  []Periodic
	// Workers is how many jobs run at a time; 0 means 4.
	Workers int
	// Scans is how many scans are read at a time, beside Workers; 0 means 1.
	Scans int
	// SweepEvery is the pause between sweeps; 0 means 2 s.
	SweepEvery time.Duration
	// Observe is told of every job that was worked: its kind and how it ended
	// (done, failed, panicked, postponed); nil: nobody.
	Observe func(kind, outcome string, took time.Duration)
	// Trace begins a span for a job, within the trace that enqueued it where the
	// job kept one; nil: none.
	Trace  func(ctx context.Context, carried, kind string, id int64, attempt int) (context.Context, func(error))
	Logger *slog.Logger
}

// Runner works jobs from Start until Stop.
type Runner struct {
	cfg    Config
	log    *slog.Logger
	client *river.Client[*sql.Tx]
	owner  owner

	cancel     context.CancelFunc // of what runs beside the queue; nil before Start and after Stop
	background sync.WaitGroup
}

// New returns a runner that has not been started.
func New(cfg Config) (*Runner, error) {
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
	began, kinds := &startedJobs{}, table(cfg)
	var driver riverdriver.Driver[*sql.Tx]
	if cfg.Listener != nil {
		driver = riverdatabasesql.NewWithPgxListener(cfg.SQL, cfg.Listener)
		r.owner = &postgresOwner{id: id, sql: cfg.SQL, pool: cfg.Listener, log: r.log, longest: longest(kinds), begun: began}
	} else {
		driver = riversqlite.New(cfg.SQL)
		r.owner = &sqliteOwner{sql: cfg.SQL, lock: cfg.Exclusive}
	}
	workers, attempts, err := register(kinds, began)
	if err != nil {
		return nil, err
	}
	r.client, err = river.NewClient(driver, &river.Config{
		ID:                  id,
		Queues:              map[string]river.QueueConfig{job.DefaultQueue: {MaxWorkers: cfg.Workers}, job.ScanQueue: {MaxWorkers: max(1, cfg.Scans)}},
		Workers:             workers,
		PeriodicJobs:        schedule(cfg.Periodic),
		ErrorHandler:        &errorHandler{attempts: attempts, log: r.log},
		JobStuckHandler:     r.stuck,
		RetryPolicy:         backoff{},
		FetchCooldown:       fetchCooldown,
		FetchOnlyKnownKinds: true, // those of a newer release wait for it
		Logger:              slog.New(warnings{cfg.Logger.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("set the job queue up: %w", err)
	}
	return r, nil
}

// newID names a process: where it runs, and apart from all before it.
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

// Start takes hold of the mark of life, gives back what processes that are
// gone were working on, and begins to work. ctx bounds the start alone.
func (r *Runner) Start(ctx context.Context) error {
	hold, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	if err := r.owner.acquire(hold); err != nil {
		return fmt.Errorf("start to work jobs: %w", err)
	}
	if err := r.owner.requeueOrphans(ctx, true); err != nil {
		return errors.Join(fmt.Errorf("give back the jobs of processes that are gone: %w", err), r.owner.release())
	}
	if err := r.client.Start(context.WithoutCancel(ctx)); err != nil {
		return errors.Join(fmt.Errorf("start the job queue: %w", err), r.owner.release())
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = stop
	r.background.Go(func() { r.owner.monitor(background) })
	r.background.Go(func() { r.sweepUntil(background) })
	r.background.Go(func() { r.runFastTasks(background) })
	return nil
}

// Stop lets running jobs finish until ctx ends, and cancels them then; a
// cancelled job is taken up again by the next process.
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
	r.log.Error("a job did not end at its deadline", "job", p.ID, "kind", p.Kind, "stuck", p.TotalStuckJobs)
	return river.JobStuckHandlerResult{AddWorkerSlot: true}
}
