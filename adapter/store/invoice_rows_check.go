package store

import (
	"context"
	"strings"
)

// weekColumns are the columns of invoices with the dates of invoice_weeks.
var weekColumns = map[string]string{weekOfCreation: "created_at", weekOfIssue: "issue_date", weekOfDue: "due_date", weekOfUpdate: "updated_at"}

// MissingWeeks counts the rows that invoice_weeks lacks, and those that the stored invoices need, of all organizations. A
// list of a range of dates in another order omits the invoices of a missing row.
func (s *Store) MissingWeeks(ctx context.Context) (missing, needed int, err error) {
	var columns, pairs []string
	for i, date := range weekDates {
		columns = append(columns, s.weekOfColumn(date)+" AS "+date)
		for _, other := range weekDates[i+1:] {
			pairs = append(pairs, "SELECT organization_id, '"+date+"_"+other+"' AS pair, "+date+" AS week_a, "+other+" AS week_b FROM i")
		}
	}
	var counts struct{ Missing, Needed int }
	err = s.handle(ctx).Raw(`WITH i AS MATERIALIZED (SELECT DISTINCT organization_id, ` + strings.Join(columns, ", ") + ` FROM invoices),
		p AS (` + strings.Join(pairs, " UNION ") + `)
		SELECT count(*) AS needed, coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM invoice_weeks AS w WHERE w.organization_id = p.organization_id
			AND w.pair = p.pair AND w.week_a = p.week_a AND w.week_b = p.week_b) THEN 0 ELSE 1 END), 0) AS missing FROM p`).Scan(&counts).Error
	return counts.Missing, counts.Needed, failed("compare the weeks of invoices", err)
}

// MissingSources counts the invoices of which invoice_sources has no row or one with other values, and the stored invoices,
// of all organizations. A list or a sum with a source omits the invoices of a missing row.
func (s *Store) MissingSources(ctx context.Context) (missing, needed int, err error) {
	var counts struct{ Missing, Needed int }
	err = s.handle(ctx).Raw(`SELECT count(*) AS needed, count(*) - count(o.invoice_id) AS missing
		FROM invoices AS i LEFT JOIN invoice_sources AS o ON o.organization_id = i.organization_id AND o.invoice_id = i.id AND o.entity_id = i.entity_id
			AND o.issue_date IS NOT DISTINCT FROM i.issue_date AND o.due_date IS NOT DISTINCT FROM i.due_date AND o.gross_fixed IS NOT DISTINCT FROM i.gross_fixed`).Scan(&counts).Error
	return counts.Missing, counts.Needed, failed("compare the sources of invoices", err)
}

// weekOfColumn is the week of a date as the triggers of invoice_weeks compute it.
func (s *Store) weekOfColumn(date string) string {
	column := weekColumns[date]
	isTime := date == weekOfCreation || date == weekOfUpdate
	switch {
	case s.postgres && isTime:
		return "invoice_week((" + column + " AT TIME ZONE 'UTC')::date)"
	case s.postgres:
		return "invoice_week(" + column + ")"
	case isTime:
		column = "substr(" + column + ", 1, 10)"
	}
	return "CASE WHEN " + column + " > '0001-01-01' THEN CAST(julianday(" + column + ") - 1721425.5 AS integer) / 7 + 1 ELSE 0 END"
}
