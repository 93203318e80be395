package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/fault"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// owner represents this process as the owner of its jobs. Its liveness lock shows other processes
// that it is alive.
type owner interface {
	// acquire acquires the liveness lock before the first job is fetched.
	acquire(ctx context.Context) error
	// unreachable reports whether an error of acquire or requeueOrphans can end without a change of
	// the configuration, because the database server is starting or cannot be reached.
	unreachable(err error) bool
	// monitor reacquires a lost liveness lock until ctx ends.
	monitor(ctx context.Context)
	release() error
	// requeueOrphans requeues orphaned jobs and makes due jobs available. starting is true before
	// this process has fetched its first job.
	requeueOrphans(ctx context.Context, starting bool) error
	// requeueLostFetches requeues jobs that were assigned to this process but never received.
	requeueLostFetches(ctx context.Context) error
	// withSweepLock calls fn unless another process is running its own call.
	withSweepLock(ctx context.Context, fn func(context.Context)) error
}

// postgresOwner's liveness lock is a session lock on the hash of its id, on a separate connection.
// The server releases it when the process or its machine dies.
type postgresOwner struct {
	id   string
	sql  *sql.DB
	pool *pgxpool.Pool
	log  *slog.Logger
	conn *pgx.Conn // the connection of the liveness lock; used by acquire, monitor and release in turn
	// longest is the maximum running time of each kind; a job that runs longer is considered
	// orphaned.
	longest map[string]time.Duration
	begun   *startedJobs
}

// relockInterval is the delay between attempts to reacquire a lost liveness lock.
const relockInterval = 200 * time.Millisecond

// sessionSettings make the server detect a vanished machine within seconds instead of two hours.
const sessionSettings = `SET application_name = 'docledger worker'; SET tcp_keepalives_idle = 5;
	SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3`

const acquireLivenessLock = `SELECT pg_advisory_lock(hashtextextended('docledger worker ' || $1, 0))`

// ownerAliveCondition is true if the owner %s has its liveness lock.
const ownerAliveCondition = `EXISTS (SELECT 1 FROM pg_locks AS l
	WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND (l.classid::bigint << 32) | l.objid::bigint = hashtextextended('docledger worker ' || %s, 0))`

func (o *postgresOwner) acquire(ctx context.Context) error {
	pooled, err := o.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect for the liveness lock: %w", err)
	}
	conn := pooled.Hijack()
	_, err = conn.Exec(ctx, sessionSettings)
	if err == nil {
		_, err = conn.Exec(ctx, acquireLivenessLock, o.id)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("acquire the liveness lock: %w", err), closeNow(conn))
	}
	o.conn = conn
	return nil
}

// unreachable accepts errors of the connection, and those of a server that starts, ends or has no
// free connection (classes 08, 53 and 57). A statement that was cancelled (57014) ran on a server
// that can be reached.
func (o *postgresOwner) unreachable(err error) bool {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		class := answer.Code[:min(2, len(answer.Code))]
		return class == "08" || class == "53" || class == "57" && answer.Code != "57014"
	}
	return !errors.Is(err, context.Canceled)
}

func (o *postgresOwner) monitor(ctx context.Context) {
	for ctx.Err() == nil {
		// No notifications are sent on this connection: the call waits for the connection to end.
		_, err := o.conn.WaitForNotification(ctx)
		if ctx.Err() != nil || err == nil {
			continue
		}
		o.log.Warn("liveness lock connection lost", "error", err)
		for o.again(ctx) != nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(relockInterval):
			}
		}
	}
}

func (o *postgresOwner) again(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, ownTimeout)
	defer cancel()
	return o.acquire(ctx)
}

func (o *postgresOwner) release() error {
	if o.conn == nil {
		return nil
	}
	err := closeNow(o.conn)
	o.conn = nil
	return err
}

func (o *postgresOwner) requeueOrphans(ctx context.Context, _ bool) error {
	for _, statement := range []string{
		`UPDATE river_job SET state = 'available', scheduled_at = now()
			WHERE state = 'running' AND NOT ` + fmt.Sprintf(ownerAliveCondition, "attempted_by[array_upper(attempted_by, 1)]"),
		`UPDATE river_job SET state = 'available'
			WHERE state IN ('retryable', 'scheduled') AND scheduled_at <= now() - interval '1 second'`,
		`DELETE FROM river_leader WHERE NOT ` + fmt.Sprintf(ownerAliveCondition, "leader_id"),
	} {
		if _, err := o.sql.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	for kind, longest := range o.longest {
		if _, err := o.sql.ExecContext(ctx, `UPDATE river_job SET state = 'available', scheduled_at = now()
			WHERE state = 'running' AND kind = $1 AND attempted_at < now() - make_interval(secs => $2)`, kind, longest.Seconds()); err != nil {
			return err
		}
	}
	return nil
}

func (o *postgresOwner) withSweepLock(ctx context.Context, fn func(context.Context)) error {
	conn, err := o.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect for the sweep's lock: %w", err)
	}
	defer conn.Release()
	var mine bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('docledger sweep', 0))`).Scan(&mine); err != nil {
		return fmt.Errorf("take the sweep's lock: %w", err)
	}
	if !mine {
		return nil
	}
	fn(ctx)
	unlock, cancel := context.WithTimeout(context.WithoutCancel(ctx), ownTimeout)
	defer cancel()
	if _, err := conn.Exec(unlock, `SELECT pg_advisory_unlock(hashtextextended('docledger sweep', 0))`); err != nil {
		// Only the end of the connection releases the lock.
		return errors.Join(fmt.Errorf("free the sweep's lock: %w", err), closeNow(conn.Conn()))
	}
	return nil
}

func closeNow(conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), ownTimeout)
	defer cancel()
	return conn.Close(ctx)
}

// sqliteOwner's liveness lock is a file lock. Only one process runs jobs at a time, so every job
// that was running before its start is orphaned.
type sqliteOwner struct {
	sql    *sql.DB
	lock   func(context.Context) (func() error, error)
	unlock func() error
}

func (o *sqliteOwner) acquire(ctx context.Context) error {
	if o.lock == nil {
		return errors.New("no lock function is configured for the SQLite database")
	}
	unlock, err := o.lock(ctx)
	if err != nil {
		return fault.New(fault.Unavailable, fault.CodeUnavailable,
			"Another docledger process uses this database file. Stop it, or use PostgreSQL to run several.").WithCause(err)
	}
	o.unlock = unlock
	return nil
}

func (o *sqliteOwner) unreachable(error) bool { return false }

func (o *sqliteOwner) monitor(ctx context.Context) { <-ctx.Done() }

func (o *sqliteOwner) release() error {
	if o.unlock == nil {
		return nil
	}
	err := o.unlock()
	o.unlock = nil
	return err
}

func (o *sqliteOwner) requeueOrphans(ctx context.Context, starting bool) error {
	statements := []string{
		`UPDATE river_job SET state = 'available'
			WHERE state IN ('retryable', 'scheduled') AND scheduled_at <= datetime('now', 'subsec', '-1 second')`,
	}
	if starting {
		statements = append(statements,
			`UPDATE river_job SET state = 'available', scheduled_at = datetime('now', 'subsec') WHERE state = 'running'`,
			`DELETE FROM river_leader`)
	}
	for _, statement := range statements {
		if _, err := o.sql.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (o *sqliteOwner) withSweepLock(ctx context.Context, fn func(context.Context)) error {
	fn(ctx)
	return nil
}
