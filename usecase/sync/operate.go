package sync

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/accounting"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
)

// errAsItIs rolls back where nothing is to be changed.
var errAsItIs = errors.New("the booking stays as it is")

// Cancel ends a booking whose job the operator has cancelled, within the
// caller's transaction: the invoice is SYNC_FAILED, and a person may sync it
// again. Of what the ledger was told the end must be known, so that such a
// booking is a Conflict fault. A booking that has gone on without the job stays
// as it is.
func (s *Service) Cancel(ctx context.Context, args job.SyncInvoice) error {
	actor := identity.System(args.OrganizationID)
	inv, _, err := s.Bookings.Change(ctx, actor.Scope(), args.InvoiceID, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		switch {
		case !b.IsRequested() || b.State.Final() || b.Round != args.Round:
			return nil, false, errAsItIs
		case b.Intent != nil || b.RemoteID != "":
			return nil, false, fault.New(fault.Conflict, fault.CodeConflict,
				"The ledger was told of the bill already, so that the booking must go on until its end is known. To stop it, disconnect the ledger.")
		}
		b.Refuse(accounting.Refuse(accounting.CodeCancelled, ""))
		before := inv.Status
		if inv.RecordSyncFailed(); inv.Status != before {
			inv.UpdatedAt = s.Clock.Now()
		}
		return b, inv.Status != before, nil
	})
	if errors.Is(err, errAsItIs) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel the booking: %w", err)
	}
	data := map[string]string{"code": string(accounting.CodeCancelled)}
	return s.tell(ctx, actor, inv, []event.Event{{Type: event.InvoiceSyncFailed, Data: data}})
}

// Retry books an invoice whose job has ended without it, within the caller's
// transaction. One that can't be booked is a Conflict fault.
func (s *Service) Retry(ctx context.Context, args job.SyncInvoice) error {
	actor := identity.System(args.OrganizationID)
	inv, err := s.Invoices.Get(ctx, actor.Scope(), args.InvoiceID)
	if err != nil {
		return err
	}
	settings, err := s.Settings.Get(ctx, actor.Scope(), inv.EntityID)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	return s.queue(ctx, actor, inv, settings, Input{})
}
