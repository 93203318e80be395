package store

import (
	"reflect"
	"strings"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// nearRows is the number of invoices that are compared with the filter one by one, in the order of the
	// list.
	nearRows = 4000
	// shortPages is the number of pages that are compared before, and shortGrowth the growth of this number
	// while they do not fill the page.
	shortPages, shortGrowth = 8, 4
	// allRows is more than any table has. A subquery with this limit is evaluated on its own.
	allRows = 1_000_000_000
)

// invoiceList reads a page of invoices.
//
// Neither database knows where in the order of a list the invoices of a filter are. A walk through
// the order is fast if many match and reads all invoices if none does; the index of a filter is fast
// if few match. So the invoices of each part of the filter are counted, up to a limit. If a part has few,
// these are read. Otherwise the first nearRows of the order are compared. Only if they do not fill the
// page, which means that few match or that these are far away, the index of the filter is read.
type invoiceList struct {
	s     *Store
	scope identity.Scope
	sort  invoice.Sort
	order sorting[summaryRow]
	limit int
	// own is the part of the filter that limits the value of the order, and rest the other part.
	own, rest, filter invoice.Filter
	entity            uuid.UUID
	after             func(q *gorm.DB, t string) *gorm.DB
	cursor            *position   // what the page follows; nil for the first page
	span              *span       // the part of the order that is read
	start             uuid.UUID   // no invoice before it matches
	rarest            *filterPart // the part of the filter with the fewest invoices, if it is known
	few, near, most   int         // fewRows, nearRows and mostSpans
	covered           int         // coveredRows
	short             int         // the number of invoices that are compared first; 0 for all of the window
	isFar             bool        // the first invoices of the order do not fill the page
	checks            []string    // the texts of failed checks that match; nil if they are not read
}

func (s *Store) invoiceList(scope identity.Scope, f invoice.Filter, sort invoice.Sort, limit int) *invoiceList {
	l := &invoiceList{s: s, scope: scope, sort: sort, order: s.sorting(sort, f), limit: limit, rest: f, filter: f, entity: f.EntityID, few: fewRows, covered: coveredRows, near: nearRows, most: mostSpans}
	l.rest.EntityID, l.filter.EntityID = uuid.Nil, uuid.Nil
	switch sort.By {
	case invoice.SortByCreation:
		l.own.CreatedFrom, l.rest.CreatedFrom = f.CreatedFrom, l.own.CreatedFrom
		l.own.CreatedTo, l.rest.CreatedTo = f.CreatedTo, l.own.CreatedTo
	case invoice.SortByUpdate:
		l.own.UpdatedSince, l.rest.UpdatedSince = f.UpdatedSince, l.own.UpdatedSince
	case invoice.SortByIssueDate:
		l.own.IssueDateFrom, l.rest.IssueDateFrom = f.IssueDateFrom, l.own.IssueDateFrom
		l.own.IssueDateTo, l.rest.IssueDateTo = f.IssueDateTo, l.own.IssueDateTo
	case invoice.SortByDueDate:
		l.own.DueDateFrom, l.rest.DueDateFrom = f.DueDateFrom, l.own.DueDateFrom
		l.own.DueDateTo, l.rest.DueDateTo = f.DueDateTo, l.own.DueDateTo
	case invoice.SortByGross:
		l.own.GrossMin, l.rest.GrossMin = f.GrossMin, nil
		l.own.GrossMax, l.rest.GrossMax = f.GrossMax, nil
	}
	return l
}

// only reports whether a filter has no condition after clear removed one.
func only(f invoice.Filter, clear func(*invoice.Filter)) bool {
	clear(&f)
	return reflect.DeepEqual(f, invoice.Filter{})
}

// valueList is a part of the filter for which an index has the invoices of each value in the order of
// their ids.
type valueList struct {
	part          string // the name of the part
	table, column string // without a column, the list has all invoices of its index
	values        []any
	only          bool   // the filter has no other condition
	where         string // the condition of a partial index; "" if the index has all invoices
	index         string // the index, if SQLite would choose another one
}

