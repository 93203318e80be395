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

// errAsItIs rolls back if there is nothing to change.
var errAsItIs = errors.New("nothing to change")

// Cancel ends a sync whose job the operator has cancelled, within the caller's transaction. The
// invoice becomes SYNC_FAILED, and a person may sync it again. A sync with an intent is a Conflict
// fault, because its outcome must be determined first. A sync that no longer depends on the job is
// unchanged.
func (s *Service) Cancel(ctx context.Context, args job.SyncInvoice) error {
	actor := identity.System(args.OrganizationID)
	inv, _, err := s.Bookings.Change(ctx, actor.Scope(), args.InvoiceID, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		switch {
		case !b.IsRequested() || b.State.Final() || b.Round != args.Round:
			return nil, false, errAsItIs
		case b.Intent != nil || b.RemoteID != "":
			return nil, false, fault.New(fault.Conflict, fault.CodeConflict,
				"The bill was already sent to the ledger, so the sync must continue until its outcome is known. To stop it, disconnect the ledger.")
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
		return fmt.Errorf("cancel sync: %w", err)
	}
	data := map[string]string{"code": string(accounting.CodeCancelled)}
	return s.tell(ctx, actor, inv, []event.Event{{Type: event.InvoiceSyncFailed, Data: data}})
}

// Retry syncs an invoice whose job ended without a result, within the caller's transaction. It
// returns a Conflict fault if the invoice cannot be synced.
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
	return s.queue(ctx, actor, inv, 0, settings, Input{})
}
