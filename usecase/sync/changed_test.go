package sync_test

import (
	"context"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/money"
	usecase "docledger/usecase/sync"
)

func TestRemovedBillIsBookedOnlyWhenAskedFor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		w.book(id, usecase.Input{})
		w.ledger.remove("b-1")
		inv, err := w.request(id, usecase.Input{})
		must(t, err)
		if inv.Status != invoice.Approved || inv.Sync.State != invoice.SyncEnded || inv.Sync.Error.Code != string(accounting.CodeRemovedInLedger) || inv.Sync.RemoteID != "" {
			t.Fatalf("read back: %s %+v", inv.Status, inv.Sync)
		}
		w.settle()
		if len(w.ledger.bills) != 1 {
			t.Fatalf("synced automatically")
		}
		if inv := w.book(id, usecase.Input{}); inv.Status != invoice.Synced || inv.Sync.RemoteID != "b-2" {
			t.Errorf("synced again: %s %+v", inv.Status, inv.Sync)
		}
	})
}

// TestReadBackThroughANewConnection reads a bill of a disconnected integration
// through the integration that now reaches the same ledger, and through no
// other.
func TestReadBackThroughANewConnection(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		w.book(id, usecase.Input{})
		w.disconnect(w.ledgers[0])
		_, err := w.request(id, usecase.Input{})
		if fault.CodeOf(err) != fault.CodeConflict {
			t.Fatalf("without a connection: %v", err)
		}
		other := w.connect("another")
		if _, err = w.request(id, usecase.Input{}); fault.CodeOf(err) != fault.CodeConflict {
			t.Fatalf("through another ledger: %v", err)
		}
		w.disconnect(other)
		w.connect("tenant")
		inv, err := w.request(id, usecase.Input{})
		must(t, err)
		if inv.Status != invoice.Synced {
			t.Errorf("the bill is there, and the invoice is %s", inv.Status)
		}
		w.ledger.remove("b-1")
		inv, err = w.request(id, usecase.Input{})
		must(t, err)
		if inv.Status != invoice.Approved || inv.Sync.Error.Code != string(accounting.CodeRemovedInLedger) {
			t.Errorf("the bill is gone, and the invoice is %s with %+v", inv.Status, inv.Sync)
		}
	})
}

func TestOutagesShowAndPass(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for code, broken := range map[accounting.Code]error{
			accounting.CodeUnavailable:     unavailable(),
			accounting.CodeBusy:            integration.RateLimited(integration.AccountingA, 10*time.Minute, nil),
			accounting.CodeReconnectNeeded: integration.NeedsReconnect(integration.AccountingA, nil),
		} {
			w.broken = broken
			id := w.approved("R-" + string(code))
			_, err := w.request(id, usecase.Input{})
			must(t, err)
			for attempt := 1; attempt <= 3; attempt++ {
				w.push(context.Background())
				s := w.invoice(id).Sync
				if s.State != invoice.SyncQueued || s.Attempts != attempt || s.Error.Code != string(code) || s.Error.Action == "" || !s.NextAttemptAt.After(w.clock.Now()) {
					t.Fatalf("%s, attempt %d: %+v %+v", code, attempt, s, s.Error)
				}
				if code == accounting.CodeBusy && s.NextAttemptAt.Sub(w.clock.Now()) < 10*time.Minute {
					t.Errorf("the ledger asked for ten minutes, the next attempt is in %s", s.NextAttemptAt.Sub(w.clock.Now()))
				}
				w.clock.advance(s.NextAttemptAt.Sub(w.clock.Now()))
			}
			w.broken = nil
			w.settle()
			if inv := w.invoice(id); inv.Status != invoice.Synced {
				t.Errorf("%s has passed: %s %+v", code, inv.Status, inv.Sync)
			}
		}
		w.broken = unavailable()
		id := w.approved("R-never")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		w.settle()
		if inv := w.invoice(id); inv.Status != invoice.SyncFailed || inv.Sync.Error.Code != string(accounting.CodeUnavailable) {
			t.Errorf("days later: %s %+v", inv.Status, inv.Sync)
		}
	})
}

