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
	"docledger/domain/page"

	"github.com/google/uuid"
)

// errSuperseded reports that another attempt has claimed the sync.
var errSuperseded = errors.New("another attempt took over")

// run is one attempt.
type run struct {
	actor       identity.Actor
	invoice     *invoice.Invoice // with all its lines
	booking     *ledgersync.Sync
	settings    *entity.Settings
	integration *integration.Integration
	ledger      Ledger
	supplier    string                  // of booking.Supplier
	lines       []ledgersync.LineCoding // the coding of the invoice's lines in the bill
	resent      bool                    // the intent existed before this attempt
}

// Run makes one attempt of a sync. It returns an error only if docledger's own database failed, or
// job.ErrPaused; everything else is stored in the sync.
func (s *Service) Run(ctx context.Context, args job.SyncInvoice) error {
	held, err := job.Paused(ctx, s.Holds)
	if err != nil {
		return err
	}
	if held {
		return s.markPaused(ctx, args)
	}
	r, err := s.claim(ctx, args)
	if err != nil || r == nil {
		return err
	}
	err = s.attempt(ctx, r)
	if err == nil || errors.Is(err, errSuperseded) {
		return nil
	}
	// The attempt's context may have ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	refusal, refused := refusalOf(r, err)
	switch {
	case refused && r.booking.RemoteID != "":
		err = s.finish(ctx, r, invoice.Skipped, refusal.Message())
	case refused:
		err = s.refuse(ctx, r, refusal)
	default:
		err = s.later(ctx, r, err)
	}
	if errors.Is(err, errSuperseded) {
		return nil
	}
	return err
}

// markPaused records in the sync that it is paused.
func (s *Service) markPaused(ctx context.Context, args job.SyncInvoice) error {
	actor := identity.System(args.OrganizationID)
	said := errors.New("said already")
	_, _, err := s.Bookings.Change(ctx, actor.Scope(), args.InvoiceID, func(_ *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if !b.IsRequested() || b.State.Final() || !b.MarkPaused() {
			return nil, false, said
		}
		return b, false, nil
	})
	if err != nil && !errors.Is(err, said) && fault.CodeOf(err) != fault.CodeNotFound {
		return fmt.Errorf("mark sync paused: %w", err)
	}
	return job.ErrPaused
}

// refusalOf returns the permanent refusal in err. Before anything was sent, and after the bill was
// created, any permanent error of a call is a refusal. In between it says nothing about the bill.
func refusalOf(r *run, err error) (*accounting.Refusal, bool) {
	if refusal, ok := accounting.RefusalOf(err); ok {
		return refusal, true
	}
	f, ok := fault.As(err)
	if !ok || f.Kind != fault.Invalid || r.booking.Intent != nil {
		return nil, false
	}
	return accounting.Refuse(accounting.CodeRefused, "%s", f.Message).WithCause(err), true
}

// claim stores the start of the attempt in a separate transaction, so that it counts even if the
// process dies. It returns nil if there is nothing to do.
func (s *Service) claim(ctx context.Context, args job.SyncInvoice) (*run, error) {
	actor := identity.System(args.OrganizationID)
	claimed := false
	inv, b, err := s.Bookings.Change(ctx, actor.Scope(), args.InvoiceID, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if !b.Claimable(s.Clock.Now()) {
			return b, false, nil
		}
		if b.RemoteID == "" && b.Intent == nil && !inv.CanSync() {
			b.Withdraw() // the approval was withdrawn in the meantime
			return b, false, nil
		}
		b.Claim(s.Clock.Now())
		claimed = true
		return b, false, nil
	})
	if fault.CodeOf(err) == fault.CodeNotFound || err == nil && !claimed {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claim sync: %w", err)
	}
	if err := s.allLines(ctx, actor, inv); err != nil {
		return nil, err
	}
	return &run{actor: actor, invoice: inv, booking: b, resent: b.Intent != nil}, nil
}

