package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"docledger/domain/calendar"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// The parts of invoice_sums. Each has the sums for some keys and filters.
const (
	sumsOfInvoices  = "invoice"
	sumsOfSuppliers = "supplier"
	sumsOfTaxes     = "tax"
	sumsOfAccounts  = "account"
	// The groups of these have the month of another date instead of that of the issue date.
	sumsOfDueMonths     = "due_month"
	sumsOfCreatedMonths = "created_month"
	// The groups of this are those of sumsOfInvoices for each source.
	sumsOfSources = "source"
)

// Other parts are of a whole organization.
const (
	sumsOfSupplierMonths   = "supplier_month"
	sumsOfAccountMonths    = "account_month"
	sumsOfSupplierAccounts = "supplier_account" // the type of a group is its account
	sumsOfSupplierTaxes    = "supplier_tax"     // the status and type of a group are its category and rate
	sumsOfTaxAccounts      = "tax_account"      // the type of a group is its account
)

const (
	// mostUncounted is the largest number of uncounted invoices with which a sum reads the groups. With
	// more, for example while the job counts the invoices of an earlier release, it reads all invoices.
	mostUncounted = 5000
	// countBatch is the number of invoices that one transaction counts, or of changes that it merges.
	countBatch = 500
	// countTime is the time after which a run ends. Its job has ten minutes.
	countTime = 5 * time.Minute
	// mostCounted is the largest amount of a counted invoice, in ten-thousandths, and longestCounted the
	// largest number of characters of the texts of a group. The sums of counted amounts fit into 64 bits, and an entry
	// of an index of PostgreSQL has at most 2,704 bytes. Other invoices remain uncounted, and so do those
	// of the first day of the calendar, which the filters by date exclude.
	mostCounted    = 100_000_000_000_000
	longestCounted = 400
)

// sumColumns are the columns that are equal in a group, and sumValues those that are added up.
var (
	sumColumns = "organization_id, part, entity_id, currency, status, type, month, key_a, key_b"
	sumValues  = []string{"invoices", "net", "nets", "tax", "taxes", "gross", "grosses", "due", "dues"}
)

// skipLockedWithoutKey is skipLocked with the lock of a change that keeps the key.
var skipLockedWithoutKey = clause.Locking{Strength: "NO KEY UPDATE", Options: clause.LockingOptionsSkipLocked}

// groupedSum says which groups have the invoices of a sum.
type groupedSum struct {
	part  string
	whole invoice.Filter   // the filter with whole months of its dates, and with statuses instead of the states of the sync
	edges []invoice.Filter // the filter with the times before and after these months, which no group has
	// other are counted invoices of which the status does not tell whether the state of the sync matches. The sum
	// subtracts them from the groups, and reads them like uncounted ones.
	other []uuid.UUID
	// search has the invoices that match the search of the filter, if it has one. The groups are those of its names.
	search *searchedSum
}

// grouped returns the groups with the sums for keys of the invoices that match a filter. It reports
// false if there are none, or if too many invoices are not counted.
func (r Invoices) grouped(ctx context.Context, s identity.Scope, f invoice.Filter, keys []invoice.SumKey) (g groupedSum, ok bool, err error) {
	if g.part, ok = partOf(s, f, keys); !ok {
		return g, false, nil
	}
	if g.whole, g.edges, ok = wholeMonths(f); !ok {
		return g, false, nil
	}
	var n int64
	err = r.s.handle(ctx).Raw("SELECT count(*) FROM (SELECT 1 FROM invoices_uncounted WHERE organization_id = ? LIMIT ?) AS u", s.OrganizationID, mostUncounted+1).Scan(&n).Error
	if err != nil || n > mostUncounted {
		return g, false, failed("count uncounted invoices", err)
	}
	if len(f.SyncStates) > 0 {
		g.whole.Statuses = statusesOfStates(f)
		g.other, err = r.s.otherwiseSynced(ctx, s.OrganizationID, f.SyncStates, mostUncounted+1)
	}
	if ok = int(n)+len(g.other) <= mostUncounted; ok && err == nil && f.Query != "" {
		g.search, ok, err = r.s.searchedInGroups(ctx, s.OrganizationID, f.Query)
	}
	return g, ok, err
}

