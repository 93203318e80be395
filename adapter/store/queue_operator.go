package store

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
	"github.com/riverqueue/river/rivertype"
)

// recordRow is a job as the operator sees it.
type recordRow struct {
	ID          int64
	Kind        string
	State       rivertype.JobState
	Ended       bool // by the operator
	Args        string
	Attempt     int
	CreatedAt   time.Time
	ScheduledAt time.Time
	Failure     string
}

// endedByOperator is the SQL of whether somebody has cancelled a job.
const endedByOperator = "(metadata->>'cancel_attempted_at' IS NOT NULL)"

// recordColumns are those of recordRow.
func (s *Store) recordColumns() string {
	columns := "id, kind, CAST(state AS text) AS state, " + endedByOperator + " AS ended, attempt, created_at, scheduled_at, "
	if s.postgres {
		return columns + "args::text AS args, COALESCE(errors[array_upper(errors, 1)]->>'error', '') AS failure"
	}
	return columns + "json(args) AS args, COALESCE(json_extract(errors, '$[#-1].error'), '') AS failure"
}

// inState is the SQL of each state.
var inState = map[job.State]string{
	job.Waiting:   "state IN ('available', 'pending', 'scheduled')",
	job.Running:   "state = 'running'",
	job.Retrying:  "state = 'retryable'",
	job.Done:      "state = 'completed'",
	job.Failed:    "(state = 'discarded' OR state = 'cancelled' AND NOT " + endedByOperator + ")",
	job.Cancelled: "(state = 'cancelled' AND " + endedByOperator + ")",
}

func (row recordRow) state() job.State {
	switch row.State {
	case rivertype.JobStateRunning:
		return job.Running
	case rivertype.JobStateRetryable:
		return job.Retrying
	case rivertype.JobStateCompleted:
		return job.Done
	case rivertype.JobStateCancelled, rivertype.JobStateDiscarded:
		if row.Ended && row.State == rivertype.JobStateCancelled {
			return job.Cancelled
		}
		return job.Failed
	}
	return job.Waiting
}

func (row recordRow) fromRow() job.Record {
	r := job.Record{
		ID: row.ID, Kind: row.Kind, State: row.state(), Attempts: row.Attempt,
		CreatedAt: instant(row.CreatedAt), DueAt: instant(row.ScheduledAt), Failure: row.Failure,
	}
	var known struct {
		V              int
		OrganizationID uuid.UUID
		Name           string
	}
	// What can't be read is of another release, and is shown without.
	_ = json.Unmarshal([]byte(row.Args), &known)
	r.Organization, r.Subject = known.OrganizationID, known.Name
	switch row.Kind {
	case job.ExtractDocument{}.Kind():
		r.Args, r.Subject = argsOf(row, known.V == job.ExtractVersion, func(a job.ExtractDocument) uuid.UUID { return a.DocumentID })
	case job.ReadScan{}.Kind():
		r.Args, r.Subject = argsOf(row, known.V == job.ScanVersion, func(a job.ReadScan) uuid.UUID { return a.DocumentID })
	case job.SyncInvoice{}.Kind():
		r.Args, r.Subject = argsOf(row, known.V == job.SyncVersion, func(a job.SyncInvoice) uuid.UUID { return a.InvoiceID })
	case job.ProcessEvent{}.Kind():
		r.Args, r.Subject = argsOf(row, known.V == job.EventVersion, func(a job.ProcessEvent) uuid.UUID { return a.MessageID })
	case job.PollStore{}.Kind():
		r.Args, r.Subject = argsOf(row, known.V == job.PollVersion, func(a job.PollStore) uuid.UUID { return a.IntegrationID })
	}
	return r
}

func argsOf[T job.Args](row recordRow, known bool, subject func(T) uuid.UUID) (job.Args, string) {
	var args T
	if err := json.Unmarshal([]byte(row.Args), &args); err != nil || !known {
		return nil, ""
	}
	return args, subject(args).String()
}

// ForOperator implements job.Operator.
func (r Queue) ForOperator(ctx context.Context, f job.Filter, p page.Request) (page.Of[job.Record], error) {
	b := withAll(bind("jobs", uuid.Nil).with("kind", f.Kind), "state", f.States).done()
	after, err := b.numbersOf(p.After, 1)
	if err != nil {
		return page.Of[job.Record]{}, err
	}
	q := r.s.handle(ctx).Table("river_job").Select(r.s.recordColumns()).Order("id DESC").Limit(p.Size() + 1)
	if f.Kind != "" {
		q = q.Where("kind = ?", f.Kind)
	}
	if len(f.States) > 0 {
		any := r.s.handle(ctx)
		for _, state := range slices.Sorted(slices.Values(f.States)) {
			any = any.Or(inState[state])
		}
		q = q.Where(any)
	}
	if after[0] > 0 {
		q = q.Where("id < ?", after[0])
	}
	var rows []recordRow
	if err := q.Find(&rows).Error; err != nil {
		return page.Of[job.Record]{}, failed("list the jobs", err)
	}
	return pageOf(rows, p.Size(), recordRow.fromRow, func(row recordRow) string { return b.cursor(numbersKey(row.ID)) }), nil
}

// RecordForOperator implements job.Operator.
func (r Queue) RecordForOperator(ctx context.Context, id int64) (*job.Record, error) {
	var row recordRow
	if err := r.s.handle(ctx).Table("river_job").Select(r.s.recordColumns()).Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, found("job", err)
	}
	record := row.fromRow()
	return &record, nil
}

// RetryForOperator implements job.Operator.
func (r Queue) RetryForOperator(ctx context.Context, id int64) error {
	err := r.s.inOne(ctx, func(ctx context.Context) error {
		tx, err := r.s.sqlTx(ctx)
		if err != nil {
			return err
		}
		_, err = r.s.river.JobRetryTx(ctx, tx, id)
		return failed("make the job due", err)
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
func (r Queue) CancelForOperator(ctx context.Context, id int64) (bool, error) {
	mark := "jsonb_set(metadata, '$.cancel_attempted_at', " + r.s.nowExpr() + ")"
	if r.s.postgres {
		mark = "jsonb_set(metadata, '{cancel_attempted_at}', to_jsonb(now()))"
	}
	done := r.s.handle(ctx).Exec("UPDATE river_job SET state = 'cancelled', finalized_at = "+r.s.nowExpr()+", metadata = "+mark+
		" WHERE id = ? AND ("+inState[job.Waiting]+" OR "+inState[job.Retrying]+")", id)
	return done.RowsAffected == 1, failed("cancel the job", done.Error)
}
