package invoices

import (
	"context"
	"slices"

	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Reassess evaluates the checks of an open invoice again, because its supplier changed. It does
// nothing if the caller does not see the invoice or the result is the same.
func (s *Service) Reassess(ctx context.Context, a identity.Actor, id uuid.UUID) error {
	var found *duplicate.Found
	_, err := s.change(ctx, a, id, 0, identity.Read, func(ctx context.Context, inv *invoice.Invoice, e *entity.Entity, settings *entity.Settings) ([]event.Event, error) {
		if !inv.Status.Open() {
			return nil, invoice.ErrUnchanged
		}
		before, status := inv.Checks, inv.Status
		var err error
		if found, err = s.judge(ctx, a, inv, e, settings, false); err != nil {
			return nil, err
		}
		if slices.Equal(before, inv.Checks) {
			return nil, invoice.ErrUnchanged
		}
		switch {
		case inv.Status == invoice.Approved:
			return []event.Event{{Type: event.InvoiceApproved, ActorType: identity.ActorSystem}}, nil
		case status == inv.Status:
			return []event.Event{{Type: event.InvoiceCorrected}}, nil
		case inv.Status == invoice.NeedsReview:
			return []event.Event{{Type: event.InvoiceNeedsReview}}, nil
		}
		return []event.Event{{Type: event.InvoiceExtracted}}, nil
	}, func(ctx context.Context, inv *invoice.Invoice) ([]event.Event, error) {
		return s.keepDuplicates(ctx, a, inv, found)
	})
	switch fault.CodeOf(err) {
	case fault.CodeNotFound, fault.CodeVersionConflict: // a move evaluates the checks itself
		return nil
	}
	return err
}
