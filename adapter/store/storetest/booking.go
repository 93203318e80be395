package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// put stores a sync of an invoice.
func (b *bench) put(t *testing.T, s identity.Scope, id uuid.UUID, stored ledgersync.Sync) {
	t.Helper()
	_, _, err := b.Bookings().Change(b.ctx, s, id, func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		return &stored, false, nil
	})
	must(t, err)
}

func testBookings(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	d := b.document(t, b.entity(t, s))
	inv := b.invoice(t, d)
	_, err := b.Bookings().Get(b.ctx, s, inv.ID)
	wantCode(t, err, fault.CodeNotFound)

	full := filled[ledgersync.Sync]()
	full.InvoiceID, full.OrganizationID, full.EntityID = inv.ID, inv.OrganizationID, inv.EntityID
	got, after, err := b.Bookings().Change(b.ctx, s, inv.ID, func(inv *invoice.Invoice, before *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if before != nil || inv.Sync != nil {
			t.Errorf("a booking before there was one: %+v", before)
		}
		stored := full
		return &stored, false, nil
	})
	must(t, err)
	if got.Version != 1 || got.Sync == nil || got.Sync.RemoteID != full.RemoteID {
		t.Errorf("the invoice came back at version %d with %+v", got.Version, got.Sync)
	}
	read, err := b.Bookings().Get(b.ctx, s, inv.ID)
	must(t, err)
	full.UpdatedAt = after.UpdatedAt
	same(t, "what was stored", *read, full)
	shown, err := b.Invoices().Get(b.ctx, s, inv.ID)
	must(t, err)
	same(t, "what the invoice shows", *shown.Sync, full.SyncView)
	list, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{}, page.Request{})
	must(t, err)
	if list.Items[0].SyncState != full.State {
		t.Errorf("the list shows %q", list.Items[0].SyncState)
	}
	updated, err := b.Invoices().Update(b.ctx, s, inv.ID, 0, func(inv *invoice.Invoice) error {
		if inv.Sync == nil || inv.Sync.RemoteID != full.RemoteID {
			t.Errorf("a change sees the booking %+v", inv.Sync)
		}
		inv.Note = "changed"
		return nil
	})
	must(t, err)
	same(t, "what a change returns", *updated.Sync, full.SyncView)

	for name, tt := range map[string]struct {
		organization, integration uuid.UUID
		remote                    string
		want                      uuid.UUID
	}{
		"its own":             {s.OrganizationID, full.IntegrationID, full.RemoteID, inv.ID},
		"another's":           {foreign.OrganizationID, full.IntegrationID, full.RemoteID, uuid.Nil},
		"another integration": {s.OrganizationID, uuid.New(), full.RemoteID, uuid.Nil},
		"another bill":        {s.OrganizationID, full.IntegrationID, "other", uuid.Nil},
		"no bill":             {s.OrganizationID, full.IntegrationID, "", uuid.Nil},
	} {
		if holder, err := b.Bookings().Holder(b.ctx, tt.organization, tt.integration, tt.remote); err != nil || holder != tt.want {
			t.Errorf("%s: the bill is held by %s, %v; want %s", name, holder, err, tt.want)
		}
	}
	_, _, err = b.Bookings().Change(b.ctx, foreign, inv.ID, func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		t.Error("a stranger changes it")
		return nil, false, nil
	})
	wantCode(t, err, fault.CodeNotFound)
	_, err = b.Bookings().Get(b.ctx, foreign, inv.ID)
	wantCode(t, err, fault.CodeNotFound)
	testBookingChanges(t, b, s, inv.ID)
}

func testBookingChanges(t *testing.T, b *bench, s identity.Scope, id uuid.UUID) {
	wrong := errors.New("no")
	_, _, err := b.Bookings().Change(b.ctx, s, id, func(inv *invoice.Invoice, x *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		inv.Status, x.State = invoice.Synced, invoice.SyncDone
		return x, true, wrong
	})
	if !errors.Is(err, wrong) {
		t.Errorf("the change's error came back as %v", err)
	}
	inv, _, err := b.Bookings().Change(b.ctx, s, id, func(inv *invoice.Invoice, x *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if inv.Status == invoice.Synced || x.State == invoice.SyncDone {
			t.Error("a failed change was stored")
		}
		inv.Status, x.State, x.Intent, x.Error = invoice.Synced, invoice.SyncDone, nil, nil
		return x, true, nil
	})
	must(t, err)
	if inv.Version != 3 || inv.Status != invoice.Synced || inv.Sync.State != invoice.SyncDone {
		t.Errorf("changed to %+v, version %d", inv.Sync, inv.Version)
	}
	inv, _, err = b.Bookings().Change(b.ctx, s, id, func(_ *invoice.Invoice, before *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		before.Withdraw()
		return before, false, nil
	})
	must(t, err)
	shown, err := b.Invoices().Get(b.ctx, s, id)
	must(t, err)
	if kept, err := b.Bookings().Get(b.ctx, s, id); err != nil || inv.Sync != nil || shown.Sync != nil || kept.IsRequested() {
		t.Errorf("withdrawn: %+v, shown as %+v and %+v (%v)", kept, inv.Sync, shown.Sync, err)
	}
	inv, _, err = b.Bookings().Change(b.ctx, s, id, func(*invoice.Invoice, *ledgersync.Sync) (*ledgersync.Sync, bool, error) { return nil, false, nil })
	must(t, err)
	_, gone := b.Bookings().Get(b.ctx, s, id)
	wantCode(t, gone, fault.CodeNotFound)
	if inv.Sync != nil {
		t.Errorf("a removed booking is shown as %+v", inv.Sync)
	}
}

