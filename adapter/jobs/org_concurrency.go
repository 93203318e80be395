package jobs

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"docledger/domain/job"

	"github.com/google/uuid"
)

const (
	// behind is for how long a job that was given back lets others go first:
	// some of the queue's cooldowns, in which all that stand before them are
	// given back.
	behind = 250 * time.Millisecond
	// awaited is for how long a job that was given back counts as one that waits
	// without being seen: the queue stores with delay that it does, and another
	// process may have taken it.
	awaited = time.Second
)

// orgConcurrencyLimiter keeps one organization from holding more than half of this process's
// workers while others wait (domain D22). Half of each process is half of all.
type orgConcurrencyLimiter struct {
	sql   *sql.DB
	query string
	most  int // half of the workers; rounded up, so that two organizations keep all at work

	mu   sync.Mutex
	held map[uuid.UUID]int
	back map[int64]givenBack // by job
}

// givenBack is a job that waits for its organization's turn.
type givenBack struct {
	organization uuid.UUID
	until        time.Time
}

// Jobs of others, in their lanes, that a worker could fetch now. What waits
// behind the lanes moves into them by itself.
const (
	othersOnPostgres = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = 'default' AND priority < $1
		AND kind IN ($2, $3, $4) AND args->>'OrganizationID' <> $5 AND scheduled_at <= now())`
	othersOnSQLite = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = 'default' AND priority < $1
		AND kind IN ($2, $3, $4) AND args->>'OrganizationID' <> $5 AND scheduled_at <= datetime('now', 'subsec'))`
)

func newOrgConcurrencyLimiter(cfg Config) *orgConcurrencyLimiter {
	t := &orgConcurrencyLimiter{sql: cfg.SQL, query: othersOnSQLite, most: (cfg.Workers + 1) / 2, held: map[uuid.UUID]int{}, back: map[int64]givenBack{}}
	if cfg.Listener != nil {
		t.query = othersOnPostgres
	}
	return t
}

// take holds a worker for a job of an organization until leave is called; false
// says that the organization holds its half already and others wait.
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

// hold counts a worker; it says whether the organization is within its half, and
// whether jobs of others were given back.
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

// othersWait says whether jobs of other organizations could be worked now.
// Where the database can't say, nobody is kept waiting for it.
func (t *orgConcurrencyLimiter) othersWait(ctx context.Context, organization uuid.UUID) (wait bool) {
	err := t.sql.QueryRowContext(ctx, t.query, int(job.Bulk), job.ExtractDocument{}.Kind(), job.SyncInvoice{}.Kind(), job.PollStore{}.Kind(),
		organization.String()).Scan(&wait)
	return err == nil && wait
}
