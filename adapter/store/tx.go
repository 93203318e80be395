package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"docledger/usecase"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// txKey is the context key of a store's transaction. Each store has its own key, so that a
// statement never runs in another database.
type txKey struct{ db *gorm.DB }

// InTx implements usecase.UnitOfWork.
func (s *Store) InTx(ctx context.Context, fn func(ctx context.Context) error) error {
	var fromFn error
	err := s.handle(ctx).Transaction(func(tx *gorm.DB) error {
		fromFn = fn(context.WithValue(ctx, txKey{s.db}, tx))
		return fromFn
	})
	if err == nil || fromFn != nil {
		return err
	}
	return failed("run the transaction", err)
}

// inOne runs fn in the transaction of ctx, or in a new one.
func (s *Store) inOne(ctx context.Context, fn func(ctx context.Context) error) error {
	if s.inTx(ctx) {
		return fn(ctx)
	}
	return s.InTx(ctx, fn)
}

// inSnapshot runs fn, which only reads. All its queries see the same snapshot of the database. In
// the transaction of ctx they see what that transaction sees.
func (s *Store) inSnapshot(ctx context.Context, fn func(ctx context.Context) error) error {
	if s.inTx(ctx) {
		return fn(ctx)
	}
	var fromFn error
	err := s.handle(ctx).Transaction(func(tx *gorm.DB) error {
		fromFn = fn(context.WithValue(ctx, txKey{s.db}, tx))
		return fromFn
	}, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err == nil || fromFn != nil {
		return err
	}
	return failed("read in one transaction", err)
}

// handle returns the transaction of ctx, or the pool outside of one.
func (s *Store) handle(ctx context.Context) *gorm.DB {
	if tx, ok := ctx.Value(txKey{s.db}).(*gorm.DB); ok {
		return tx.WithContext(ctx)
	}
	return s.db.WithContext(ctx)
}

func (s *Store) inTx(ctx context.Context) bool {
	_, ok := ctx.Value(txKey{s.db}).(*gorm.DB)
	return ok
}

// Tx implements usecase.Database.
func (s *Store) Tx(ctx context.Context) *sql.Tx {
	tx, _ := s.pool(ctx).(*sql.Tx)
	return tx
}

// Conn implements usecase.Database.
func (s *Store) Conn(ctx context.Context) usecase.Conn { return s.pool(ctx) }

// pool is what handle sends its statements to.
func (s *Store) pool(ctx context.Context) gorm.ConnPool {
	if tx, ok := ctx.Value(txKey{s.db}).(*gorm.DB); ok {
		return tx.Statement.ConnPool
	}
	return s.db.Statement.ConnPool
}

// ids runs a statement that returns ids, without gorm. This is for the statements of each webhook: gorm
// takes as much processor time for one as the driver does.
func (s *Store) ids(ctx context.Context, statement string, values []any) (ids []uuid.UUID, err error) {
	rows, err := s.Conn(ctx).QueryContext(ctx, statement, values...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// placeholders returns those of a number of rows for ids: ($1, $2), ($3, $4).
func placeholders(rows, columns int) string {
	var b strings.Builder
	for n := range rows * columns {
		switch {
		case n == 0:
			b.WriteByte('(')
		case n%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(n+1))
	}
	return b.String() + ")"
}

// Dialect implements usecase.Database.
func (s *Store) Dialect() string { return s.db.Name() }

// Failed implements usecase.Database.
func (s *Store) Failed(doing string, err error) error { return failed(doing, err) }

// noJobs is the usecase.LiveJobs of an installation without a queue.
type noJobs struct{}

func (noJobs) Arguments(string, ...string) string { return "SELECT '' AS argument" }

// jobless lets find read records without a queued or running job of the kinds, of which the argument
// has the value of the SQL expression. The statistics of a database know nothing of an import a moment
// ago. A search for the job of each record then reads all jobs for each record, which takes minutes
// with 10,000 of them. So SQLite reads the jobs once, and PostgreSQL joins them without nested loops.
func (s *Store) jobless(ctx context.Context, expression, argument string, kinds []string, find func(q *gorm.DB) error) error {
	live := s.liveJobs.Arguments(argument, kinds...)
	if !s.postgres {
		return find(s.handle(ctx).Where(expression + " NOT IN (" + live + ")"))
	}
	return s.inOne(ctx, func(ctx context.Context) error {
		if err := s.handle(ctx).Exec("SELECT set_config('enable_nestloop', 'off', true)").Error; err != nil {
			return err
		}
		return find(s.handle(ctx).Where("NOT EXISTS (SELECT 1 FROM (" + live + ") AS live WHERE live.argument = " + expression + ")"))
	})
}
