package sync

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/calendar"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/money"
	usecase "docledger/usecase/sync"

	"github.com/google/uuid"
)

func TestInvoiceBecomesABill(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1")
		queued, err := w.request(id, usecase.Input{})
		must(t, err)
		if queued.Sync == nil || queued.Sync.State != invoice.SyncQueued || queued.Status != invoice.Approved || queued.Version != 1 {
			t.Errorf("queued: %+v", queued.Sync)
		}
		w.settle()
		inv := w.invoice(id)
		s := inv.Sync
		if inv.Status != invoice.Synced || s.State != invoice.SyncDone || s.RemoteID != "b-1" || s.RemoteURL == "" || s.Attempts != 1 ||
			s.Attachment != invoice.Attached || s.Error != nil || !s.Difference.IsZero() || s.SyncedAt.IsZero() || !s.NextAttemptAt.IsZero() {
			t.Errorf("done: %s %+v", inv.Status, s)
		}
		if inv.ContactID != "c-alpha" || inv.Lines[0].AccountID != "a-office" || inv.Lines[0].TaxRateID != "t-19" || inv.Version != 2 {
			t.Errorf("booked under %q, %+v, version %d", inv.ContactID, inv.Lines[0], inv.Version)
		}
		b := w.ledger.bills[0].bill
		if b.Reference != id.String() || b.Link == "" || b.Kind != accounting.PurchaseBill || b.Stage != accounting.StageDraft {
			t.Errorf("the ledger was sent %+v", b)
		}
		if got := w.events(id); !slices.Equal(got, []event.Type{event.InvoiceSyncQueued, event.InvoiceSynced}) {
			t.Errorf("events %v", got)
		}
		// Once more reads it back and changes nothing.
		again, err := w.request(id, usecase.Input{})
		must(t, err)
		if again.Status != invoice.Synced || again.Version != 2 || len(w.ledger.bills) != 1 {
			t.Errorf("synced again: %s, version %d, %d bills", again.Status, again.Version, len(w.ledger.bills))
		}
	})
}

// TestThousandSyncsUnderEveryFault is the promise of exactly once: whatever
// happens to calls, answers and processes.
func TestThousandSyncsUnderEveryFault(t *testing.T) {
	t.Parallel()
	const count = 1000
	onEach(t, func(t *testing.T, w *world) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		var mu gosync.Mutex
		draw := rand.New(rand.NewPCG(seed, 0))
		n := func(of int) int {
			mu.Lock()
			defer mu.Unlock()
			return draw.IntN(of)
		}
		invoices := make([]uuid.UUID, count)
		for i := range invoices {
			// A hundred suppliers, of which the ledger knows one.
			invoices[i] = w.approved(uuid.NewString()[:18], func(inv *invoice.Invoice) {
				if i%10 > 0 {
					inv.Seller = invoice.Party{Name: "Supplier " + string(rune('A'+i%25)) + string(rune('a'+i%4))}
				}
			})
			_, err := w.service.Request(context.Background(), w.admin, invoices[i], 0, usecase.Input{})
			must(t, err)
		}
		w.ledger.meets = func(ctx context.Context, call string) happening {
			switch n(20) {
			case 0:
				return happening{after: unavailable()} // done, and the answer is lost
			case 1:
				return happening{before: unavailable()} // 5xx or a cut line, nothing done
			case 2:
				return happening{before: busy()}
			case 3:
				return happening{before: context.DeadlineExceeded}
			case 4:
				return happening{after: context.DeadlineExceeded}
			case 5: // killed with the call on its way, or with its answer
				kill(ctx)
				if n(2) == 0 {
					return happening{before: errKilled}
				}
				return happening{}
			}
			return happening{}
		}
		for round := range 30 {
			w.push(context.Background())
			w.clock.advance(time.Duration(n(120)) * time.Second)
			if round%7 == 6 {
				w.ledger.forgetKeys() // ledgers remember keys for minutes
			}
		}
		w.ledger.meets = nil
		w.settle()
		for _, id := range invoices {
			if inv := w.invoice(id); inv.Status != invoice.Synced || inv.Sync.State != invoice.SyncDone || inv.Sync.Attachment != invoice.Attached {
				t.Fatalf("invoice %s is %s: %+v", id, inv.Status, inv.Sync)
			}
		}
		w.wantOneEach(invoices)
		names := map[string]int{}
		for _, c := range w.ledger.contacts {
			if names[c.Name]++; names[c.Name] > 1 {
				t.Errorf("contact %q was added %d times", c.Name, names[c.Name])
			}
		}
		if w.ledger.calls["book"] < count+count/20 {
			t.Errorf("%d calls to book; the faults did not meet it", w.ledger.calls["book"])
		}
	})
}

