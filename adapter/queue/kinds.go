package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"docledger/domain/job"

	"github.com/riverqueue/river"
)

// unknownPause is the delay before a job of an unknown version is checked again.
const unknownPause = time.Minute

// pausedRetryDelay is the delay before a paused job is checked again, unless it is woken.
const pausedRetryDelay = time.Minute

// Handler runs the jobs of one kind; see Handle.
type Handler struct {
	kind job.Kind
	add  func(Config, *orgConcurrencyLimiter, *river.Workers, *startedJobs) error
}

// Handle returns the handler that calls run for each job of a kind. run must accept repeated calls
// for one job, and jobs whose data no longer exists.
func Handle[T job.Args](kind job.KindOf[T], run func(context.Context, T) error) Handler {
	return Handler{kind: kind.Kind, add: func(cfg Config, turns *orgConcurrencyLimiter, workers *river.Workers, began *startedJobs) error {
		w := &worker[T]{kind: kind.Kind, run: run, begun: began, observe: cfg.Observe, trace: cfg.Trace}
		if kind.Shared {
			w.turns = turns
		}
		return river.AddWorkerSafely(workers, w)
	}}
}

// Kind returns the name of the kind.
func (h Handler) Kind() string { return h.kind.Name }

// timeoutGrace is the time after its timeout at which a running job is considered orphaned.
const timeoutGrace = 30 * time.Second

// longest returns the maximum running time of each kind.
func longest() map[string]time.Duration {
	most := map[string]time.Duration{}
	for _, k := range job.Kinds() {
		most[k.Name] = k.Timeout + timeoutGrace
	}
	return most
}

// register returns the workers of all kinds. It returns an error for a kind without a handler and
// for one with two.
func register(cfg Config, began *startedJobs) (*river.Workers, error) {
	workers, turns := river.NewWorkers(), newOrgConcurrencyLimiter(cfg)
	handlers := append(slices.Clone(cfg.Handlers), Handle(job.Periodic, runPeriodic(cfg.Periodic)))
	var err error
	for _, h := range handlers {
		err = errors.Join(err, h.add(cfg, turns, workers, began))
	}
	for _, k := range job.Kinds() {
		if !slices.ContainsFunc(handlers, func(h Handler) bool { return h.Kind() == k.Name }) {
			err = errors.Join(err, fmt.Errorf("no handler for jobs of the kind %s", k.Name))
		}
	}
	return workers, err
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
	kind    job.Kind
	run     func(context.Context, T) error
	turns   *orgConcurrencyLimiter // nil for kinds that are not Shared
	begun   *startedJobs
	observe func(kind, outcome string, took time.Duration)
	trace   func(ctx context.Context, carried, kind string, id int64, attempt int) (context.Context, func(error))
}

// Timeout implements river.Worker.
func (w *worker[T]) Timeout(*river.Job[raw[T]]) time.Duration { return w.kind.Timeout }

// Work implements river.Worker.
func (w *worker[T]) Work(ctx context.Context, j *river.Job[raw[T]]) (err error) {
	this := jobAttempt{id: j.ID, attempt: j.Attempt}
	w.begun.add(this)
	began, outcome := time.Now(), "panicked"
	ctx, end := w.trace(ctx, carriedBy(j.Metadata), j.Args.Kind(), j.ID, j.Attempt)
	defer func() {
		if outcome == snoozed {
			w.begun.forget(this) // the job runs again with the same attempt number
		} else {
			w.begun.end(this)
		}
		end(err)
		w.observe(j.Args.Kind(), outcome, time.Since(began))
	}()
	err = w.work(ctx, j)
	outcome = outcomeOf(err)
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
	if err := json.Unmarshal(j.Args.text, &known); err != nil || known.V < 1 || known.V > w.kind.Version {
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