func TestNothingChangesWhileABillIsUnderWay(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "book" {
				return happening{before: unavailable()}
			}
			return happening{}
		}
		w.push(context.Background())
		inv := w.invoice(id)
		if inv.Sync.State != invoice.SyncChecking || inv.Sync.Error.Code != string(accounting.CodeUncertain) {
			t.Fatalf("uncertain: %+v", inv.Sync)
		}
		_, err = w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error { return inv.Reopen() })
		wantFault(t, err, fault.CodeConflict)
		_, err = w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error {
			return inv.Reject(w.admin.UserID, w.clock.Now(), "no")
		})
		wantFault(t, err, fault.CodeConflict)
		w.ledger.meets = nil
		w.settle()
		if inv := w.invoice(id); inv.Status != invoice.Synced || len(w.ledger.bills) != 1 {
			t.Errorf("later: %s, %d bills", inv.Status, len(w.ledger.bills))
		}
	})
}

func TestTakenBackBeforeItsTurn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		inv, err := w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error { return inv.Reopen() })
		must(t, err)
		must(t, w.service.Withdrawn(context.Background(), w.admin, inv))
		w.settle()
		if inv := w.invoice(id); inv.Sync != nil || len(w.ledger.bills) != 0 {
			t.Errorf("synced with force: %+v", inv.Sync)
		}
	})
}

// TestTakenBackAfterTheBillWasRemoved syncs again after a removed bill and a
// withdrawn approval. The ledger must not return the deleted bill, which it
// does if a key is reused.
func TestTakenBackAfterTheBillWasRemoved(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		w.book(id, usecase.Input{})
		w.ledger.remove("b-1")
		_, err := w.request(id, usecase.Input{}) // reads back
		must(t, err)
		w.broken = unavailable()
		_, err = w.request(id, usecase.Input{})
		must(t, err)
		w.push(context.Background())
		inv, err := w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error { return inv.Reopen() })
		must(t, err)
		must(t, w.service.Withdrawn(context.Background(), w.admin, inv))
		must(t, w.service.Run(context.Background(), jobOf(id, w.admin.OrganizationID))) // of the sync that was taken back
		if inv := w.invoice(id); inv.Sync != nil {
			t.Errorf("taken back, and shown anyway: %+v", inv.Sync)
		}
		w.broken = nil
		_, err = w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error {
			return inv.Approve(w.admin.UserID, w.clock.Now(), inv.Version, nil)
		})
		must(t, err)
		inv = w.book(id, usecase.Input{})
		if inv.Status != invoice.Synced || inv.Sync.RemoteID != "b-2" {
			t.Errorf("synced again: %s %+v", inv.Status, inv.Sync)
		}
	})
}

// TestCorrectedAfterItWasGivenUp corrects an invoice whose bill was sent for
// days without a response. The result is the corrected bill, or the first one
// if it was created.
func TestCorrectedAfterItWasGivenUp(t *testing.T) {
	t.Parallel()
	for name, arrives := range map[string]bool{"never arrived": false, "arrived at last": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, w *world) {
				id := w.approved("R-1")
				w.ledger.meets = func(_ context.Context, call string) happening {
					switch {
					case call == "book" && arrives:
						return happening{after: unavailable()}
					case call == "book", call == "find" && w.ledger.calls["book"] > 0:
						return happening{before: unavailable()}
					}
					return happening{}
				}
				if inv := w.book(id, usecase.Input{}); inv.Status != invoice.SyncFailed || inv.Sync.Error.Code != string(accounting.CodeUncertain) {
					t.Fatalf("given up: %s %+v", inv.Status, inv.Sync)
				}
				w.ledger.meets = nil
				inv := w.correct(id, func(inv *invoice.Invoice) {
					amount := func(s string) *money.Decimal { v := money.MustParse(s); return &v }
					inv.Lines[0].NetAmount, inv.NetTotal, inv.TaxTotal, inv.GrossTotal = amount("200.00"), amount("200.00"), amount("38.00"), amount("238.00")
				})
				want := "238.00"
				if arrives {
					want = "119.00"
				}
				if inv.Status != invoice.Synced || len(w.ledger.bills) != 1 || inv.Sync.LedgerTotal.String() != want {
					t.Errorf("%s, %d bills, %+v", inv.Status, len(w.ledger.bills), inv.Sync)
				}
			})
		})
	}
}
