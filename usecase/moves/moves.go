// Package moves moves documents with their invoices and history to another entity of the organization
// (domain D12).
package moves

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Entities reads entities.
type Entities interface {
	entity.Reader
	entity.Buyers
	// GetShared returns an entity under a lock until the end of the transaction. A change of the
	// entity, such as a legal hold, waits for it.
	GetShared(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error)
}

// Suppliers finds the supplier of an invoice in its new entity. It runs within the caller's
// transaction.
type Suppliers interface {
	// Coding finds the supplier of an invoice and returns how its lines are coded.
	Coding(ctx context.Context, inv *invoice.Invoice, integration uuid.UUID) (ledgersync.Coding, error)
	// Checks finds the supplier of an invoice and returns the checks of its bank accounts.
	Checks(ctx context.Context, a identity.Actor, inv *invoice.Invoice) ([]invoice.Check, error)
	// Approved records an approved invoice with its supplier.
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

// Bookings starts the sync of an invoice that SYSTEM approved, if the settings require it.
type Bookings interface {
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error
}

// Origins decides about documents by how they were received.
type Origins interface {
	// NeedsPerson reports whether SYSTEM may not approve invoices of a document.
	NeedsPerson(ctx context.Context, a identity.Actor, d *document.Document, settings *entity.Settings) (bool, error)
}

// Service moves documents.
type Service struct {
	Documents   document.Repository
	Moves       document.Moves
	Senders     email.Lists
	Syncs       ledgersync.Repository
	Duplicates  duplicate.Detection
	Entities    Entities
	Settings    entity.SettingsRepository
	Memberships identity.Memberships
	Suppliers   Suppliers
	Bookings    Bookings
	Origins     Origins
	Events      event.Log
	Clock       usecase.Clock
}

// move is one move with the records that it needs.
type move struct {
	actor    identity.Actor
	from, to *entity.Entity
	settings *entity.Settings // of the new entity
}

// Move moves a document, its parts in the same entity, and their invoices to another entity. The
// caller needs the permission on both entities. A document that is in the entity already is
// unchanged. Version 0 matches every version.
func (s *Service) Move(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, to uuid.UUID) (*document.Document, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	for _, entityID := range []uuid.UUID{d.EntityID, to} {
		e, err := s.Entities.Get(ctx, a.Scope(), entityID)
		if err != nil {
			return nil, err
		}
		if err := e.Require(ctx, a, identity.Move, s.Settings); err != nil {
			return nil, err
		}
	}
	err = s.Duplicates.InTurn(ctx, a.OrganizationID, func(ctx context.Context) error {
		return s.inTurn(ctx, a, d, ifVersion, to)
	})
	if err != nil && !errors.Is(err, invoice.ErrUnchanged) {
		return nil, err
	}
	return s.Documents.Get(ctx, a.Scope(), id)
}

func (s *Service) inTurn(ctx context.Context, a identity.Actor, d *document.Document, ifVersion int, to uuid.UUID) error {
	whole, err := s.Moves.Whole(ctx, a.Scope(), d.ID)
	if err != nil {
		return err
	}
	switch now := whole[0]; {
	case ifVersion > 0 && ifVersion != now.Version:
		return fault.StaleVersion(now.Version)
	case now.EntityID == to:
		return invoice.ErrUnchanged
	case now.EntityID != d.EntityID: // another move was faster
		return fault.StaleVersion(now.Version)
	}
	m := &move{actor: a}
	if m.from, err = s.Entities.GetShared(ctx, a.Scope(), d.EntityID); err != nil {
		return fmt.Errorf("read entity: %w", err)
	}
	if m.to, err = s.Entities.GetShared(ctx, a.Scope(), to); err != nil {
		return fmt.Errorf("read new entity: %w", err)
	}
	if m.settings, err = s.Settings.Get(ctx, a.Scope(), to); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if err := m.from.RequireReleasable(); err != nil {
		return err
	}
	if err := m.to.RequireOpen(); err != nil {
		return err
	}
	return s.all(ctx, m, document.Together(whole))
}

// all moves documents and their invoices, or nothing.
func (s *Service) all(ctx context.Context, m *move, documents []document.Document) error {
	byID := make(map[uuid.UUID]*document.Document, len(documents))
	ids := make([]uuid.UUID, len(documents))
	for i := range documents {
		d := &documents[i]
		ids[i], byID[d.ID] = d.ID, d
		if d.Part > 0 {
			continue
		}
		existing, err := s.Moves.WithBytes(ctx, d.OrganizationID, m.to.ID, d.SHA256)
		if err != nil {
			return err
		}
		if existing != uuid.Nil {
			return document.ErrSameBytes(existing)
		}
	}
	invoices, err := s.Moves.Invoices(ctx, m.actor.OrganizationID, ids)
	if err != nil {
		return err
	}
	for i := range documents {
		d := &documents[i]
		if byID[d.ID], err = s.document(ctx, m, d, documents[0].Part > 0); err != nil {
			return err
		}
	}
	for _, id := range invoices {
		if err := s.invoice(ctx, m, id, byID); err != nil {
			return err
		}
	}
	return nil
}

// document moves one document and returns it as it is in the new entity. A part that moves alone
// leaves its file.
func (s *Service) document(ctx context.Context, m *move, before *document.Document, alone bool) (*document.Document, error) {
	d, err := s.Documents.Update(ctx, identity.System(m.actor.OrganizationID).Scope(), before.ID, func(d *document.Document) (err error) {
		if d.Email, err = email.In(ctx, s.Senders, d, m.to.ID); err != nil {
			return err
		}
		d.MoveTo(m.to.ID, m.settings.AutoExtract)
		if alone {
			d.Attachments = nil // those of the file belong to its entity
		}
		d.UpdatedAt = s.Clock.Now()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("move document: %w", err)
	}
	subject := event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version, ExternalID: d.ExternalID}
	return d, s.Events.Append(ctx, event.Moved(m.actor, m.from.ID, m.to.ID, subject)...)
}
