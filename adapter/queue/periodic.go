package queue

import (
	"context"
	"time"

	"docledger/domain/job"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// schedule makes River enqueue each Periodic at its interval and at the start of a process. A run
// that is still queued or running is not enqueued again.
func schedule(periodic []Periodic) []*river.PeriodicJob {
	jobs := make([]*river.PeriodicJob, len(periodic))
	for i, p := range periodic {
		jobs[i] = river.NewPeriodicJob(river.PeriodicInterval(p.Every), func() (river.JobArgs, *river.InsertOpts) {
			return job.RunPeriodic{V: job.PeriodicVersion, Name: p.Name}, &river.InsertOpts{
				Priority: int(job.Bulk), UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: liveStates},
			}
		}, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return jobs
}

func runPeriodic(periodic []Periodic) func(context.Context, job.RunPeriodic) error {
	return func(ctx context.Context, args job.RunPeriodic) error {
		for _, p := range periodic {
			if p.Name == args.Name {
				return p.Run(ctx)
			}
		}
		// The name belongs to another release, which enqueues it when it is due.
		return nil
	}
}

// backoff is River's retry policy: 1 s, 2 s, 4 s … up to a minute. Most failures are short outages
// of a database or store.
type backoff struct{}

const (
	firstRetry = time.Second
	lastRetry  = time.Minute
)

// NextRetry implements river.ClientRetryPolicy.
func (backoff) NextRetry(j *rivertype.JobRow) time.Time {
	pause := lastRetry
	if n := max(j.Attempt-1, 0); n < 6 {
		pause = firstRetry << n
	}
	return time.Now().Add(pause)
}