// partOf returns the part of which the groups have the keys and the filter, except for days that are no whole months.
func partOf(s identity.Scope, f invoice.Filter, keys []invoice.SumKey) (part string, ok bool) {
	has := func(key invoice.SumKey) bool { return slices.Contains(keys, key) }
	// A search compares the names of the suppliers.
	suppliers, taxes, accounts := has(invoice.SumBySupplier) || f.Query != "", has(invoice.SumByTax), has(invoice.SumByAccount)
	months := has(invoice.SumByMonth) || !f.IssueDateFrom.IsZero() || !f.IssueDateTo.IsZero()
	sources := len(f.Sources) > 0
	due, created := !f.DueDateFrom.IsZero() || !f.DueDateTo.IsZero(), !f.CreatedFrom.IsZero() || !f.CreatedTo.IsZero()
	switch {
	case due && created, (due || created) && (suppliers || taxes || accounts || months || sources), sources && (suppliers || taxes || accounts):
		return "", false
	case sources:
		part = sumsOfSources
	case due:
		part = sumsOfDueMonths
	case created:
		part = sumsOfCreatedMonths
	case suppliers && taxes && accounts, months && (suppliers && accounts || suppliers && taxes || taxes && accounts):
		return "", false
	case suppliers && accounts:
		part = sumsOfSupplierAccounts
	case suppliers && taxes:
		part = sumsOfSupplierTaxes
	case taxes && accounts:
		part = sumsOfTaxAccounts
	case suppliers && months:
		part = sumsOfSupplierMonths
	case accounts && months:
		part = sumsOfAccountMonths
	case suppliers:
		part = sumsOfSuppliers
	case accounts:
		part = sumsOfAccounts
	case taxes:
		part = sumsOfTaxes
	default:
		part = sumsOfInvoices
	}
	statuses := has(invoice.SumByStatus) || has(invoice.SumByType) || len(f.Statuses) > 0 || len(f.Types) > 0 || len(f.SyncStates) > 0
	if ofOrganization(part) && (statuses || has(invoice.SumByEntity) || f.EntityID != uuid.Nil || !s.EveryEntity()) {
		return "", false
	}
	if len(f.SyncStates) > 0 && !slices.ContainsFunc(f.SyncStates, invoice.SyncState.Final) {
		return "", false // few syncs continue, and an index has them
	}
	return part, only(f, func(f *invoice.Filter) {
		f.EntityID, f.Currencies, f.Statuses, f.Types, f.SyncStates, f.Sources = uuid.Nil, nil, nil, nil, nil, nil
		f.IssueDateFrom, f.IssueDateTo, f.DueDateFrom, f.DueDateTo = calendar.Date{}, calendar.Date{}, calendar.Date{}, calendar.Date{}
		f.CreatedFrom, f.CreatedTo, f.Query = time.Time{}, time.Time{}, ""
	})
}

// ofOrganization reports whether the groups of a part are of a whole organization.
func ofOrganization(part string) bool {
	switch part {
	case sumsOfSupplierMonths, sumsOfAccountMonths, sumsOfSupplierAccounts, sumsOfSupplierTaxes, sumsOfTaxAccounts:
		return true
	}
	return false
}

// readUncounted reads the invoices of an organization that are not counted. Because of its form both
// databases expect few.
func (s *Store) readUncounted(db *gorm.DB, scope identity.Scope) *gorm.DB {
	if s.postgres {
		return db.Table("(SELECT invoice_id FROM invoices_uncounted WHERE organization_id = ? LIMIT ?) AS u", scope.OrganizationID, mostUncounted+1).
			Joins("JOIN invoices ON invoices.id = u.invoice_id")
	}
	return db.Table("invoices_uncounted AS u").Joins(s.invoicesByID("u.invoice_id")).Where("u.organization_id = ?", scope.OrganizationID)
}

// CountSums counts the uncounted invoices of all organizations, and merges what was subtracted. Each
// transaction has a limited number of rows, so that an interrupted run resumes where it ended. It leaves
// an invoice that is being changed to the next run, and also what it does not finish within countTime.
// A batch that fails stops neither the others nor the merge.
func (r Invoices) CountSums(ctx context.Context) error {
	var problems []error
	end := r.s.now().Add(countTime)
	for after := (uncountedRow{}); r.s.now().Before(end); {
		rows, err := r.count(ctx, after)
		problems = append(problems, err)
		if len(rows) < countBatch || ctx.Err() != nil {
			break
		}
		after = rows[len(rows)-1]
	}
	for n := countBatch; n == countBatch && r.s.now().Before(end); {
		var err error
		if n, err = r.merge(ctx); err != nil {
			problems = append(problems, err)
			break
		}
	}
	return errors.Join(problems...)
}

// countAlone runs fn in a transaction that no other run has at the same time.
func (r Invoices) countAlone(ctx context.Context, fn func(context.Context) error) error {
	return r.s.inOne(ctx, func(ctx context.Context) error {
		if r.s.postgres {
			if err := r.s.handle(ctx).Exec("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "docledger sums").Error; err != nil {
				return failed("wait for another run", err)
			}
		}
		return fn(ctx)
	})
}

type uncountedRow struct {
	OrganizationID uuid.UUID
	InvoiceID      uuid.UUID
}

// TableName implements gorm's tabler.
func (uncountedRow) TableName() string { return "invoices_uncounted" }

