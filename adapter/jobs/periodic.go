package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// periodicVersion is the version of periodicArgs.
const periodicVersion = 1

// periodicArgs asks for one run of a Periodic.
type periodicArgs struct {
	V    int
	Name string
}

// Kind implements job.Args.
func (periodicArgs) Kind() string { return "periodic" }

// schedule makes River enqueue each Periodic, also when a process starts; one
// that still waits or runs is not enqueued again.
func schedule(periodic []Periodic) []*river.PeriodicJob {
	jobs := make([]*river.PeriodicJob, len(periodic))
	for i, p := range periodic {
		jobs[i] = river.NewPeriodicJob(river.PeriodicInterval(p.Every), func() (river.JobArgs, *river.InsertOpts) {
			return periodicArgs{V: periodicVersion, Name: p.Name}, &river.InsertOpts{
				Priority: 4,
				UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{
					rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
					rivertype.JobStateRunning, rivertype.JobStateScheduled,
				}},
			}
		}, &river.PeriodicJobOpts{RunOnStart: true})
	}
	return jobs
}

func runPeriodic(periodic []Periodic) func(context.Context, periodicArgs) error {
	return func(ctx context.Context, args periodicArgs) error {
		for _, p := range periodic {
			if p.Name == args.Name {
				return p.Run(ctx)
			}
		}
		// Another release's; it comes again when it is due.
		return nil
	}
}

// backoff is River's retry policy here: 1 s, 2 s, 4 s … a minute. What fails a
// job is mostly a database or store that comes back soon.
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
