// Package sync syncs approved invoices to the entity's ledger, each exactly once. The sync record,
// not the job, is the source of truth. An intent is stored before it is sent, and nothing else is
// sent until its outcome is known.
package sync

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/domain/review"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Ledger contains the capabilities that a sync needs of a connector.
type Ledger struct {
	Booker   accounting.BillCreator
	Accounts accounting.AccountReader
	Contacts accounting.ContactReader
	TaxRates accounting.TaxRateReader
	Creator  accounting.ContactCreator
	Attacher accounting.Attacher
}

// LedgerOf returns the capabilities of a connector; ok is false if it lacks one.
func LedgerOf(connector any) (l Ledger, ok bool) {
	var has [6]bool
	l.Booker, has[0] = connector.(accounting.BillCreator)
	l.Accounts, has[1] = connector.(accounting.AccountReader)
	l.Contacts, has[2] = connector.(accounting.ContactReader)
	l.TaxRates, has[3] = connector.(accounting.TaxRateReader)
	l.Creator, has[4] = connector.(accounting.ContactCreator)
	l.Attacher, has[5] = connector.(accounting.Attacher)
	return l, has == [6]bool{true, true, true, true, true, true}
}

// Service syncs invoices.
type Service struct {
	Invoices     invoice.Reader
	Documents    document.Reader
	Entities     entity.Reader
	Settings     entity.SettingsRepository
	Integrations integration.Reader
	Accesses     integration.Accesses
	Ledgers      map[integration.Provider]Ledger
	Bookings     ledgersync.Repository
	Codings      ledgersync.Codings
	Changes      usecase.OrganizationLock
	Suppliers    Suppliers
	Blobs        document.Blobs
	Viewer       extraction.PageViewer
	Originals    Originals
	Events       event.Log
	Queue        job.Queue
	Holds        job.Pause
	Leases       usecase.Leases
	UnitOfWork   usecase.UnitOfWork
	Clock        usecase.Clock
	IDs          usecase.IDs
	Log          *slog.Logger

	// WaitTimeout is how long Request waits before it returns the current state of the sync.
	WaitTimeout time.Duration
	// UndoWindow is how long the automatic sync waits after a person's approval, in which the
	// approval can be undone without a bill in the ledger.
	UndoWindow time.Duration
	// Page returns the URL of the page that shows an invoice; "" for none.
	Page func(invoice uuid.UUID) string

	readings ledgerCache
}

// Originals opens the files of documents for the people of an entity.
type Originals interface {
	// Original opens what the readers of a document may have of its original, and describes it in a
	// copy of the document. An Invalid fault means that there is nothing. The caller closes the file.
	Original(ctx context.Context, d *document.Document) (*document.Document, io.ReadSeekCloser, error)
}

// Suppliers finds the suppliers of invoices. Checks and Approved run within the caller's transaction.
type Suppliers interface {
	// Coding returns how the lines of an invoice are coded.
	Coding(ctx context.Context, inv *invoice.Invoice, integration uuid.UUID) (ledgersync.Coding, error)
	// Checks finds the supplier of an open invoice and returns the checks of its bank accounts.
	Checks(ctx context.Context, a identity.Actor, inv *invoice.Invoice) ([]invoice.Check, error)
	// Approved records an approved invoice with its supplier.
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

func jobOf(b *ledgersync.Sync) job.SyncInvoice {
	return job.SyncInvoice{V: job.SyncVersion, OrganizationID: b.OrganizationID, InvoiceID: b.InvoiceID, Round: b.Round}
}

const (
	// sweepAge is the time without a change after which the sweep considers a sync to have no job.
	sweepAge   = time.Second
	sweepLimit = 200
)

// Sweep enqueues jobs for syncs that are due or have lost their job. It returns their number.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	now := s.Clock.Now()
	due, err := s.Bookings.Due(ctx, now, now.Add(-sweepAge), sweepLimit)
	if err != nil {
		return 0, err
	}
	for i := range due {
		priority := job.Automatic
		if due[i].Waiting {
			priority = job.Interactive
		}
		if err := s.Queue.Enqueue(ctx, jobOf(&due[i]), priority); err != nil {
			return i, err
		}
	}
	return len(due), nil
}

