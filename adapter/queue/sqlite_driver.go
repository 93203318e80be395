package queue

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// sqliteDriver is River's SQLite driver for a process that is mostly idle. It reads before it writes,
// and waits for commits of this process instead of reading at short intervals.
type sqliteDriver struct {
	*riversqlite.Driver
	sql       *sql.DB
	committed func() <-chan struct{} // nil if commits are not signalled
}

func newSQLiteDriver(pool *sql.DB, committed func() <-chan struct{}) sqliteDriver {
	return sqliteDriver{riversqlite.New(pool), pool, committed}
}

// GetExecutor implements riverdriver.Driver.
func (d sqliteDriver) GetExecutor() riverdriver.Executor {
	return sqliteExecutor{d.Driver.GetExecutor(), d.sql}
}

// GetListener implements riverdriver.Driver.
func (d sqliteDriver) GetListener(params *riverdriver.GetListenenerParams) riverdriver.Listener {
	if d.committed == nil {
		return d.Driver.GetListener(params)
	}
	return &signalledListener{Listener: d.Driver.GetListener(params), sql: d.sql, committed: d.committed, poll: unsignalledPoll}
}

// sqliteExecutor is River's executor, which looks for a job before it fetches one.
type sqliteExecutor struct {
	riverdriver.Executor
	sql *sql.DB
}

// dueJob is a query for a job that can be fetched from a queue.
const dueJob = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 AND scheduled_at <= ` + nowSQLite + `)`

// JobGetAvailable implements riverdriver.Executor. River's statement takes the write lock and five times
// as long, even if the queue is empty. Each queue runs it each second.
func (e sqliteExecutor) JobGetAvailable(ctx context.Context, params *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	if params.Now == nil {
		var due bool
		if err := e.sql.QueryRowContext(ctx, dueJob, params.Queue).Scan(&due); err != nil {
			return nil, fmt.Errorf("look for a due job: %w", err)
		}
		if !due {
			return &riverdriver.JobGetAvailableResult{}, nil
		}
	}
	return e.Executor.JobGetAvailable(ctx, params)
}