// valueLists returns the parts of the filter with such an index.
func (l *invoiceList) valueLists() (found []valueList) {
	if l.order.expression != "" {
		return nil
	}
	add := func(part, table, column string, values []any, clear func(*invoice.Filter)) {
		if len(values) > 0 && (l.entity == uuid.Nil || column == "status") {
			found = append(found, valueList{part: part, table: table, column: column, values: values, only: only(l.rest, clear)})
		}
	}
	of := func(id uuid.UUID) []any {
		if id == uuid.Nil {
			return nil
		}
		return []any{id}
	}
	add("status", "invoices", "status", anyOf(l.rest.Statuses), func(f *invoice.Filter) { f.Statuses = nil })
	add("type", "invoices", "type", anyOf(l.rest.Types), func(f *invoice.Filter) { f.Types = nil })
	add("currency", "invoices", "currency", anyOf(l.rest.Currencies), func(f *invoice.Filter) { f.Currencies = nil })
	add("supplier_id", "invoices", "supplier_id", anyOf(l.rest.SupplierIDs), func(f *invoice.Filter) { f.SupplierIDs = nil })
	add("assigned_to", "invoices", "assigned_to", of(l.rest.AssignedTo), func(f *invoice.Filter) { f.AssignedTo = uuid.Nil })
	add("sync_state", "(SELECT invoice_id AS id, organization_id, state FROM invoice_syncs)", "state", anyOf(l.rest.SyncStates), func(f *invoice.Filter) { f.SyncStates = nil })
	add("source", "(SELECT invoice_id AS id, organization_id, source FROM invoice_sources)", "source", anyOf(l.rest.Sources), func(f *invoice.Filter) { f.Sources = nil })
	return found
}

func anyOf[T any](values []T) []any { return mapped(values, func(v T) any { return v }) }

// ordered reports whether an index has the matching invoices in the order of the list.
func (l *invoiceList) ordered() bool {
	if only(l.rest, func(*invoice.Filter) {}) {
		return true
	}
	if len(l.rest.Statuses) == 1 && l.order.expression == "" && only(l.rest, func(f *invoice.Filter) { f.Statuses = nil }) {
		return true
	}
	// No index finds a search without three letters.
	return len(trigramsOf(folded(l.rest.Query))) == 0 && only(l.rest, func(f *invoice.Filter) { f.Query = "" })
}

// maxMerged is the number of values whose first invoices are merged.
const maxMerged = 20

// merged selects the first ids of each value, if the filter has only such values.
func (l *invoiceList) merged() (ids *gorm.DB, ok bool) {
	lists := l.valueLists()
	if partial, ok := l.partialList(); ok {
		lists = []valueList{partial}
	}
	if len(lists) != 1 || !lists[0].only || len(lists[0].values) > maxMerged || !l.scope.EveryEntity() {
		return nil, false
	}
	var parts []string
	var queries []any
	for _, value := range lists[0].values {
		table := lists[0].table + " AS i"
		if lists[0].index != "" && !l.s.postgres {
			table += " INDEXED BY " + lists[0].index
		}
		q := l.s.db.Table(table).Select("i.id").Where("i.organization_id = ?", l.scope.OrganizationID)
		if lists[0].column != "" {
			q = q.Where("i."+lists[0].column+" = ?", value)
		}
		if lists[0].where != "" {
			q = q.Where(lists[0].where)
		}
		if l.entity != uuid.Nil {
			q = q.Where("i.entity_id = ?", l.entity)
		}
		parts = append(parts, "SELECT m.id FROM (?) AS m")
		queries = append(queries, l.after(q, "i").Order(aliased(l.order.clause(), "i")).Limit(l.limit))
	}
	return l.s.db.Table("(?) AS f", l.s.db.Raw(strings.Join(parts, " UNION "), queries...)).Select("f.id").Order(aliased(l.order.clause(), "f")).Limit(l.limit), true
}

func (l *invoiceList) read(db *gorm.DB) (rows []summaryRow, err error) {
	if l.ordered() {
		err = l.s.list(db.Model(&invoiceRow{}), listing{
			table: "invoices", key: "id", order: l.order.clause(), scope: l.scope, entity: l.entity, limit: l.limit,
			narrow: func(q *gorm.DB, t string) *gorm.DB {
				return l.s.narrowInvoices(l.s.narrowInvoices(l.after(q, t), t, l.own), t, l.rest)
			},
		}).Find(&rows).Error
		return rows, err
	}
	if possible, err := l.readChecks(db); err != nil || !possible {
		return nil, err
	}
	ids, ok := l.merged()
	if !ok {
		least, n, err := l.fewest(db, l.few)
		if err != nil || n == 0 {
			return nil, err
		}
		column, ofDays := l.days()
		switch {
		case least != nil:
		case ofDays:
			// The days are read fast, so only few invoices are compared before.
			l.short = shortPages * l.limit
			rows, ok, err = l.compare(db)
			l.short = 0
			if err != nil || ok {
				return rows, err
			}
		default:
			if least, rows, ok, err = l.nearOrLeast(db); err != nil || ok {
				return rows, err
			}
		}
		switch {
		case ofDays && n > l.few:
			ids = l.newestOfDays(column)
		case least != nil && l.covers(least):
			ids = l.ofIndex(least)
		case least != nil:
			ids = l.of(least)
		default:
			ids = l.far()
		}
	}
	// PostgreSQL would join a subquery with all invoices.
	var found []struct{ ID uuid.UUID }
	if err := db.Raw("?", ids).Scan(&found).Error; err != nil || len(found) == 0 {
		return nil, err
	}
	page := mapped(found, func(row struct{ ID uuid.UUID }) uuid.UUID { return row.ID })
	rows = nil
	err = db.Model(&invoiceRow{}).Where("invoices.id IN ?", page).Order(aliased(l.order.clause(), "invoices")).Find(&rows).Error
	return rows, err
}

