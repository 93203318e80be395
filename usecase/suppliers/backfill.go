package suppliers

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

const backfillBatch = 100

// Backfill makes suppliers from invoices that were approved before suppliers were recorded. Their bank
// accounts count as known, and no invoice changes its status. Each invoice is one transaction, so that
// an interrupted run resumes where it ended.
func (s *Service) Backfill(ctx context.Context) error {
	for {
		list, err := s.OfInvoices.UnassignedForBackfill(ctx, backfillBatch)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, u := range list {
			if err := s.backfill(ctx, u); err != nil {
				return fmt.Errorf("make supplier of invoice %s: %w", u.InvoiceID, err)
			}
		}
	}
}

func (s *Service) backfill(ctx context.Context, u supplier.Unassigned) error {
	system := identity.System(u.OrganizationID)
	return s.Changes.InTurn(ctx, u.OrganizationID, func(ctx context.Context) error {
		approved := false
		// The lock of the row excludes a concurrent change of the invoice.
		inv, err := s.Invoices.Update(ctx, system.Scope(), u.InvoiceID, 0, func(inv *invoice.Invoice) error {
			approved = inv.Status == invoice.Approved || inv.Status == invoice.Synced || inv.Status == invoice.SyncFailed
			return invoice.ErrUnchanged
		})
		if err != nil && !errors.Is(err, invoice.ErrUnchanged) || !approved || inv.SupplierID != uuid.Nil {
			return err
		}
		if supplier.KeysOf(inv).Empty() {
			return s.Suppliers.Assign(ctx, u.OrganizationID, inv.ID, uuid.Nil)
		}
		return s.record(ctx, system, inv, true)
	})
}