// wantOneEach holds the ledger to one bill an invoice, and no other.
func (w *world) wantOneEach(invoices []uuid.UUID) {
	w.t.Helper()
	count := w.ledger.references()
	for _, id := range invoices {
		if count[id.String()] != 1 {
			w.t.Errorf("invoice %s has %d bills", id, count[id.String()])
		}
	}
	if len(w.ledger.bills) != len(invoices) {
		w.t.Errorf("the ledger holds %d bills for %d invoices", len(w.ledger.bills), len(invoices))
	}
}

// TestRestoredStateBooksNothingTwice takes the database back to before a
// hundred bookings, as a restored backup does.
func TestRestoredStateBooksNothingTwice(t *testing.T) {
	t.Parallel()
	const count = 100
	onEach(t, func(t *testing.T, w *world) {
		var invoices []uuid.UUID
		for range count {
			invoices = append(invoices, w.approved(uuid.NewString()[:18]))
		}
		tables := []string{"invoices", "invoice_lines", "invoice_syncs", "supplier_codings"}
		for _, table := range tables {
			must(t, w.db.Gorm.Exec("CREATE TABLE saved_"+table+" AS SELECT * FROM "+table).Error)
		}
		all := func() {
			for _, id := range invoices {
				_, err := w.request(id, usecase.Input{})
				must(t, err)
			}
			w.settle()
			for _, id := range invoices {
				if inv := w.invoice(id); inv.Status != invoice.Synced || inv.Sync.RemoteID == "" {
					t.Fatalf("%s: %+v", inv.Status, inv.Sync)
				}
			}
			w.wantOneEach(invoices)
		}
		all()
		for _, table := range slices.Backward(tables) {
			must(t, w.db.Gorm.Exec("DELETE FROM "+table).Error)
		}
		for _, table := range tables {
			must(t, w.db.Gorm.Exec("INSERT INTO "+table+" SELECT * FROM saved_"+table).Error)
		}
		w.ledger.forgetKeys()
		if inv := w.invoice(invoices[0]); inv.Status != invoice.Approved || inv.Sync != nil {
			t.Fatalf("the state was not restored: %s %+v", inv.Status, inv.Sync)
		}
		all()
		for _, h := range w.ledger.bills {
			if len(h.files) != 1 {
				t.Errorf("bill %s has %d originals", h.ID, len(h.files))
			}
		}
	})
}

func TestWhatAPersonMustDo(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.ledger.contacts = append(w.ledger.contacts,
			accounting.Contact{ID: "c-1", Name: "Twin", State: accounting.InUse}, accounting.Contact{ID: "c-2", Name: "twin", State: accounting.InUse})
		for name, tt := range map[string]struct {
			change     func(*invoice.Invoice)
			code       accounting.Code
			candidates int
		}{
			"two contacts": {func(inv *invoice.Invoice) { inv.Seller = invoice.Party{Name: "Twin"} }, accounting.CodeContactAmbiguous, 2},
			"two rates":    {fivePercent, accounting.CodeTaxRateAmbiguous, 2},
			"currency":     {func(inv *invoice.Invoice) { inv.Currency = "CHF" }, accounting.CodeCurrency, 0},
			"totals":       {func(inv *invoice.Invoice) { gross := money.MustParse("150"); inv.GrossTotal = &gross }, accounting.CodeTotalsDiffer, 0},
			"no number":    {func(inv *invoice.Invoice) { inv.Number = "" }, accounting.CodeIncomplete, 0},
			"bad account": {func(inv *invoice.Invoice) {
				inv.Lines[0].AccountID, inv.Lines[0].AccountSource = "gone", invoice.CodedByHuman
			}, accounting.CodeAccountUnusable, 0},
		} {
			id := w.approved(name, tt.change)
			inv := w.book(id, usecase.Input{})
			e := inv.Sync.Error
			if inv.Status != invoice.SyncFailed || inv.Sync.State != invoice.SyncEnded || e == nil || e.Code != string(tt.code) ||
				e.Action != tt.code.Action() || len(e.Candidates) != tt.candidates {
				t.Errorf("%s: %s %+v %+v", name, inv.Status, inv.Sync, e)
			}
			if got := w.events(id); !slices.Equal(got, []event.Type{event.InvoiceSyncQueued, event.InvoiceSyncFailed}) {
				t.Errorf("%s: events %v", name, got)
			}
		}
		if len(w.ledger.bills) != 0 || w.ledger.calls["create contact"] != 0 {
			t.Errorf("%d bills, %d contacts added", len(w.ledger.bills), w.ledger.calls["create contact"])
		}
	})
}