// compared reads the page among the first invoices of the order. ok is false if it can have others.
func (l *invoiceList) compared(db *gorm.DB) (rows []summaryRow, ok bool, err error) {
	if _, ok := l.orderDate(); ok {
		spans, err := l.spans(db)
		if err != nil {
			return nil, false, err
		}
		most := l.window()
		if len(weekRanges(l.rest)) > 0 {
			most = l.near * spanShare
		}
		return l.readSpans(db, spans, most)
	}
	// If most match, few invoices fill the page.
	for size := shortPages * l.limit; size < l.window(); size *= shortGrowth {
		l.short = size
		rows, ok, err = l.compare(db)
		l.short = 0
		if err != nil || ok {
			return rows, true, err
		}
	}
	for range 2 {
		if rows, ok, err = l.compare(db); err != nil || ok {
			return rows, true, err
		}
		if l.start != uuid.Nil {
			break
		}
		if seeks, err := l.seek(db); err != nil || !seeks {
			return nil, false, err
		}
		if l.start == uuid.Nil {
			return nil, true, nil
		}
	}
	return nil, false, nil
}

// compare reads the page among the invoices of the window.
func (l *invoiceList) compare(db *gorm.DB) (rows []summaryRow, ok bool, err error) {
	if err := l.nearest(db).Find(&rows).Error; err != nil || len(rows) == l.limit {
		return rows, true, err
	}
	var compared int64
	err = db.Table("(?) AS f", l.first("1")).Count(&compared).Error
	return rows, compared < int64(l.window()), err
}

// window is the number of invoices that are compared one by one. It is larger for statuses, because
// the first invoices can all have another one, unless an index has those of the status in this order.
func (l *invoiceList) window() int {
	rows, list := l.near, l.indexed()
	if (len(l.rest.Statuses) > 0 || len(l.rest.SyncStates) > 0) && (list == nil || list.part != "status" && list.part != "sync_state") {
		rows *= 5
	}
	if l.start != uuid.Nil {
		rows *= 5
	}
	if l.short > 0 {
		return min(l.short, rows)
	}
	return rows
}

// nearest selects the matching invoices among the first of the order.
func (l *invoiceList) nearest(db *gorm.DB) *gorm.DB {
	q := l.s.within(db.Table("(?) AS invoices", l.first("invoices.*")), "invoices", l.scope)
	return l.s.narrowInvoices(q, "invoices", l.rest).Order(aliased(l.order.clause(), "invoices")).Limit(l.limit)
}

// first selects the first invoices of the order, as many as the window has.
func (l *invoiceList) first(columns string) *gorm.DB {
	beyond := func(q *gorm.DB, t string) *gorm.DB {
		sign := " <= ?"
		if l.order.ascending {
			sign = " >= ?"
		}
		if l.start == uuid.Nil {
			return l.after(q, t)
		}
		return l.after(q, t).Where(t+".id"+sign, l.start)
	}
	list := l.indexed()
	if list != nil && (list.table != "invoices" || len(list.values) > 1) {
		var parts []string
		var queries []any
		for _, value := range list.values {
			q := l.s.db.Table(list.table+" AS v").Select("v.id").Where("v.organization_id = ? AND v."+list.column+" = ?", l.scope.OrganizationID, value)
			if l.entity != uuid.Nil { // an index has the statuses of an entity
				q = q.Where("v.entity_id = ?", l.entity)
			}
			parts = append(parts, "SELECT m.id FROM (?) AS m")
			queries = append(queries, beyond(q, "v").Order(aliased(l.order.clause(), "v")).Limit(l.window()))
		}
		values := l.s.db.Table("(?) AS v", l.s.db.Raw(strings.Join(parts, " UNION "), queries...)).Select("v.id").Order(aliased(l.order.clause(), "v")).Limit(l.window())
		if columns == "1" {
			return values
		}
		return l.s.db.Table("(?) AS v", values).Joins(l.s.invoicesByID("v.id")).Select(columns)
	}
	first := l.s.db.Table("invoices").Select(columns).Where("invoices.organization_id = ?", l.scope.OrganizationID)
	if l.entity != uuid.Nil {
		first = first.Where("invoices.entity_id = ?", l.entity)
	}
	if list != nil {
		first = first.Where("invoices."+list.column+" = ?", list.values[0]) // narrowInvoices repeats it
	}
	return l.s.narrowInvoices(beyond(first, "invoices"), "invoices", l.own).
		Order(aliased(l.order.clause(), "invoices")).Limit(l.window())
}

