package store

import (
	"context"
	"database/sql"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/organization"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// TestReadsOfAnEntityAreOneStatement checks what nearly each request reads.
func TestReadsOfAnEntityAreOneStatement(t *testing.T) {
	t.Parallel()
	s, _ := traced(t)
	o := &organization.Organization{ID: uuid.New(), Name: "Organization"}
	e := &entity.Entity{ID: uuid.New(), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessRestricted, Members: []entity.Member{
		{UserID: uuid.UUID{1}, Role: identity.Viewer}, {UserID: uuid.UUID{2}, Role: identity.Editor},
	}}
	settings := entity.DefaultSettings(o.ID, e.ID)
	for _, add := range []func(context.Context) error{
		func(ctx context.Context) error { return s.Organizations().Add(ctx, o) },
		func(ctx context.Context) error { return s.Entities().Add(ctx, e) },
		func(ctx context.Context) error { return s.Settings().Add(ctx, &settings) },
	} {
		if err := add(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	counted := &countedPool{ConnPool: s.db.Statement.ConnPool}
	s.db.Statement.ConnPool = counted
	scope := identity.System(o.ID).Scope()
	for name, read := range map[string]func(context.Context) error{
		"Get": func(ctx context.Context) error {
			got, err := s.Entities().Get(ctx, scope, e.ID)
			if err == nil && len(got.Members) != len(e.Members) {
				t.Errorf("members %v", got.Members)
			}
			return err
		},
		"Intake": func(ctx context.Context) error {
			got, err := s.Entities().Intake(ctx, scope, e.ID)
			if err == nil && (got.EntityID != e.ID || got.Archived || !got.AutoExtract) {
				t.Errorf("intake %+v", got)
			}
			return err
		},
	} {
		counted.queries = nil
		if err := read(t.Context()); err != nil || len(counted.queries) != 1 {
			t.Errorf("%s: %v, statements %q", name, err, counted.queries)
		}
	}
}

// countedPool records the queries for rows, with gorm and without.
type countedPool struct {
	gorm.ConnPool
	queries []string
}

func (p *countedPool) QueryContext(ctx context.Context, query string, values ...any) (*sql.Rows, error) {
	p.queries = append(p.queries, query)
	return p.ConnPool.QueryContext(ctx, query, values...)
}