// allLines loads the lines after the first ones.
func (s *Service) allLines(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error {
	if len(inv.Lines) == inv.LinesTotal {
		return nil
	}
	inv.Lines = inv.Lines[:0]
	for after := ""; ; {
		list, err := s.Invoices.Lines(ctx, a.Scope(), inv.ID, page.Request{Limit: page.MaxLimit, After: after})
		if err != nil {
			return fmt.Errorf("read lines: %w", err)
		}
		for _, l := range list.Items {
			inv.Lines = append(inv.Lines, l.Line)
		}
		if after = list.Next; after == "" {
			return nil
		}
	}
}

func (s *Service) attempt(ctx context.Context, r *run) error {
	if err := s.connect(ctx, r); err != nil {
		return err
	}
	if r.booking.RemoteID == "" {
		booked, err := s.bill(ctx, r)
		if err != nil {
			return err
		}
		if err := s.record(ctx, r, booked); err != nil {
			return err
		}
	}
	return s.attachOriginal(ctx, r)
}

// connect finds the integration of the sync: the intent's if there is one, else that of the
// settings.
func (s *Service) connect(ctx context.Context, r *run) (err error) {
	scope := r.actor.Scope()
	if r.settings, err = s.Settings.Get(ctx, scope, r.invoice.EntityID); err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	// A bill that was sent or created is completed also for an archived entity.
	if r.booking.RemoteID == "" && r.booking.Intent == nil {
		e, err := s.Entities.Get(ctx, scope, r.invoice.EntityID)
		if err != nil {
			return fmt.Errorf("read entity: %w", err)
		}
		if e.Archived {
			return accounting.Refuse(accounting.CodeEntityArchived, "")
		}
	}
	id := r.settings.AccountingIntegrationID
	switch {
	case r.booking.RemoteID != "":
		id = r.booking.IntegrationID
	case r.booking.Intent != nil:
		id = r.booking.Intent.IntegrationID
	}
	if id == uuid.Nil {
		return accounting.Refuse(accounting.CodeNotConnected, "")
	}
	i, err := s.Integrations.Get(ctx, scope, id)
	if err != nil {
		return fmt.Errorf("read integration: %w", err)
	}
	if i.Status == integration.Disconnected && r.booking.Intent != nil {
		return s.abandon(ctx, r)
	}
	if i.Status == integration.Disconnected || i.EntityID != r.invoice.EntityID || i.Accounting == nil || i.GrantID == uuid.Nil {
		return accounting.Refuse(accounting.CodeNotConnected, "")
	}
	ledger, ok := s.Ledgers[i.Provider]
	if !ok {
		return accounting.Refuse(accounting.CodeNotConnected, "This installation is not configured for %s.", i.Provider)
	}
	r.integration, r.ledger = i, ledger
	return nil
}

// abandon drops an intent whose ledger is unreachable, because its integration was disconnected. If
// the same ledger is connected again, the bill is found by its reference.
func (s *Service) abandon(ctx context.Context, r *run) error {
	s.Log.WarnContext(ctx, "ledger disconnected during sync", "invoice", r.invoice.ID, "integration", r.booking.Intent.IntegrationID)
	return accounting.Refuse(accounting.CodeNotConnected, "The ledger was disconnected during the sync. Check in the ledger whether the bill exists.")
}

// with calls the ledger. Calls that a person waits for have priority.
func (s *Service) with(ctx context.Context, r *run, call func(context.Context, integration.Access) error) error {
	return s.Accesses.With(ctx, r.integration, !r.booking.Waiting, call)
}

// change changes the sync, unless another attempt has claimed it.
func (s *Service) change(ctx context.Context, r *run, change func(*invoice.Invoice, *ledgersync.Sync) (bool, error)) (*invoice.Invoice, error) {
	inv, b, err := s.Bookings.Change(ctx, r.actor.Scope(), r.invoice.ID, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if b == nil || b.Run != r.booking.Run {
			return nil, false, errSuperseded
		}
		changed, err := change(inv, b)
		if changed {
			inv.UpdatedAt = s.Clock.Now()
		}
		return b, changed, err
	})
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, errSuperseded // the invoice was deleted
	}
	if err != nil {
		return nil, err
	}
	r.booking = b
	return inv, nil
}

// record stores the bill of the ledger and the supplier's coding.
func (s *Service) record(ctx context.Context, r *run, booked accounting.LedgerBill) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var whole invoice.Invoice
		inv, err := s.change(ctx, r, func(inv *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
			recode(inv, r.lines)
			inv.RecordSynced(booked.Contact)
			b.IntegrationID = r.integration.ID
			b.RecordBill(booked, ledgersync.Total(inv), s.Clock.Now())
			whole = *inv
			return true, nil
		})
		if err != nil {
			return err
		}
		if err := s.learn(ctx, r, &whole, booked.Contact); err != nil {
			return err
		}
		data := map[string]string{"integration_id": r.integration.ID.String(), "remote_id": booked.ID}
		return s.tell(ctx, r.actor, inv, []event.Event{{Type: event.InvoiceSynced, Data: data}})
	})
}

