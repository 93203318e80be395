package store

import (
	"context"
	"slices"
	"strings"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// groupColumns are expressions of a group c for the keys of a sum.
type groupColumns struct {
	columns []string // the columns of addUp
	groups  []string // what is equal in a row of addCounted
	results []string // what is equal in a result of the sum; several groups can be of one
}

// columnsOfGroups returns the expressions of the groups of a part.
func columnsOfGroups(part string, keys []invoice.SumKey) groupColumns {
	var c groupColumns
	by := func(expression, name string) {
		c.columns = append(c.columns, expression+" AS "+name)
		c.groups = append(c.groups, expression)
		c.results = append(c.results, expression)
	}
	by("c.currency", "currency")
	for _, key := range keys {
		switch key {
		case invoice.SumByEntity:
			by("c.entity_id", "entity_id")
		case invoice.SumBySupplier:
			// The names are groups here, so that a name without invoices is not the least of its supplier.
			by("c.key_a", "seller_tax_id")
			name := "CASE c.key_a WHEN '' THEN c.key_b ELSE '' END"
			c.columns = append(c.columns, name+" AS seller_key", "c.key_b AS seller_name")
			c.groups = append(c.groups, "c.key_b")
			c.results = append(c.results, name)
		case invoice.SumByStatus:
			by("c.status", "status")
		case invoice.SumByType:
			by("c.type", "type")
		case invoice.SumByMonth:
			by("c.month", "month")
		case invoice.SumByTax:
			category, rate := "c.key_a", "c.key_b"
			if part == sumsOfSupplierTaxes {
				category, rate = "c.status", "c.type"
			}
			by(category, "category")
			c.columns = append(c.columns, "nullif("+rate+", '') AS rate")
			c.groups, c.results = append(c.groups, rate), append(c.results, rate)
		case invoice.SumByAccount:
			account := "c.key_a"
			if part == sumsOfSupplierAccounts || part == sumsOfTaxAccounts {
				account = "c.type"
			}
			by(account, "account_id")
		}
	}
	return c
}

// addCounted adds up the groups of a sum, with the columns of addUp.
func (s *Store) addCounted(scope identity.Scope, g groupedSum, keys []invoice.SumKey) *gorm.DB {
	c := columnsOfGroups(g.part, keys)
	for _, value := range sumValues {
		c.columns = append(c.columns, "sum(c."+value+") AS "+value)
	}
	columnsOf := func(sign string) string {
		return sumColumns + strings.Join(mapped(sumValues, func(value string) string { return ", " + sign + value + " AS " + value }), "")
	}
	table, part := fewestGroups(scope, g.whole, g.part, keys)
	union, queries := "? UNION ALL ?", []any{s.groupsOf(scope, g, table, part).Select(columnsOf("")), s.groupsOf(scope, g, "invoice_sum_changes", g.part).Select(columnsOf(""))}
	if len(g.other) > 0 {
		union += " UNION ALL ?"
		queries = append(queries, s.groupsOf(scope, g, "invoice_sum_parts", g.part).Where("invoice_sum_parts.invoice_id IN ?", g.other).Select(columnsOf("-")))
	}
	return s.db.Table("("+union+") AS c", queries...).Select(strings.Join(c.columns, ", ")).
		Group(strings.Join(c.groups, ", ")).Having("sum(c.invoices) > 0")
}

// groupsOf reads the groups of a sum from a part of a table.
func (s *Store) groupsOf(scope identity.Scope, g groupedSum, table, part string) *gorm.DB {
	f := g.whole
	q := s.within(s.db.Table(table), table, scope).Where(table+".part = ?", part)
	q = whereIn(whereIn(whereIn(q, table+".status", f.Statuses), table+".type", f.Types), table+".currency", f.Currencies)
	if f.EntityID != uuid.Nil {
		q = q.Where(table+".entity_id = ?", f.EntityID)
	}
	q = whereIn(q, table+".key_a", f.Sources) // of sumsOfSources
	if g.search != nil {
		named := g.search.hasName(s, table+".key_b")
		q = q.Where(named.sql, named.values...)
	}
	return ofMonths(q, table, f)
}

// firstGroups is the number of groups that tell whether a sum has too many results.
const firstGroups = 5 * invoice.MaxSums

// tooManyGroups reports whether the first groups of a sum already have more results than Sum returns, so that it does not
// add up all of them. A change that is not merged can make one group empty.
func (s *Store) tooManyGroups(ctx context.Context, scope identity.Scope, g groupedSum, keys []invoice.SumKey) (bool, error) {
	if len(g.other) > 0 {
		return false, nil // the sum subtracts these from the groups, too
	}
	var changes, results int64
	changed := s.db.Table("invoice_sum_changes").Select("1 AS one").Where("organization_id = ? AND part = ?", scope.OrganizationID, g.part).Limit(invoice.MaxSums)
	if err := s.handle(ctx).Table("(?) AS c", changed).Count(&changes).Error; err != nil || changes == invoice.MaxSums {
		return false, failed("count the changes of sums", err)
	}
	table, part := fewestGroups(scope, g.whole, g.part, keys)
	first := s.groupsOf(scope, g, table, part).Where(table + ".invoices > 0").Select(sumColumns).Limit(firstGroups)
	different := s.db.Table("(?) AS c", first).Select("1 AS one").Group(strings.Join(columnsOfGroups(g.part, keys).results, ", "))
	err := s.handle(ctx).Table("(?) AS r", different).Count(&results).Error
	return results > invoice.MaxSums+changes, failed("count the groups of a sum", err)
}

// sumsOfEntities is a part of invoice_sum_totals. Its groups are those of sumsOfInvoices without month.
const sumsOfEntities = "entity"

// fewestGroups returns the table and the part of it with the fewest groups that have what a sum needs.
// The totals without an entity have the invoices of a whole organization.
func fewestGroups(scope identity.Scope, f invoice.Filter, part string, keys []invoice.SumKey) (table, of string) {
	has := func(key invoice.SumKey) bool { return slices.Contains(keys, key) }
	switch {
	case ofOrganization(part):
		return "invoice_sums", part
	case part == sumsOfInvoices && !has(invoice.SumByMonth) && f.IssueDateFrom.IsZero() && f.IssueDateTo.IsZero():
		return "invoice_sum_totals", sumsOfEntities
	case scope.EveryEntity() && f.EntityID == uuid.Nil && !has(invoice.SumByEntity):
		return "invoice_sum_totals", part
	}
	return "invoice_sums", part
}