func fivePercent(inv *invoice.Invoice) {
	rate, tax, gross := money.MustParse("5"), money.MustParse("5.00"), money.MustParse("105.00")
	inv.Lines[0].TaxRate, inv.TaxTotal, inv.GrossTotal = &rate, &tax, &gross
}

// correct changes an invoice as a person does, and asks for its booking again.
func (w *world) correct(id uuid.UUID, change func(*invoice.Invoice)) *invoice.Invoice {
	w.t.Helper()
	_, err := w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error {
		change(inv)
		return nil
	})
	must(w.t, err)
	return w.book(id, usecase.Input{})
}

func TestChoicesAreKeptForTheSupplier(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.ledger.contacts = append(w.ledger.contacts,
			accounting.Contact{ID: "c-1", Name: "Twin", State: accounting.InUse}, accounting.Contact{ID: "c-2", Name: "twin", State: accounting.InUse})
		twin := func(inv *invoice.Invoice) {
			inv.Seller = invoice.Party{Name: "Twin"}
			fivePercent(inv)
		}
		first := w.approved("R-1", twin)
		w.book(first, usecase.Input{})
		inv := w.correct(first, func(inv *invoice.Invoice) {
			inv.ContactID = "c-2"
			l := &inv.Lines[0]
			l.AccountID, l.AccountSource, l.TaxRateID, l.TaxSource = "a-travel", invoice.CodedByHuman, "t-5b", invoice.CodedByHuman
		})
		if inv.Status != invoice.Synced {
			t.Fatalf("with what a person chose: %s %+v", inv.Status, inv.Sync.Error)
		}
		second := w.book(w.approved("R-2", twin), usecase.Input{})
		l := second.Lines[0]
		if second.Status != invoice.Synced || second.ContactID != "c-2" || l.AccountID != "a-travel" || l.AccountSource != invoice.CodedBySupplier ||
			l.TaxRateID != "t-5b" || l.TaxSource != invoice.CodedBySupplier {
			t.Errorf("the next invoice: %s, contact %s, %+v", second.Status, second.ContactID, l)
		}
	})
}

func TestBillsOfOthersStopTheBooking(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		typed := w.ledger.typeBill("c-alpha", "R-1", "119.00")
		w.ledger.typeBill("c-alpha", "R-9", "119.00")
		w.ledger.typeBill("c-alpha", "R-2", "7.00")
		id := w.approved("R-1")
		inv := w.book(id, usecase.Input{})
		if e := inv.Sync.Error; inv.Status != invoice.SyncFailed || e.Code != string(accounting.CodeAlreadyInLedger) || e.Candidates[0].ID != typed {
			t.Fatalf("a bill typed by hand: %s %+v", inv.Status, inv.Sync.Error)
		}
		if inv := w.book(id, usecase.Input{Link: "b-99"}); inv.Sync.Error == nil || inv.Sync.Error.Code != string(accounting.CodeRefused) {
			t.Errorf("linked to nothing: %+v", inv.Sync)
		}
		inv = w.book(id, usecase.Input{Link: typed})
		if inv.Status != invoice.Synced || inv.Sync.RemoteID != typed || len(w.ledger.bills) != 3 {
			t.Errorf("linked: %s %+v", inv.Status, inv.Sync)
		}
		if other := w.book(w.approved("R-2"), usecase.Input{}); other.Status != invoice.Synced {
			t.Errorf("another total of the number: %s %+v", other.Status, other.Sync.Error)
		}
		forced := w.approved("R-9")
		w.book(forced, usecase.Input{})
		if inv := w.book(forced, usecase.Input{Force: true}); inv.Status != invoice.Synced || len(w.ledger.bills) != 5 {
			t.Errorf("forced: %s %+v, %d bills", inv.Status, inv.Sync.Error, len(w.ledger.bills))
		}
		if _, err := w.request(w.approved("R-3"), usecase.Input{Force: true, Link: "x"}); fault.CodeOf(err) != fault.CodeInvalidRequest {
			t.Errorf("link and force: %v", err)
		}
	})
}

