package sync_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	usecase "docledger/usecase/sync"

	"github.com/google/uuid"
)

func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		as := func(s invoice.Status) uuid.UUID {
			return w.approved(string(s), func(inv *invoice.Invoice) { inv.Status = s })
		}
		for _, s := range []invoice.Status{invoice.Extracted, invoice.NeedsReview, invoice.Rejected} {
			_, err := w.request(as(s), usecase.Input{})
			wantFault(t, err, fault.CodeConflict)
			f, _ := fault.As(err)
			if f.Details["status"] != string(s) || f.Details["allowed"] == nil || s == invoice.Rejected && !strings.Contains(f.Message, "(sync)") {
				t.Errorf("%s: %s, details %v", s, f.Message, f.Details)
			}
		}
		id := w.approved("R-1")
		viewer := identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: w.admin.OrganizationID, Role: identity.RoleMember}
		_, err := w.service.Request(ctx, identity.Actor{OrganizationID: uuid.New(), Role: identity.RoleAdmin}, id, 0, usecase.Input{})
		wantFault(t, err, fault.CodeNotFound)
		_, err = w.store.Entities().Update(ctx, w.admin.Scope(), w.entity, 0, func(e *entity.Entity) error { e.DefaultRole = identity.Editor; return nil })
		must(t, err)
		_, err = w.service.Request(ctx, viewer, id, 0, usecase.Input{})
		wantFault(t, err, fault.CodeForbidden)
		_, err = w.service.Request(ctx, w.admin, id, 7, usecase.Input{})
		wantFault(t, err, fault.CodeVersionConflict)
		w.settings(func(s *entity.Settings) { s.AccountingIntegrationID = uuid.Nil })
		_, err = w.request(id, usecase.Input{})
		wantFault(t, err, fault.CodeConflict)
		if inv := w.invoice(id); inv.Sync != nil {
			t.Errorf("a refused request left %+v", inv.Sync)
		}
	})
}

// TestWishesOfABookingUnderWay verifies that link and force are refused during
// a running sync.
func TestWishesOfABookingUnderWay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		for _, in := range []usecase.Input{{}, {}} {
			_, err := w.request(id, in)
			must(t, err)
		}
		for _, in := range []usecase.Input{{Force: true}, {Link: "b-1"}} {
			_, err := w.request(id, in)
			wantFault(t, err, fault.CodeConflict)
		}
		if inv := w.book(id, usecase.Input{}); inv.Status != invoice.Synced {
			t.Errorf("the sync ended as %s %+v", inv.Status, inv.Sync)
		}
	})
}

func (w *world) settings(change func(*entity.Settings)) {
	w.t.Helper()
	_, err := w.store.Settings().Update(context.Background(), w.admin.Scope(), w.entity, 0, func(s *entity.Settings) error { change(s); return nil })
	must(w.t, err)
}

func TestWithoutApproval(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.settings(func(s *entity.Settings) { s.ApprovalRequired, s.AutoSync = false, true })
		id := w.approved("R-1", func(inv *invoice.Invoice) { inv.Status, inv.Approval = invoice.Extracted, nil })
		inv := w.book(id, usecase.Input{})
		if inv.Status != invoice.Synced || inv.Approval == nil || inv.Approval.By != uuid.Nil {
			t.Errorf("without approval: %s %+v", inv.Status, inv.Approval)
		}
		// What is approved is synced automatically.
		auto := w.approved("R-2")
		settings, err := w.store.Settings().Get(context.Background(), w.admin.Scope(), w.entity)
		must(t, err)
		must(t, w.service.Approved(context.Background(), w.admin, w.invoice(auto), settings))
		w.settle()
		if inv := w.invoice(auto); inv.Status != invoice.Synced {
			t.Errorf("automatically: %s %+v", inv.Status, inv.Sync)
		}
		settings.AutoSync = false
		must(t, w.service.Approved(context.Background(), w.admin, w.invoice(w.approved("R-3")), settings))
		if len(w.ledger.bills) != 2 {
			t.Errorf("%d bills", len(w.ledger.bills))
		}
	})
}

