package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docledger/domain/calendar"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// taxRow is a row of the tax breakdown of an invoice, for sums. The breakdown itself is
// in the body of the invoice.
type taxRow struct {
	InvoiceID   uuid.UUID `gorm:"primaryKey"`
	Ordinal     int       `gorm:"primaryKey;autoIncrement:false"`
	Category    string
	Rate        *number
	BaseFixed   *int64
	AmountFixed *int64
}

// TableName implements gorm's tabler.
func (taxRow) TableName() string { return "invoice_taxes" }

// replaceTaxes replaces the tax rows of an invoice.
func (r Invoices) replaceTaxes(ctx context.Context, inv *invoice.Invoice) error {
	if err := r.s.handle(ctx).Delete(&taxRow{}, "invoice_id = ?", inv.ID).Error; err != nil {
		return failed("change the invoice's taxes", err)
	}
	return r.addTaxes(ctx, inv)
}

// addTaxes stores the tax rows of an invoice that has none.
func (r Invoices) addTaxes(ctx context.Context, inv *invoice.Invoice) error {
	if len(inv.Taxes) == 0 {
		return nil
	}
	in, err := insertionsOf(ctx, r.s, toTaxRows(inv))
	if err == nil {
		_, err = r.s.insert(ctx, in)
	}
	return failed("store the invoice's taxes", err)
}

func toTaxRows(inv *invoice.Invoice) []taxRow {
	rows := make([]taxRow, len(inv.Taxes))
	for i, t := range inv.Taxes {
		rows[i] = taxRow{InvoiceID: inv.ID, Ordinal: i + 1, Category: clean(t.Category), Rate: (*number)(t.Rate), BaseFixed: fixed(t.Base), AmountFixed: fixed(t.Amount)}
	}
	return rows
}

// sumRow is a group. Sums are text, because those of PostgreSQL exceed 64 bits.
type sumRow struct {
	EntityID    *uuid.UUID
	SellerTaxID string
	SellerKey   string
	SellerName  string
	Status      invoice.Status
	Type        invoice.Type
	Month       string
	Category    string
	Rate        *number
	AccountID   string
	Currency    string
	Count       int
	Net         *string
	Tax         *string
	Gross       *string
	Due         *string
}

// sumQuery is the SELECT of sums. Its rows have the columns of sumAmounts.
type sumQuery struct {
	columns, groups, names []string
}

func (q *sumQuery) by(expression, name string) {
	q.columns = append(q.columns, expression+" AS "+name)
	q.groups = append(q.groups, expression)
	q.names = append(q.names, name)
}

// sum adds an amount up, and counts the invoices or rows that have it.
func (q *sumQuery) sum(column, name, count string) {
	q.columns = append(q.columns, "sum(CASE WHEN invoices.type = '"+string(invoice.TypeCreditNote)+"' THEN -"+column+" ELSE "+column+" END) AS "+name, "count("+column+") AS "+count)
}

// sumAmounts are the amounts of a sum, each with the number of invoices or rows that have it.
var sumAmounts = [][2]string{{"net", "nets"}, {"tax", "taxes"}, {"gross", "grosses"}, {"due", "dues"}}

// Sum implements invoice.Sums.
func (r Invoices) Sum(ctx context.Context, s identity.Scope, f invoice.Filter, keys []invoice.SumKey) ([]invoice.Sum, error) {
	return r.sum(ctx, s, f, keys, mostRows)
}

