package store

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// The dates of invoice_weeks, in the order in which they are named in a pair.
const (
	weekOfCreation = "created"
	weekOfIssue    = "issue"
	weekOfDue      = "due"
	weekOfUpdate   = "updated"
)

var weekDates = []string{weekOfCreation, weekOfIssue, weekOfDue, weekOfUpdate}

const (
	// noWeek is the week of invoices without the date. Week 1 begins with the calendar.
	noWeek   = 0
	lastWeek = 1 << 30
	weekDays = 7
	lastYear = 9999 // of dates
	// spanShare is the number of invoices of weeks that a list compares, as a multiple of nearRows.
	spanShare = 6
	// mostSpans is the number of parts of an order that a list reads. Each takes some statements.
	mostSpans = 12
	// nearShare limits the number of invoices of a part that are compared first: at least nearRows divided by it.
	// A page with a small limit would take many statements otherwise.
	nearShare = 2
)

// calendarStart is the first day of the calendar. The order of a list has it for a missing date.
var calendarStart = time.Time{}

func weekOf(t time.Time) int {
	return int((t.Unix()-calendarStart.Unix())/secondsOfDay)/weekDays + 1
}

func midnight(d calendar.Date) time.Time {
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC)
}

// weekRange limits a date of an invoice to weeks.
type weekRange struct {
	date        string
	first, last int
}

// weekRanges returns the weeks to which a filter limits dates. They contain every matching invoice.
func weekRanges(f invoice.Filter) (found []weekRange) {
	days := func(date string, from, to calendar.Date) {
		if from.IsZero() && to.IsZero() {
			return
		}
		r := weekRange{date, noWeek + 1, lastWeek} // an invoice without the date is in no range
		if !from.IsZero() {
			r.first = weekOf(midnight(from))
		}
		if !to.IsZero() {
			r.last = weekOf(midnight(to))
		}
		found = append(found, r)
	}
	times := func(date string, from, before time.Time) {
		if from.IsZero() && before.IsZero() {
			return
		}
		r := weekRange{date, noWeek, lastWeek}
		if !from.IsZero() {
			r.first = weekOf(from)
		}
		if !before.IsZero() {
			r.last = weekOf(before)
		}
		found = append(found, r)
	}
	times(weekOfCreation, f.CreatedFrom, f.CreatedTo)
	days(weekOfIssue, f.IssueDateFrom, f.IssueDateTo)
	days(weekOfDue, f.DueDateFrom, f.DueDateTo)
	times(weekOfUpdate, f.UpdatedSince, time.Time{})
	return found
}

// follow makes the list begin after a cursor.
func (l *invoiceList) follow(b binding, cursor string) (err error) {
	if l.after, err = l.order.after(b, cursor); err == nil && l.order.expression != "" {
		l.cursor, err = l.order.position(b, cursor)
	}
	return err
}

// span is a part of the order of a list by a date: from low on, and before high.
type span struct{ low, high time.Time }

// orderDate returns the date of the list's order. It reports false if the order is not by a date.
func (l *invoiceList) orderDate() (date string, ok bool) {
	switch l.sort.By {
	case invoice.SortByCreation:
		return weekOfCreation, l.order.expression != ""
	case invoice.SortByUpdate:
		return weekOfUpdate, true
	case invoice.SortByIssueDate:
		return weekOfIssue, true
	case invoice.SortByDueDate:
		return weekOfDue, true
	}
	return "", false
}

// spans returns the parts of an order by a date that can have matching invoices, in the order of the list.
func (l *invoiceList) spans(db *gorm.DB) (found []span, err error) {
	date, _ := l.orderDate()
	ranges := weekRanges(l.rest)
	if len(ranges) == 0 {
		return l.wholeOrder(), nil
	}
	var parts []string
	var queries []any
	for _, r := range ranges {
		pair, of, limited := r.date+"_"+date, "week_b", "week_a"
		if slices.Index(weekDates, date) < slices.Index(weekDates, r.date) {
			pair, of, limited = date+"_"+r.date, "week_a", "week_b"
		}
		parts = append(parts, "SELECT w.week FROM (?) AS w")
		queries = append(queries, l.s.db.Table("invoice_weeks").Distinct(of+" AS week").
			Where("organization_id = ? AND pair = ? AND "+limited+" BETWEEN ? AND ?", l.scope.OrganizationID, pair, r.first, r.last))
	}
	var weeks []int
	if err := db.Raw(strings.Join(parts, " INTERSECT "), queries...).Scan(&weeks).Error; err != nil {
		return nil, err
	}
	slices.Sort(weeks)
	for i := 0; i < len(weeks); {
		next := i + 1
		for next < len(weeks) && weeks[next] == weeks[next-1]+1 && weeks[i] != noWeek {
			next++
		}
		if s := l.limited(weeks[i], weeks[next-1]); s.low.Before(s.high) {
			found = append(found, s)
		}
		i = next
	}
	found = l.joined(found)
	if !l.order.ascending {
		slices.Reverse(found)
	}
	return found, nil
}

