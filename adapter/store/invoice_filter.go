package store

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// narrowInvoices adds the conditions of a filter but for the entity, with t for the table's alias.
func (s *Store) narrowInvoices(q *gorm.DB, t string, f invoice.Filter) *gorm.DB {
	q = s.narrowTimes(q, t, f)
	q = whereIn(q, t+".status", f.Statuses)
	q = whereIn(q, t+".type", f.Types)
	if onlyOtherTypes(f) && !s.postgres {
		// SQLite uses the partial index only with its condition. PostgreSQL would expect fewer invoices.
		q = q.Where(t + ".type <> 'INVOICE'")
	}
	q = whereIn(q, t+".currency", f.Currencies)
	q = whereIn(q, t+".supplier_id", f.SupplierIDs)
	q = whereExternal(q, t, f.ExternalIDs)
	if f.AssignedTo != uuid.Nil {
		q = q.Where(t+".assigned_to = ?", f.AssignedTo)
	}
	if f.Unassigned {
		q = q.Where(t + ".assigned_to IS NULL")
	}
	if len(f.FailedChecks) > 0 {
		either := make([]string, len(f.FailedChecks))
		values := make([]any, len(f.FailedChecks))
		for i, rule := range f.FailedChecks {
			either[i], values[i] = t+`.failed_checks LIKE ? ESCAPE '\'`, likePattern(","+rule+",")
		}
		// The first condition is that of the indexes of invoices with a failed check.
		q = q.Where(t+".failed_checks <> '' AND ("+strings.Join(either, " OR ")+")", values...)
	}
	if f.HasDuplicate != nil {
		suspected := containsRule(q, t+".failed_checks", invoice.RuleNotADuplicate)
		if !*f.HasDuplicate {
			suspected = "NOT (" + suspected + ")"
		}
		q = q.Where(suspected)
	}
	if len(f.SyncStates) > 0 {
		q = q.Where("EXISTS (SELECT 1 FROM invoice_syncs AS b WHERE b.invoice_id = "+t+".id AND b.state IN ?)", f.SyncStates)
	}
	if len(f.Sources) > 0 {
		q = q.Where(s.hasSource(t), f.Sources)
	}
	if f.CreatedBy != uuid.Nil {
		q = q.Where("EXISTS (SELECT 1 FROM documents AS d WHERE d.id = "+t+".document_id AND d.created_by = ?)", f.CreatedBy)
	}
	return searchInvoices(narrowGross(q, t, f), t, f.Query)
}

// onlyOtherTypes reports whether a filter has types, all of the index without the most frequent type.
func onlyOtherTypes(f invoice.Filter) bool {
	return len(f.Types) > 0 && !slices.Contains(f.Types, invoice.TypeInvoice)
}

// containsRule is the condition that a column with failed rules has a rule. It is literal, as in
// the conditions of partial indexes.
func containsRule(db *gorm.DB, column, rule string) string {
	position := "instr"
	if db.Name() == "postgres" {
		position = "strpos"
	}
	return position + "(" + column + ", '," + rule + ",') > 0"
}

// whereExternal repeats the condition of the partial index, so that both databases use it.
func whereExternal(q *gorm.DB, t string, ids []string) *gorm.DB {
	if len(ids) == 0 {
		return q
	}
	return q.Where(t+".external_id <> '' AND "+t+".external_id IN ?", mapped(ids, clean))
}

// hasSource is the condition that an invoice has one of some sources. SQLite would make a join of EXISTS, and read all
// invoices without a date, in the order of a date, for each invoice with the source.
func (s *Store) hasSource(t string) string {
	of := " FROM invoice_sources AS o WHERE o.organization_id = " + t + ".organization_id AND o.invoice_id = " + t + ".id"
	if s.postgres {
		return "EXISTS (SELECT 1" + of + " AND o.source IN ?)"
	}
	return "(SELECT o.source" + of + ") IN ?"
}

func whereIn[T any](q *gorm.DB, column string, values []T) *gorm.DB {
	if len(values) == 0 {
		return q
	}
	return q.Where(column+" IN ?", values)
}

