package store

import (
	"context"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// TestReadsOfAnEntityAreOneStatement checks what nearly each request reads.
func TestReadsOfAnEntityAreOneStatement(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
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
		kept.all = nil
		if err := read(t.Context()); err != nil || len(kept.all) != 1 {
			t.Errorf("%s: %v, statements %q", name, err, kept.all)
		}
	}
}
