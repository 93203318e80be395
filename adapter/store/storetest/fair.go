package storetest

import (
	"testing"

	"docledger/domain/job"

	"github.com/google/uuid"
)

// testFairQueue: of an organization's backlog a few jobs wait where those of
// others do, and the rest behind them.
func testFairQueue(t *testing.T, b *bench) {
	one, other := newID(), newID()
	extract := func(organization uuid.UUID) job.Args {
		return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: organization, DocumentID: newID()}
	}
	enqueue := func(organization uuid.UUID, p job.Priority, n int) {
		t.Helper()
		var args []job.Args
		for range n {
			args = append(args, extract(organization))
		}
		must(t, b.Queue().EnqueueAll(b.ctx, args, p))
	}
	check := func(what string, organization uuid.UUID, want map[job.Priority]int) {
		t.Helper()
		for p := job.Interactive; p <= job.Bulk; p++ {
			var n int
			must(t, b.db.WithContext(b.ctx).Raw("SELECT count(*) FROM river_job WHERE priority = ? AND state = 'available' AND args->>'OrganizationID' = ?",
				int(p), organization.String()).Scan(&n).Error)
			if n != want[p] {
				t.Errorf("%s: %d jobs of priority %d, want %d", what, n, p, want[p])
			}
		}
	}
	enqueue(one, job.Automatic, 3)
	enqueue(one, job.Automatic, 20)
	check("a backlog", one, map[job.Priority]int{job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	// Somebody of the same organization who waits does not stand behind it.
	enqueue(one, job.Interactive, 1)
	check("who waits", one, map[job.Priority]int{job.Interactive: 1, job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	enqueue(other, job.Automatic, 1)
	check("another organization", other, map[job.Priority]int{job.Automatic: 1})
	// A job that waits behind is moved up by a request only as far as there is room.
	again := extract(one)
	must(t, b.Queue().Enqueue(b.ctx, again, job.Automatic))
	must(t, b.Queue().Enqueue(b.ctx, again, job.Interactive))
	check("asked for again", one, map[job.Priority]int{job.Interactive: 2, job.Automatic: job.NormalPriorityPerOrg, job.Bulk: 23 - job.NormalPriorityPerOrg})
	// What is before is done: as many move up.
	must(t, b.db.WithContext(b.ctx).Exec("UPDATE river_job SET state = 'completed', finalized_at = ? WHERE priority < 4 AND args->>'OrganizationID' = ?",
		b.at, one.String()).Error)
	moved, err := b.Queue().Rebalance(b.ctx)
	must(t, err)
	if moved != job.NormalPriorityPerOrg {
		t.Errorf("%d jobs moved up", moved)
	}
	check("levelled", one, map[job.Priority]int{job.Watched: job.NormalPriorityPerOrg, job.Bulk: 23 - 2*job.NormalPriorityPerOrg})
	check("the other, levelled", other, map[job.Priority]int{job.Automatic: 1})
}
