package store

import (
	"slices"

	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// coveredRows is the number of invoices of a part up to which a list reads them at once if an index has all that
// it compares. An entry of an index takes a tenth of the time of an invoice.
const coveredRows = 40_000

// orderColumns are the columns of the orders of a list.
var orderColumns = map[invoice.SortKey]string{
	invoice.SortByCreation: "created_at", invoice.SortByUpdate: "updated_at", invoice.SortByIssueDate: "issue_date",
	invoice.SortByDueDate: "due_date", invoice.SortByGross: "gross_fixed",
}

// coveredColumns are the columns of the index of a part other than the organization and the id. An index with
// an expression is not among them: PostgreSQL reads the invoices for the column of the expression.
func (l *invoiceList) coveredColumns(part string) []string {
	switch part {
	case "assigned_to", "supplier_id", "type":
		if part != "type" || onlyOtherTypes(l.filter) {
			return []string{part, "entity_id", "issue_date", "due_date", "gross_fixed", "updated_at"}
		}
		return []string{part, "entity_id"}
	case "source":
		return []string{part, "entity_id", "issue_date", "due_date", "gross_fixed"}
	case "currency", "failed_checks":
		return []string{part, "entity_id"}
	case "created_at", "updated_at":
		if l.s.postgres {
			return []string{part}
		}
		return []string{part, "issue_date", "due_date", "gross_fixed"}
	}
	return nil
}

// covers reports whether the index of a part has all columns that the list compares.
func (l *invoiceList) covers(p *filterPart) bool {
	if p.index == "" {
		return false
	}
	f, columns := l.filter, l.coveredColumns(p.name)
	for _, condition := range []struct {
		column string
		has    bool
	}{
		{"entity_id", l.entity != uuid.Nil || !l.scope.EveryEntity()},
		{orderColumns[l.sort.By], l.order.expression != ""},
		{"assigned_to", f.AssignedTo != uuid.Nil || f.Unassigned},
		{"supplier_id", len(f.SupplierIDs) > 0},
		{"type", len(f.Types) > 0},
		{"currency", len(f.Currencies) > 0},
		{"issue_date", !f.IssueDateFrom.IsZero() || !f.IssueDateTo.IsZero()},
		{"due_date", !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero()},
		{"created_at", !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero()},
		{"updated_at", !f.UpdatedSince.IsZero()},
		{"gross_fixed", f.GrossMin != nil || f.GrossMax != nil},
		{"failed_checks", len(f.FailedChecks) > 0},
		{"source", len(f.Sources) > 0},
		{"", len(f.Statuses) > 0 || len(f.ExternalIDs) > 0 || f.HasDuplicate != nil || len(f.SyncStates) > 0 ||
			f.CreatedBy != uuid.Nil || f.Query != ""},
	} {
		if condition.has && !slices.Contains(columns, condition.column) {
			return false
		}
	}
	return true
}

// fewestCovered returns the part with the fewest invoices among those of which an index has all that the list
// compares; nil if each has too many.
func (l *invoiceList) fewestCovered(db *gorm.DB) (*filterPart, error) {
	parts := slices.DeleteFunc(l.parts(), func(p filterPart) bool { return !l.covers(&p) })
	least, _, err := l.fewestOf(db, parts, l.covered)
	return least, err
}

// nearOrLeast reads the page among the first invoices of the order. If ok is false, the page is to be read from a part of
// the filter, which is nil if each part has too many invoices.
func (l *invoiceList) nearOrLeast(db *gorm.DB) (least *filterPart, rows []summaryRow, ok bool, err error) {
	if l.order.expression == "" {
		// A part with thousands of invoices has enough of the newest ones in most cases.
		l.short = shortPages * l.limit
		rows, ok, err = l.compare(db)
		l.short = 0
		if err != nil || ok {
			return nil, rows, ok, err
		}
	}
	if least, err = l.fewestCovered(db); err != nil || least != nil {
		return least, nil, false, err
	}
	none, rejected, err := l.excludes(db)
	if err != nil || none {
		return nil, nil, none, err
	}
	if rejected {
		l.isFar = true
		least, _, err = l.fewest(db, mostRows)
		return least, nil, false, err
	}
	if len(l.valueLists()) > 1 {
		if l.rarest, _, err = l.fewest(db, mostRows); err != nil {
			return nil, nil, false, err
		}
	}
	if rows, ok, err = l.compared(db); err != nil || ok {
		return nil, rows, ok, err
	}
	l.isFar = true
	least, _, err = l.fewest(db, mostRows)
	return least, nil, false, err
}

// ofIndex selects the ids of the page among the invoices of a part. It reads no invoice, but the entries of the
// part in its index, which has all that the list compares.
func (l *invoiceList) ofIndex(p *filterPart) *gorm.DB {
	if p.name == "source" {
		return l.ofSources(p)
	}
	table := "invoices"
	if !l.s.postgres {
		table += " INDEXED BY " + p.index
	}
	q := l.s.db.Table(table).Where("invoices.organization_id = ?", l.scope.OrganizationID)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	if p.name == "failed_checks" {
		q = l.withChecks(q, "invoices")
	}
	return l.pageOf(q)
}

// ofSources is ofIndex of the sources, which have a table of their own with the values of each invoice.
func (l *invoiceList) ofSources(p *filterPart) *gorm.DB {
	table := "invoice_sources"
	if !l.s.postgres {
		table += " INDEXED BY " + p.index
	}
	entries := l.s.db.Table(table).Select("invoice_id AS id, organization_id, source, entity_id, issue_date, due_date, gross_fixed")
	q := l.s.db.Table("(?) AS invoices", entries).Where("invoices.organization_id = ? AND invoices.source IN ?", l.scope.OrganizationID, l.rest.Sources)
	if l.entity != uuid.Nil {
		q = q.Where("invoices.entity_id = ?", l.entity)
	}
	others := *l
	others.rest.Sources = nil
	return others.pageOf(q)
}
