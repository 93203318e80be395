package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/idempotency"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/page"
)

// atOnce runs fn n times concurrently.
func atOnce(n int, fn func(i int)) {
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			fn(i)
		})
	}
	close(start)
	wg.Wait()
}

func testConcurrentChanges(t *testing.T, b *bench) {
	each(t, b, map[string]func(*testing.T, *bench){
		"one winner of a version":         testOneWinner,
		"no lost change":                  testNoLostChange,
		"the same bytes once":             testSameBytesOnce,
		"one owner of an idempotency key": testOneOwner,
		"every attempt counts":            testEveryAttempt,
		"a limit holds exactly":           testLimit,
		"readers see one moment":          testOneMoment,
	})
}

func testOneWinner(t *testing.T, b *bench) {
	s := b.organization(t)
	inv := b.invoice(t, b.document(t, b.entity(t, s)))
	var won, lost atomic.Int32
	atOnce(20, func(int) {
		_, err := b.Invoices().Update(b.ctx, s, inv.ID, inv.Version, func(inv *invoice.Invoice) error {
			inv.Status = invoice.Approved
			return nil
		})
		switch {
		case err == nil:
			won.Add(1)
		case fault.CodeOf(err) == fault.CodeVersionConflict:
			lost.Add(1)
		default:
			t.Error(err)
		}
	})
	if won.Load() != 1 || lost.Load() != 19 {
		t.Errorf("%d won, %d lost", won.Load(), lost.Load())
	}
}

