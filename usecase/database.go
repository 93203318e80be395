package usecase

import (
	"context"
	"database/sql"
)

// Database is the database of the repositories. It is a port for adapters that have their own tables
// in the same database, so that they change these within the caller's transaction.
type Database interface {
	UnitOfWork
	// Tx returns the transaction that InTx put into ctx; nil outside of InTx.
	Tx(ctx context.Context) *sql.Tx
	// Conn returns what runs the statements for ctx: the transaction of ctx, or else the pool.
	Conn(ctx context.Context) Conn
	// Dialect returns "postgres" or "sqlite".
	Dialect() string
	// Failed adds what was being done to an error of the database and translates the error into a
	// fault. It returns nil for nil.
	Failed(doing string, err error) error
}

// Conn runs SQL statements. *sql.DB and *sql.Tx implement it.
type Conn interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// LiveJobs is the queue's answer to repositories that search for records without a job. The search
// must be one query, because most records have a job and a limit applies to those that have none.
type LiveJobs interface {
	// Arguments returns an SQL query with one column: the values of an argument of the queued and
	// running jobs of the kinds, as texts. No value is NULL.
	Arguments(argument string, kinds ...string) string
}
