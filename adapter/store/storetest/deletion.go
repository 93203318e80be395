package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"

	"github.com/google/uuid"
)

// testDeletions deletes documents that share their bytes with others, and their parts.
func testDeletions(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	one, two := b.entity(t, s), b.entity(t, s)
	whole := b.document(t, one)
	bytes := whole.SHA256
	part := b.document(t, one, func(d *document.Document) { d.SHA256, d.ParentID, d.Part = bytes, whole.ID, 1 })
	inv := b.invoice(t, part)
	shared := b.document(t, two, func(d *document.Document) { d.SHA256 = bytes })
	stored, err := b.Renditions().Put(b.ctx, document.Rendition{Source: bytes, Name: "page/1/1/800", SHA256: "image"})
	must(t, err)
	if !stored {
		t.Fatal("no rendition")
	}
	corrected := event.By(identity.System(s.OrganizationID), event.InvoiceCorrected, one.ID, event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: 2})
	corrected.Changes = []event.Change{{Field: "seller.name", From: "Jane Doe", To: "John Doe"}}
	received := event.By(identity.System(s.OrganizationID), event.DocumentReceived, one.ID, event.Subject{Type: event.SubjectDocument, ID: part.ID})
	received.Data = map[string]string{"sha256": bytes}
	must(t, b.Events().Append(b.ctx, corrected, received))

	if _, err := b.Deletions().Remove(b.ctx, other, whole.ID); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("a foreign document: %v", err)
	}
	ids, err := b.Deletions().Invoices(b.ctx, s, whole.ID)
	must(t, err)
	gone, err := b.Deletions().Remove(b.ctx, s, whole.ID)
	must(t, err)
	if want := []uuid.UUID{inv.ID}; !slices.Equal(ids, want) || !slices.Equal(gone.Invoices, want) || len(gone.Blobs) != 0 {
		t.Errorf("invoices %v and %v, blobs %v, want none that another document shares", ids, gone.Invoices, gone.Blobs)
	}
	if len(gone.Documents) != 2 || gone.Documents[0].ID != whole.ID || gone.Documents[1].ID != part.ID {
		t.Errorf("removed %v", gone.Documents)
	}
	for _, id := range []uuid.UUID{whole.ID, part.ID} {
		if _, err := b.Documents().Get(b.ctx, s, id); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("a deleted document: %v", err)
		}
	}
	if _, err := b.Invoices().Get(b.ctx, s, inv.ID); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("the invoice of a deleted document: %v", err)
	}
	for _, e := range b.eventsOf(t, s) {
		if e.Subject.ID == inv.ID && (e.Type != event.InvoiceCorrected || len(e.Changes) != 0) {
			t.Errorf("the event of the invoice is %v, want one without values", e)
		}
		if e.Subject.ID == part.ID && e.Data["sha256"] != bytes {
			t.Errorf("the event of the document is %v, want one with the SHA-256", e)
		}
	}
	if gone, err = b.Deletions().Remove(b.ctx, s, shared.ID); err != nil || !slices.Equal(gone.Blobs, []string{"image", bytes}) {
		t.Errorf("blobs of the last document: %v, %v", gone.Blobs, err)
	}
	if r, err := b.Renditions().Find(b.ctx, bytes, "page/1/1/800"); err != nil || r != nil {
		t.Errorf("the rendition of a deleted document: %v, %v", r, err)
	}
	if stored, err := b.Renditions().Put(b.ctx, document.Rendition{Source: bytes, Name: "page/1/1/800", SHA256: "image"}); err != nil || stored {
		t.Errorf("a late rendition: %v, %v", stored, err)
	}
	inv = b.invoice(t, b.document(t, one), func(i *invoice.Invoice) { i.Number = "R-2" })
	if _, err := b.Deletions().Remove(b.ctx, s, inv.DocumentID); err != nil {
		t.Fatal(err)
	}
}

// testConcurrentDeletions deletes the last two documents with the same bytes at the same time. One of
// the deletions must find that nothing refers to the bytes.
func testConcurrentDeletions(t *testing.T, b *bench) {
	s, other := b.organization(t), b.organization(t)
	one := b.document(t, b.entity(t, s))
	two := b.document(t, b.entity(t, other), func(d *document.Document) { d.SHA256 = one.SHA256 })
	second := make(chan document.Removed, 1)
	var first document.Removed
	must(t, b.InTx(b.ctx, func(ctx context.Context) (err error) {
		if first, err = b.Deletions().Remove(ctx, s, one.ID); err != nil {
			return err
		}
		go func() {
			gone, err := b.Deletions().Remove(b.ctx, other, two.ID)
			if err != nil {
				t.Error(err)
			}
			second <- gone
		}()
		waits(t, second)
		return nil
	}))
	if blobs := append(first.Blobs, (<-second).Blobs...); !slices.Equal(blobs, []string{one.SHA256}) {
		t.Errorf("blobs that nothing refers to: %v", blobs)
	}
}

// testHoldDuringDeletion starts a legal hold while a deletion has read that there is none. The hold
// must begin after the deletion.
func testHoldDuringDeletion(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	held := make(chan error, 1)
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		if _, err := b.Entities().GetShared(ctx, s, e.ID); err != nil {
			return err
		}
		go func() {
			_, err := b.Entities().Update(b.ctx, s, e.ID, 0, func(e *entity.Entity) error { e.LegalHold = true; return nil })
			held <- err
		}()
		waits(t, held)
		return nil
	}))
	must(t, <-held)
}

// waits fails the test if a result arrives while a transaction is open.
func waits[T any](t *testing.T, result chan T) {
	t.Helper()
	select {
	case r := <-result:
		t.Errorf("it did not wait for the transaction: %v", r)
		result <- r
	case <-time.After(100 * time.Millisecond): // without a fault nothing arrives
	}
}

// testRemovals removes blobs when they are due and nothing refers to them.
func testRemovals(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	used := b.document(t, e).SHA256
	idle, busy := strings.Repeat("1", 64), strings.Repeat("2", 64)
	due := b.at.Add(time.Hour)
	must(t, b.Removals().Schedule(b.ctx, s.OrganizationID, []string{used, idle, busy}, due))
	must(t, b.Removals().Schedule(b.ctx, s.OrganizationID, []string{busy}, b.at)) // the later time is kept
	claim := func(now time.Time, want ...string) {
		t.Helper()
		got, err := b.Removals().Claim(b.ctx, now, 10)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	}
	keep := func(blob string, want document.BlobState) {
		t.Helper()
		got, err := b.Removals().Keep(b.ctx, blob, due.Add(time.Hour))
		must(t, err)
		if got != want {
			t.Errorf("the removal is %q, want %q", got, want)
		}
	}
	claim(b.at)
	keep(busy, document.BlobPending)
	claim(due, idle)
	claim(due, idle) // a removal that was interrupted
	keep(idle, document.BlobRemoving)
	keep(used, "") // a document refers to it
	must(t, b.Removals().Schedule(b.ctx, s.OrganizationID, []string{idle}, due.Add(time.Hour)))
	must(t, b.Removals().Done(b.ctx, idle, due))
	claim(due)
	keep(idle, document.BlobRemoved)
	claim(due.Add(time.Hour), busy)
	must(t, b.Removals().Forget(b.ctx, due.Add(time.Second)))
	keep(idle, "")
	must(t, b.Removals().Schedule(b.ctx, s.OrganizationID, []string{idle}, due))
	claim(due, idle, busy)
}