// narrowGross compares exact amounts. The API accepts only bounds that have a
// fixed form. The expression is that of the indexes by amount, so that both
// databases read a narrow range from them; an invoice without an amount is in
// no range.
func narrowGross(q *gorm.DB, t string, f invoice.Filter) *gorm.DB {
	least, most := boundOf(f.GrossMin), boundOf(f.GrossMax)
	if least == nil && most == nil {
		return q
	}
	amount := fmt.Sprintf("coalesce(%s.gross_fixed, %d)", t, noAmount)
	if least == nil || *least == noAmount {
		q = q.Where(amount+" > ?", noAmount)
	} else {
		q = q.Where(amount+" >= ?", *least)
	}
	if most != nil {
		q = q.Where(amount+" <= ?", *most)
	}
	return q
}

// boundOf returns a bound in ten-thousandths. A bound beyond the stored amounts becomes noAmount or the
// greatest number, because nil would be no bound.
func boundOf(amount *money.Decimal) *int64 {
	bound := fixed(amount)
	if amount == nil || bound != nil && *bound > noAmount {
		return bound
	}
	nearest := int64(noAmount)
	if amount.Sign() > 0 {
		nearest = math.MaxInt64
	}
	return &nearest
}

// noDay is in the indexes for a missing date. It sorts before every date.
func (s *Store) noDay() string {
	if s.postgres {
		return "'0001-01-01'::date"
	}
	return "'0001-01-01'"
}

// dayOf is the expression of the indexes by a date.
func (s *Store) dayOf(t, column string) string {
	return "coalesce(" + t + "." + column + ", " + s.noDay() + ")"
}

// narrowDays compares dates with the expression of their indexes. An invoice without the date is in
// no range.
func (s *Store) narrowDays(q *gorm.DB, expression string, from, to calendar.Date) *gorm.DB {
	firstDay := calendar.Date{Year: 1, Month: 1, Day: 1} // the day of noDay
	if !from.IsZero() && from != firstDay {
		q = q.Where(expression+" >= ?", day(from))
	} else if !from.IsZero() || !to.IsZero() {
		q = q.Where(expression + " > " + s.noDay())
	}
	if !to.IsZero() {
		q = q.Where(expression+" <= ?", day(to))
	}
	return q
}

func (s *Store) narrowTimes(q *gorm.DB, t string, f invoice.Filter) *gorm.DB {
	q = s.narrowDays(q, s.dayOf(t, "issue_date"), f.IssueDateFrom, f.IssueDateTo)
	q = s.narrowDays(q, s.dayOf(t, "due_date"), f.DueDateFrom, f.DueDateTo)
	for _, bound := range []struct {
		condition string
		at        time.Time
	}{
		{".created_at >= ?", f.CreatedFrom},
		{".created_at < ?", f.CreatedTo},
		{".updated_at >= ?", f.UpdatedSince},
	} {
		if !bound.at.IsZero() {
			q = q.Where(t+bound.condition, instant(bound.at))
		}
	}
	return q
}

func searchInvoices(q *gorm.DB, t, query string) *gorm.DB {
	if query == "" {
		return q
	}
	pattern := likePattern(folded(query))
	either := t + `.search LIKE ? ESCAPE '\' OR ` + t + `.search_file LIKE ? ESCAPE '\'`
	values := []any{pattern, pattern}
	if amounts := amountsOf(query); len(amounts) > 0 {
		either += " OR " + t + ".net_fixed IN ? OR " + t + ".gross_fixed IN ? OR " + t + ".due_fixed IN ?"
		values = append(values, amounts, amounts, amounts)
	}
	return q.Where("("+either+")", values...)
}

// invoicesByID joins the invoice of each id of a column. Each database reads the ids first, and then each invoice by its id.
// SQLite has no statistics, and would read the invoices of a range of dates for each id.
func (s *Store) invoicesByID(id string) string {
	if s.postgres {
		return "JOIN invoices ON invoices.id = " + id
	}
	return "CROSS JOIN invoices INDEXED BY sqlite_autoindex_invoices_1 ON invoices.id = " + id // the primary key
}