// TestLinkNeedsNothingElse links a bill of a contact that nothing leads to, with
// no account chosen: nothing is added to the ledger for it.
func TestLinkNeedsNothingElse(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.settings(func(s *entity.Settings) { s.DefaultAccountID = "" })
		typed, contacts := w.ledger.typeBill("c-alpha", "R-1", "119.00"), len(w.ledger.contacts)
		inv := w.book(w.approved("R-1", supplierUnknown), usecase.Input{Link: typed})
		if inv.Status != invoice.Synced || inv.Sync.RemoteID != typed || inv.ContactID != "c-alpha" || inv.Sync.Difference.String() != "0.00" {
			t.Errorf("linked: %s %+v %+v", inv.Status, inv.Sync, inv.Sync.Error)
		}
		if len(w.ledger.contacts) != contacts || len(w.ledger.bills) != 1 {
			t.Errorf("%d contacts and %d bills", len(w.ledger.contacts), len(w.ledger.bills))
		}
		again := w.book(w.approved("R-1a", supplierUnknown), usecase.Input{Link: typed})
		if e := again.Sync.Error; again.Status != invoice.SyncFailed || e == nil || !strings.Contains(e.Message, inv.ID.String()) {
			t.Errorf("linked to another invoice's bill: %s %+v", again.Status, e)
		}
		w.settings(func(s *entity.Settings) { s.DefaultAccountID = "a-travel" })
		next := w.book(w.approved("R-2", supplierUnknown), usecase.Input{})
		if next.Status != invoice.Synced || next.ContactID != "c-alpha" || next.Lines[0].AccountID != "a-travel" {
			t.Errorf("the supplier's next one: %s %+v", next.Status, next.Sync)
		}
	})
}

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
			t.Fatalf("booked by itself")
		}
		if inv := w.book(id, usecase.Input{}); inv.Status != invoice.Synced || inv.Sync.RemoteID != "b-2" {
			t.Errorf("booked anew: %s %+v", inv.Status, inv.Sync)
		}
	})
}

// TestReadBackThroughANewConnection reads a bill whose integration has ended
// through the one that reaches the same ledger now, and through no other.
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
			t.Errorf("afterwards: %s, %d bills", inv.Status, len(w.ledger.bills))
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
			t.Errorf("booked nevertheless: %+v", inv.Sync)
		}
	})
}

// TestTakenBackAfterTheBillWasRemoved books anew after all of it: the ledger
// must not answer with the bill that was deleted there, which it does where a
// key comes again.
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
		must(t, w.service.Push(context.Background(), jobOf(id, w.admin.OrganizationID))) // of the booking that was taken back
		if inv := w.invoice(id); inv.Sync != nil {
			t.Errorf("taken back, and shown nevertheless: %+v", inv.Sync)
		}
		w.broken = nil
		_, err = w.store.Invoices().Update(context.Background(), w.admin.Scope(), id, 0, func(inv *invoice.Invoice) error {
			return inv.Approve(w.admin.UserID, w.clock.Now(), inv.Version)
		})
		must(t, err)
		inv = w.book(id, usecase.Input{})
		if inv.Status != invoice.Synced || inv.Sync.RemoteID != "b-2" {
			t.Errorf("booked anew: %s %+v", inv.Status, inv.Sync)
		}
	})
}