// TestAutomaticSyncWaitsForTheUndo undoes one approval within the window. Its invoice is not
// synced; that of another one is, after the window.
func TestAutomaticSyncWaitsForTheUndo(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		w.service.UndoWindow = 10 * time.Second
		w.settings(func(s *entity.Settings) { s.AutoSync = true })
		settings, err := w.store.Settings().Get(ctx, w.admin.Scope(), w.entity)
		must(t, err)
		kept, undone, bySystem := w.approved("R-1"), w.approved("R-2"), w.approved("R-3")
		for _, id := range []uuid.UUID{kept, undone} {
			must(t, w.service.Approved(ctx, w.admin, w.invoice(id), settings))
		}
		must(t, w.service.Approved(ctx, identity.System(w.admin.OrganizationID), w.invoice(bySystem), settings))
		w.clock.advance(9 * time.Second)
		if n := w.push(ctx); n != 1 || w.invoice(bySystem).Status != invoice.Synced {
			t.Errorf("%d syncs before the end of the window", n)
		}
		_, err = w.store.Invoices().Update(ctx, w.admin.Scope(), undone, 0, func(inv *invoice.Invoice) error {
			inv.Status, inv.Approval = invoice.NeedsReview, nil
			return nil
		})
		must(t, err)
		must(t, w.service.Withdrawn(ctx, w.admin, w.invoice(undone)))
		w.clock.advance(2 * time.Second)
		w.settle()
		if w.invoice(kept).Status != invoice.Synced || w.invoice(undone).Status != invoice.NeedsReview || len(w.ledger.bills) != 2 {
			t.Errorf("after the window: %s, %s, %d bills", w.invoice(kept).Status, w.invoice(undone).Status, len(w.ledger.bills))
		}
	})
}

func TestEndedConnections(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		id := w.approved("R-1")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		_, err = w.store.Integrations().Update(ctx, w.admin.Scope(), w.ledgers[0], 0, func(i *integration.Integration) error {
			i.Disconnect(integration.EndedHere)
			return nil
		})
		must(t, err)
		w.settle()
		inv := w.invoice(id)
		if inv.Status != invoice.SyncFailed || inv.Sync.Error.Code != string(accounting.CodeNotConnected) {
			t.Errorf("disconnected: %s %+v", inv.Status, inv.Sync)
		}
	})
}

func TestSweepFindsLostJobs(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		_, err := w.request(w.approved("R-1"), usecase.Input{})
		must(t, err)
		if n, err := w.service.Sweep(context.Background()); n != 0 || err != nil {
			t.Errorf("swept %d at once (%v)", n, err)
		}
		w.clock.advance(5 * time.Second)
		if n, err := w.service.Sweep(context.Background()); n != 1 || err != nil {
			t.Errorf("swept %d (%v)", n, err)
		}
		if err := w.service.Run(context.Background(), jobOf(uuid.New(), w.admin.OrganizationID)); err != nil {
			t.Errorf("a job of an invoice that is gone: %v", err)
		}
	})
}

func TestClosedPeriodNamesTheDay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.ledger.closePeriod(calendar.Date{Year: 2026, Month: 11, Day: 5})
		id := w.approved("R-1")
		if e := w.book(id, usecase.Input{}).Sync.Error; e == nil || e.Code != string(accounting.CodePeriodClosed) {
			t.Fatalf("closed: %+v", e)
		}
		inv := w.correct(id, func(inv *invoice.Invoice) { inv.PostingDate = calendar.Date{Year: 2026, Month: 11, Day: 6} })
		if inv.Status != invoice.Synced || w.ledger.bills[0].bill.Date.Day != 6 {
			t.Errorf("posted later: %s %+v", inv.Status, inv.Sync)
		}
	})
}

func TestLedgerRefusals(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		refusals := 0
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "book" && refusals == 0 {
				refusals++
				return happening{before: accounting.Refuse(accounting.CodeRefused, "Not today.")}
			}
			return happening{}
		}
		id := w.approved("R-1")
		if e := w.book(id, usecase.Input{}).Sync.Error; e == nil || e.Code != string(accounting.CodeRefused) {
			t.Fatalf("refused: %+v", e)
		}
		if inv := w.book(id, usecase.Input{}); inv.Status != invoice.Synced {
			t.Errorf("the next time: %s %+v", inv.Status, inv.Sync)
		}
		// So is one that a call before the sync meets.
		w.clock.advance(time.Minute) // what was read a moment ago serves no more
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "rules" {
				return happening{before: fault.New(fault.Invalid, fault.CodeInvalidRequest, "The company's subscription has ended.")}
			}
			return happening{}
		}
		lapsed := w.approved("R-3")
		inv := w.book(lapsed, usecase.Input{})
		if e := inv.Sync.Error; inv.Status != invoice.SyncFailed || e == nil || e.Code != string(accounting.CodeRefused) || !strings.Contains(e.Message, "subscription") {
			t.Errorf("refused before: %s %+v", inv.Status, e)
		}
		// A key that the ledger assigns to another bill is replaced by a new key.
		reused := 0
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "book" && reused == 0 {
				reused++
				return happening{before: errors.Join(accounting.ErrKeyReused)}
			}
			return happening{}
		}
		if inv := w.book(w.approved("R-2"), usecase.Input{}); inv.Status != invoice.Synced || len(w.ledger.bills) != 2 {
			t.Errorf("after a reused key: %s %+v", inv.Status, inv.Sync)
		}
	})
}
