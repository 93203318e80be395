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
	return r.s.inOne(ctx, func(ctx context.Context) error {
		tx, err := r.s.sqlTx(ctx)
		if err != nil {
			return err
		}
		done, err := r.s.river.InsertTx(ctx, tx, args, &river.InsertOpts{
			Priority:   int(p),
			UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: liveStates},
		})
		if err != nil {
			return failed("enqueue the job", err)
		}
		if !done.UniqueSkippedAsDuplicate || done.Job.Priority <= int(p) {
			return nil
		}
		err = r.s.handle(ctx).Exec("UPDATE river_job SET priority = ? WHERE id = ? AND priority > ?", int(p), done.Job.ID, int(p)).Error
		return failed("move the job up", err)
	})
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
