package store

import (
	"slices"
	"time"

	"docledger/domain/invoice"

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
	var first []struct{ ID uuid.UUID }
	err = db.Table("(?) AS p", least.ids.Limit(mostRows)).Select("p.id").Order("p.id" + l.direction()).Limit(1).Find(&first).Error
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
	ids, most := p.ids.Limit(mostRows), l.few+1
	if l.hasOnly(p) {
		// Each invoice of the part matches, so the first ones in the order of the ids are the page.
		ids, most = l.s.db.Table("(?) AS p", ids).Select("p.id").Order("p.id"+l.direction()).Limit(mostRows), limit
	}
	q := db.Table("(?) AS p", ids).Select("p.id").Where("(?) IS NOT NULL", one).Limit(most)
	if most == limit && l.s.postgres {
		q = q.Order("p.id" + l.direction()) // SQLite reads the rows of a subquery in its order, and would sort all
	}
	var found []struct{ ID uuid.UUID }
	err = q.Find(&found).Error
	if err != nil || len(found) > l.few {
		return nil, false, err
	}
	if len(found) == 0 {
		return nil, true, nil
	}
	page := mapped(found, func(row struct{ ID uuid.UUID }) uuid.UUID { return row.ID })
	q = l.s.within(db.Table("invoices").Where("invoices.organization_id = ? AND invoices.id IN ?", l.scope.OrganizationID, page), "invoices", l.scope)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	err = l.s.narrowInvoices(q, "invoices", l.rest).Order(l.orderInSpan()).Limit(limit).Find(&rows).Error
	return rows, true, err
}

// hasOnly reports whether each invoice of a part of the filter matches the list. A part has no limit of entities.
func (l *invoiceList) hasOnly(p *filterPart) bool {
	if l.entity != uuid.Nil || !l.scope.EveryEntity() {
		return false
	}
	return p.name == "updated_at" && only(l.rest, func(f *invoice.Filter) { f.UpdatedSince = time.Time{} }) ||
		p.name == "source" && only(l.rest, func(f *invoice.Filter) { f.Sources = nil }) ||
		p.name == "sync_state" && only(l.rest, func(f *invoice.Filter) { f.SyncStates = nil })
}

// direction is that of the order in SQL.
func (l *invoiceList) direction() string {
	if l.order.ascending {
		return ""
	}
	return " DESC"
}
