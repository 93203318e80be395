package store

import (
	"context"
	"slices"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// excludes reports whether no invoice matches the filter, or only rejected ones, as the groups of sums say, which have all
// others. If only rejected ones, it limits the list to these. Parts of a filter can exclude each other, such as a status
// and a type: no index finds that without reading every invoice of one of them.
func (l *invoiceList) excludes(db *gorm.DB) (none, rejected bool, err error) {
	f := l.filter
	f.EntityID = l.entity
	onlyRejected := len(f.Statuses) > 0 && !slices.ContainsFunc(f.Statuses, func(status invoice.Status) bool { return status != invoice.Rejected })
	if groupParts(f) < 2 || f.Query != "" || onlyRejected {
		return false, false, nil // the groups say nothing of rejected invoices
	}
	if rejected, err = l.s.Invoices().onlyRejected(db.Statement.Context, l.scope, f); err != nil || !rejected {
		return false, false, err
	}
	if len(f.Statuses) > 0 && !slices.Contains(f.Statuses, invoice.Rejected) {
		return true, false, nil
	}
	l.rest.Statuses, l.filter.Statuses = []invoice.Status{invoice.Rejected}, []invoice.Status{invoice.Rejected}
	return false, true, nil
}

// groupParts counts the parts of a filter that the groups of sums have.
func groupParts(f invoice.Filter) (n int) {
	for _, has := range []bool{
		f.EntityID != uuid.Nil, len(f.Statuses) > 0, len(f.Types) > 0, len(f.Currencies) > 0, len(f.SyncStates) > 0, len(f.Sources) > 0,
		!f.IssueDateFrom.IsZero() || !f.IssueDateTo.IsZero(), !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero(), !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero(),
	} {
		if has {
			n++
		}
	}
	return n
}

// onlyRejected reports whether each invoice that matches a filter is rejected. It is false if no group of sums can say so,
// or if too many invoices are in no group.
func (r Invoices) onlyRejected(ctx context.Context, s identity.Scope, f invoice.Filter) (bool, error) {
	f = inWholeMonths(f)
	g, counted, err := r.grouped(ctx, s, f, nil)
	if err != nil || !counted || len(g.edges) > 0 {
		return false, err
	}
	parts, _ := r.addUpGroups(ctx, s, f, nil, g)
	var n int64
	err = together(r.s.handle(ctx), parts).Select("coalesce(sum(invoices), 0)").Scan(&n).Error
	return err == nil && n == 0, failed("count the invoices of a filter", err)
}

// inWholeMonths extends the dates of a filter to whole months, which the groups of sums have.
func inWholeMonths(f invoice.Filter) invoice.Filter {
	for _, from := range []*calendar.Date{&f.IssueDateFrom, &f.DueDateFrom} {
		if !from.IsZero() {
			from.Day = 1
		}
	}
	for _, to := range []*calendar.Date{&f.IssueDateTo, &f.DueDateTo} {
		if !to.IsZero() {
			*to = calendar.Of(time.Date(to.Year, to.Month+1, 0, 0, 0, 0, 0, time.UTC))
		}
	}
	if !f.CreatedFrom.IsZero() {
		f.CreatedFrom = monthStart(f.CreatedFrom.UTC())
	}
	if end := monthStart(f.CreatedTo.UTC()); !f.CreatedTo.IsZero() && !end.Equal(f.CreatedTo) {
		if f.CreatedTo = end.AddDate(0, 1, 0); f.CreatedTo.Year() > lastYear {
			f.CreatedTo = time.Time{} // as text, a year of five digits precedes the others
		}
	}
	return f
}
