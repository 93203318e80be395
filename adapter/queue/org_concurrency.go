package queue

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"docledger/domain/job"

	"github.com/google/uuid"
)

const (
	// behind is how long a yielded job lets other jobs go first. It covers several fetch cooldowns,
	// in which all jobs before them are yielded too.
	behind = 250 * time.Millisecond
	// awaited is how long a yielded job counts as waiting although the queue does not show it. The
	// queue stores the yield with a delay, and another process may fetch the job.
	awaited = time.Second
)

// orgConcurrencyLimiter limits one organization to half of this process's workers while other
// organizations wait (domain D22). Half of each process is half of all workers.
type orgConcurrencyLimiter struct {
	sql   *sql.DB
	query string
	most  int // half of the workers, rounded up, so that two organizations use all workers

	mu   sync.Mutex
	held map[uuid.UUID]int
	back map[int64]givenBack // by job
}

// givenBack is a yielded job.
type givenBack struct {
	organization uuid.UUID
	until        time.Time
}

// othersWaiting is the query for jobs of other organizations at normal priority that a worker could
// fetch now. Jobs at bulk priority move up automatically.
func othersWaiting(now string) string {
	shared := job.NamesOf(func(k job.Kind) bool { return k.Shared })
	return `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = '` + job.DefaultQueue + `' AND priority < $1
		AND kind IN (` + quoted(shared) + `) AND args->>'OrganizationID' <> $2 AND scheduled_at <= ` + now + `)`
}

func newOrgConcurrencyLimiter(cfg Config) *orgConcurrencyLimiter {
	t := &orgConcurrencyLimiter{sql: cfg.SQL, query: othersWaiting(nowSQLite), most: (cfg.Workers + 1) / 2, held: map[uuid.UUID]int{}, back: map[int64]givenBack{}}
	if cfg.Listener != nil {
		t.query = othersWaiting(nowPostgres)
	}
	return t
}

// take reserves a worker for a job of an organization until leave is called. It returns false if
// the organization already uses its half and others wait.
func (t *orgConcurrencyLimiter) take(ctx context.Context, id int64, organization uuid.UUID) (leave func(), ok bool) {
	within, others := t.hold(id, organization, time.Now())
	if within || !others && !t.othersWait(ctx, organization) {
		return func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.leave(organization)
		}, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(organization)
	t.back[id] = givenBack{organization, time.Now().Add(awaited)}
	return nil, false
}

// hold counts a worker. It reports whether the organization is within its half, and whether jobs of
// others were yielded.
func (t *orgConcurrencyLimiter) hold(id int64, organization uuid.UUID, now time.Time) (within, others bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.back, id)
	for id, b := range t.back {
		if now.After(b.until) {
			delete(t.back, id)
			continue
		}
		others = others || b.organization != organization
	}
	t.held[organization]++
	return t.held[organization] <= t.most, others
}

func (t *orgConcurrencyLimiter) leave(organization uuid.UUID) {
	if t.held[organization]--; t.held[organization] == 0 {
		delete(t.held, organization)
	}
}

// othersWait reports whether jobs of other organizations could run now. If the database fails, it
// returns false, so that no job is delayed.
func (t *orgConcurrencyLimiter) othersWait(ctx context.Context, organization uuid.UUID) (wait bool) {
	err := t.sql.QueryRowContext(ctx, t.query, int(job.Bulk), organization.String()).Scan(&wait)
	return err == nil && wait
}
