package store

import (
	"context"

	"docledger/domain/job"

	"github.com/google/uuid"
)

// assignPriorities says with which priority each job goes in, so that a backlog of one
// organization does not stand before the work of another (domain D22): only
// so many of an organization's jobs wait with a priority of their own, the rest
// goes behind everybody's.
func (r Queue) assignPriorities(ctx context.Context, args []job.Args, p job.Priority) ([]job.Priority, error) {
	type lane struct {
		queue        string
		organization uuid.UUID
	}
	out, waiting := make([]job.Priority, len(args)), map[lane]int{}
	for i, a := range args {
		out[i] = p
		owned, ok := a.(job.OfOrganization)
		if !ok || p >= job.Bulk {
			continue
		}
		o := lane{job.QueueOf(a), owned.Organization()}
		if _, known := waiting[o]; !known {
			n, err := r.waiting(ctx, o.queue, o.organization, p)
			if err != nil {
				return nil, err
			}
			waiting[o] = n
		}
		if waiting[o]++; waiting[o] > job.NormalPriorityPerOrg {
			out[i] = job.Bulk
		}
	}
	return out, nil
}

// waiting counts an organization's jobs that wait with a priority of at least
// p, up to the length of the lane. Few jobs of all have such a priority.
func (r Queue) waiting(ctx context.Context, queue string, organization uuid.UUID, p job.Priority) (n int, err error) {
	err = r.s.handle(ctx).Raw("SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'available' AND queue = ? AND priority <= ? "+
		"AND args->>'OrganizationID' = ? LIMIT ?) AS lane", queue, int(p), organization.String(), job.NormalPriorityPerOrg).Scan(&n).Error
	return n, failed("count the organization's jobs", err)
}

// Rebalance moves jobs up that wait behind, until each organization has as many
// before as it may, so that of several backlogs none waits for the end of
// another. It returns how many it moved.
func (r Queue) Rebalance(ctx context.Context) (int, error) {
	var ids []int64
	// Looked for first: what changes nothing must not hold others up.
	err := r.s.handle(ctx).Raw(`SELECT id FROM (
		SELECT id, priority, row_number() OVER (PARTITION BY queue, args->>'OrganizationID' ORDER BY priority, id) AS place
		FROM river_job WHERE state = 'available' AND args->>'OrganizationID' IS NOT NULL
	) AS waiting WHERE place <= ? AND priority = ? LIMIT 1000`, job.NormalPriorityPerOrg, int(job.Bulk)).Scan(&ids).Error
	if err != nil || len(ids) == 0 {
		return 0, failed("look at the backlogs", err)
	}
	done := r.s.handle(ctx).Exec("UPDATE river_job SET priority = ? WHERE id IN ? AND state = 'available'", int(job.Watched), ids)
	return int(done.RowsAffected), failed("level the queue", done.Error)
}
