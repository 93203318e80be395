package store

import (
	"bytes"

	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// days returns the date that a list by id is limited to, if the filter has no other condition.
func (l *invoiceList) days() (column string, ok bool) {
	if l.order.expression != "" || !l.scope.EveryEntity() {
		return "", false
	}
	if only(l.rest, func(f *invoice.Filter) { f.IssueDateFrom, f.IssueDateTo = l.own.IssueDateFrom, l.own.IssueDateTo }) {
		return "issue_date", true
	}
	return "due_date", only(l.rest, func(f *invoice.Filter) { f.DueDateFrom, f.DueDateTo = l.own.DueDateFrom, l.own.DueDateTo })
}

// newestOfDays selects the ids of the page of a list by id with a range of dates. Such a range
// can have most of the invoices. Each day has its invoices in the order of their ids, and the page is
// on the days with the first ids: so the first id of each day is read, and then only the days with
// the first of these.
func (l *invoiceList) newestOfDays(column string) *gorm.DB {
	return l.ofDays(column, l.limit)
}

// firstOfDays selects the first id of a list by id among the invoices with a date of the filter.
func (l *invoiceList) firstOfDays(column string) *gorm.DB { return l.ofDays(column, 1) }

func (l *invoiceList) ofDays(column string, limit int) *gorm.DB {
	value := l.s.dayOf("i", column)
	dates := invoice.Filter{IssueDateFrom: l.rest.IssueDateFrom, IssueDateTo: l.rest.IssueDateTo}
	if column == "due_date" {
		dates = invoice.Filter{DueDateFrom: l.rest.DueDateFrom, DueDateTo: l.rest.DueDateTo}
	}
	invoices := func() *gorm.DB {
		q := l.s.db.Table("invoices AS i")
		if l.entity != uuid.Nil {
			return q.Where("i.entity_id = ? AND i.organization_id = ?", l.entity, l.scope.OrganizationID)
		}
		return q.Where("i.organization_id = ?", l.scope.OrganizationID)
	}
	first := l.s.narrowTimes(invoices(), "i", dates).Select(value).Order(value).Limit(1)
	// A second lower limit would make SQLite read the days before, too.
	next := invoices().Where(value + " > days.day").Select(value).Order(value).Limit(1)
	if to := max(dates.IssueDateTo.String(), dates.DueDateTo.String()); to != "" {
		next = next.Where(value+" <= ?", to)
	}
	id := aliased(l.order.clause(), "i")
	ofDay := func(day string) *gorm.DB {
		return l.after(invoices(), "i").Where(value + " = " + day).Select("i.id").Order(id)
	}
	days := `WITH RECURSIVE days(day) AS (
			SELECT (?) UNION ALL SELECT (?) FROM days WHERE days.day IS NOT NULL
		), firsts AS (
			SELECT n.day FROM (SELECT days.day, (?) AS id FROM days WHERE days.day IS NOT NULL LIMIT ?) AS n WHERE n.id IS NOT NULL ORDER BY ` + aliased(l.order.clause(), "n") + ` LIMIT ?
		) SELECT f.id FROM firsts `
	if l.s.postgres {
		days += "CROSS JOIN LATERAL (?) AS f"
	} else {
		days += "JOIN invoices AS f ON f.id IN (?)"
	}
	days += " ORDER BY " + aliased(l.order.clause(), "f") + " LIMIT ?"
	return l.s.db.Raw(days, first, next, ofDay("days.day").Limit(1), allRows, limit, ofDay("firsts.day").Limit(limit), limit)
}

// seek finds the first invoice of the order with a date of the filter, if there is one. None before it
// matches, and those after it have similar dates. It reports false if the list is not by id or has no date.
func (l *invoiceList) seek(db *gorm.DB) (seeks bool, err error) {
	if l.order.expression != "" || !l.scope.EveryEntity() {
		return false, nil
	}
	f := l.rest
	for column, limited := range map[string]bool{
		"issue_date": !f.IssueDateFrom.IsZero() || !f.IssueDateTo.IsZero(), "due_date": !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero(),
	} {
		if !limited {
			continue
		}
		seeks = true
		var ids []struct{ ID uuid.UUID }
		if err := db.Raw("?", l.firstOfDays(column)).Scan(&ids).Error; err != nil || len(ids) == 0 {
			l.start = uuid.Nil
			return true, err
		}
		later := bytes.Compare(ids[0].ID[:], l.start[:]) > 0
		if l.start == uuid.Nil || later == l.order.ascending {
			l.start = ids[0].ID
		}
	}
	return seeks, nil
}