// TestCorrectedAfterItWasGivenUp corrects an invoice whose bill was sent for
// days without an answer: what is booked then is the corrected one, or the first
// one where that has arrived.
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

func TestOriginals(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.ledger.limits.MediaTypes = []string{"image/png"}
		if s := w.book(w.approved("R-1"), usecase.Input{}).Sync; s.State != invoice.SyncDone || s.Attachment != invoice.Skipped || s.AttachmentReason == "" {
			t.Errorf("a type that is not taken: %+v", s)
		}
		w.ledger.limits = accounting.AttachmentLimits{MaxBytes: 3, MediaTypes: []string{"application/pdf"}}
		if s := w.book(w.approved("R-2"), usecase.Input{}).Sync; s.State != invoice.SyncDone || s.Attachment != invoice.Skipped {
			t.Errorf("too big: %+v", s)
		}
		w.ledger.limits.MaxBytes = 1000
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "attach" {
				return happening{before: accounting.Refuse(accounting.CodeAttachmentRefused, "Virus.")}
			}
			return happening{}
		}
		if s := w.book(w.approved("R-3"), usecase.Input{}).Sync; s.State != invoice.SyncDone || s.Attachment != invoice.Skipped || s.AttachmentReason == "" {
			t.Errorf("refused: %+v", s)
		}
		// An outage after the booking leaves the invoice SYNCED meanwhile.
		w.ledger.meets = func(_ context.Context, call string) happening {
			if call == "attach" {
				return happening{before: unavailable()}
			}
			return happening{}
		}
		id := w.approved("R-4")
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		w.push(context.Background())
		inv := w.invoice(id)
		if inv.Status != invoice.Synced || inv.Sync.State != invoice.SyncQueued || inv.Sync.RemoteID == "" {
			t.Fatalf("booked, not attached: %s %+v", inv.Status, inv.Sync)
		}
		w.ledger.meets = nil
		w.settle()
		if s := w.invoice(id).Sync; s.Attachment != invoice.Attached || len(w.ledger.byID(s.RemoteID).files) != 1 {
			t.Errorf("attached later: %+v", s)
		}
		if w.ledger.calls["book"] != 4 {
			t.Errorf("%d bookings for 4 invoices", w.ledger.calls["book"])
		}
	})
}

func TestCreditNoteIsLinked(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		bill := w.book(w.approved("R-1"), usecase.Input{})
		w.book(w.approved("C-1", func(inv *invoice.Invoice) {
			inv.Type = invoice.TypeCreditNote
			inv.PrecedingInvoices = []invoice.Reference{{Number: "R-1"}, {Number: "R-0"}}
		}), usecase.Input{})
		b := w.ledger.bills[1].bill
		want := []accounting.Corrected{{ID: bill.Sync.RemoteID, Number: "R-1"}, {Number: "R-0"}}
		if b.Kind != accounting.SupplierCredit || !slices.Equal(b.Corrects, want) {
			t.Errorf("the credit note: %s %+v", b.Kind, b.Corrects)
		}
	})
}

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
			if f, _ := fault.As(err); f.Details["status"] != string(s) || f.Details["allowed"] == nil {
				t.Errorf("%s: details %v", s, f.Details)
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
		// What is approved is booked by itself.
		auto := w.approved("R-2")
		settings, err := w.store.Settings().Get(context.Background(), w.admin.Scope(), w.entity)
		must(t, err)
		must(t, w.service.Approved(context.Background(), w.admin, w.invoice(auto), settings))
		w.settle()
		if inv := w.invoice(auto); inv.Status != invoice.Synced {
			t.Errorf("by itself: %s %+v", inv.Status, inv.Sync)
		}
		settings.AutoSync = false
		must(t, w.service.Approved(context.Background(), w.admin, w.invoice(w.approved("R-3")), settings))
		if len(w.ledger.bills) != 2 {
			t.Errorf("%d bills", len(w.ledger.bills))
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
		if err := w.service.Push(context.Background(), jobOf(uuid.New(), w.admin.OrganizationID)); err != nil {
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
		// So is one that a call before the booking meets.
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
		// A key that the ledger takes for another bill's heals by a new one.
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
