package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docledger/domain/job"

	"github.com/riverqueue/river"
)

// unknownPause is the delay before a job of an unknown version is checked again.
const unknownPause = time.Minute

// pausedRetryDelay is the delay before a paused job is checked again, unless it is woken.
const pausedRetryDelay = time.Minute

// kind is a row of the table of job kinds.
type kind struct {
	name     string
	attempts int // errors and panics after which the job is discarded
	timeout  time.Duration
	add      func(*river.Workers, *startedJobs) error
}

// table lists every job kind: the version of its arguments, the maximum number of attempts, the
// timeout, and the use case.
func table(cfg Config) []kind {
	turns := newOrgConcurrencyLimiter(cfg)
	return []kind{
		row(cfg, turns, job.ExtractVersion, 10, 2*time.Minute, cfg.Handlers.Extract),
		row(cfg, nil, job.ScanVersion, 10, 10*time.Minute, cfg.Handlers.Scan),
		row(cfg, turns, job.EventVersion, 10, time.Minute, cfg.Handlers.Event),
		row(cfg, turns, job.SyncVersion, 10, 3*time.Minute, cfg.Handlers.Sync),
		row(cfg, turns, job.PollVersion, 10, 10*time.Minute, cfg.Handlers.Poll),
		row(cfg, turns, periodicVersion, 1, 10*time.Minute, runPeriodic(cfg.Periodic)),
	}
}

func row[T job.Args](cfg Config, turns *orgConcurrencyLimiter, version, attempts int, timeout time.Duration, run func(context.Context, T) error) kind {
	var args T
	return kind{name: args.Kind(), attempts: attempts, timeout: timeout, add: func(workers *river.Workers, began *startedJobs) error {
		if run == nil {
			return fmt.Errorf("no handler for jobs of the kind %s", args.Kind())
		}
		return river.AddWorkerSafely(workers, &worker[T]{version: version, timeout: timeout, run: run, turns: turns, begun: began, observe: cfg.Observe, trace: cfg.Trace})
	}}
}

// timeoutGrace is the time after its timeout at which a running job is considered orphaned.
const timeoutGrace = 30 * time.Second

// longest returns the maximum running time of each kind.
func longest(kinds []kind) map[string]time.Duration {
	most := map[string]time.Duration{}
	for _, k := range kinds {
		most[k.name] = k.timeout + timeoutGrace
	}
	return most
}

func register(kinds []kind, began *startedJobs) (workers *river.Workers, attempts map[string]int, err error) {
	workers, attempts = river.NewWorkers(), map[string]int{}
	for _, k := range kinds {
		err = errors.Join(err, k.add(workers, began))
		attempts[k.name] = k.attempts
	}
	return workers, attempts, err
}

// raw contains a job's undecoded arguments, so that the version is checked before the arguments are
// decoded.
type raw[T job.Args] struct{ text json.RawMessage }

// Kind implements river.JobArgs.
func (raw[T]) Kind() string {
	var args T
	return args.Kind()
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *raw[T]) UnmarshalJSON(text []byte) error {
	r.text = bytes.Clone(text)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r raw[T]) MarshalJSON() ([]byte, error) { return r.text, nil }

type worker[T job.Args] struct {
	river.WorkerDefaults[raw[T]]
	version int
	timeout time.Duration
	run     func(context.Context, T) error
	turns   *orgConcurrencyLimiter // nil for a separate queue
	begun   *startedJobs
	observe func(kind, outcome string, took time.Duration)
	trace   func(ctx context.Context, carried, kind string, id int64, attempt int) (context.Context, func(error))
}

// Timeout implements river.Worker.
func (w *worker[T]) Timeout(*river.Job[raw[T]]) time.Duration { return w.timeout }

// Work implements river.Worker.
func (w *worker[T]) Work(ctx context.Context, j *river.Job[raw[T]]) (err error) {
	this := jobAttempt{id: j.ID, attempt: j.Attempt}
	w.begun.add(this)
	began, outcome := time.Now(), "panicked"
	ctx, end := w.trace(ctx, carriedBy(j.Metadata), j.Args.Kind(), j.ID, j.Attempt)
	defer func() {
		end(err)
		w.observe(j.Args.Kind(), outcome, time.Since(began))
	}()
	err = w.work(ctx, j)
	if outcome = outcomeOf(err); outcome == snoozed {
		w.begun.forget(this) // the job runs again with the same attempt number
	}
	return err
}

// carriedBy returns the trace stored in a job; "" for none.
func carriedBy(metadata []byte) string {
	kept := map[string]any{}
	if json.Unmarshal(metadata, &kept) != nil {
		return ""
	}
	trace, _ := kept[job.TraceKey].(string)
	return trace
}

// snoozed is the outcome of a job that runs again without counting an attempt. The metric label
// keeps its released value.
const snoozed = "postponed"

func outcomeOf(err error) string {
	switch snooze := new(river.JobSnoozeError); {
	case err == nil:
		return "done"
	case errors.As(err, &snooze):
		return snoozed
	default:
		return "failed"
	}
}

func (w *worker[T]) work(ctx context.Context, j *river.Job[raw[T]]) error {
	var known struct{ V int }
	if err := json.Unmarshal(j.Args.text, &known); err != nil || known.V < 1 || known.V > w.version {
		return river.JobSnooze(unknownPause)
	}
	var args T
	if err := json.Unmarshal(j.Args.text, &args); err != nil {
		return fmt.Errorf("read the job's arguments: %w", err)
	}
	if owned, ok := any(args).(job.OfOrganization); ok && w.turns != nil {
		leave, mine := w.turns.take(ctx, j.ID, owned.Organization())
		if !mine {
			return river.JobSnooze(behind)
		}
		defer leave()
	}
	err := w.run(ctx, args)
	if errors.Is(err, job.ErrPaused) {
		return river.JobSnooze(pausedRetryDelay)
	}
	if later := new(job.Later); errors.As(err, &later) {
		return river.JobSnooze(later.After)
	}
	return err
}