// Approved starts the sync of an approved invoice if the entity's settings require it (domain D31),
// within the caller's transaction. After the approval of a person it waits for UndoWindow; the sweep
// then enqueues its job.
func (s *Service) Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error {
	if !settings.AutoSync || settings.AccountingIntegrationID == uuid.Nil || inv.Status != invoice.Approved {
		return nil
	}
	e, err := s.Entities.Get(ctx, identity.System(inv.OrganizationID).Scope(), inv.EntityID)
	if err != nil {
		return fmt.Errorf("read entity: %w", err)
	}
	if e.Archived {
		return nil // a person syncs it when the entity is restored
	}
	w := ledgersync.Options{Integration: settings.AccountingIntegrationID}
	if a.Type == identity.ActorUser {
		w.Delay = s.UndoWindow
	}
	return s.begin(ctx, a, inv.ID, 0, w, settings, job.Automatic)
}

// Withdrawn cancels the waiting sync of an invoice whose approval was withdrawn, within the
// caller's transaction.
func (s *Service) Withdrawn(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error {
	if inv.Sync == nil || inv.Sync.State.Final() {
		return nil
	}
	_, _, err := s.Bookings.Change(ctx, a.Scope(), inv.ID, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if b == nil || b.Intent != nil || b.State != invoice.SyncQueued || inv.CanSync() {
			return b, false, nil
		}
		b.Withdraw()
		return b, false, nil
	})
	return err
}

// begin enqueues a sync within a transaction. Version 0 matches every version.
func (s *Service) begin(
	ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, w ledgersync.Options, settings *entity.Settings, p job.Priority,
) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	// An approval by the system locks the supplier after the invoice.
	return s.Changes.InTurn(ctx, a.OrganizationID, func(ctx context.Context) error {
		var events []event.Event
		inv, b, err := s.Bookings.Change(ctx, a.Scope(), id, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
			// A moved invoice is in an entity with other rights and another ledger.
			if ifVersion > 0 && inv.Version != ifVersion || inv.EntityID != settings.EntityID {
				return nil, false, fault.StaleVersion(inv.Version)
			}
			if inv.Status == invoice.Extracted {
				// The supplier can have become known since the invoice was checked.
				accounts, err := s.Suppliers.Checks(ctx, a, inv)
				if err != nil {
					return nil, false, err
				}
				inv.ReplaceChecks(invoice.RuleBankAccountKnown, accounts)
				inv.ApplyChecks(inv.Checks)
			}
			approved, err := review.PrepareSync(inv, settings, s.Clock.Now(), inv.Version+1)
			if err != nil {
				return nil, false, err
			}
			if b == nil {
				b = &ledgersync.Sync{}
			}
			before := b.State
			if !b.Accepts(w) {
				return nil, false, fault.New(fault.Conflict, fault.CodeConflict,
					"A sync is in progress, and force and link cannot change it. Wait until it has ended, then repeat the request.").
					With("sync_state", string(b.State))
			}
			b.Request(w, s.Clock.Now())
			if held {
				b.MarkPaused()
			}
			if approved {
				events = append(events, event.Event{Type: event.InvoiceApproved, ActorType: identity.ActorSystem})
			}
			if before == "" || before.Final() {
				events = append(events, event.Event{Type: event.InvoiceSyncQueued})
			}
			return b, approved, nil
		})
		if err != nil {
			return err
		}
		if len(events) > 0 && events[0].Type == event.InvoiceApproved {
			if err := s.Suppliers.Approved(ctx, a, inv); err != nil {
				return err
			}
		}
		if err := s.tell(ctx, a, inv, events); err != nil {
			return err
		}
		if b.NextAttemptAt.After(s.Clock.Now()) {
			return nil
		}
		return s.Queue.Enqueue(ctx, jobOf(b), p)
	})
}

// tell appends events of an invoice.
func (s *Service) tell(ctx context.Context, a identity.Actor, inv *invoice.Invoice, events []event.Event) error {
	subject := event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version}
	for i, e := range events {
		by := a
		if e.ActorType == identity.ActorSystem {
			by = identity.System(a.OrganizationID)
		}
		full := event.By(by, e.Type, inv.EntityID, subject)
		full.Data = e.Data
		events[i] = full
	}
	if len(events) == 0 {
		return nil
	}
	return s.Events.Append(ctx, events...)
}
