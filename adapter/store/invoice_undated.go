package store

import (
	"slices"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// allWeeks is more than the number of weeks up to lastYear.
const allWeeks = lastYear * 53

// wholeOrder returns the parts of an order without a range of another date: the invoices without the date of the order, if
// it can be missing, and all others.
func (l *invoiceList) wholeOrder() (found []span) {
	parts := [][2]int{{noWeek, noWeek}, {noWeek + 1, allWeeks}}
	if l.unit() == time.Microsecond {
		parts = parts[1:]
	}
	for _, p := range parts {
		if s := l.limited(p[0], p[1]); s.low.Before(s.high) {
			found = append(found, s)
		}
	}
	if !l.order.ascending {
		slices.Reverse(found)
	}
	return found
}

// isUndated reports whether a part of the order has the invoices without the date of the order.
func (l *invoiceList) isUndated(s span) bool {
	return s.low.Equal(calendarStart) && s.high.Equal(calendarStart.AddDate(0, 0, 1))
}

// undated reads the remaining invoices of the page from a part of the filter, if this has not too many invoices without the
// date of the order. Such invoices are in the order of their ids, and there can be many of them that do not match. If whole
// is false, the list compares the next ones, from the first id among the invoices of the part.
func (l *invoiceList) undated(db *gorm.DB, limit int) (rows []summaryRow, whole bool, err error) {
	least, _, err := l.fewest(db, mostRows)
	if err != nil || least == nil {
		return nil, false, err
	}
	if least.name != "created_at" { // the ids are in the order of creation, so the first one is near the page
		if rows, whole, err = l.undatedOf(db, least, limit); err != nil || whole {
			return rows, whole, err
		}
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
	return nil, false, err
}

// undatedOf reads invoices of a part of the filter without the date of the order. The index of the order has these, so no
// other invoice is read. whole is false if there are more than few.
func (l *invoiceList) undatedOf(db *gorm.DB, p *filterPart, limit int) (rows []summaryRow, whole bool, err error) {
	// A scalar, because PostgreSQL would read all invoices without the date to join them.
	one := l.inOrder(nil).Select("invoices.id").Where("invoices.id = p.id")
	var found []struct{ ID uuid.UUID }
	err = db.Table("(?) AS p", p.ids.Limit(mostRows)).Select("p.id").Where("(?) IS NOT NULL", one).Limit(l.few + 1).Find(&found).Error
	if err != nil || len(found) > l.few {
		return nil, false, err
	}
	if len(found) == 0 {
		return nil, true, nil
	}
	ids := mapped(found, func(row struct{ ID uuid.UUID }) uuid.UUID { return row.ID })
	q := l.s.within(db.Table("invoices").Where("invoices.organization_id = ? AND invoices.id IN ?", l.scope.OrganizationID, ids), "invoices", l.scope)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	err = l.s.narrowInvoices(q, "invoices", l.rest).Order(l.orderInSpan()).Limit(limit).Find(&rows).Error
	return rows, true, err
}
