package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
	"github.com/riverqueue/river/rivertype"
)

// row is a job as the operator sees it.
type row struct {
	id           int64
	kind         string
	state        rivertype.JobState
	ended        bool // cancelled by the operator
	args         string
	attempt      int
	created, due time.Time
	failure      string
}

// endedByOperator is the SQL condition that the operator has cancelled a job.
const endedByOperator = "(metadata->>'cancel_attempted_at' IS NOT NULL)"

// columns are those of a row.
func (q *Queue) columns() string {
	columns := "id, kind, CAST(state AS text), " + endedByOperator + ", attempt, created_at, scheduled_at, "
	if q.postgres {
		return columns + "args::text, COALESCE(errors[array_upper(errors, 1)]->>'error', '')"
	}
	return columns + "json(args), COALESCE(json_extract(errors, '$[#-1].error'), '')"
}

func scan(rows interface{ Scan(...any) error }) (r row, err error) {
	err = rows.Scan(&r.id, &r.kind, &r.state, &r.ended, &r.attempt, &r.created, &r.due, &r.args, &r.failure)
	return r, err
}

// inState is the SQL condition of each state.
var inState = map[job.State]string{
	job.Waiting:   "state IN ('available', 'pending', 'scheduled')",
	job.Running:   "state = 'running'",
	job.Retrying:  "state = 'retryable'",
	job.Done:      "state = 'completed'",
	job.Failed:    "(state = 'discarded' OR state = 'cancelled' AND NOT " + endedByOperator + ")",
	job.Cancelled: "(state = 'cancelled' AND " + endedByOperator + ")",
}

func (r row) stateOf() job.State {
	switch r.state {
	case rivertype.JobStateRunning:
		return job.Running
	case rivertype.JobStateRetryable:
		return job.Retrying
	case rivertype.JobStateCompleted:
		return job.Done
	case rivertype.JobStateCancelled, rivertype.JobStateDiscarded:
		if r.ended && r.state == rivertype.JobStateCancelled {
			return job.Cancelled
		}
		return job.Failed
	}
	return job.Waiting
}

func (r row) record() job.Record {
	out := job.Record{
		ID: r.id, Kind: r.kind, State: r.stateOf(), Attempts: r.attempt,
		CreatedAt: r.created.UTC().Truncate(time.Microsecond), DueAt: r.due.UTC().Truncate(time.Microsecond), Failure: r.failure,
	}
	var known struct{ OrganizationID uuid.UUID }
	// The arguments of another release may have another shape; the record is shown without them.
	_ = json.Unmarshal([]byte(r.args), &known)
	out.Organization = known.OrganizationID
	if k, ok := job.ByName(r.kind); ok {
		if args, subject, err := k.Decode([]byte(r.args)); err == nil {
			out.Args, out.Subject = args, subject
		}
	}
	return out
}

// ForOperator implements job.Operator. The cursor is the id of the last job of a page.
func (q *Queue) ForOperator(ctx context.Context, f job.Filter, p page.Request) (page.Of[job.Record], error) {
	conditions, values := []string{"true"}, []any{}
	if f.Kind != "" {
		values = append(values, f.Kind)
		conditions = append(conditions, "kind = $"+strconv.Itoa(len(values)))
	}
	if len(f.States) > 0 {
		var any []string
		for _, state := range slices.Sorted(slices.Values(f.States)) {
			any = append(any, inState[state])
		}
		conditions = append(conditions, "("+strings.Join(any, " OR ")+")")
	}
	if p.After != "" {
		after, err := strconv.ParseInt(p.After, 10, 64)
		if err != nil || after < 1 {
			return page.Of[job.Record]{}, fault.InvalidField("cursor", "not a cursor of the list of jobs; start again without one")
		}
		values = append(values, after)
		conditions = append(conditions, "id < $"+strconv.Itoa(len(values)))
	}
	found, err := q.rows(ctx, strings.Join(conditions, " AND ")+" ORDER BY id DESC LIMIT "+strconv.Itoa(p.Size()+1), values...)
	if err != nil {
		return page.Of[job.Record]{}, q.db.Failed("list the jobs", err)
	}
	var out page.Of[job.Record]
	if len(found) > p.Size() {
		found = found[:p.Size()]
		out.Next = strconv.FormatInt(found[len(found)-1].id, 10)
	}
	for _, r := range found {
		out.Items = append(out.Items, r.record())
	}
	return out, nil
}

// rows returns the jobs that meet a condition.
func (q *Queue) rows(ctx context.Context, condition string, values ...any) (found []row, err error) {
	rows, err := q.db.Conn(ctx).QueryContext(ctx, "SELECT "+q.columns()+" FROM river_job WHERE "+condition, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// RecordForOperator implements job.Operator.
func (q *Queue) RecordForOperator(ctx context.Context, id int64) (*job.Record, error) {
	r, err := scan(q.db.Conn(ctx).QueryRowContext(ctx, "SELECT "+q.columns()+" FROM river_job WHERE id = $1", id))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fault.Missing("job")
	}
	if err != nil {
		return nil, q.db.Failed("read the job", err)
	}
	record := r.record()
	return &record, nil
}

// RetryForOperator implements job.Operator.
func (q *Queue) RetryForOperator(ctx context.Context, id int64) error {
	err := q.inTx(ctx, func(ctx context.Context) error {
		_, err := q.client.JobRetryTx(ctx, q.db.Tx(ctx), id)
		return q.db.Failed("make the job due", err)
	})
	if errors.Is(err, rivertype.ErrNotFound) {
		return fault.Missing("job")
	}
	if f, ok := fault.As(err); ok && f.Kind == fault.Conflict {
		return fault.New(fault.Conflict, fault.CodeConflict, "Another job does the same work already; see docledger jobs list.").WithCause(err)
	}
	return err
}

// CancelForOperator implements job.Operator.
func (q *Queue) CancelForOperator(ctx context.Context, id int64) (bool, error) {
	mark := "jsonb_set(metadata, '$.cancel_attempted_at', " + q.now() + ")"
	if q.postgres {
		mark = "jsonb_set(metadata, '{cancel_attempted_at}', to_jsonb(now()))"
	}
	n, err := q.update(ctx, "UPDATE river_job SET state = 'cancelled', finalized_at = "+q.now()+", metadata = "+mark+
		" WHERE id = $1 AND ("+inState[job.Waiting]+" OR "+inState[job.Retrying]+")", id)
	return n == 1, q.db.Failed("cancel the job", err)
}
