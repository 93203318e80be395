package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// noAmount sorts before every amount. The indexes of migration 1038 contain it.
const noAmount = -9_000_000_000_000_000_000

// List implements invoice.Reader.
func (r Invoices) List(ctx context.Context, s identity.Scope, f invoice.Filter, sort invoice.Sort, p page.Request) (page.Of[invoice.Summary], error) {
	b := invoiceBinding(s, f, sort)
	l := r.s.invoiceList(s, f, sort, p.Size()+1)
	if err := l.follow(b, p.After); err != nil {
		return page.Of[invoice.Summary]{}, err
	}
	var list page.Of[invoice.Summary]
	err := r.s.inSnapshot(ctx, func(ctx context.Context) error {
		if err := r.s.planForValues(ctx); err != nil {
			return err
		}
		if err := r.s.searchAlone(ctx, f.Query); err != nil {
			return err
		}
		rows, err := l.read(r.s.handle(ctx))
		if err != nil {
			return failed("list invoices", err)
		}
		list = pageOf(rows, p.Size(), summaryRow.fromRow, func(r summaryRow) string { return b.cursor(l.order.key(r)) })
		return r.syncStates(ctx, list.Items)
	})
	return list, err
}

// planForValues makes PostgreSQL plan each statement of the transaction for its values. A plan for any values
// expects a status or a type to be as frequent as every other one, and walks through all invoices to find
// those of a rare one. PostgreSQL interprets each statement: it would compile one that it expects to be expensive,
// which takes longer than a read of a few thousand invoices. A transaction has these settings, because poolers
// refuse connections with settings that they do not know.
func (s *Store) planForValues(ctx context.Context) error {
	if !s.postgres {
		return nil
	}
	return failed("choose how to plan", s.handle(ctx).Exec("SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)").Error)
}

// searchAlone makes PostgreSQL read the index of a search without other processes in the transaction. It expects thousands
// of invoices for each search, and to start the processes takes longer than to read these.
func (s *Store) searchAlone(ctx context.Context, query string) error {
	if !s.postgres || len(trigramsOf(folded(query))) == 0 {
		return nil
	}
	return failed("read a search in one process", s.handle(ctx).Exec("SET LOCAL max_parallel_workers_per_gather = 0").Error)
}

// searchTogether ends searchAlone, for a read of every invoice.
func (s *Store) searchTogether(ctx context.Context, query string) error {
	if !s.postgres || len(trigramsOf(folded(query))) == 0 {
		return nil
	}
	return failed("read a search in several processes", s.handle(ctx).Exec("SET LOCAL max_parallel_workers_per_gather TO DEFAULT").Error)
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
