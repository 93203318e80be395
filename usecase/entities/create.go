package entities

import (
	"context"
	"fmt"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// CreateInput describes a new entity; SettingsFrom names an entity whose
// settings it starts with.
type CreateInput struct {
	Values
	SettingsFrom uuid.UUID
	// ID is the new entity's id where the caller may repeat the request: an
	// entity that has it already is what an earlier one made. Zero: a new id.
	ID uuid.UUID
}

// Create adds an entity with its settings. Administrators may, while the plan
// has room.
func (s *Service) Create(ctx context.Context, a identity.Actor, in CreateInput) (*entity.Entity, error) {
	settings := entity.DefaultSettings(a.OrganizationID, uuid.Nil)
	if in.SettingsFrom != uuid.Nil {
		from, err := s.Settings.Get(ctx, a.Scope(), in.SettingsFrom)
		if err != nil {
			return nil, err
		}
		settings = *from
		// What belongs to the other entity's ledger does not fit this one's.
		settings.AccountingIntegrationID = uuid.Nil
		settings.DefaultAccountID, settings.DefaultTaxRateID, settings.TaxMappings = "", "", nil
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if err := in.normalize(); err != nil {
		return nil, err
	}
	people, err := s.people(ctx, a.OrganizationID)
	if err != nil {
		return nil, err
	}
	if err := onlyPeople(people, in.Members); err != nil {
		return nil, err
	}
	if in.ID == uuid.Nil {
		in.ID = s.IDs.New()
	} else if made, err := s.Entities.Get(ctx, a.Scope(), in.ID); fault.CodeOf(err) != fault.CodeNotFound {
		return made, err
	}
	plan, err := s.writablePlan(ctx, a.OrganizationID)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	e := &entity.Entity{ID: in.ID, OrganizationID: a.OrganizationID, Version: 1, CreatedAt: now, UpdatedAt: now}
	in.Archived, in.LegalHold = false, false
	in.apply(e)
	settings.EntityID, settings.Version, settings.UpdatedAt = e.ID, 1, now
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if err := s.reserveEntity(ctx, a.OrganizationID, plan); err != nil {
			return err
		}
		if err := s.Entities.Add(ctx, e); err != nil {
			return fmt.Errorf("add entity: %w", err)
		}
		if err := s.Settings.Add(ctx, &settings); err != nil {
			return fmt.Errorf("add settings: %w", err)
		}
		return s.Events.Append(ctx, event.By(a, event.EntityCreated, e.ID, subject(e)))
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}
