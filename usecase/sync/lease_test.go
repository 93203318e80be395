package sync_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	usecase "docledger/usecase/sync"
)

// supplierUnknown sets a supplier that the ledger does not know.
func supplierUnknown(inv *invoice.Invoice) { inv.Seller = invoice.Party{Name: "Nova"} }

// TestSupplierOfAKilledProcessIsAddedSoon kills a process while it creates a
// contact. Other syncs report that they wait for the contact and continue
// within seconds.
func TestSupplierOfAKilledProcessIsAddedSoon(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		id := w.approved("R-1", supplierUnknown)
		_, err := w.request(id, usecase.Input{})
		must(t, err)
		supplier := ledgersync.Supplier(invoice.Party{Name: "Nova"}, invoice.Payment{})
		_, held, err := w.store.Leases().Acquire(context.Background(), ledgersync.ContactLease(w.ledgers[0], supplier), "a process that is gone", w.clock.Now(), 6*time.Second)
		must(t, err)
		if !held {
			t.Fatal("the lease is not to be had")
		}
		began := w.clock.Now()
		for w.invoice(id).Status != invoice.Synced {
			w.push(context.Background())
			s := w.invoice(id).Sync
			if s.Error != nil && s.Error.Code != string(accounting.CodeContactUnderWay) {
				t.Fatalf("waits for %+v", s.Error)
			}
			if w.clock.Now().Sub(began) > 8*time.Second {
				t.Fatalf("waits still: %+v", s)
			}
			w.clock.advance(time.Second)
		}
		if took := w.clock.Now().Sub(began); took < 6*time.Second {
			t.Errorf("a held lease was taken after %s", took)
		}
		if n := w.ledger.calls["create contact"]; n != 1 {
			t.Errorf("the supplier was added %d times", n)
		}
	})
}

// TestNoSetbacks delays a sync repeatedly by the rate limiter and by a failed
// database. The sync continues shortly after the delay ends.
func TestNoSetbacks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		why   error
		pause time.Duration
		want  accounting.Code
	}{
		"HeldBack": {integration.Unavailable(integration.AccountingA, 15*time.Second, integration.ErrCircuitOpen), 15 * time.Second, accounting.CodeUnavailable},
		"Database": {fault.New(fault.Unavailable, fault.CodeUnavailable, "away"), 5 * time.Second, accounting.CodeInternal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, w *world) {
				id := w.approved("R-1")
				_, err := w.request(id, usecase.Input{})
				must(t, err)
				w.ledger.meets = func(context.Context, string) happening {
					return happening{before: fmt.Errorf("%w: %w", accounting.ErrNotSent, c.why)}
				}
				for range 20 {
					w.push(context.Background())
					w.clock.advance(c.pause)
				}
				if s := w.invoice(id).Sync; s.Attempts != 20 || s.Error == nil || s.Error.Code != string(c.want) {
					t.Errorf("meanwhile: %+v", s)
				}
				w.ledger.meets = nil
				w.push(context.Background())
				if inv := w.invoice(id); inv.Status != invoice.Synced {
					t.Errorf("later: %+v", inv.Sync)
				}
			})
		})
	}
}
