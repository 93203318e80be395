package store

import (
	"fmt"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// wholeMonths splits the dates of a filter into whole months, and the days or times before and after them. A filter of a
// grouped sum limits one date at most. It reports false if there is no whole month.
func wholeMonths(f invoice.Filter) (whole invoice.Filter, edges []invoice.Filter, ok bool) {
	if !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero() {
		return wholeMonthsOfCreation(f)
	}
	limits := func(f *invoice.Filter) (from, to *calendar.Date) { return &f.IssueDateFrom, &f.IssueDateTo }
	if !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero() {
		limits = func(f *invoice.Filter) (from, to *calendar.Date) { return &f.DueDateFrom, &f.DueDateTo }
	}
	whole = f
	first, end := limits(&whole)
	if from := *first; !from.IsZero() && !firstOfMonth(from) {
		edge := f
		*first = calendar.Of(calendar.Date{Year: from.Year, Month: from.Month + 1, Day: 1}.Time())
		_, edgeTo := limits(&edge)
		*edgeTo = first.AddDays(-1)
		edges = append(edges, edge)
	}
	if to := *end; !to.IsZero() && !firstOfMonth(to.AddDays(1)) {
		edge := f
		edgeFrom, _ := limits(&edge)
		*edgeFrom = calendar.Date{Year: to.Year, Month: to.Month, Day: 1}
		*end = edgeFrom.AddDays(-1)
		edges = append(edges, edge)
	}
	last := calendar.Date{Year: lastYear, Month: time.December, Day: 31}
	if !end.IsZero() {
		last = *end
	}
	return whole, edges, first.Before(last)
}

// wholeMonthsOfCreation is wholeMonths of the time of creation. Its months are those of UTC. A limit at an end of the
// calendar must not become the zero time, which is no limit, or a year of five digits, which comes first as text.
func wholeMonthsOfCreation(f invoice.Filter) (whole invoice.Filter, edges []invoice.Filter, ok bool) {
	from, to := instant(f.CreatedFrom), instant(f.CreatedTo)
	if !from.After(calendarStart) {
		from = time.Time{}
	}
	if !f.CreatedTo.IsZero() && to.Before(calendarStart.AddDate(0, 1, 0)) {
		return f, nil, false
	}
	whole = f
	whole.CreatedFrom, whole.CreatedTo = from, to
	if !from.Equal(monthStart(from)) {
		edge := whole
		whole.CreatedFrom = monthStart(from).AddDate(0, 1, 0)
		edge.CreatedTo = whole.CreatedFrom
		edges = append(edges, edge)
	}
	if !to.Equal(monthStart(to)) {
		edge := whole
		whole.CreatedTo = monthStart(to)
		edge.CreatedFrom = whole.CreatedTo
		edge.CreatedTo = to
		edges = append(edges, edge)
	}
	return whole, edges, whole.CreatedFrom.Year() <= lastYear && (to.IsZero() || whole.CreatedFrom.Before(whole.CreatedTo))
}

func monthStart(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
}

func firstOfMonth(d calendar.Date) bool { return d.Day == 1 }

func monthOf(d calendar.Date) string { return fmt.Sprintf("%04d-%02d", d.Year, d.Month) }

// ofMonths limits the groups of a part to the whole months of a filter.
func ofMonths(q *gorm.DB, table string, f invoice.Filter) *gorm.DB {
	for _, limits := range [][2]calendar.Date{{f.IssueDateFrom, f.IssueDateTo}, {f.DueDateFrom, f.DueDateTo}} {
		from, to := limits[0], limits[1]
		if !from.IsZero() || !to.IsZero() {
			q = q.Where(table + ".month > ''")
		}
		if !from.IsZero() {
			q = q.Where(table+".month >= ?", monthOf(from))
		}
		if !to.IsZero() {
			q = q.Where(table+".month <= ?", monthOf(to))
		}
	}
	if !f.CreatedFrom.IsZero() {
		q = q.Where(table+".month >= ?", monthOf(calendar.Of(f.CreatedFrom)))
	}
	if !f.CreatedTo.IsZero() {
		q = q.Where(table+".month < ?", monthOf(calendar.Of(f.CreatedTo)))
	}
	return q
}

// readCounted reads the counted invoices of an organization by the date of a filter, except others. SQLite has no
// statistics, and would read every invoice.
func (s *Store) readCounted(db *gorm.DB, scope identity.Scope, f invoice.Filter, others []uuid.UUID) *gorm.DB {
	table := "invoices"
	if !s.postgres {
		date, of := "issue_date", "invoices_by_"
		if !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero() {
			date = "due_date"
		} else if !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero() {
			date = "creation"
		}
		if f.EntityID != uuid.Nil {
			of = "invoices_of_entity_by_"
		}
		table += " INDEXED BY " + of + date
	}
	q := db.Table(table).Where("NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = ? AND u.invoice_id = invoices.id)", scope.OrganizationID)
	if len(others) > 0 {
		q = q.Where("invoices.id NOT IN ?", others)
	}
	return q
}