// testStamps checks that each change of an invoice or of its sync changes the revision, including
// two changes at the same time, and that nothing else does.
func testStamps(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	d := b.document(t, b.entity(t, s))
	inv := b.invoice(t, d)
	seen := map[invoice.Revision]string{}
	changed := func(what string, as bool) {
		t.Helper()
		stamp, err := b.Invoices().Revision(b.ctx, s, inv.ID)
		must(t, err)
		if before, known := seen[stamp]; known == as {
			t.Errorf("%s: the stamp is %+v, as after %q", what, stamp, before)
		}
		seen[stamp] = what
	}
	changed("made", true)
	changed("read", false)
	_, err := b.Invoices().Update(b.ctx, s, inv.ID, 0, func(inv *invoice.Invoice) error {
		inv.Number += "x"
		return nil
	})
	must(t, err)
	changed("corrected", true)
	_, err = b.Invoices().Update(b.ctx, s, inv.ID, 0, func(*invoice.Invoice) error { return invoice.ErrUnchanged })
	must(t, err)
	changed("left alone", false)
	for _, what := range []string{"booked", "booked again"} {
		_, _, err := b.Bookings().Change(b.ctx, s, inv.ID, func(_ *invoice.Invoice, before *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
			if before == nil {
				before = &ledgersync.Sync{SyncView: invoice.SyncView{State: invoice.SyncQueued, NextAttemptAt: time.Now().Add(time.Hour)}}
			}
			before.Attempts++
			return before, false, nil
		})
		must(t, err)
		changed(what, true)
	}
	must(t, b.Bookings().Resume(b.ctx, s.OrganizationID, d.EntityID, time.Now()))
	changed("resumed", true)
	for _, what := range []string{"failed", "failed again"} { // no next attempt
		b.put(t, s, inv.ID, ledgersync.Sync{SyncView: invoice.SyncView{State: invoice.SyncEnded}, Run: len(what)})
		changed(what, true)
	}
	_, err = b.Invoices().Revision(b.ctx, foreign, inv.ID)
	wantCode(t, err, fault.CodeNotFound)
}

func testDueBookings(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	now := time.Now().UTC()
	add := func(state invoice.SyncState, next time.Time) uuid.UUID {
		inv := b.invoice(t, b.document(t, e))
		x := ledgersync.Sync{Round: 1}
		x.State, x.NextAttemptAt, x.IntegrationID = state, next, newID()
		b.put(t, s, inv.ID, x)
		return inv.ID
	}
	want := map[uuid.UUID]bool{
		add(invoice.SyncQueued, now.Add(-time.Minute)): true, add(invoice.SyncRunning, now.Add(-2*time.Minute)): true,
		add(invoice.SyncChecking, now): true,
	}
	later := add(invoice.SyncQueued, now.Add(time.Minute))
	add(invoice.SyncDone, now.Add(-time.Minute))
	add(invoice.SyncEnded, time.Time{})
	worked := add(invoice.SyncQueued, now.Add(-time.Minute))
	b.jobs.add(worked)

	due, err := b.Bookings().Due(b.ctx, now, now.Add(time.Minute), 10)
	must(t, err)
	for _, x := range due {
		if !want[x.InvoiceID] || x.OrganizationID != s.OrganizationID || x.Round != 1 {
			t.Errorf("due: %+v", x)
		}
		delete(want, x.InvoiceID)
	}
	if len(want) > 0 {
		t.Errorf("not due: %v", want)
	}
	if due, err = b.Bookings().Due(b.ctx, now, now.Add(-time.Minute), 10); err != nil || len(due) != 0 {
		t.Errorf("%d are due that were just touched (%v)", len(due), err)
	}
	if due, err = b.Bookings().Due(b.ctx, now, now.Add(time.Minute), 2); err != nil || len(due) != 2 {
		t.Errorf("%d of at most 2 are due (%v)", len(due), err)
	}
	resumed := func(organization, entity uuid.UUID) bool {
		must(t, b.Bookings().Resume(b.ctx, organization, entity, now))
		due, err := b.Bookings().Due(b.ctx, now, now.Add(time.Minute), 10)
		must(t, err)
		return slices.ContainsFunc(due, func(x ledgersync.Sync) bool { return x.InvoiceID == later })
	}
	if resumed(newID(), e.ID) || resumed(s.OrganizationID, b.entity(t, s).ID) {
		t.Error("another's booking was resumed")
	}
	if !resumed(s.OrganizationID, e.ID) {
		t.Error("a booking that waits was not resumed")
	}
}

