package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/money"

	"github.com/google/uuid"
)

// testDuplicates finds invoices of an earlier release after Backfill, and reads pairs within scopes.
func testDuplicates(t *testing.T, b *bench) {
	s := b.organization(t)
	member := newID()
	open, closed := b.entity(t, s), b.entity(t, s, newID())
	total := money.FromInt(119)
	values := func(inv *invoice.Invoice) { inv.Number, inv.Seller.Name, inv.GrossTotal = "RE-1", "Supplier", &total }
	first := b.invoice(t, b.document(t, closed), values)
	second := b.invoice(t, b.document(t, open), values)
	foreign := b.organization(t)
	b.invoice(t, b.document(t, b.entity(t, foreign)), values)
	must(t, b.db.Exec("DELETE FROM invoice_duplicate_keys").Error)
	find := func() (found duplicate.Found) {
		must(t, b.InTx(b.ctx, func(ctx context.Context) (err error) {
			must(t, b.Duplicates().Lock(ctx, s.OrganizationID))
			found, err = duplicate.Find(ctx, b.Duplicates(), second, "")
			return err
		}))
		return found
	}
	if found := find(); len(found.Matches) > 0 {
		t.Errorf("without keys: %+v", found)
	}
	for _, want := range []int{2, 1, 0} {
		if n, err := b.Duplicates().Backfill(b.ctx, 2); err != nil || n != want {
			t.Errorf("%d invoices got keys, want %d (%v)", n, want, err)
		}
	}
	found := find()
	if len(found.Matches) != 1 || found.Matches[0].InvoiceID != first.ID || found.Matches[0].Rule != invoice.SameNumber {
		t.Fatalf("found %+v", found.Matches)
	}
	keep := func(matches []duplicate.Match, wantFresh, wantEnded int) {
		t.Helper()
		fresh, ended, err := b.Duplicates().Keep(b.ctx, s.OrganizationID, second.ID, matches, b.at)
		if err != nil || len(fresh) != wantFresh || len(ended) != wantEnded {
			t.Errorf("fresh %v, ended %v, %v", fresh, ended, err)
		}
	}
	keep(found.Matches, 1, 0)
	keep(found.Matches, 0, 0)
	for scope, seen := range map[*identity.Scope]uuid.UUID{&s: first.ID, {OrganizationID: s.OrganizationID, Member: member}: uuid.Nil} {
		got, err := b.Invoices().Get(b.ctx, *scope, second.ID)
		must(t, err)
		if len(got.Duplicates) != 1 || got.Duplicates[0].InvoiceID != seen || got.Duplicates[0].Rule != invoice.SameNumber {
			t.Errorf("the duplicates are %+v", got.Duplicates)
		}
	}
	keep(nil, 0, 1)
	keep(found.Matches, 1, 0)
	d := invoice.Dismissal{By: member, At: b.at, Reason: "two orders"}
	wantCode(t, b.Duplicates().Dismiss(b.ctx, foreign.OrganizationID, second.ID, first.ID, d), fault.CodeNotFound)
	must(t, b.Duplicates().Dismiss(b.ctx, s.OrganizationID, second.ID, first.ID, d))
	keep(nil, 0, 0)
	if found := find(); len(found.Matches) != 1 || len(found.Open) != 0 || !found.Check().Passed {
		t.Errorf("after the dismissal: %+v", found)
	}
	part := b.document(t, open, func(d *document.Document) { d.Part = 2 })
	if key, err := b.Duplicates().Bytes(b.ctx, s.OrganizationID, b.invoice(t, part).ID); err != nil || key != part.SHA256+"#2" {
		t.Errorf("the bytes of a part are %q (%v)", key, err)
	}
}

// testDuplicateCandidates expects invoices of the same supplier before others with the same date and
// total, also if the others are more than one lookup returns.
func testDuplicateCandidates(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	total := money.FromInt(250)
	add := func(seller, number string) *invoice.Invoice {
		return b.invoice(t, b.document(t, e), func(inv *invoice.Invoice) {
			inv.Seller.Name, inv.Number, inv.GrossTotal, inv.IssueDate = seller, number, &total, date("2026-03-04")
		})
	}
	own := add("Supplier One", "A-1")
	asked := add("Supplier One", "A-2")
	for n := range 202 {
		add("Another Company", fmt.Sprint("B-", n))
		if n > 1 && n < 200 {
			continue
		}
		found, err := b.Duplicates().Candidates(b.ctx, s.OrganizationID, duplicate.Of(asked, ""))
		must(t, err)
		if want := min(n+2, 201); len(found) != want || found[0].InvoiceID != own.ID {
			t.Errorf("with %d others, %d of %d candidates are found: %+v", n+1, len(found), want, found[:min(1, len(found))])
		}
	}
}

// testPostponedChecks keeps each invoice once, and that an assistant caused its check. It returns
// those of one organization, oldest first.
func testPostponedChecks(t *testing.T, b *bench) {
	mine, foreign := b.organization(t), b.organization(t)
	invoices := make([]uuid.UUID, 3)
	for i := range invoices {
		invoices[i] = b.invoice(t, b.document(t, b.entity(t, mine))).ID
	}
	other := b.invoice(t, b.document(t, b.entity(t, foreign))).ID
	repo := b.Duplicates()
	postpone := func(s identity.Scope, assistant bool, after time.Duration, ids ...uuid.UUID) {
		t.Helper()
		must(t, repo.Postpone(b.ctx, s.OrganizationID, ids, assistant, b.at.Add(after)))
	}
	postpone(mine, true, time.Second, invoices[1])
	postpone(foreign, false, 0, other)
	postpone(mine, false, 2*time.Second, invoices[0], invoices[1], invoices[2])
	if found, err := repo.Postponing(b.ctx, 10); err != nil || !slices.Equal(found, []uuid.UUID{foreign.OrganizationID, mine.OrganizationID}) {
		t.Errorf("the organizations are %v, %v", found, err)
	}
	due, err := repo.Postponed(b.ctx, mine.OrganizationID, 1)
	if err != nil || !slices.Equal(due, []duplicate.Recheck{{InvoiceID: invoices[1], Assistant: true}}) {
		t.Errorf("the first is %v, %v", due, err)
	}
	must(t, repo.Defer(b.ctx, foreign.OrganizationID, invoices[1], b.at.Add(time.Hour))) // of another organization
	must(t, repo.Defer(b.ctx, mine.OrganizationID, invoices[1], b.at.Add(time.Minute)))
	if due, err := repo.Postponed(b.ctx, mine.OrganizationID, 10); err != nil || len(due) != 3 || due[2].InvoiceID != invoices[1] || !due[2].Assistant {
		t.Errorf("after a deferral: %v, %v", due, err)
	}
	must(t, repo.Rechecked(b.ctx, foreign.OrganizationID, invoices[1])) // of another organization
	if r, ok, err := repo.PostponedFor(b.ctx, mine.OrganizationID, invoices[1]); err != nil || !ok || !r.Assistant {
		t.Errorf("found %v, %t, %v", r, ok, err)
	}
	must(t, repo.Rechecked(b.ctx, mine.OrganizationID, invoices[1]))
	if _, ok, err := repo.PostponedFor(b.ctx, mine.OrganizationID, invoices[1]); err != nil || ok {
		t.Errorf("it is still there, %v", err)
	}
	if due, err := repo.Postponed(b.ctx, mine.OrganizationID, 10); err != nil || len(due) != 2 || due[0].Assistant {
		t.Errorf("the rest is %v, %v", due, err)
	}
}