// indexed returns a part of the filter of which an index has the invoices of each value in the order of the list: that
// with the fewest, if it is known.
func (l *invoiceList) indexed() (found *valueList) {
	for _, list := range l.valueLists() {
		if len(list.values) > maxMerged {
			continue
		}
		if l.rarest != nil && list.part == l.rarest.name {
			return &list
		}
		if found == nil {
			found = &list
		}
	}
	return found
}

// far selects the ids of the page among all matching invoices, which both databases find from the
// index of the filter, because the subquery has no order.
func (l *invoiceList) far() *gorm.DB {
	named := l.s.foundElsewhere(l.scope.OrganizationID, l.rest)
	// SQLite has no statistics. The signs make it start with the index of the filter, the supplier or the
	// ids of other tables instead of an index of all invoices.
	table, sign, entitySign := "invoices", "", ""
	if !l.s.postgres {
		entitySign = "+"
		switch {
		case len(named) > 0 || len(l.rest.SupplierIDs) > 0:
			sign = "+"
		case l.rest.HasDuplicate != nil && *l.rest.HasDuplicate:
			table = "invoices INDEXED BY invoices_with_duplicate"
		}
	}
	q := l.s.db.Table(table).Where(sign+"invoices.organization_id = ?", l.scope.OrganizationID)
	if l.entity != uuid.Nil {
		q = q.Where(entitySign+"invoices.entity_id = ?", l.entity)
	}
	for _, condition := range named {
		q = q.Where(condition.sql, condition.values...)
	}
	return l.pageOf(q)
}

// pageOf selects the ids of the page among the matching invoices of a query.
func (l *invoiceList) pageOf(q *gorm.DB) *gorm.DB {
	columns, order := "invoices.id", "%s.id"
	if l.order.expression != "" {
		columns, order = columns+", "+aliased(l.order.expression, "invoices")+" AS sorted", "%s.sorted, %s.id"
	}
	if !l.order.ascending {
		order = map[string]string{"%s.id": "%s.id DESC", "%s.sorted, %s.id": "%s.sorted DESC, %s.id DESC"}[order]
	}
	if !l.scope.EveryEntity() {
		q = q.Where("EXISTS (?)", visible(l.s.db.Table("entities AS e").Select("1"), "e", l.scope).Where("e.id = invoices.entity_id"))
	}
	q = l.s.narrowInvoices(l.s.narrowInvoices(l.after(q.Select(columns), "invoices"), "invoices", l.own), "invoices", l.rest).Limit(allRows)
	return l.s.db.Table("(?) AS f", q).Select("f.id").Order(aliased(order, "f")).Limit(l.limit)
}

// condition is a condition with its values.
type condition struct {
	sql    string
	values []any
}

// foundElsewhere returns conditions that find matching invoices from indexes of other tables, or from
// several indexes. They repeat conditions of narrowInvoices.
func (s *Store) foundElsewhere(organization uuid.UUID, f invoice.Filter) (found []condition) {
	if len(f.SyncStates) > 0 {
		found = append(found, condition{"invoices.id IN (SELECT b.invoice_id FROM invoice_syncs AS b WHERE b.organization_id = ? AND b.state IN ?)",
			[]any{organization, f.SyncStates}})
	}
	if len(f.Sources) > 0 {
		found = append(found, condition{"invoices.id IN (SELECT o.invoice_id FROM invoice_sources AS o WHERE o.organization_id = ? AND o.source IN ?)",
			[]any{organization, f.Sources}})
	}
	if f.CreatedBy != uuid.Nil {
		found = append(found, condition{"invoices.document_id IN (SELECT d.id FROM documents AS d WHERE d.organization_id = ? AND d.created_by = ?)",
			[]any{organization, f.CreatedBy}})
	}
	if c, ok := s.searched(organization, f.Query); ok {
		found = append(found, c)
	}
	return found
}
