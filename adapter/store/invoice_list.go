package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// noAmount sorts before every amount. The indexes of migration 1038 contain it.
const noAmount = -9_000_000_000_000_000_000

// List implements invoice.Reader.
func (r Invoices) List(ctx context.Context, s identity.Scope, f invoice.Filter, sort invoice.Sort, p page.Request) (page.Of[invoice.Summary], error) {
	b := invoiceBinding(s, f, sort)
	order := r.s.sorting(sort)
	after, err := order.after(b, p.After)
	if err != nil {
		return page.Of[invoice.Summary]{}, err
	}
	var list page.Of[invoice.Summary]
	err = r.s.inSnapshot(ctx, func(ctx context.Context) error {
		var rows []summaryRow
		err := r.s.list(r.s.handle(ctx).Model(&invoiceRow{}), listing{
			table: "invoices", key: "id", order: order.clause(), scope: s, entity: f.EntityID, limit: p.Size() + 1,
			narrow: func(q *gorm.DB, t string) *gorm.DB { return after(narrowInvoices(q, t, f), t) },
		}).Find(&rows).Error
		if err != nil {
			return failed("list invoices", err)
		}
		list = pageOf(rows, p.Size(), summaryRow.fromRow, func(r summaryRow) string { return b.cursor(order.key(r)) })
		return r.syncStates(ctx, list.Items)
	})
	return list, err
}

func invoiceBinding(s identity.Scope, f invoice.Filter, sort invoice.Sort) binding {
	b := withAll(bind("invoices", s.OrganizationID).with("entity", f.EntityID), "status", f.Statuses).
		with("issued from", f.IssueDateFrom).with("issued to", f.IssueDateTo).
		with("due from", f.DueDateFrom).with("due to", f.DueDateTo).
		with("from", f.CreatedFrom).with("to", f.CreatedTo).with("query", f.Query).
		with("since", f.UpdatedSince).with("gross min", amountText(f.GrossMin)).with("gross max", amountText(f.GrossMax)).
		with("created by", f.CreatedBy).with("suppliers", sortedIDs(f.SupplierIDs))
	b = withAll(withAll(withAll(b, "type", f.Types), "currency", f.Currencies), "failed", f.FailedChecks)
	b = withAll(withAll(b, "sync", f.SyncStates), "source", f.Sources)
	if f.HasDuplicate != nil {
		b = b.with("duplicate", fmt.Sprint(*f.HasDuplicate))
	}
	b = withAll(b, "external", f.ExternalIDs).with("assigned to", f.AssignedTo).with("unassigned", f.Unassigned)
	return b.with("sort", string(sort.By)).with("ascending", sort.Ascending).done()
}

func amountText(d *money.Decimal) string {
	if d == nil {
		return ""
	}
	return d.Normal()
}

func sortedIDs(ids []uuid.UUID) []string {
	out := mapped(ids, uuid.UUID.String)
	slices.Sort(out)
	return out
}

// failedChecks returns the rules of failed checks in the form that filters search.
func failedChecks(checks []invoice.Check) string {
	var rules []string
	for _, c := range checks {
		if !c.Passed {
			rules = append(rules, clean(c.Rule))
		}
	}
	if len(rules) == 0 {
		return ""
	}
	slices.Sort(rules)
	return "," + strings.Join(slices.Compact(rules), ",") + ","
}

// syncStates adds the sync state to summaries.
func (r Invoices) syncStates(ctx context.Context, items []invoice.Summary) error {
	at := make(map[uuid.UUID]*invoice.Summary, len(items))
	ids := make([]uuid.UUID, len(items))
	for i := range items {
		at[items[i].ID], ids[i] = &items[i], items[i].ID
	}
	var rows []struct {
		InvoiceID uuid.UUID
		State     invoice.SyncState
	}
	err := r.s.handle(ctx).Table("invoice_syncs").Where("invoice_id IN ?", ids).Find(&rows).Error
	for _, row := range rows {
		at[row.InvoiceID].SyncState = row.State
	}
	return failed("read the syncs of invoices", err)
}

func narrowInvoices(q *gorm.DB, t string, f invoice.Filter) *gorm.DB {
	q = narrowTimes(q, t, f)
	q = whereIn(q, t+".status", f.Statuses)
	q = whereIn(q, t+".type", f.Types)
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
		q = q.Where(documentOf(t)+" AND d.origin IN ?)", mapped(f.Sources, func(o document.Origin) string { return string(o) }))
	}
	if f.CreatedBy != uuid.Nil {
		q = q.Where(documentOf(t)+" AND d.created_by = ?)", f.CreatedBy)
	}
	return searchInvoices(narrowGross(q, t, f), t, f.Query)
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

func documentOf(t string) string {
	return "EXISTS (SELECT 1 FROM documents AS d WHERE d.id = " + t + ".document_id"
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
	least, most := fixed(f.GrossMin), fixed(f.GrossMax)
	if least == nil && most == nil {
		return q
	}
	amount := fmt.Sprintf("coalesce(%s.gross_fixed, %d)", t, noAmount)
	if least == nil {
		q = q.Where(amount+" > ?", noAmount)
	} else {
		q = q.Where(amount+" >= ?", *least)
	}
	if most != nil {
		q = q.Where(amount+" <= ?", *most)
	}
	return q
}

func narrowTimes(q *gorm.DB, t string, f invoice.Filter) *gorm.DB {
	for _, bound := range []struct {
		condition string
		day       calendar.Date
	}{
		{".issue_date >= ?", f.IssueDateFrom},
		{".issue_date <= ?", f.IssueDateTo},
		{".due_date >= ?", f.DueDateFrom},
		{".due_date <= ?", f.DueDateTo},
	} {
		if !bound.day.IsZero() {
			q = q.Where(t+bound.condition, day(bound.day))
		}
	}
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
