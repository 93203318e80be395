package invoices

import (
	"context"
	"fmt"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// Ledgers checks what a correction says about the ledger of an entity.
type Ledgers interface {
	// CheckAccounts refuses accounts that no bill's line may name. The keys are
	// the request's names for them. While the integration does not work every
	// account is accepted: the sync reports what is wrong with it.
	CheckAccounts(ctx context.Context, a identity.Actor, integration uuid.UUID, accounts map[string]string) error
}

// checkAccounts refuses a correction that gives a line an account that no bill
// can name. It asks the ledger before the transaction. An account that the line
// has already is accepted, and so is every account without a ledger.
func (s *Service) checkAccounts(ctx context.Context, a identity.Actor, id uuid.UUID, c invoice.Correction) error {
	accounts := map[string]string{}
	for n, line := range c.Lines {
		if account := line.Values["account_id"]; account != "" && !line.Deleted {
			accounts[fmt.Sprintf("lines[%d].account_id", n)] = account
		}
	}
	if len(accounts) == 0 {
		return nil
	}
	inv, err := s.Invoices.Get(ctx, a.Scope(), id)
	if err != nil {
		return err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return fmt.Errorf("read entity: %w", err)
	}
	settings, err := s.Settings.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	// Rights come first: who may not correct learns nothing about the ledger.
	if err := e.Require(ctx, a, identity.Correct, s.Settings); err != nil {
		return err
	}
	if settings.AccountingIntegrationID == uuid.Nil {
		return nil
	}
	now := make(map[uuid.UUID]string, len(inv.Lines))
	for _, l := range inv.Lines {
		now[l.ID] = l.AccountID
	}
	for n, line := range c.Lines {
		if field := fmt.Sprintf("lines[%d].account_id", n); line.ID != uuid.Nil && accounts[field] == now[line.ID] {
			delete(accounts, field)
		}
	}
	if len(accounts) == 0 {
		return nil
	}
	err = s.Ledgers.CheckAccounts(ctx, a, settings.AccountingIntegrationID, accounts)
	if f, ok := fault.As(err); ok && (f.Kind == fault.Upstream || f.Kind == fault.Unavailable || f.Kind == fault.TooMany) {
		return nil // correcting works while the ledger is unavailable (domain D24)
	}
	return err
}
