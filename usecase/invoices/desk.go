package invoices

import (
	"context"
	"fmt"
	"strings"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Assign assigns an invoice to a member who can read it; the zero id ends the assignment. It is
// possible in every status and changes neither checks nor approval.
func (s *Service) Assign(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, member uuid.UUID) (*invoice.Invoice, error) {
	return s.change(ctx, a, id, ifVersion, identity.Note, func(ctx context.Context, inv *invoice.Invoice, e *entity.Entity, _ *entity.Settings) ([]event.Event, error) {
		if inv.AssignedTo == member {
			return nil, invoice.ErrUnchanged
		}
		if err := s.canRead(ctx, e, member); err != nil {
			return nil, err
		}
		change := event.Change{Field: "assigned_to", From: idText(inv.AssignedTo), To: idText(member)}
		inv.AssignedTo = member
		return []event.Event{{Type: event.InvoiceAssigned, Changes: []event.Change{change}}}, nil
	})
}

// canRead refuses a user who is no member of the organization or cannot read the entity, without a
// difference between the two.
func (s *Service) canRead(ctx context.Context, e *entity.Entity, member uuid.UUID) error {
	if member == uuid.Nil {
		return nil
	}
	m, err := s.Memberships.Find(ctx, member, e.OrganizationID)
	if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		return fmt.Errorf("find member: %w", err)
	}
	if err != nil || e.RoleOf(identity.Actor{Type: identity.ActorUser, UserID: member, OrganizationID: e.OrganizationID, Role: m.Role}) == identity.NoRole {
		return fault.InvalidField("user_id", "must be a member who can read this entity")
	}
	return nil
}

func idText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}

// AddNote adds a note to the history of an invoice, in every status. The note is an event, so it
// is never changed. id is that of the event; with the zero id it gets a new one. A note that an
// earlier attempt with the same id already stored is returned and not added again.
func (s *Service) AddNote(ctx context.Context, a identity.Actor, invoiceID, id uuid.UUID, text string) (*event.Event, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fault.InvalidField("text", "must not be blank")
	}
	inv, err := s.Invoices.Get(ctx, a.Scope(), invoiceID)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Note, s.Settings); err != nil {
		return nil, err
	}
	note := event.By(a, event.InvoiceNoteAdded, inv.EntityID, event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version})
	note.ID, note.CreatedAt, note.Data = id, s.Clock.Now(), map[string]string{"text": text}
	if note.ID == uuid.Nil {
		note.ID = s.IDs.New()
	} else if made, err := s.Events.Find(ctx, a.OrganizationID, note.ID); fault.CodeOf(err) != fault.CodeNotFound {
		return made, err
	}
	if err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error { return s.Events.Append(ctx, note) }); err != nil {
		return nil, fmt.Errorf("add note: %w", err)
	}
	return &note, nil
}
