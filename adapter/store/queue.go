package store

import (
	"context"
	"encoding/json"
	"fmt"

	"docledger/domain/job"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// liveStates are those in which a job waits or runs.
var liveStates = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// Queue implements job.Queue on River's tables.
type Queue struct{ s *Store }

// Enqueue implements job.Queue. Outside of a transaction it opens its own. A
// job that waits already moves up where the new request is more urgent.
func (r Queue) Enqueue(ctx context.Context, args job.Args, p job.Priority) error {
	return r.EnqueueAll(ctx, []job.Args{args}, p)
}

// EnqueueAll implements job.Queue.
func (r Queue) EnqueueAll(ctx context.Context, args []job.Args, p job.Priority) error {
	if len(args) == 0 {
		return nil
	}
	return r.s.inOne(ctx, func(ctx context.Context) error {
		priorities, err := r.assignPriorities(ctx, args, p)
		if err != nil {
			return err
		}
		jobs, metadata := make([]river.InsertManyParams, len(args)), r.s.metadata(ctx)
		for i, a := range args {
			jobs[i] = river.InsertManyParams{Args: a, InsertOpts: &river.InsertOpts{
				Priority: int(priorities[i]), Queue: job.QueueOf(a), UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: liveStates}, Metadata: metadata,
			}}
		}
		tx, err := r.s.sqlTx(ctx)
		if err != nil {
			return err
		}
		results, err := r.s.river.InsertManyTx(ctx, tx, jobs)
		if err != nil {
			return failed("enqueue the jobs", err)
		}
		for i, done := range results {
			p := int(priorities[i])
			if !done.UniqueSkippedAsDuplicate || done.Job.Priority <= p {
				continue
			}
			err = r.s.handle(ctx).Exec("UPDATE river_job SET priority = ? WHERE id = ? AND priority > ?", p, done.Job.ID, p).Error
			if err != nil {
				return failed("move the job up", err)
			}
		}
		return nil
	})
}

// metadata is what a job keeps beside its arguments: the trace that enqueues it.
func (s *Store) metadata(ctx context.Context) []byte {
	if s.carried == nil {
		return nil
	}
	trace := s.carried(ctx)
	if trace == "" {
		return nil
	}
	text, err := json.Marshal(map[string]string{job.TraceKey: trace})
	if err != nil {
		return nil
	}
	return text
}

// Live implements job.Queue.
func (r Queue) Live(ctx context.Context, args job.Args) (bool, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return false, fmt.Errorf("write the job's arguments: %w", err)
	}
	condition := "args = jsonb(?)"
	values := []any{args.Kind(), liveStates, string(text)}
	if r.s.postgres {
		// Containment has an index; equality alone has none.
		condition = "args @> ?::jsonb AND args = ?::jsonb"
		values = append(values, string(text))
	}
	var live bool
	err = r.s.handle(ctx).
		Raw("SELECT EXISTS (SELECT 1 FROM river_job WHERE kind = ? AND state IN ? AND "+condition+")", values...).
		Scan(&live).Error
	return live, failed("look for the job", err)
}
