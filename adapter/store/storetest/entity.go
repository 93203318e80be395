package storetest

import (
	"reflect"
	"slices"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
)

func testEntities(t *testing.T, b *bench) {
	s := b.organization(t)
	e := filled[entity.Entity]()
	e.OrganizationID = s.OrganizationID
	must(t, b.Entities().Add(b.ctx, &e))
	got, err := b.Entities().Get(b.ctx, s, e.ID)
	must(t, err)
	same(t, "what was stored", *got, e)
	changed, err := b.Entities().Update(b.ctx, s, e.ID, e.Version, func(e *entity.Entity) error {
		e.Name, e.Archived, e.LegalHold, e.TaxIDs = "New", false, true, nil
		e.Members = []entity.Member{{UserID: newID(), Role: identity.Editor}}
		e.OrganizationID = newID() // no change
		return nil
	})
	must(t, err)
	got, err = b.Entities().Get(b.ctx, s, e.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	if got.Name != "New" || got.Version != e.Version+1 || got.OrganizationID != e.OrganizationID {
		t.Errorf("changed to %+v", got)
	}
	_, err = b.Entities().Update(b.ctx, s, e.ID, e.Version, func(*entity.Entity) error { return nil })
	wantCode(t, err, fault.CodeVersionConflict)
	if f, _ := fault.As(err); f != nil && f.Details["current_version"] != e.Version+1 {
		t.Errorf("details %v", f.Details)
	}
	_, err = b.Entities().Update(b.ctx, s, e.ID, 0, func(e *entity.Entity) error {
		e.Name = "Never"
		return errStop
	})
	if err != errStop {
		t.Errorf("error %v", err)
	}
	_, err = b.Entities().Get(b.ctx, s, newID())
	wantCode(t, err, fault.CodeNotFound)

	second := b.entity(t, s)
	list, err := b.Entities().List(b.ctx, s, entity.Filter{}, page.Request{})
	must(t, err)
	if len(list.Items) != 2 || list.Items[0].ID != second.ID || !reflect.DeepEqual(list.Items[1], *changed) {
		t.Errorf("list %+v", list.Items)
	}
}

func testSettings(t *testing.T, b *bench) {
	s := b.organization(t)
	e := &entity.Entity{ID: newID(), OrganizationID: s.OrganizationID, Access: entity.AccessOrganization}
	must(t, b.Entities().Add(b.ctx, e))
	settings := filled[entity.Settings]()
	settings.EntityID, settings.OrganizationID = e.ID, s.OrganizationID
	must(t, b.Settings().Add(b.ctx, &settings))
	intake, err := b.Entities().Intake(b.ctx, s, e.ID)
	must(t, err)
	same(t, "intake", intake, entity.Intake{EntityID: e.ID, AutoExtract: settings.AutoExtract})
	_, err = b.Entities().Update(b.ctx, s, e.ID, 0, func(e *entity.Entity) error { e.Archived = true; return nil })
	must(t, err)
	got, err := b.Settings().Get(b.ctx, s, e.ID)
	must(t, err)
	same(t, "what was stored", *got, settings)
	changed, err := b.Settings().Update(b.ctx, s, e.ID, settings.Version, func(s *entity.Settings) error {
		*s = entity.DefaultSettings(s.OrganizationID, s.EntityID)
		s.TaxMappings = []entity.TaxMapping{{Category: "S", Rate: "19", TaxRateID: "x"}, {Category: "Z"}}
		return nil
	})
	must(t, err)
	got, err = b.Settings().Get(b.ctx, s, e.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	intake, err = b.Entities().Intake(b.ctx, s, e.ID)
	must(t, err)
	same(t, "intake of an archived entity", intake, entity.Intake{EntityID: e.ID, Archived: true, AutoExtract: true})
	if got.Version != settings.Version+1 || !got.AutoExtract || !slices.Equal(got.TaxMappings, changed.TaxMappings) {
		t.Errorf("changed to %+v", got)
	}
	_, err = b.Settings().Update(b.ctx, s, e.ID, settings.Version, func(*entity.Settings) error { return nil })
	wantCode(t, err, fault.CodeVersionConflict)
	_, err = b.Entities().Intake(b.ctx, s, newID())
	wantCode(t, err, fault.CodeNotFound)
	_, err = b.Settings().Get(b.ctx, s, newID())
	wantCode(t, err, fault.CodeNotFound)
}