func testCorrected(t *testing.T, b *bench) {
	s := b.organization(t)
	e, other := b.entity(t, s), b.entity(t, s)
	integration := newID()
	add := func(remote string, change func(*invoice.Invoice), in uuid.UUID) {
		of := e
		inv := newInvoice(b.document(t, e), b.at)
		inv.Seller = invoice.Party{Name: "Alpha", TaxID: "DE1"}
		change(inv)
		if inv.EntityID == other.ID {
			of = other
		}
		inv.DocumentID = b.document(t, of).ID
		must(t, b.Invoices().Add(b.ctx, inv))
		x := ledgersync.Sync{}
		x.State, x.RemoteID, x.IntegrationID = invoice.SyncDone, remote, in
		b.put(t, s, inv.ID, x)
	}
	add("same", func(*invoice.Invoice) {}, integration)
	add("same name", func(inv *invoice.Invoice) { inv.Seller.TaxID = "" }, integration)
	add("other number", func(inv *invoice.Invoice) { inv.Number = "R-2" }, integration)
	add("other seller", func(inv *invoice.Invoice) { inv.Seller = invoice.Party{Name: "Beta"} }, integration)
	add("no seller", func(inv *invoice.Invoice) { inv.Seller = invoice.Party{} }, integration)
	add("credit note", func(inv *invoice.Invoice) { inv.Type = invoice.TypeCreditNote }, integration)
	add("other entity", func(inv *invoice.Invoice) { inv.EntityID = other.ID }, integration)
	add("other ledger", func(*invoice.Invoice) {}, newID())
	add("", func(*invoice.Invoice) {}, integration)
	got, err := b.Bookings().Corrected(b.ctx, s, e.ID, integration, invoice.Party{Name: "Alpha", TaxID: "DE1"}, "R-1")
	must(t, err)
	same(t, "corrected", got, []string{"same", "same name"})
}

func testCodings(t *testing.T, b *bench) {
	s := b.organization(t)
	e, integration := b.entity(t, s), newID()
	of := func(entity, integration uuid.UUID, supplier string) ledgersync.Coding {
		c, err := b.Codings().Of(b.ctx, s.OrganizationID, entity, integration, supplier)
		must(t, err)
		return c
	}
	same(t, "before", of(e.ID, integration, "tax:1"), ledgersync.Coding{})
	c := filled[ledgersync.Coding]()
	c.Lines, c.Own, c.Usual = nil, ledgersync.Defaults{}, ledgersync.Defaults{} // of the supplier's record
	must(t, b.Codings().Keep(b.ctx, s.OrganizationID, e.ID, integration, "tax:1", c))
	same(t, "kept", of(e.ID, integration, "tax:1"), c)
	c.AccountID, c.TaxRates = "other", nil
	must(t, b.Codings().Keep(b.ctx, s.OrganizationID, e.ID, integration, "tax:1", c))
	same(t, "stored again", of(e.ID, integration, "tax:1"), c)
	for name, got := range map[string]ledgersync.Coding{
		"another supplier": of(e.ID, integration, "tax:2"), "another ledger": of(e.ID, newID(), "tax:1"),
		"another entity": of(b.entity(t, s).ID, integration, "tax:1"),
	} {
		same(t, name, got, ledgersync.Coding{})
	}
	foreign, err := b.Codings().Of(b.ctx, b.organization(t).OrganizationID, e.ID, integration, "tax:1")
	must(t, err)
	same(t, "another organization", foreign, ledgersync.Coding{})
	must(t, b.Codings().Keep(b.ctx, s.OrganizationID, e.ID, uuid.Nil, "tax:1", c))
	must(t, b.Codings().Keep(b.ctx, s.OrganizationID, e.ID, integration, "", c))
	same(t, "no ledger", of(e.ID, uuid.Nil, "tax:1"), ledgersync.Coding{})
	same(t, "no supplier", of(e.ID, integration, ""), ledgersync.Coding{})
}
