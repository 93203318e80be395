package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	// lostFetchAfter is when a fetched job has begun in any case, since only as
	// many are fetched as can begin.
	lostFetchAfter = 15 * time.Second
	// startedRetention is how long a begun job is remembered at least: longer than any
	// takes, and than storing its end may.
	startedRetention = 15 * time.Minute
)

// jobAttempt is one attempt of a job.
type jobAttempt struct {
	id      int64
	attempt int
}

// startedJobs remembers the jobs that this process began. One that it was given and
// that is not among them was fetched over a connection that was cut before the
// answer came, and runs nowhere. It keeps two generations, so that forgetting
// costs nothing however many there are.
type startedJobs struct {
	mu            sync.Mutex
	lately, older map[jobAttempt]struct{}
	turned        time.Time
}

func (b *startedJobs) add(t jobAttempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if now := time.Now(); b.lately == nil || now.Sub(b.turned) > startedRetention {
		b.lately, b.older, b.turned = map[jobAttempt]struct{}{}, b.lately, now
	}
	b.lately[t] = struct{}{}
}

func (b *startedJobs) forget(t jobAttempt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.lately, t)
	delete(b.older, t)
}

// without returns the ids of those that did not begin.
func (b *startedJobs) without(given []jobAttempt) (ids []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range given {
		_, lately := b.lately[t]
		if _, older := b.older[t]; !lately && !older {
			ids = append(ids, t.id)
		}
	}
	return ids
}

// requeueLostFetches makes jobs available again that this process was given and never
// heard of.
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
	o.log.Warn("jobs were fetched over a connection that was cut, and are given back", "jobs", len(ids))
	_, err = o.sql.ExecContext(ctx, "UPDATE river_job SET state = 'available', scheduled_at = now() WHERE "+mine+" AND id = ANY($3)",
		o.id, lostFetchAfter.Seconds(), ids)
	if err != nil {
		return fmt.Errorf("give back jobs that never began: %w", err)
	}
	return nil
}

func (o *sqliteOwner) requeueLostFetches(context.Context) error { return nil }