// joined joins parts of the order, the closest ones first, until so few remain as a list reads. The invoices between
// two joined parts are read in vain. The part without the date remains on its own, because it has another order.
func (l *invoiceList) joined(spans []span) (out []span) {
	gap := func(i int) int64 { return spans[i].low.Unix() - spans[i-1].high.Unix() }
	var apart []int // the parts that are not joined with the one before
	for i := 1; i < len(spans); i++ {
		if !l.isUndated(spans[i-1]) {
			apart = append(apart, i)
		}
	}
	slices.SortStableFunc(apart, func(a, b int) int { return cmp.Compare(gap(b), gap(a)) })
	apart = apart[:min(len(apart), l.most-1)]
	for i, s := range spans {
		if i > 0 && !l.isUndated(spans[i-1]) && !slices.Contains(apart, i) {
			out[len(out)-1].high = s.high
			continue
		}
		out = append(out, s)
	}
	return out
}

// limited returns the part of the order with some weeks.
func (l *invoiceList) limited(first, last int) span {
	week := func(n int) time.Time { return calendarStart.AddDate(0, 0, (n-1)*weekDays) }
	s := span{week(first), week(last + 1)}
	if unit := l.unit(); unit != time.Microsecond {
		s.low = latest(s.low, calendarStart.Add(unit))
		if first == noWeek {
			s = span{calendarStart, calendarStart.Add(unit)}
		}
	}
	return l.owned(s)
}

