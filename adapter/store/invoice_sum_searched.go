package store

import (
	"context"
	"encoding/json"
	"strings"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

const (
	// mostOtherTexts is the number of invoices up to which a sum with a search reads those that match by another text than
	// the name of the seller. With more, it compares all invoices.
	mostOtherTexts = 25_000
	// mostNames is the number of names of sellers that such a sum compares with the search.
	mostNames = 50_000
)

// searchedSum says which invoices match a search: those of the sellers with some names, and some others.
type searchedSum struct {
	names string // the names of sellers that match, as an array in JSON, which both databases read as a list
	found int    // the number of these names
	ids   condition
}

// searchedInGroups returns the names and the ids with the invoices that match a search. It reports false if there are too
// many, or if no index has them.
func (s *Store) searchedInGroups(ctx context.Context, organization uuid.UUID, query string) (*searchedSum, bool, error) {
	c, _, ok, err := s.rarelyFound(ctx, organization, query, mostOtherTexts, false)
	if err != nil || !ok {
		return nil, false, err
	}
	var all []string
	err = s.handle(ctx).Table("invoice_sum_totals").Where("organization_id = ? AND part = ? AND entity_id = ?", organization, sumsOfSuppliers, uuid.Nil).
		Distinct().Limit(mostNames+1).Pluck("key_b", &all).Error
	if err != nil || len(all) > mostNames {
		return nil, false, failed("read the names of sellers", err)
	}
	text, names := folded(query), []string{}
	for _, name := range all {
		if strings.Contains(folded(name), text) {
			names = append(names, name)
		}
	}
	list, err := json.Marshal(names)
	return &searchedSum{names: string(list), found: len(names), ids: c}, err == nil, failed("write the names of sellers", err)
}

// hasName is the condition that a column has one of the names.
func (found *searchedSum) hasName(s *Store, column string) condition {
	values := "(SELECT n.value FROM json_each(?) AS n)"
	if s.postgres {
		values = "(SELECT jsonb_array_elements_text(?::jsonb))"
	}
	return condition{column + " IN " + values, []any{found.names}}
}

// readOtherTexts reads the counted invoices that match a search and that have none of its names, except others.
func (s *Store) readOtherTexts(db *gorm.DB, scope identity.Scope, found *searchedSum, others []uuid.UUID) *gorm.DB {
	q := db.Table("(?) AS p", s.db.Table("(?) AS q", s.db.Raw(found.ids.sql, found.ids.values...)).Select("DISTINCT q.invoice_id AS id")).
		Joins(s.invoicesByID("p.id"))
	if s.postgres {
		// PostgreSQL would compare all invoices first, because it expects even fewer of the text.
		q = db.Table("invoices").Where("invoices.id = ANY (ARRAY("+found.ids.sql+"))", found.ids.values...)
	}
	q = q.Where("NOT EXISTS (SELECT 1 FROM invoices_uncounted AS u WHERE u.organization_id = ? AND u.invoice_id = invoices.id)", scope.OrganizationID)
	if len(others) > 0 {
		q = q.Where("invoices.id NOT IN ?", others)
	}
	if found.found > 0 {
		named := found.hasName(s, "invoices.seller_name")
		q = q.Where("NOT ("+named.sql+")", named.values...)
	}
	return q
}

// otherTexts is the filter of the invoices that readOtherTexts reads for a sum: that of the groups, and the search.
func (g *groupedSum) otherTexts() invoice.Filter {
	f := g.whole
	f.SyncStates = nil // the statuses stand for them
	return f
}
