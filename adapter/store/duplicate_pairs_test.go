package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// TestPairsAreStoredAtOnce checks that the number of statements does not grow with that of the pairs.
// A pair that is stored already gets its new rule.
func TestPairsAreStoredAtOnce(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	ctx := t.Context()
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o := &organization.Organization{ID: uuid.New(), Name: "Organization"}
	e := &entity.Entity{ID: uuid.New(), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessOrganization}
	do(s.Organizations().Add(ctx, o))
	do(s.Entities().Add(ctx, e))
	add := func() uuid.UUID {
		d := &document.Document{ID: uuid.New(), OrganizationID: o.ID, EntityID: e.ID, SHA256: uuid.NewString(), Status: document.Extracted}
		if _, err := s.Documents().Add(ctx, d); err != nil {
			t.Fatal(err)
		}
		inv := &invoice.Invoice{ID: uuid.New(), DocumentID: d.ID, OrganizationID: o.ID, EntityID: e.ID, Status: invoice.NeedsReview}
		do(s.Invoices().Add(ctx, inv))
		return inv.ID
	}
	own := add()
	var matches []duplicate.Match
	for range 5 {
		matches = append(matches, duplicate.Match{InvoiceID: add(), Rule: invoice.NearNumber})
	}
	store := func(most int, change func(context.Context) error) {
		t.Helper()
		kept.all = nil
		do(change(ctx))
		if len(kept.all) > most {
			t.Errorf("%d statements, want at most %d: %q", len(kept.all), most, kept.all)
		}
	}
	store(1, func(ctx context.Context) error {
		return s.Duplicates().Add(ctx, o.ID, own, matches[:4], time.Now())
	})
	for i := range matches {
		matches[i].Rule = invoice.SameNumber
	}
	var fresh []duplicate.Match
	store(2, func(ctx context.Context) (err error) {
		fresh, _, err = s.Duplicates().Keep(ctx, o.ID, own, matches, time.Now())
		return err
	})
	if len(fresh) != 1 || fresh[0] != matches[4] {
		t.Errorf("new pairs %v", fresh)
	}
	got, err := s.Invoices().Get(ctx, identity.System(o.ID).Scope(), own)
	do(err)
	if len(got.Duplicates) != len(matches) {
		t.Errorf("pairs %+v", got.Duplicates)
	}
	for _, d := range got.Duplicates {
		if d.Rule != invoice.SameNumber {
			t.Errorf("pair %+v has another rule", d)
		}
	}
}

// TestRevisionReadsPairsOnlyIfThereAreSome checks the statements and the stamp of what most reads of an
// invoice need, for an invoice without a pair and for both sides of a pair.
func TestRevisionReadsPairsOnlyIfThereAreSome(t *testing.T) {
	t.Parallel()
	s, kept := traced(t)
	ctx := t.Context()
	o := &organization.Organization{ID: uuid.New(), Name: "Organization"}
	e := &entity.Entity{ID: uuid.New(), OrganizationID: o.ID, Name: "Entity", Access: entity.AccessOrganization}
	if err := errors.Join(s.Organizations().Add(ctx, o), s.Entities().Add(ctx, e)); err != nil {
		t.Fatal(err)
	}
	var ids []uuid.UUID
	for range 3 {
		d := &document.Document{ID: uuid.New(), OrganizationID: o.ID, EntityID: e.ID, SHA256: uuid.NewString(), Status: document.Extracted}
		inv := &invoice.Invoice{ID: uuid.New(), DocumentID: d.ID, OrganizationID: o.ID, EntityID: e.ID, Status: invoice.NeedsReview}
		if _, err := s.Documents().Add(ctx, d); err != nil {
			t.Fatal(err)
		}
		if err := s.Invoices().Add(ctx, inv); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, inv.ID)
	}
	if err := s.Duplicates().Add(ctx, o.ID, ids[0], []duplicate.Match{{InvoiceID: ids[1], Rule: invoice.SameNumber}}, time.Now()); err != nil {
		t.Fatal(err)
	}
	for i, paired := range []bool{true, true, false} {
		kept.all = nil
		got, err := s.Invoices().Revision(ctx, identity.System(o.ID).Scope(), ids[i])
		if err != nil || (got.Duplicates != "") != paired || (len(kept.all) > 1) != paired {
			t.Errorf("invoice %d: %+v, %v, statements %q", i, got, err, kept.all)
		}
	}
}
