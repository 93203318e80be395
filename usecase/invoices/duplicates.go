package invoices

import (
	"context"
	"fmt"

	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Duplicates compares invoices, and stores what a person decides about a pair.
type Duplicates interface {
	duplicate.Detection
	// Dismiss records that two invoices are different ones. It returns a NotFound fault if they are no
	// pair, and invoice.ErrUnchanged if the pair is dismissed already.
	Dismiss(ctx context.Context, a identity.Actor, inv *invoice.Invoice, other uuid.UUID, reason string) error
	// Dismissed evaluates the other invoice of a dismissed pair again, and appends its event.
	Dismissed(ctx context.Context, a identity.Actor, other uuid.UUID, reason string) error
}

// keepDuplicates stores the duplicates of a changed invoice; nil if it was not compared. It returns
// the event of those that were not known before.
func (s *Service) keepDuplicates(ctx context.Context, a identity.Actor, inv *invoice.Invoice, found *duplicate.Found) ([]event.Event, error) {
	if found == nil {
		return nil, nil
	}
	fresh, err := s.Duplicates.Keep(ctx, inv, *found, a.IsAssistant())
	if err != nil || len(fresh) == 0 {
		return nil, err
	}
	return []event.Event{{Type: event.InvoiceDuplicateFound, Data: map[string]string{"rules": duplicate.Rules(fresh)}}}, nil
}

// DismissDuplicate records that two invoices are different ones. It applies to both invoices, and
// their checks are evaluated again. The caller needs the permission in the entities of both.
// Dismissing a dismissed pair changes nothing.
func (s *Service) DismissDuplicate(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, other uuid.UUID, reason string) (*invoice.Invoice, error) {
	return s.change(ctx, a, id, ifVersion, identity.DismissDuplicate, func(ctx context.Context, inv *invoice.Invoice, e *entity.Entity, settings *entity.Settings) ([]event.Event, error) {
		if err := s.mayDismiss(ctx, a, other); err != nil {
			return nil, err
		}
		if err := s.Duplicates.Dismiss(ctx, a, inv, other, reason); err != nil {
			return nil, err
		}
		// The event does not name the other invoice, because a reader of this entity may not see it.
		events := []event.Event{{Type: event.InvoiceDuplicateDismissed, Data: map[string]string{"reason": reason}}}
		if !inv.Status.Open() {
			return events, nil
		}
		if _, err := s.judge(ctx, a, inv, e, settings, false); err != nil {
			return nil, err
		}
		if inv.Status == invoice.Approved {
			events = append(events, event.Event{Type: event.InvoiceApproved, ActorType: identity.ActorSystem})
		}
		return events, nil
	}, func(ctx context.Context, inv *invoice.Invoice) ([]event.Event, error) {
		return nil, s.Duplicates.Dismissed(ctx, a, other, reason)
	})
}

// mayDismiss requires that the caller sees the other invoice of a pair and may decide about it. An
// invoice that the caller may not see and one that does not exist have the same answer.
func (s *Service) mayDismiss(ctx context.Context, a identity.Actor, other uuid.UUID) error {
	inv, err := s.Invoices.Get(ctx, a.Scope(), other)
	if err != nil {
		return err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return fmt.Errorf("read entity of the other invoice: %w", err)
	}
	return e.Require(ctx, a, identity.DismissDuplicate, s.Settings)
}
