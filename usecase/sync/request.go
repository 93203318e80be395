package sync

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/domain/review"

	"github.com/google/uuid"
)

// Request polls the sync with growing delays, because the worker may be another process.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 250 * time.Millisecond
)

// Input is a sync request.
type Input struct {
	Link  string // adopt this bill of the ledger; "" for none
	Force bool   // create the bill even if the ledger has a similar one
	// Background queues the sync behind the work that a person waits for and
	// returns at once. It leaves a SYNCED invoice as it is.
	Background bool
}

// Request syncs an invoice and returns it with the state of its sync (domain D2). For a SYNCED
// invoice it re-reads the bill. If the bill was removed from the ledger, the invoice becomes
// APPROVED, and the next request creates a bill again.
func (s *Service) Request(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, in Input) (*invoice.Invoice, error) {
	inv, settings, err := s.allowed(ctx, a, id)
	if err != nil {
		return nil, err
	}
	if ifVersion > 0 && ifVersion != inv.Version {
		return nil, fault.StaleVersion(inv.Version)
	}
	if in.Link != "" && in.Force {
		return nil, fault.InvalidField("force", "cannot be combined with link: either link an existing bill or create another one")
	}
	if in.Background && inv.Status == invoice.Synced {
		return inv, nil
	}
	if inv.Status == invoice.Synced && inv.Sync != nil && inv.Sync.State.Final() {
		if err := s.readBack(ctx, a, inv, settings.AccountingIntegrationID); err != nil {
			return nil, err
		}
		return s.Invoices.Get(ctx, a.Scope(), id)
	}
	if inv.Status != invoice.Synced {
		if err := s.queue(ctx, a, inv, ifVersion, settings, in); err != nil {
			return nil, err
		}
	}
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return nil, err
	}
	if held || in.Background {
		return s.Invoices.Get(ctx, a.Scope(), id)
	}
	return s.await(ctx, a, id)
}

func (s *Service) allowed(ctx context.Context, a identity.Actor, id uuid.UUID) (*invoice.Invoice, *entity.Settings, error) {
	inv, err := s.Invoices.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return nil, nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Sync, s.Settings); err != nil {
		return nil, nil, err
	}
	if err := e.RequireOpen(); err != nil && (inv.Sync == nil || inv.Sync.State.Final()) {
		return nil, nil, err
	}
	settings, err := s.Settings.Get(ctx, a.Scope(), inv.EntityID)
	if err != nil {
		return nil, nil, fmt.Errorf("read settings: %w", err)
	}
	return inv, settings, nil
}

func (s *Service) queue(ctx context.Context, a identity.Actor, inv *invoice.Invoice, ifVersion int, settings *entity.Settings, in Input) error {
	if _, err := review.PrepareSync(inv, settings, s.Clock.Now(), inv.Version+1); err != nil {
		return err
	}
	if settings.AccountingIntegrationID == uuid.Nil {
		return fault.New(fault.Conflict, fault.CodeConflict, "%s %s", accounting.CodeNotConnected.Text(), accounting.CodeNotConnected.Action()).
			With("status", string(inv.Status)).With("reason", string(accounting.CodeNotConnected))
	}
	w := ledgersync.Options{Integration: settings.AccountingIntegrationID, Force: in.Force, Link: in.Link, Waiting: !in.Background}
	priority := job.Interactive
	if in.Background {
		priority = job.Bulk
	}
	return s.begin(ctx, a, inv.ID, ifVersion, w, settings, priority)
}

// await waits until the sync is final or will not continue soon, at most for WaitTimeout.
func (s *Service) await(ctx context.Context, a identity.Actor, id uuid.UUID) (*invoice.Invoice, error) {
	waiting, cancel := context.WithTimeout(ctx, s.WaitTimeout)
	defer cancel()
	until := s.Clock.Now().Add(s.WaitTimeout)
	pause := firstPoll
	for {
		select {
		case <-waiting.Done():
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return s.Invoices.Get(ctx, a.Scope(), id)
		case <-time.After(pause):
			pause = min(pause*3/2, lastPoll)
		}
		inv, err := s.Invoices.Get(waiting, a.Scope(), id)
		if err != nil {
			if errors.Is(waiting.Err(), context.DeadlineExceeded) {
				continue
			}
			return nil, err
		}
		if inv.Sync == nil || inv.Sync.State.Final() || inv.Sync.NextAttemptAt.After(until) {
			return inv, nil
		}
	}
}

// readBack checks whether the bill of a SYNCED invoice still exists. current is the integration
// that the entity's settings name.
func (s *Service) readBack(ctx context.Context, a identity.Actor, inv *invoice.Invoice, current uuid.UUID) error {
	b, err := s.Bookings.Get(ctx, a.Scope(), inv.ID)
	if err != nil {
		return err
	}
	i, err := s.reaching(ctx, inv.OrganizationID, b.IntegrationID, current)
	if err != nil {
		return err
	}
	ledger, ok := s.Ledgers[i.Provider]
	if !ok {
		return notConfigured(i)
	}
	var found accounting.LedgerBill
	err = s.Accesses.With(ctx, i, false, func(ctx context.Context, access integration.Access) (err error) {
		found, err = ledger.Booker.Read(ctx, access, b.Kind, b.RemoteID)
		return err
	})
	switch {
	case err == nil && !found.Removed:
		return nil
	case err != nil && !missing(err):
		return err
	}
	return s.removed(ctx, a, inv.ID, b.RemoteID)
}

// reaching returns the integration through which a bill was created. If that one is disconnected,
// it returns the current integration if it has the same ledger.
func (s *Service) reaching(ctx context.Context, organization, booked, current uuid.UUID) (*integration.Integration, error) {
	scope := identity.Scope{OrganizationID: organization}
	i, err := s.Integrations.Get(ctx, scope, booked)
	if err != nil {
		return nil, fmt.Errorf("read integration: %w", err)
	}
	ended := i.RequireActive()
	if ended == nil || current == uuid.Nil || current == booked {
		return i, ended
	}
	other, err := s.Integrations.Get(ctx, scope, current)
	if err != nil {
		return nil, fmt.Errorf("read the current integration: %w", err)
	}
	if other.RequireActive() != nil || other.Provider != i.Provider || other.Tenant() != i.Tenant() {
		return nil, ended
	}
	return other, nil
}

func (s *Service) removed(ctx context.Context, a identity.Actor, id uuid.UUID, remote string) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		changed := false
		inv, _, err := s.Bookings.Change(ctx, a.Scope(), id, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
			if b == nil || b.RemoteID != remote || inv.Status != invoice.Synced {
				return b, false, nil
			}
			b.Removed()
			inv.RemovedInLedger()
			inv.UpdatedAt = s.Clock.Now()
			changed = true
			return b, true, nil
		})
		if err != nil || !changed {
			return err
		}
		return s.tell(ctx, a, inv, []event.Event{{
			Type: event.InvoiceSyncFailed, Data: map[string]string{"code": string(accounting.CodeRemovedInLedger), "remote_id": remote},
		}})
	})
}

// missing reports whether the ledger does not have the record.
func missing(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind == fault.NotFound
}

func notConfigured(i *integration.Integration) error {
	return fault.New(fault.Conflict, fault.CodeConflict, "This installation cannot sync to %s. Ask the operator to configure the provider.", i.Provider)
}
