package queue

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"docledger/domain/job"
	"docledger/usecase"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
)

// Queue implements job.Queue, job.Operator and job.Waker. Its jobs are rows of the database of the
// repositories, so that a job is added within the caller's transaction.
type Queue struct {
	db       usecase.Database
	postgres bool
	client   *river.Client[*sql.Tx]
	carried  func(ctx context.Context) string
}

var (
	_ job.Queue    = (*Queue)(nil)
	_ job.Operator = (*Queue)(nil)
	_ job.Waker    = (*Queue)(nil)
)

// New returns the queue of a database; pool is the pool of db. carried returns the trace to store
// with a new job; nil or "" stores none.
func New(db usecase.Database, pool *sql.DB, carried func(ctx context.Context) string) (*Queue, error) {
	q := &Queue{db: db, postgres: db.Dialect() == postgres, carried: carried}
	// A client without queues only inserts.
	client, err := river.NewClient(driverOf(pool, q.postgres), &river.Config{
		FetchCooldown: notifyCooldown(q.postgres), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, fmt.Errorf("open the job queue: %w", err)
	}
	q.client = client
	return q, nil
}

// postgres is the name of the dialect; every other dialect is SQLite.
const postgres = "postgres"

func driverOf(pool *sql.DB, postgres bool) riverdriver.Driver[*sql.Tx] {
	if postgres {
		return riverdatabasesql.New(pool)
	}
	return riversqlite.New(pool)
}

// notifyCooldown is the time after a job in which further jobs of its queue are not announced, so that
// they wait for the next job or for the interval at which queues are read. On PostgreSQL the
// announcements of all processes are stored one after the other, as often as a queue is read at most.
func notifyCooldown(postgres bool) time.Duration {
	if postgres {
		return fetchCooldown
	}
	return river.FetchCooldownMin
}

// liveStates are those in which a job waits or runs.
var liveStates = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

// live is the SQL condition that a job is in one of liveStates.
var live = "state IN (" + quoted(liveStates) + ")"

// quoted returns constant names as a list of SQL strings.
func quoted[T ~string](names []T) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = "'" + strings.ReplaceAll(string(name), "'", "''") + "'"
	}
	return strings.Join(out, ", ")
}

// Enqueue implements job.Queue. Outside of a transaction it opens one. A job that waits already gets
// the priority of the new request if that is more urgent.
func (q *Queue) Enqueue(ctx context.Context, args job.Args, p job.Priority) error {
	return q.EnqueueAll(ctx, []job.Args{args}, p)
}

// EnqueueAll implements job.Queue.
func (q *Queue) EnqueueAll(ctx context.Context, args []job.Args, p job.Priority) error {
	if len(args) == 0 {
		return nil
	}
	return q.inTx(ctx, func(ctx context.Context) error {
		priorities, err := q.assignPriorities(ctx, args, p)
		if err != nil {
			return err
		}
		jobs, metadata := make([]river.InsertManyParams, len(args)), q.metadata(ctx)
		for i, a := range args {
			jobs[i] = river.InsertManyParams{Args: a, InsertOpts: &river.InsertOpts{
				Priority: int(priorities[i]), Queue: queueOf(a), UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: liveStates}, Metadata: metadata,
			}}
		}
		results, err := q.client.InsertManyTx(ctx, q.db.Tx(ctx), jobs)
		if err != nil {
			return q.db.Failed("enqueue the jobs", err)
		}
		for i, done := range results {
			p := int(priorities[i])
			if !done.UniqueSkippedAsDuplicate || done.Job.Priority <= p {
				continue
			}
			_, err = q.db.Conn(ctx).ExecContext(ctx, "UPDATE river_job SET priority = $1 WHERE id = $2 AND priority > $1", p, done.Job.ID)
			if err != nil {
				return q.db.Failed("raise the priority of the job", err)
			}
		}
		return nil
	})
}

// inTx runs fn in the transaction of ctx, or else in a new one.
func (q *Queue) inTx(ctx context.Context, fn func(ctx context.Context) error) error {
	if q.db.Tx(ctx) != nil {
		return fn(ctx)
	}
	return q.db.InTx(ctx, fn)
}

// queueOf returns the queue of a job. Kinds of other releases wait in the default queue.
func queueOf(args job.Args) string {
	if k, ok := job.ByName(args.Kind()); ok {
		return k.Queue
	}
	return job.DefaultQueue
}

// metadata is what a job stores in addition to its arguments: the trace that enqueues it.
func (q *Queue) metadata(ctx context.Context) []byte {
	if q.carried == nil {
		return nil
	}
	trace := q.carried(ctx)
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
func (q *Queue) Live(ctx context.Context, args job.Args) (bool, error) {
	text, err := json.Marshal(args)
	if err != nil {
		return false, fmt.Errorf("encode the arguments of the job: %w", err)
	}
	condition := "args = jsonb($2)"
	if q.postgres {
		// Containment has an index; equality alone has none.
		condition = "args @> $2::jsonb AND args = $2::jsonb"
	}
	var found bool
	err = q.db.Conn(ctx).QueryRowContext(ctx,
		"SELECT EXISTS (SELECT 1 FROM river_job WHERE kind = $1 AND "+live+" AND "+condition+")", args.Kind(), string(text)).Scan(&found)
	return found, q.db.Failed("look for the job", err)
}

// Wake implements job.Waker. Only snoozed jobs are in the state scheduled.
func (q *Queue) Wake(ctx context.Context, kinds ...string) (int, error) {
	// The jobs are searched first, so that a call without work takes no lock.
	ids, err := q.ids(ctx, "SELECT id FROM river_job WHERE state = 'scheduled' AND kind IN ("+quoted(kinds)+") ORDER BY id LIMIT 1000")
	if err != nil || len(ids) == 0 {
		return 0, q.db.Failed("look for snoozed jobs", err)
	}
	n, err := q.update(ctx, "UPDATE river_job SET state = 'available', scheduled_at = "+q.now()+" WHERE state = 'scheduled' AND id IN ("+numbers(ids)+")")
	return n, q.db.Failed("wake the snoozed jobs", err)
}

// ids returns the ids that a query finds.
func (q *Queue) ids(ctx context.Context, query string, args ...any) (ids []int64, err error) {
	rows, err := q.db.Conn(ctx).QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// update returns how many rows a statement changed.
func (q *Queue) update(ctx context.Context, statement string, args ...any) (int, error) {
	result, err := q.db.Conn(ctx).ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// numbers returns ids as an SQL list.
func numbers(ids []int64) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids)), ", "), "[]")
}

// The SQL of the current time as the queue stores it.
const (
	nowPostgres = "now()"
	nowSQLite   = "datetime('now', 'subsec')"
)

func (q *Queue) now() string {
	if q.postgres {
		return nowPostgres
	}
	return nowSQLite
}
