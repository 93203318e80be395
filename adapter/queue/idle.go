package queue

import (
	"context"

	"docledger/domain/job"

	"github.com/riverqueue/river"
)

// Idle returns a handler that completes each job of a kind and does nothing. Tests of some kinds
// use it for all others, so that they need no change for a new kind.
func Idle(kind job.Kind) Handler {
	return Handler{kind: kind, add: func(_ Config, _ *orgConcurrencyLimiter, workers *river.Workers, _ *startedJobs) error {
		river.AddWorkerArgs(workers, idleArgs{name: kind.Name}, river.WorkFunc(func(context.Context, *river.Job[idleArgs]) error { return nil }))
		return nil
	}}
}

// idleArgs are the undecoded arguments of any kind.
type idleArgs struct{ name string }

// Kind implements river.JobArgs.
func (a idleArgs) Kind() string { return a.name }
