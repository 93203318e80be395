package store

import (
	"strings"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// visible limits a query of entities, named by the alias, to those of a scope.
func visible(q *gorm.DB, alias string, s identity.Scope) *gorm.DB {
	text, values := visibleTo(alias, s)
	return q.Where(text, values...)
}

// visibleTo returns the condition of visible and the values of its parameters.
func visibleTo(alias string, s identity.Scope) (text string, values []any) {
	text, values = alias+".organization_id = ?", []any{s.OrganizationID}
	if s.EveryEntity() {
		return text, values
	}
	if s.Key != nil {
		if len(s.Key.EntityIDs) == 0 {
			return text + " AND 1 = 0", values
		}
		for _, id := range s.Key.EntityIDs {
			values = append(values, id)
		}
		return text + " AND " + alias + ".id IN (?" + strings.Repeat(", ?", len(s.Key.EntityIDs)-1) + ")", values
	}
	return text + " AND (" + alias + ".access = ? OR EXISTS (SELECT 1 FROM entity_members AS em WHERE em.entity_id = " + alias + ".id AND em.user_id = ?))",
		append(values, entity.AccessOrganization, s.Member)
}

// within limits a query of a table with organization_id and entity_id to the entities of a scope. That
// of every entity has all rows, which exist only with their entity.
func (s *Store) within(q *gorm.DB, table string, scope identity.Scope) *gorm.DB {
	text, values := withinScope(table, scope)
	return q.Where(text, values...)
}

// withinScope returns the condition of within and the values of its parameters.
func withinScope(table string, scope identity.Scope) (text string, values []any) {
	text, values = table+".organization_id = ?", []any{scope.OrganizationID}
	if scope.EveryEntity() {
		return text, values
	}
	entities, of := visibleTo("e", scope)
	return text + " AND EXISTS (SELECT 1 FROM entities AS e WHERE " + entities + " AND e.id = " + table + ".entity_id)", append(values, of...)
}

// listing is a keyset-paginated list of a table with organization_id and entity_id. Its rows have
// a unique key and are ordered by keys that an index contains for each organization and for each
// entity.
type listing struct {
	table string
	key   string // the unique column
	order string // the order by, with %s for the table's alias
	scope identity.Scope
	// withoutEntity says that rows can be without an entity. Only the scope of the whole organization has these.
	withoutEntity bool
	// entity restricts the list to one entity, unless it is zero.
	entity uuid.UUID
	limit  int
	// narrow adds the filter and the start position; alias names the table.
	narrow func(q *gorm.DB, alias string) *gorm.DB
}

// list adds the listing's conditions, order and limit to a query of its table. The cost of a page
// does not depend on its position in the list:
//
//   - of a whole organization, or of all its entities, it walks the organization's index;
//   - of one entity, it walks that entity's index;
//   - of one member, who may see few entities of many, it takes the first rows
//     of each visible entity from the entity's index and merges them.
func (s *Store) list(q *gorm.DB, l listing) *gorm.DB {
	switch {
	case l.entity != uuid.Nil:
		q = s.within(q, l.table, l.scope).Where(l.table+".entity_id = ?", l.entity)
		q = l.narrow(q, l.table)
	case l.scope.Whole(), l.scope.EveryEntity() && !l.withoutEntity:
		q = l.narrow(q.Where(l.table+".organization_id = ?", l.scope.OrganizationID), l.table)
	default:
		q = q.Where(l.table+"."+l.key+" IN (?)", s.firstOfEach(l))
	}
	return q.Order(aliased(l.order, l.table)).Limit(l.limit)
}

// firstOfEach selects the keys of the first rows of each visible entity.
func (s *Store) firstOfEach(l listing) *gorm.DB {
	rows := s.db.Table(l.table+" AS r").Select("r."+l.key).
		Where("r.entity_id = e.id AND r.organization_id = ?", l.scope.OrganizationID)
	rows = l.narrow(rows, "r").Order(aliased(l.order, "r")).Limit(l.limit)
	each := s.db.Table("entities AS e")
	if s.postgres {
		each = each.Select("f."+l.key).Joins("CROSS JOIN LATERAL (?) AS f", rows)
	} else {
		// SQLite has no LATERAL, but evaluates a correlated IN in the same way.
		each = each.Select("f."+l.key).Joins("JOIN "+l.table+" AS f ON f."+l.key+" IN (?)", rows)
	}
	return visible(each, "e", l.scope)
}

// pageOf removes the additional row that shows whether there is a next page.
func pageOf[R, T any](rows []R, size int, from func(R) T, cursor func(R) string) page.Of[T] {
	var out page.Of[T]
	if len(rows) > size {
		rows = rows[:size]
		out.Next = cursor(rows[size-1])
	}
	out.Items = make([]T, len(rows))
	for i, r := range rows {
		out.Items[i] = from(r)
	}
	return out
}

func aliased(order, alias string) string { return strings.ReplaceAll(order, "%s", alias) }

// idText is the SQL expression for an id column as text, as in job arguments.
func (s *Store) idText(column string) string {
	if s.postgres {
		return column + "::text"
	}
	return column
}
