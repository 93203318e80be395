package queue

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// lostFetchAfter is the time within which every fetched job starts, because a worker never
	// fetches more jobs than it has free slots.
	lostFetchAfter = 15 * time.Second
	// endedRetention is the minimum time for which an ended job is remembered. It exceeds the time
	// to store its end, with all retries.
	endedRetention = 5 * time.Minute
)

// jobAttempt is one attempt of a job.
type jobAttempt struct {
	id      int64
	attempt int
}

// startedJobs records the jobs that this process started. A job that was assigned to the process
// but is not recorded was fetched over a connection that broke before the response arrived, so it
// does not run. Ended jobs are kept in two generations, so that expiry has constant cost.
type startedJobs struct {
	mu            sync.Mutex
	running       map[jobAttempt]struct{}
	lately, older map[jobAttempt]struct{} // ended
	turned        time.Time
}

func (b *startedJobs) add(t jobAttempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		b.running = map[jobAttempt]struct{}{}
	}
	b.running[t] = struct{}{}
}

// end records that a job ended. The queue stores its end later.
func (b *startedJobs) end(t jobAttempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, t)
	if now := time.Now(); b.lately == nil || now.Sub(b.turned) > endedRetention {
		b.lately, b.older, b.turned = map[jobAttempt]struct{}{}, b.lately, now
	}
	b.lately[t] = struct{}{}
}

// forget removes a running job.
func (b *startedJobs) forget(t jobAttempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, t)
}

// without returns the ids of the jobs that did not start.
func (b *startedJobs) without(given []jobAttempt) (ids []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range given {
		_, running := b.running[t]
		_, lately := b.lately[t]
		if _, older := b.older[t]; !running && !lately && !older {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// requeueLostFetches requeues jobs that were assigned to this process but never received.
func (o *postgresOwner) requeueLostFetches(ctx context.Context) error {
	const mine = `state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1 AND attempted_at < now() - make_interval(secs => $2)`
	rows, err := o.sql.QueryContext(ctx, "SELECT id, attempt FROM river_job WHERE "+mine, o.id, lostFetchAfter.Seconds())
	if err != nil {
		return fmt.Errorf("list the jobs of this process: %w", err)
	}
	defer rows.Close()
	var given []jobAttempt
	for rows.Next() {
		var t jobAttempt
		if err := rows.Scan(&t.id, &t.attempt); err != nil {
			return fmt.Errorf("list the jobs of this process: %w", err)
		}
		given = append(given, t)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("list the jobs of this process: %w", err)
	}
	ids := o.begun.without(given)
	if len(ids) == 0 {
		return nil
	}
	o.log.Warn("lost fetches requeued", "jobs", len(ids))
	_, err = o.sql.ExecContext(ctx, "UPDATE river_job SET state = 'available', scheduled_at = now() WHERE "+mine+" AND id = ANY($3)",
		o.id, lostFetchAfter.Seconds(), ids)
	if err != nil {
		return fmt.Errorf("give back jobs that never began: %w", err)
	}
	return nil
}

func (o *sqliteOwner) requeueLostFetches(context.Context) error { return nil }