// sum is Sum. It reads the invoices of a rare search from its index if there are at most so many.
func (r Invoices) sum(ctx context.Context, s identity.Scope, f invoice.Filter, keys []invoice.SumKey, most int) ([]invoice.Sum, error) {
	var rows []sumRow
	refused := false
	err := r.s.inSnapshot(ctx, func(ctx context.Context) error {
		if err := r.s.planForValues(ctx); err != nil {
			return err
		}
		if err := r.s.searchAlone(ctx, f.Query); err != nil {
			return err
		}
		g, counted, err := r.grouped(ctx, s, f, keys)
		if err != nil {
			return err
		}
		if counted {
			if refused, err = r.s.tooManyGroups(ctx, s, g, keys); err != nil || refused {
				return err
			}
		}
		var parts []*gorm.DB
		var q *sumQuery
		if counted {
			parts, q = r.addUpGroups(ctx, s, f, keys, g)
		} else {
			from, order, err := r.readMatching(ctx, s, f, keys, most)
			if err != nil {
				return err
			}
			direct, of := r.addUp(from, s, f, keys, order...)
			parts, q = []*gorm.DB{direct}, of
		}
		all := together(r.s.handle(ctx), parts)
		columns, names := slices.Clone(q.names), strings.Join(q.names, ", ")
		if slices.Contains(keys, invoice.SumBySupplier) {
			columns = append(columns, "min(seller_name) AS seller_name")
		}
		columns = append(columns, "sum(invoices) AS count")
		for _, a := range sumAmounts {
			columns = append(columns, fmt.Sprintf("CASE WHEN sum(%s) > 0 THEN CAST(sum(%s) AS text) END AS %s", a[1], a[0], a[0]))
		}
		return all.Select(strings.Join(columns, ", ")).Group(names).Order(names).Limit(invoice.MaxSums + 1).Find(&rows).Error
	})
	if err != nil {
		return nil, failed("add the invoices up", err)
	}
	if refused || len(rows) > invoice.MaxSums {
		return nil, fault.InvalidField("group_by", "gives more than %d groups; narrow the filters", invoice.MaxSums)
	}
	sums := make([]invoice.Sum, len(rows))
	for i, row := range rows {
		if sums[i], err = row.fromRow(); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// addUpGroups adds up the groups of a sum, and the invoices that match and are in none of them.
func (r Invoices) addUpGroups(ctx context.Context, s identity.Scope, f invoice.Filter, keys []invoice.SumKey, g groupedSum) (parts []*gorm.DB, q *sumQuery) {
	direct, q := r.addUp(r.s.readUncounted(r.s.handle(ctx), s), s, f, keys)
	parts = []*gorm.DB{direct}
	if g.search == nil || g.search.found > 0 {
		parts = append(parts, r.s.addCounted(s, g, keys))
	}
	if g.search != nil {
		others, _ := r.addUp(r.s.readOtherTexts(r.s.handle(ctx), s, g.search, g.other), s, g.otherTexts(), keys)
		parts = append(parts, others)
	}
	for _, edge := range g.edges {
		days, _ := r.addUp(r.s.readCounted(r.s.handle(ctx), s, edge, g.other), s, edge, keys)
		parts = append(parts, days)
	}
	if len(g.other) > 0 {
		others, _ := r.addUp(r.s.readOthers(r.s.handle(ctx), g.other), s, f, keys)
		parts = append(parts, others)
	}
	return parts, q
}

// together reads the rows of all parts as one table g.
func together(db *gorm.DB, parts []*gorm.DB) *gorm.DB {
	union := strings.Repeat(" UNION ALL ?", len(parts))
	return db.Table("("+strings.TrimPrefix(union, " UNION ALL ")+") AS g", mapped(parts, func(part *gorm.DB) any { return part })...)
}

// readMatching reads the invoices of an organization of which some match a filter: those of a rare search, or every
// invoice. SQLite has no statistics, and would read every invoice. It begins with the part of the filter with the fewest
// invoices, unless each has more than most. If it reads all invoices from the index of sums, order has the columns of the
// index by which addUp groups them.
func (r Invoices) readMatching(ctx context.Context, s identity.Scope, f invoice.Filter, keys []invoice.SumKey, most int) (from *gorm.DB, order []string, err error) {
	all := r.s.handle(ctx).Table("invoices")
	c, found, rare, err := r.s.rarelySearched(ctx, s.OrganizationID, f.Query, most)
	if err != nil {
		return nil, nil, err
	}
	if r.s.postgres {
		if rare {
			// PostgreSQL would compare all invoices first, because it expects even fewer of the text.
			all = all.Where("invoices.id = ANY (ARRAY("+c.sql+"))", c.values...)
			return all, nil, nil
		}
		return all, nil, r.s.searchTogether(ctx, f.Query)
	}
	covered := summed(f) && !slices.Contains(keys, invoice.SumByAccount) && !slices.Contains(keys, invoice.SumByTax)
	if covered && f.Query == "" {
		return r.s.handle(ctx).Table("invoices INDEXED BY invoices_sums"), orderOfSums(keys), nil
	}
	f.Query = "" // its invoices are counted
	if rare {
		most = found
	}
	p, _, err := r.s.invoiceList(s, f, invoice.Sort{}, 0).fewest(r.s.handle(ctx), most)
	switch {
	case err != nil:
		return nil, nil, failed("count the invoices of a filter", err)
	case p != nil:
		return r.s.handle(ctx).Table("(?) AS p", p.ids).Joins(r.s.invoicesByID("p.id")), nil, nil
	case rare:
		ids := r.s.db.Table("(?) AS q", r.s.db.Raw(c.sql, c.values...)).Select("DISTINCT q.invoice_id AS id")
		return r.s.handle(ctx).Table("(?) AS p", ids).Joins(r.s.invoicesByID("p.id")), nil, nil
	case covered:
		return r.s.handle(ctx).Table("invoices INDEXED BY invoices_sums"), orderOfSums(keys), nil
	}
	return all, nil, nil
}

// orderOfSums returns the first columns of the index of sums that have all keys. It returns none if the groups of these
// columns would be as many as the invoices.
func orderOfSums(keys []invoice.SumKey) []string {
	order := []string{"invoices.entity_id", "invoices.status", "invoices.type", "invoices.currency"}
	switch {
	case slices.Contains(keys, invoice.SumBySupplier):
		return nil
	case slices.Contains(keys, invoice.SumByMonth):
		return append(order, "invoices.issue_date")
	}
	return order
}

// addUp adds up the invoices that match a filter among those that from reads. If from reads them in the order of some
// columns, each group of these is added up, and several of them can be of one group of the keys: SQLite would sort the
// invoices by the keys, which takes several times as long as to read them.
func (r Invoices) addUp(from *gorm.DB, s identity.Scope, f invoice.Filter, keys []invoice.SumKey, order ...string) (*gorm.DB, *sumQuery) {
	q, lines, taxes := &sumQuery{}, slices.Contains(keys, invoice.SumByAccount), slices.Contains(keys, invoice.SumByTax)
	q.by("invoices.currency", "currency")
	for _, key := range keys {
		r.s.groupBy(q, key, lines)
	}
	groups, table := q.groups, "invoices"
	if len(order) > 0 {
		// With the sign, SQLite does not see that the filter has one value of a column. It would not find the other columns in
		// the order of the index then.
		groups, table = order, "+invoices"
	}
	query := r.s.narrowInvoices(r.s.within(from, "invoices", s), table, f).Where("invoices.status <> ?", invoice.Rejected)
	if f.EntityID != uuid.Nil {
		query = query.Where("invoices.entity_id = ?", f.EntityID)
	}
	count, none := "count(DISTINCT invoices.id) AS invoices", "CAST(NULL AS numeric) AS %s, 0 AS %s"
	switch {
	case lines:
		query = query.Joins("JOIN invoice_lines AS l ON l.invoice_id = invoices.id")
		q.columns = append(q.columns, count)
		q.sum("l.net_fixed", "net", "nets")
		for _, a := range sumAmounts[1:] {
			q.columns = append(q.columns, fmt.Sprintf(none, a[0], a[1]))
		}
	case taxes:
		query = query.Joins("JOIN invoice_taxes AS x ON x.invoice_id = invoices.id")
		q.columns = append(q.columns, count)
		q.sum("x.base_fixed", "net", "nets")
		q.sum("x.amount_fixed", "tax", "taxes")
		q.sum("(x.base_fixed + x.amount_fixed)", "gross", "grosses")
		q.columns = append(q.columns, fmt.Sprintf(none, "due", "dues"))
	default:
		q.columns = append(q.columns, "count(*) AS invoices")
		for _, a := range sumAmounts {
			q.sum("invoices."+a[0]+"_fixed", a[0], a[1])
		}
	}
	return query.Select(strings.Join(q.columns, ", ")).Group(strings.Join(groups, ", ")), q
}

// summed reports whether the index of sums has every column of a filter.
func summed(f invoice.Filter) bool {
	return only(f, func(f *invoice.Filter) {
		f.EntityID, f.Statuses, f.Types, f.Currencies = uuid.Nil, nil, nil, nil
		f.IssueDateFrom, f.IssueDateTo, f.Query = calendar.Date{}, calendar.Date{}, ""
	})
}

func (s *Store) groupBy(q *sumQuery, key invoice.SumKey, lines bool) {
	switch key {
	case invoice.SumByEntity:
		q.by("invoices.entity_id", "entity_id")
	case invoice.SumBySupplier:
		q.by("invoices.seller_tax_id", "seller_tax_id")
		q.by("CASE invoices.seller_tax_id WHEN '' THEN invoices.seller_name ELSE '' END", "seller_key")
		q.columns = append(q.columns, "min(invoices.seller_name) AS seller_name")
	case invoice.SumByStatus:
		q.by("invoices.status", "status")
	case invoice.SumByType:
		q.by("invoices.type", "type")
	case invoice.SumByMonth:
		month := "coalesce(substr(invoices.issue_date, 1, 7), '')"
		if s.postgres {
			month = "coalesce(to_char(invoices.issue_date, 'YYYY-MM'), '')"
		}
		q.by(month, "month")
	case invoice.SumByTax:
		category, rate := "x.category", "x.rate"
		if lines {
			category, rate = "l.tax_category", "l.tax_rate"
		}
		q.by(category, "category")
		// 19 and 19.00 are one rate.
		trimmed := "rtrim(rtrim(" + rate + ", '0'), '.')"
		q.by("CASE WHEN "+rate+" LIKE '%.%' THEN "+trimmed+" ELSE "+rate+" END", "rate")
	case invoice.SumByAccount:
		q.by("l.account_id", "account_id")
	}
}

func (row sumRow) fromRow() (sum invoice.Sum, err error) {
	sum = invoice.Sum{
		EntityID: fromOptionalID(row.EntityID), SellerName: row.SellerName, SellerTaxID: row.SellerTaxID, Status: row.Status, Type: row.Type,
		Month: row.Month, TaxCategory: row.Category, TaxRate: (*money.Decimal)(row.Rate), AccountID: row.AccountID, Currency: row.Currency, Count: row.Count,
	}
	for text, into := range map[*string]**money.Decimal{row.Net: &sum.Net, row.Tax: &sum.Tax, row.Gross: &sum.Gross, row.Due: &sum.Due} {
		if text == nil {
			continue
		}
		if *into, err = fromFixed(*text); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// fixedScale is the number of decimals of a fixed amount.
const fixedScale = 4

// fromFixed returns an amount of ten-thousandths with at least two decimals.
func fromFixed(text string) (*money.Decimal, error) {
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	if len(digits) <= fixedScale {
		digits = strings.Repeat("0", fixedScale+1-len(digits)) + digits
	}
	whole, decimals := digits[:len(digits)-fixedScale], digits[len(digits)-fixedScale:]
	d, err := money.Parse(sign + whole + "." + decimals[:2] + strings.TrimRight(decimals[2:], "0"))
	if err != nil {
		return nil, fmt.Errorf("read a sum: %w", err)
	}
	return &d, nil
}
