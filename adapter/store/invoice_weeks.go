package store

import (
	"slices"
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
	// spanShare is the number of invoices that the spans of a list compare, as a multiple of nearRows.
	spanShare = 6
)

// calendarStart is the first day of the calendar, which stands for a missing date in the order of a list.
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

// spans returns the parts of the order that can have matching invoices, in the order of the list. It
// reports false if the order is not by a date, or the filter does not limit another date.
func (l *invoiceList) spans(db *gorm.DB) (found []span, ok bool, err error) {
	date, byDate := l.orderDate()
	ranges := weekRanges(l.rest)
	if !byDate || len(ranges) == 0 {
		return nil, false, nil
	}
	var weeks []int
	for i, r := range ranges {
		pair, of, limited := r.date+"_"+date, "week_b", "week_a"
		if slices.Index(weekDates, date) < slices.Index(weekDates, r.date) {
			pair, of, limited = date+"_"+r.date, "week_a", "week_b"
		}
		var both []int
		err := db.Table("invoice_weeks").Where("organization_id = ? AND pair = ? AND "+limited+" BETWEEN ? AND ?", l.scope.OrganizationID, pair, r.first, r.last).
			Distinct().Pluck(of, &both).Error
		if err != nil {
			return nil, false, err
		}
		if i > 0 {
			both = slices.DeleteFunc(both, func(w int) bool { return !slices.Contains(weeks, w) })
		}
		weeks = both
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
	if !l.order.ascending {
		slices.Reverse(found)
	}
	return found, true, nil
}

// limited returns the part of the order with some weeks, after the cursor and within the limits of the
// filter.
func (l *invoiceList) limited(first, last int) span {
	week := func(n int) time.Time { return calendarStart.AddDate(0, 0, (n-1)*weekDays) }
	s := span{week(first), week(last + 1)}
	unit := 24 * time.Hour
	if date, _ := l.orderDate(); date == weekOfCreation || date == weekOfUpdate {
		unit = time.Microsecond
	} else if first == noWeek {
		s = span{calendarStart, calendarStart.Add(unit)}
	} else {
		s.low = latest(s.low, calendarStart.Add(unit))
	}
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
	if l.cursor != nil {
		at := l.order.at(l.cursor.number)
		if l.order.ascending {
			s.low = latest(s.low, at)
		} else {
			s.high = earliest(s.high, at.Add(unit))
		}
	}
	return s
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

// inSpan limits a query to a part of the order and to what follows the cursor. Each side has one limit, because
// SQLite reads from any of several ones.
func (l *invoiceList) inSpan(q *gorm.DB, t string) *gorm.DB {
	expression, value := aliased(l.order.expression, t), func(at time.Time) any {
		if date, _ := l.orderDate(); date == weekOfCreation || date == weekOfUpdate {
			return instant(at)
		}
		return at.Format(time.DateOnly)
	}
	if l.isUndated(*l.span) {
		q = q.Where(expression + " = " + l.s.noDay())
	} else {
		q = q.Where(expression+" >= ?", value(l.span.low))
		if l.span.high.Year() <= lastYear {
			q = q.Where(expression+" < ?", value(l.span.high))
		}
	}
	if l.cursor != nil {
		q = l.order.beyond(q, t, *l.cursor)
	}
	if l.start != uuid.Nil {
		sign := " <= ?"
		if l.order.ascending {
			sign = " >= ?"
		}
		q = q.Where(t+".id"+sign, l.start)
	}
	return q
}

// readSpans reads the page from the parts of the order that can have matching invoices. ok is false if it
// would compare too many.
func (l *invoiceList) readSpans(db *gorm.DB, spans []span) (rows []summaryRow, ok bool, err error) {
	defer func() { l.span, l.start, l.short = nil, uuid.Nil, 0 }()
	left := spanShare * l.near
	for i := range spans {
		l.span, l.start, l.short = &spans[i], uuid.Nil, shortPages*l.limit
		for whole := false; !whole; l.short *= shortGrowth {
			if l.short = min(l.short, left); l.short < 1 {
				return nil, false, nil
			}
			if l.short > shortPages*l.limit && l.isUndated(spans[i]) && l.start == uuid.Nil {
				if err := l.startUndated(db); err != nil {
					return nil, false, err
				}
			}
			var found []summaryRow
			if found, whole, err = l.compare(db); err != nil {
				return nil, false, err
			}
			left -= l.short
			if whole {
				rows = append(rows, found...)
			}
			if len(rows) >= l.limit {
				return rows[:l.limit], true, nil
			}
		}
	}
	return rows, true, nil
}

// isUndated reports whether a part of the order has the invoices without the date of the order.
func (l *invoiceList) isUndated(s span) bool {
	return s.low.Equal(calendarStart) && s.high.Equal(calendarStart.AddDate(0, 0, 1))
}

// startUndated finds the first id among the invoices of a part of the filter, if it does not have too many. Invoices
// without the date of the order are in the order of their ids, and there can be many of them.
func (l *invoiceList) startUndated(db *gorm.DB) error {
	least, _, err := l.fewest(db, mostRows)
	if err != nil || least == nil {
		return err
	}
	direction := " DESC"
	if l.order.ascending {
		direction = ""
	}
	var first []struct{ ID uuid.UUID }
	err = db.Table("(?) AS p", least.ids.Limit(mostRows)).Select("p.id").Order("p.id" + direction).Limit(1).Find(&first).Error
	if err == nil && len(first) > 0 {
		l.start = first[0].ID
	}
	return err
}