// count counts the first uncounted invoices after a row, and returns what it read.
func (r Invoices) count(ctx context.Context, after uncountedRow) (rows []uncountedRow, err error) {
	err = r.countAlone(ctx, func(ctx context.Context) error {
		err := r.s.handle(ctx).Where("(organization_id, invoice_id) > (?, ?)", after.OrganizationID, after.InvoiceID).
			Order("organization_id, invoice_id").Limit(countBatch).Find(&rows).Error
		if err != nil || len(rows) == 0 {
			return failed("read uncounted invoices", err)
		}
		ids, err := r.countable(ctx, mapped(rows, func(u uncountedRow) uuid.UUID { return u.InvoiceID }))
		if err != nil || len(ids) == 0 {
			return err
		}
		organizations := slices.Compact(mapped(rows, func(u uncountedRow) uuid.UUID { return u.OrganizationID }))
		if err := r.s.handle(ctx).Exec("DELETE FROM invoices_uncounted WHERE organization_id IN ? AND invoice_id IN ?", organizations, ids).Error; err != nil {
			return failed("mark invoices as counted", err)
		}
		return r.addToSums(ctx, "invoice_sum_parts", "invoice_id", ids)
	})
	return rows, err
}

// countable locks those of the invoices that can be counted now.
func (r Invoices) countable(ctx context.Context, ids []uuid.UUID) ([]uuid.UUID, error) {
	var locked, others []uuid.UUID
	err := r.s.handle(ctx).Table("invoices").Clauses(skipLockedWithoutKey).Where("id IN ?", ids).Order("id").Pluck("id", &locked).Error
	if err != nil || len(locked) == 0 {
		return nil, failed("lock uncounted invoices", err)
	}
	over := func(column string) string { return fmt.Sprintf("abs(coalesce(%s, 0)) > %d", column, mostCounted) }
	err = r.s.handle(ctx).Raw(fmt.Sprintf(`SELECT id FROM invoices WHERE id IN ? AND (length(currency) > 3 OR length(seller_tax_id) + length(seller_name) > %d OR issue_date < '0001-01-02' OR %s OR %s OR %s OR %s)
		UNION SELECT x.invoice_id FROM invoice_taxes AS x JOIN invoices AS i ON i.id = x.invoice_id
			WHERE x.invoice_id IN ? AND (length(x.category) + length(coalesce(x.rate, '')) + length(i.seller_tax_id) + length(i.seller_name) > %d OR %s OR %s)
		UNION SELECT l.invoice_id FROM invoice_lines AS l JOIN invoices AS i ON i.id = l.invoice_id
			WHERE l.invoice_id IN ? AND (length(l.account_id) + length(i.seller_tax_id) + length(i.seller_name) > %d
				OR length(l.account_id) + length(l.tax_category) + length(coalesce(l.tax_rate, '')) > %d OR %s)`,
		longestCounted, over("net_fixed"), over("tax_fixed"), over("gross_fixed"), over("due_fixed"),
		longestCounted, over("x.base_fixed"), over("x.amount_fixed"), longestCounted, longestCounted, over("l.net_fixed")), locked, locked, locked).Scan(&others).Error
	if err != nil {
		return nil, failed("look for invoices that are not counted", err)
	}
	return slices.DeleteFunc(locked, func(id uuid.UUID) bool { return slices.Contains(others, id) }), nil
}

// merge adds the first changes to the groups, and returns their number.
func (r Invoices) merge(ctx context.Context) (n int, err error) {
	err = r.countAlone(ctx, func(ctx context.Context) error {
		var ids []int64
		err := r.s.handle(ctx).Table("invoice_sum_changes").Order("id").Limit(countBatch).Pluck("id", &ids).Error
		if n = len(ids); err != nil || n == 0 {
			return failed("read changes of sums", err)
		}
		if err := r.addToSums(ctx, "invoice_sum_changes", "id", ids); err != nil {
			return err
		}
		// Only a merge makes a group empty. An index of empty groups would make each change of a group slower.
		err = r.s.handle(ctx).Exec(fmt.Sprintf("DELETE FROM invoice_sums WHERE invoices = 0 AND (%s) IN (SELECT %s FROM invoice_sum_changes WHERE id IN ?)", sumColumns, sumColumns), ids).Error
		if err != nil {
			return failed("remove empty sums", err)
		}
		return failed("remove changes of sums", r.s.handle(ctx).Exec("DELETE FROM invoice_sum_changes WHERE id IN ?", ids).Error)
	})
	return n, err
}

// addToSums adds the rows with given keys to their groups.
func (r Invoices) addToSums(ctx context.Context, from, key string, keys any) error {
	sums, sets := make([]string, len(sumValues)), make([]string, len(sumValues))
	for i, value := range sumValues {
		sums[i], sets[i] = "sum("+value+")", fmt.Sprintf("%s = invoice_sums.%s + excluded.%s", value, value, value)
	}
	return failed("add to the sums", r.s.handle(ctx).Exec(fmt.Sprintf(
		"INSERT INTO invoice_sums (%s, %s) SELECT %s, %s FROM %s WHERE %s IN ? GROUP BY %s ON CONFLICT (%s) DO UPDATE SET %s",
		sumColumns, strings.Join(sumValues, ", "), sumColumns, strings.Join(sums, ", "), from, key, sumColumns, sumColumns, strings.Join(sets, ", "),
	), keys).Error)
}
