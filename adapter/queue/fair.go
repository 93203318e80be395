package queue

import (
	"context"
	"strconv"

	"docledger/domain/job"

	"github.com/google/uuid"
)

// assignPriorities returns the priority of each new job, so that the backlog of one organization
// does not delay the work of another (domain D22): job.PerOrg jobs of an organization wait in a queue with
// priority p, and the others with priority Bulk.
func (q *Queue) assignPriorities(ctx context.Context, args []job.Args, p job.Priority) ([]job.Priority, error) {
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
		o := lane{queueOf(a), owned.Organization()}
		if _, known := waiting[o]; !known {
			n, err := q.waiting(ctx, o.queue, o.organization, p)
			if err != nil {
				return nil, err
			}
			waiting[o] = n
		}
		if waiting[o]++; waiting[o] > job.PerOrg(o.queue) {
			out[i] = job.Bulk
		}
	}
	return out, nil
}

// waiting counts the jobs of an organization that wait with a priority of at least p, up to
// job.PerOrg. Few of all jobs have such a priority.
func (q *Queue) waiting(ctx context.Context, queue string, organization uuid.UUID, p job.Priority) (n int, err error) {
	err = q.db.Conn(ctx).QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 AND priority <= $2 "+
		"AND args->>'OrganizationID' = $3 LIMIT $4) AS lane", queue, int(p), organization.String(), job.PerOrg(queue)).Scan(&n)
	return n, q.db.Failed("count the jobs of the organization", err)
}

// Rebalance raises the priority of waiting bulk jobs until each organization has
// job.PerOrg jobs of a queue at normal priority, so that several backlogs are processed at the same
// time. A raised job is behind those that were raised before it, so that organizations take turns
// regardless of the age of their backlogs. A raised scan has the priority of a new one, so that new
// scans do not pass it. It returns the number of changed jobs, at most 1,000.
func (q *Queue) Rebalance(ctx context.Context) (int, error) {
	// The jobs are searched first, so that a call without work takes no lock.
	ids, err := q.ids(ctx, `SELECT id FROM (
		SELECT id, queue, priority, row_number() OVER (PARTITION BY queue, args->>'OrganizationID' ORDER BY priority, id) AS place
		FROM river_job WHERE state = 'available' AND args->>'OrganizationID' IS NOT NULL
	) AS waiting WHERE place <= CASE queue WHEN '`+job.ScanQueue+`' THEN `+strconv.Itoa(job.ScansPerOrg)+` ELSE `+strconv.Itoa(job.NormalPriorityPerOrg)+` END AND priority = `+strconv.Itoa(int(job.Bulk))+` LIMIT 1000`)
	if err != nil || len(ids) == 0 {
		return 0, q.db.Failed("look at the backlogs", err)
	}
	// A request can have raised a job since it was found.
	n, err := q.update(ctx, "UPDATE river_job SET priority = CASE queue WHEN '"+job.ScanQueue+"' THEN "+strconv.Itoa(int(job.Automatic))+" ELSE "+strconv.Itoa(int(job.Watched))+
		" END, scheduled_at = "+q.now()+" WHERE state = 'available' AND priority = "+strconv.Itoa(int(job.Bulk))+" AND id IN ("+numbers(ids)+")")
	return n, q.db.Failed("raise the priority of waiting jobs", err)
}
