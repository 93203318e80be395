package store

import (
	"context"
	"fmt"
	"strings"

	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// SearchOf is the full-text query of a search of an organization on SQLite.
func SearchOf(organization uuid.UUID, text string) string {
	s := &Store{}
	c, _ := s.searched(organization, text)
	query, _ := c.values[0].(string)
	return query
}

// ReadOfSearch returns the numbers of rows that the steps of PostgreSQL read to find the ids of a search, as
// a plan in JSON.
func (s *Store) ReadOfSearch(ctx context.Context, organization uuid.UUID, text string) (plan string, err error) {
	c, _ := s.searchedIDs(organization, text)
	err = s.handle(ctx).Raw("EXPLAIN (ANALYZE, FORMAT JSON) "+c.sql, c.values...).Scan(&plan).Error
	return plan, err
}

// SumOf adds invoices up. It reads those of a search from the index if there are at most so many.
func (s *Store) SumOf(ctx context.Context, scope identity.Scope, f invoice.Filter, keys []invoice.SumKey, most int) ([]invoice.Sum, error) {
	return s.Invoices().sum(ctx, scope, f, keys, most)
}

// ReadsIndex reports whether a sum with a search reads its invoices from the index if there are at most so many.
func (s *Store) ReadsIndex(ctx context.Context, organization uuid.UUID, query string, most int) (bool, error) {
	_, _, ok, err := s.rarelySearched(ctx, organization, query, most)
	return ok, err
}

// coveredFactor is how many times as many entries of an index as invoices ReadPages reads at once.
const coveredFactor = 10

// ReadPages returns the ids of the first pages of a list that compares near invoices one by one, reads a part of the
// filter at once if it has few, and reads few parts of an order.
func (s *Store) ReadPages(ctx context.Context, scope identity.Scope, f invoice.Filter, sort invoice.Sort, pages, limit, near, few int) (ids []uuid.UUID, err error) {
	b := invoiceBinding(scope, f, sort)
	for cursor := ""; pages > 0; pages-- {
		l := s.invoiceList(scope, f, sort, limit)
		l.near, l.few, l.covered, l.most = near, few, coveredFactor*few, 4
		if err := l.follow(b, cursor); err != nil {
			return nil, err
		}
		rows, err := l.read(s.handle(ctx))
		if err != nil {
			return nil, err
		}
		ids = append(ids, mapped(rows, func(r summaryRow) uuid.UUID { return r.ID })...)
		if len(rows) < limit {
			break
		}
		cursor = b.cursor(l.order.key(rows[len(rows)-1]))
	}
	return ids, nil
}

// CoveredPlans returns how the database reads the ids of a page of each part of a filter of which an index has all
// that the list compares, by the name of the part.
func (s *Store) CoveredPlans(ctx context.Context, scope identity.Scope, f invoice.Filter, sort invoice.Sort) (map[string]string, error) {
	plans := map[string]string{}
	err := s.inSnapshot(ctx, func(ctx context.Context) error {
		if err := s.planForValues(ctx); err != nil {
			return err
		}
		l := s.invoiceList(scope, f, sort, 51)
		if err := l.follow(invoiceBinding(scope, f, sort), ""); err != nil {
			return err
		}
		if _, err := l.readChecks(s.handle(ctx)); err != nil {
			return err
		}
		for _, p := range l.parts() {
			if !l.covers(&p) {
				continue
			}
			explain := "EXPLAIN QUERY PLAN ?"
			if s.postgres {
				explain = "EXPLAIN ?"
			}
			var steps []map[string]any
			if err := s.handle(ctx).Raw(explain, l.ofIndex(&p)).Scan(&steps).Error; err != nil {
				return err
			}
			var plan strings.Builder
			for _, step := range steps {
				if s.postgres {
					fmt.Fprintln(&plan, step["QUERY PLAN"])
				} else {
					fmt.Fprintln(&plan, step["detail"])
				}
			}
			plans[p.name] = plan.String()
		}
		return nil
	})
	return plans, err
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

// StatementsOfPage returns the number of invoices of the first page of a list, and the statements that read it. A part of
// the filter with at most few invoices is read at once.
func (s *Store) StatementsOfPage(ctx context.Context, scope identity.Scope, f invoice.Filter, limit, few int) (n int, all []string, err error) {
	return s.StatementsOfOrder(ctx, scope, f, invoice.Sort{}, limit, nearRows, few)
}

// StatementsOfOrder is StatementsOfPage in an order. The list compares near invoices of the order one by one.
func (s *Store) StatementsOfOrder(ctx context.Context, scope identity.Scope, f invoice.Filter, sort invoice.Sort, limit, near, few int) (n int, all []string, err error) {
	kept := &statements{Interface: logger.Discard}
	l := s.invoiceList(scope, f, sort, limit)
	l.few, l.near = few, near
	if err := l.follow(invoiceBinding(scope, f, sort), ""); err != nil {
		return 0, nil, err
	}
	rows, err := l.read(s.handle(ctx).Session(&gorm.Session{Logger: kept}))
	return len(rows), kept.all, err
}

// SearchedInGroups reports whether a sum with a search reads the groups of the sellers with a name that matches.
func (s *Store) SearchedInGroups(ctx context.Context, organization uuid.UUID, query string) (bool, error) {
	g, ok, err := s.Invoices().grouped(ctx, identity.Scope{OrganizationID: organization}, invoice.Filter{Query: query}, []invoice.SumKey{invoice.SumByStatus})
	return ok && g.search != nil, err
}
