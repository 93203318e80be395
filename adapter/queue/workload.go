package queue

import (
	"context"

	"docledger/usecase"
)

// Conditions implements usecase.LiveJobs.
type Conditions struct{}

var _ usecase.LiveJobs = Conditions{}

// Arguments implements usecase.LiveJobs.
func (Conditions) Arguments(argument string, kinds ...string) string {
	value := "river_job.args->>" + quoted([]string{argument})
	return "SELECT " + value + " AS argument FROM river_job WHERE river_job.kind IN (" + quoted(kinds) + ") AND river_job." + live + " AND " + value + " IS NOT NULL"
}

// Count is the number of jobs of a kind in a state, over all organizations.
type Count struct {
	Kind, State string
	Count       int
	Age         float64 // of the job that has been due for longest, in seconds
}

// CountsForOperator counts the jobs that wait or run.
func (q *Queue) CountsForOperator(ctx context.Context) (counts []Count, err error) {
	age := "(julianday('now', 'subsec') - julianday(min(scheduled_at))) * 86400"
	if q.postgres {
		age = "EXTRACT(EPOCH FROM now() - min(scheduled_at))::float8"
	}
	rows, err := q.db.Conn(ctx).QueryContext(ctx, "SELECT kind, CAST(state AS text), count(*), "+age+" FROM river_job WHERE "+live+" GROUP BY kind, state")
	if err != nil {
		return nil, q.db.Failed("count the jobs", err)
	}
	defer rows.Close()
	for rows.Next() {
		var c Count
		if err := rows.Scan(&c.Kind, &c.State, &c.Count, &c.Age); err != nil {
			return nil, q.db.Failed("count the jobs", err)
		}
		counts = append(counts, c)
	}
	return counts, q.db.Failed("count the jobs", rows.Err())
}