// testOneMoment reads an invoice while it and its sync change together.
func testOneMoment(t *testing.T, b *bench) {
	s := b.organization(t)
	inv := b.invoice(t, b.document(t, b.entity(t, s)))
	states := map[invoice.Status]invoice.SyncState{invoice.Approved: invoice.SyncQueued, invoice.SyncFailed: invoice.SyncEnded}
	become := func(status invoice.Status) {
		_, _, err := b.Bookings().Change(b.ctx, s, inv.ID, func(inv *invoice.Invoice, _ *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
			inv.Status = status
			return &ledgersync.Sync{SyncView: invoice.SyncView{State: states[status]}}, true, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	become(invoice.Approved)
	var wg sync.WaitGroup
	done := make(chan struct{})
	wg.Go(func() {
		defer close(done)
		for range 50 {
			become(invoice.SyncFailed)
			become(invoice.Approved)
		}
	})
	defer wg.Wait()
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		one, err := b.Invoices().Get(b.ctx, s, inv.ID)
		must(t, err)
		list, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{}, page.Request{})
		must(t, err)
		listed := list.Items[0]
		if states[one.Status] != one.Sync.State || states[listed.Status] != listed.SyncState {
			t.Fatalf("read as %s with a booking %s, and listed as %s with %s", one.Status, one.Sync.State, listed.Status, listed.SyncState)
		}
	}
}

func testNoLostChange(t *testing.T, b *bench) {
	s := b.organization(t)
	d := b.document(t, b.entity(t, s))
	atOnce(20, func(int) {
		_, err := b.Documents().Update(b.ctx, s, d.ID, func(d *document.Document) error {
			d.Attempts++
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	got, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	if got.Attempts != 20 || got.Version != d.Version+20 {
		t.Errorf("attempts %d, version %d", got.Attempts, got.Version)
	}
}

func testSameBytesOnce(t *testing.T, b *bench) {
	e := b.entity(t, b.organization(t))
	var added atomic.Int32
	first := newDocument(e, b.at)
	atOnce(20, func(int) {
		d := newDocument(e, b.at)
		d.SHA256 = first.SHA256
		existing, err := b.Documents().Add(b.ctx, d)
		if err != nil {
			t.Error(err)
		}
		if existing == nil {
			added.Add(1)
		}
	})
	if added.Load() != 1 {
		t.Errorf("added %d times", added.Load())
	}
}

func testOneOwner(t *testing.T, b *bench) {
	s := b.organization(t)
	var owners atomic.Int32
	k := idempotency.Key{OrganizationID: s.OrganizationID, Key: "k"}
	atOnce(20, func(int) {
		claim, err := b.Idempotency().Begin(b.ctx, k, "f", b.at)
		if err != nil {
			t.Error(err)
		}
		if claim.State == idempotency.Started {
			owners.Add(1)
		}
	})
	if owners.Load() != 1 {
		t.Errorf("%d owners", owners.Load())
	}
}

func testEveryAttempt(t *testing.T, b *bench) {
	atOnce(20, func(int) {
		if _, _, err := b.Attempts().Count(b.ctx, "k", time.Hour, b.at); err != nil {
			t.Error(err)
		}
	})
	n, _, err := b.Attempts().Count(b.ctx, "k", time.Hour, b.at)
	must(t, err)
	if n != 21 {
		t.Errorf("counted %d", n)
	}
}

// testLimit reserves a hundred units of thirty, each within a transaction; some transactions roll
// back.
func testLimit(t *testing.T, b *bench) {
	organization := b.organization(t).OrganizationID
	limit := 30
	var taken, refused atomic.Int32
	atOnce(100, func(i int) {
		err := b.InTx(b.ctx, func(ctx context.Context) error {
			ok, err := b.Usage().Take(ctx, billing.Use{Organization: organization, Counter: billing.Entities}, &limit)
			switch {
			case err != nil:
				return err
			case !ok:
				refused.Add(1)
				return nil
			case i%10 == 0:
				return errStop
			}
			taken.Add(1)
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			t.Error(err)
		}
	})
	used, err := b.Usage().Used(b.ctx, organization, billing.Entities, "")
	must(t, err)
	if taken.Load() != 30 || used != 30 || refused.Load() < 60 {
		t.Errorf("taken %d, used %d, refused %d", taken.Load(), used, refused.Load())
	}
}

// testTimeZones checks that the time zone of a given time has no effect.
func testTimeZones(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	zones := []*time.Location{time.UTC, time.FixedZone("east", 9*3600), time.FixedZone("west", -11*3600)}
	moment := time.Date(2026, 3, 1, 12, 0, 0, 1500, time.UTC) // half a microsecond too precise
	for i, zone := range zones {
		inv := b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
			inv.CreatedAt = moment.Add(time.Duration(i) * time.Second).In(zone)
		})
		got, err := b.Invoices().Get(b.ctx, s, inv.ID)
		must(t, err)
		want := moment.Add(time.Duration(i) * time.Second).Truncate(time.Microsecond)
		if got.CreatedAt != want || inv.CreatedAt != want {
			t.Errorf("created at %s, want %s", got.CreatedAt, want)
		}
	}
	for _, zone := range zones {
		f := invoice.Filter{CreatedFrom: moment.Add(time.Second).In(zone), CreatedTo: moment.Add(2 * time.Second).In(zone)}
		list, err := b.Invoices().List(b.ctx, s, f, invoice.Sort{}, page.Request{})
		must(t, err)
		if len(list.Items) != 1 {
			t.Errorf("in %s: %d invoices", zone, len(list.Items))
		}
	}
	// At the end of the calendar it is the year 10000 in UTC.
	for _, zone := range zones {
		end := time.Date(9999, 12, 31, 23, 30, 0, 0, zone)
		list, err := b.Invoices().List(b.ctx, s, invoice.Filter{CreatedTo: end}, invoice.Sort{}, page.Request{})
		must(t, err)
		documents, err := b.Documents().List(b.ctx, s, document.Filter{CreatedTo: end}, document.Sort{}, page.Request{})
		must(t, err)
		if len(list.Items) != len(zones) || len(documents.Items) != len(zones) {
			t.Errorf("to %s: %d invoices and %d documents", end, len(list.Items), len(documents.Items))
		}
		list, err = b.Invoices().List(b.ctx, s, invoice.Filter{UpdatedSince: end}, invoice.Sort{}, page.Request{})
		must(t, err)
		if len(list.Items) != 0 {
			t.Errorf("since %s: %d invoices", end, len(list.Items))
		}
	}
}
