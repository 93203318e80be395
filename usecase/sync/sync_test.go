package sync_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	gosync "sync"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
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
			t.Errorf("synced under %q, %+v, version %d", inv.ContactID, inv.Lines[0], inv.Version)
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

// TestThousandSyncsUnderEveryFault verifies that every sync creates exactly one
// bill, whatever fails: calls, responses or processes.
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
			// There are 100 suppliers, of which the ledger knows one.
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
				return happening{after: unavailable()} // done, and the response is lost
			case 1:
				return happening{before: unavailable()} // 5xx or a cut line, nothing done
			case 2:
				return happening{before: busy()}
			case 3:
				return happening{before: context.DeadlineExceeded}
			case 4:
				return happening{after: context.DeadlineExceeded}
			case 5: // killed during the call, or during its response
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

// wantOneEach verifies that the ledger has exactly one bill per invoice.
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

// TestRestoredStateBooksNothingTwice resets the database to the state before
// 100 syncs, like a restored backup.
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

// correct corrects an invoice as a user and requests its sync again.
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

// TestLinkNeedsNothingElse links a bill of an unrelated contact without an
// account. Nothing is added to the ledger.
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
		for n, refused := range []string{"attachments", "attach"} {
			w.ledger.meets = func(_ context.Context, call string) happening {
				if call == refused {
					return happening{before: integration.AccessRefused(integration.AccountingA, nil)}
				}
				return happening{}
			}
			s := w.book(w.approved(fmt.Sprintf("R-2%d", n)), usecase.Input{}).Sync
			if s.State != invoice.SyncDone || s.Attachment != invoice.Skipped || s.AttachmentReason == "" {
				t.Errorf("%s without the scope: %+v", refused, s)
			}
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
		// An outage after the sync leaves the invoice SYNCED meanwhile.
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
			t.Fatalf("synced, not attached: %s %+v", inv.Status, inv.Sync)
		}
		w.ledger.meets = nil
		w.settle()
		if s := w.invoice(id).Sync; s.Attachment != invoice.Attached || len(w.ledger.byID(s.RemoteID).files) != 1 {
			t.Errorf("attached later: %+v", s)
		}
		if w.ledger.calls["book"] != 6 {
			t.Errorf("%d syncs for 6 invoices", w.ledger.calls["book"])
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
