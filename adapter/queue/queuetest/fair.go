package queuetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"docledger/domain/job"

	"github.com/google/uuid"
)

// testFairQueue checks that NormalPriorityPerOrg jobs of an organization wait at normal priority,
// and the others at bulk priority.
func testFairQueue(t *testing.T, e *Env) {
	ctx, one, other := context.Background(), uuid.New(), uuid.New()
	extract := func(organization uuid.UUID) job.Args {
		return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: organization, DocumentID: uuid.New()}
	}
	enqueue := func(organization uuid.UUID, p job.Priority, n int) {
		t.Helper()
		var args []job.Args
		for range n {
			args = append(args, extract(organization))
		}
		must(t, e.Queue.EnqueueAll(ctx, args, p))
	}
	check := func(what string, organization uuid.UUID, want map[job.Priority]int) {
		t.Helper()
		for p := job.Interactive; p <= job.Bulk; p++ {
			n := e.count(t, "priority = $1 AND state = 'available' AND args->>'OrganizationID' = $2", int(p), organization.String())
			if n != want[p] {
				t.Errorf("%s: %d jobs of priority %d, want %d", what, n, p, want[p])
			}
		}
	}
	enqueue(one, job.Automatic, 3)
	enqueue(one, job.Automatic, 20)
	check("a backlog", one, map[job.Priority]int{job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	// An interactive job of the same organization does not wait for the backlog.
	enqueue(one, job.Interactive, 1)
	check("an interactive job", one, map[job.Priority]int{job.Interactive: 1, job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	enqueue(other, job.Automatic, 1)
	check("another organization", other, map[job.Priority]int{job.Automatic: 1})
	// A repeated request raises the priority of a bulk job only as far as the organization has room.
	again := extract(one)
	must(t, e.Queue.Enqueue(ctx, again, job.Automatic))
	must(t, e.Queue.Enqueue(ctx, again, job.Interactive))
	check("requested again", one, map[job.Priority]int{job.Interactive: 2, job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	// As many jobs move up as jobs at normal priority are done.
	e.exec(t, "UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE priority < 4 AND args->>'OrganizationID' = $1", one.String())
	moved, err := e.Queue.Rebalance(ctx)
	must(t, err)
	if moved != job.NormalPriorityPerOrg {
		t.Errorf("%d jobs moved up", moved)
	}
	check("rebalanced", one, map[job.Priority]int{job.Watched: job.NormalPriorityPerOrg, job.Bulk: 23 - 2*job.NormalPriorityPerOrg})
	check("the other, rebalanced", other, map[job.Priority]int{job.Automatic: 1})
}

// testFairScans checks that one scan of an organization waits at normal priority, so that the scan of
// another organization waits for at most one more.
func testFairScans(t *testing.T, e *Env) {
	ctx, one, other := context.Background(), uuid.New(), uuid.New()
	enqueue := func(organization uuid.UUID, n int) {
		t.Helper()
		for range n {
			must(t, e.Queue.Enqueue(ctx, job.ReadScan{V: job.ScanVersion, OrganizationID: organization, DocumentID: uuid.New()}, job.Automatic))
		}
	}
	check := func(what string, organization uuid.UUID, p job.Priority, want int) {
		t.Helper()
		n := e.count(t, "kind = 'read_scan' AND priority = $1 AND state = 'available' AND args->>'OrganizationID' = $2", int(p), organization.String())
		if n != want {
			t.Errorf("%s: %d scans of priority %d, want %d", what, n, p, want)
		}
	}
	enqueue(one, 5)
	enqueue(other, 1)
	check("a backlog", one, job.Automatic, 1)
	check("a backlog", one, job.Bulk, 4)
	check("another organization", other, job.Automatic, 1)
	e.exec(t, "UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE priority < 4 AND args->>'OrganizationID' = $1", one.String())
	_, err := e.Queue.Rebalance(ctx)
	must(t, err)
	check("rebalanced", one, job.Automatic, 1)
	check("rebalanced", one, job.Bulk, 3)
	// A new scan does not pass those that wait.
	enqueue(one, 1)
	check("a new scan", one, job.Automatic, 1)
	check("a new scan", one, job.Bulk, 4)
}

// testScansTakeTurns checks that the organizations with waiting scans take turns in the order in
// which workers fetch jobs, although the backlog of one of them is older.
func testScansTakeTurns(t *testing.T, e *Env) {
	ctx := context.Background()
	names := map[string]string{}
	enqueue := func(name string, n int) {
		t.Helper()
		organization := uuid.New()
		names[organization.String()] = name
		for range n {
			must(t, e.Queue.Enqueue(ctx, job.ReadScan{V: job.ScanVersion, OrganizationID: organization, DocumentID: uuid.New()}, job.Automatic))
		}
	}
	enqueue("one", 6)
	enqueue("other", 3)
	var order []string
	for range 9 {
		var id int64
		var organization string
		must(t, e.SQL.QueryRowContext(ctx, "SELECT id, args->>'OrganizationID' FROM river_job WHERE kind = 'read_scan' AND state = 'available' "+
			"ORDER BY priority, scheduled_at, id LIMIT 1").Scan(&id, &organization))
		e.exec(t, "UPDATE river_job SET state = 'completed', finalized_at = CURRENT_TIMESTAMP WHERE id = $1", id)
		order = append(order, names[organization])
		// SQLite stores milliseconds: the next job is raised in a later one.
		for began := time.Now().UnixMilli(); time.Now().UnixMilli() <= began+1; {
		}
		_, err := e.Queue.Rebalance(ctx)
		must(t, err)
	}
	if want := []string{"one", "other", "one", "other", "one", "other", "one", "one", "one"}; !slices.Equal(order, want) {
		t.Errorf("the scans are read in the order %v", order)
	}
}