// recode stores the coding of the bill in the invoice's lines.
func recode(inv *invoice.Invoice, lines []ledgersync.LineCoding) {
	of := make(map[uuid.UUID]ledgersync.LineCoding, len(lines))
	for _, l := range lines {
		of[l.Line] = l
	}
	for i := range inv.Lines {
		l := &inv.Lines[i]
		if c, ok := of[l.ID]; ok {
			l.AccountID, l.AccountSource, l.TaxRateID, l.TaxSource = c.AccountID, c.AccountSource, c.TaxRateID, c.TaxSource
		}
	}
}

func (s *Service) learn(ctx context.Context, r *run, inv *invoice.Invoice, contact string) error {
	before, err := s.Codings.Of(ctx, inv.OrganizationID, inv.EntityID, r.integration.ID, r.supplier)
	if err != nil {
		return err
	}
	after := before
	if r.lines != nil {
		after = before.Learn(inv, contact)
	} else if contact != "" { // a linked bill provides the contact only, no coding
		after.ContactID = contact
	}
	return s.Codings.Keep(ctx, inv.OrganizationID, inv.EntityID, r.integration.ID, r.supplier, after)
}

// refuse ends the sync with a Refusal that states what a person must do.
func (s *Service) refuse(ctx context.Context, r *run, refusal *accounting.Refusal) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		inv, err := s.change(ctx, r, func(inv *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
			b.Refuse(refusal)
			before := inv.Status
			inv.RecordSyncFailed()
			return inv.Status != before, nil
		})
		if err != nil {
			return err
		}
		return s.tell(ctx, r.actor, inv, []event.Event{{Type: event.InvoiceSyncFailed, Data: map[string]string{"code": string(refusal.Code)}}})
	})
}

// later schedules the next attempt, or ends the sync after the maximum time.
func (s *Service) later(ctx context.Context, r *run, cause error) error {
	code, after := s.reason(ctx, r, cause)
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		inv, err := s.change(ctx, r, func(inv *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
			if errors.Is(cause, integration.ErrCircuitOpen) || ownOutage(cause) {
				b.ScheduleUncounted(code, after, s.Clock.Now())
			} else {
				b.ScheduleRetry(code, after, s.Clock.Now())
			}
			before := inv.Status
			if b.State == invoice.SyncEnded {
				inv.RecordSyncFailed()
			}
			return inv.Status != before, nil
		})
		if err != nil || !r.booking.State.Final() {
			return err
		}
		return s.tell(ctx, r.actor, inv, []event.Event{{Type: event.InvoiceSyncFailed, Data: map[string]string{"code": string(code)}}})
	})
}

// ownOutage reports whether a component of docledger is unavailable, usually the database. Such an
// outage does not count as a failure of the sync.
func ownOutage(err error) bool { return fault.CodeOf(err) == fault.CodeUnavailable }

// reason classifies why an attempt failed and returns the delay before the next one.
func (s *Service) reason(ctx context.Context, r *run, err error) (code accounting.Code, after time.Duration) {
	f, isFault := fault.As(err)
	if isFault {
		after = f.RetryAfter
	}
	switch {
	case errors.Is(err, errContactLeaseTaken):
		return accounting.CodeContactUnderWay, 0
	case r.booking.Intent != nil && r.booking.RemoteID == "":
		return accounting.CodeUncertain, after
	case errors.Is(err, integration.ErrReconnect), errors.Is(err, integration.ErrAccessRefused), errors.Is(err, integration.ErrTenantGone),
		fault.CodeOf(err) == fault.CodeProviderUnauthorized:
		return accounting.CodeReconnectNeeded, after
	case errors.Is(err, integration.ErrRateLimited):
		return accounting.CodeBusy, after
	case fault.CodeOf(err) == fault.CodeProviderSetup:
		return accounting.CodeSetup, after
	case fault.CodeOf(err) == fault.CodeProviderRefused:
		return accounting.CodeRefused, after
	case fault.CodeOf(err) == fault.CodeProviderUnavailable:
		return accounting.CodeUnavailable, after
	case errors.Is(err, errOriginal):
		return accounting.CodeOriginal, after
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return accounting.CodeUnavailable, after
	}
	if ownOutage(err) {
		s.Log.WarnContext(ctx, "sync delayed by own outage", "invoice", r.invoice.ID, "run", r.booking.Run, "error", err)
		return accounting.CodeInternal, after
	}
	s.Log.ErrorContext(ctx, "sync failed unexpectedly", "invoice", r.invoice.ID, "run", r.booking.Run, "error", err)
	return accounting.CodeInternal, after
}
