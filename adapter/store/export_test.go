package store

import (
	"context"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// SearchOf is the full-text query of a search of an organization on SQLite.
func SearchOf(organization uuid.UUID, text string) string {
	s := &Store{}
	c, _ := s.searched(organization, text)
	query, _ := c.values[0].(string)
	return query
}

// ReadPage returns the ids of the first page of a list that compares near invoices one by one, and reads a part of
// the filter at once if it has few.
func (s *Store) ReadPage(ctx context.Context, scope identity.Scope, f invoice.Filter, sort invoice.Sort, limit, near, few int) (ids []uuid.UUID, err error) {
	l := s.invoiceList(scope, f, sort, limit)
	l.near, l.few, l.after = near, few, func(q *gorm.DB, _ string) *gorm.DB { return q }
	rows, err := l.read(s.handle(ctx))
	return mapped(rows, func(r summaryRow) uuid.UUID { return r.ID }), err
}

// FewestPart returns the part of a filter that a list of an organization reads, and its number of invoices.
func (s *Store) FewestPart(ctx context.Context, scope identity.Scope, f invoice.Filter, most int) (string, int, error) {
	l := s.invoiceList(scope, f, invoice.Sort{}, 1)
	part, n, err := l.fewest(s.handle(ctx), most)
	if part == nil {
		return "", n, err
	}
	return part.name, n, err
}