// owned returns the part of a span within the limits of the filter and after the cursor. An invoice without
// the date is within no limit.
func (l *invoiceList) owned(s span) span {
	unit := l.unit()
	for _, from := range []calendar.Date{l.own.IssueDateFrom, l.own.DueDateFrom} {
		if !from.IsZero() {
			s.low = latest(s.low, latest(calendarStart.Add(unit), midnight(from)))
		}
	}
	for _, to := range []calendar.Date{l.own.IssueDateTo, l.own.DueDateTo} {
		if !to.IsZero() {
			s.low, s.high = latest(s.low, calendarStart.Add(unit)), earliest(s.high, midnight(to).Add(unit))
		}
	}
	s.low = latest(s.low, latest(instant(l.own.CreatedFrom), instant(l.own.UpdatedSince)))
	if !l.own.CreatedTo.IsZero() {
		s.high = earliest(s.high, instant(l.own.CreatedTo))
	}
	return l.clipped(s, l.cursor)
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// inSpan limits a query to a part of the order, to what follows the cursor, and to what does not follow another
// position. Each side has one limit that an index reads, because SQLite reads from any of several ones.
func (l *invoiceList) inSpan(q *gorm.DB, t string, last *position) *gorm.DB {
	expression, s := aliased(l.order.expression, t), l.clipped(*l.span, l.cursor)
	if last != nil {
		reversed := l.order
		reversed.ascending = !l.order.ascending
		s = l.clippedIn(s, last, reversed.ascending)
		if l.isUndated(s) {
			q = q.Where(t+".id "+reversed.comparison()+"= ?", last.id)
		} else {
			q = q.Where("("+expression+" <> ? OR "+t+".id "+reversed.comparison()+"= ?)", l.order.value(last.number), last.id)
		}
	}
	if l.isUndated(s) {
		q = q.Where(expression + " = " + l.s.noDay())
		id, sign := l.start, "= ?"
		if l.cursor != nil && l.order.at(l.cursor.number).Equal(calendarStart) {
			later := bytes.Compare(l.cursor.id[:], id[:])
			if id == uuid.Nil || later == 0 || later > 0 == l.order.ascending {
				id, sign = l.cursor.id, " ?"
			}
		}
		if id != uuid.Nil {
			q = q.Where(t+".id "+l.order.comparison()+sign, id)
		}
		return q
	}
	q = q.Where(expression+" >= ?", l.valueAt(s.low))
	if s.high.Year() <= lastYear {
		q = q.Where(expression+" < ?", l.valueAt(s.high))
	}
	if l.cursor != nil {
		q = l.order.beyond(q, t, *l.cursor)
	}
	return q
}

// orderInSpan is the order by. SQLite would sort invoices with one value by this value.
func (l *invoiceList) orderInSpan() string {
	order := l.order
	if l.isUndated(l.clipped(*l.span, l.cursor)) {
		order.expression = ""
	}
	return aliased(order.clause(), "invoices")
}

// unit is the least difference of two values of the order.
func (l *invoiceList) unit() time.Duration {
	if date, _ := l.orderDate(); date == weekOfCreation || date == weekOfUpdate {
		return time.Microsecond
	}
	return 24 * time.Hour
}

// valueAt is a value of the order in SQL.
func (l *invoiceList) valueAt(at time.Time) any {
	if l.unit() == time.Microsecond {
		return instant(at)
	}
	return at.Format(time.DateOnly)
}

// clipped returns the part of a span that does not precede a position.
func (l *invoiceList) clipped(s span, from *position) span {
	return l.clippedIn(s, from, l.order.ascending)
}

func (l *invoiceList) clippedIn(s span, from *position, ascending bool) span {
	switch {
	case from == nil:
	case ascending:
		s.low = latest(s.low, l.order.at(from.number))
	default:
		s.high = earliest(s.high, l.order.at(from.number).Add(l.unit()))
	}
	return s
}

// readSpans reads the page from parts of the order. ok is false if it would compare more than a number of
// invoices.
func (l *invoiceList) readSpans(db *gorm.DB, spans []span, left int) (rows []summaryRow, ok bool, err error) {
	defer func(from *position) { l.span, l.cursor, l.start = nil, from, uuid.Nil }(l.cursor)
	for i := range spans {
		l.span, l.start = &spans[i], uuid.Nil
		size := max(shortPages*l.limit, l.near/nearShare)
		for read := 0; ; size *= shortGrowth {
			if size = min(size, left); size < 1 {
				return nil, false, nil
			}
			if read > 0 && l.isUndated(spans[i]) && l.start == uuid.Nil {
				undated, whole, err := l.undated(db, l.limit-len(rows))
				if err != nil {
					return nil, false, err
				}
				if whole {
					rows, left = append(rows, undated...), left+read
					break
				}
			}
			found, end, err := l.readChunk(db, size, l.limit-len(rows))
			if err != nil {
				return nil, false, err
			}
			read += size
			// The last invoices of a part are about half as many as could be.
			if left -= size; end == nil {
				left += size / 2
			}
			if rows = append(rows, found...); len(rows) == l.limit {
				return rows, true, nil
			}
			if end == nil {
				break
			}
			l.cursor = end
		}
		if len(rows) == l.limit {
			return rows, true, nil
		}
	}
	return rows, true, nil
}

// readChunk reads matching invoices among the next ones of a span. It returns the last of the next ones; nil
// if the span has no more.
func (l *invoiceList) readChunk(db *gorm.DB, size, limit int) (rows []summaryRow, end *position, err error) {
	order := l.orderInSpan()
	if l.s.postgres {
		// PostgreSQL ends as soon as it has found enough.
		next := l.inOrder(nil).Select("invoices.*").Order(order).Limit(size)
		q := l.s.narrowInvoices(l.s.within(db.Table("(?) AS invoices", next), "invoices", l.scope), "invoices", l.rest)
		if err := q.Order(order).Limit(limit).Find(&rows).Error; err != nil || len(rows) == limit {
			return rows, nil, err
		}
		end, err = l.endOf(db, size)
		return rows, end, err
	}
	// SQLite would read all rows of such a subquery.
	if end, err = l.endOf(db, size); err != nil {
		return nil, nil, err
	}
	ids := l.s.narrowInvoices(l.s.within(l.inOrder(end), "invoices", l.scope), "invoices", l.rest).Select("invoices.id").Order(order).Limit(limit)
	err = db.Table("invoices").Where("invoices.id IN (?)", ids).Order(order).Find(&rows).Error
	return rows, end, err
}

// endOf finds the last of the next invoices of a span, if it has so many.
func (l *invoiceList) endOf(db *gorm.DB, size int) (*position, error) {
	id := l.inOrder(nil).Select("invoices.id").Order(l.orderInSpan()).Offset(size - 1).Limit(1)
	var rows []summaryRow
	if err := db.Table("invoices").Where("invoices.id = (?)", id).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	return &position{l.order.number(rows[0]), rows[0].ID}, nil
}

// inOrder reads the next invoices of a span up to a position, if there is one, from the index of the order.
func (l *invoiceList) inOrder(last *position) *gorm.DB {
	date, _ := l.orderDate()
	table, index := "invoices", map[string]string{weekOfCreation: "creation", weekOfUpdate: "update", weekOfIssue: "issue_date", weekOfDue: "due_date"}[date]
	of := "invoices_by_"
	if l.entity != uuid.Nil {
		of = "invoices_of_entity_by_"
	}
	if !l.s.postgres {
		table += " INDEXED BY " + of + index
	}
	q := l.s.db.Table(table).Where("invoices.organization_id = ?", l.scope.OrganizationID)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	return l.inSpan(q, "invoices", last)
}
