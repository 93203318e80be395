package storetest

import (
	"context"
	"testing"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func scopeOf(inv *invoice.Invoice) identity.Scope {
	return identity.Scope{OrganizationID: inv.OrganizationID}
}

// testTenancy tries every read and every change from another organization.
func testTenancy(t *testing.T, b *bench) {
	s, foreign := b.organization(t), b.organization(t)
	member, stranger := newID(), newID()
	open, closed := b.entity(t, s), b.entity(t, s, member)
	b.everything(t, b.entity(t, foreign, member), foreign)
	openDocument, openInvoice := b.everything(t, open, s)
	closedDocument, closedInvoice := b.everything(t, closed, s)
	must(t, b.Events().Append(b.ctx, event.Event{Type: event.MemberAdded, OrganizationID: s.OrganizationID}))

	as := func(organization identity.Scope, member uuid.UUID) identity.Scope {
		return identity.Scope{OrganizationID: organization.OrganizationID, Member: member}
	}
	key := func(organization identity.Scope, entities []uuid.UUID) identity.Scope {
		return identity.Scope{OrganizationID: organization.OrganizationID, Key: &identity.KeyRights{EntityIDs: entities}}
	}
	for name, test := range map[string]struct {
		scope        identity.Scope
		open, closed bool
		// listed is the number of entities, and of invoices, and of documents.
		listed int
		events int
	}{
		"whole organization":                   {s, true, true, 2, 3},
		"listed member":                        {as(s, member), true, true, 2, 2},
		"other member":                         {as(s, stranger), true, false, 1, 1},
		"key of every entity":                  {key(s, nil), true, true, 2, 2},
		"key of one entity":                    {key(s, []uuid.UUID{open.ID}), true, false, 1, 1},
		"key of no entity":                     {key(s, []uuid.UUID{}), false, false, 0, 0},
		"another organization's key":           {key(foreign, nil), false, false, 1, 1},
		"another organization":                 {foreign, false, false, 1, 1},
		"another organization's listed member": {as(foreign, member), false, false, 1, 1},
		"another organization's other member":  {as(foreign, stranger), false, false, 0, 0},
		"no organization":                      {identity.Scope{}, false, false, 0, 0},
		"no organization, but a member":        {identity.Scope{Member: member}, false, false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b.wantReach(t, test.scope, open, openDocument, openInvoice, test.open)
			b.wantReach(t, test.scope, closed, closedDocument, closedInvoice, test.closed)
			b.wantListed(t, test.scope, test.listed, test.events)
			for _, e := range []*entity.Entity{open, closed} {
				want := 0
				if e == open && test.open || e == closed && test.closed {
					want = 1
				}
				b.wantListedOf(t, test.scope, e, want)
			}
		})
	}
}

// everything gives an entity a document, an invoice and an event.
func (b *bench) everything(t *testing.T, e *entity.Entity, s identity.Scope) (*document.Document, *invoice.Invoice) {
	d := b.document(t, e)
	inv := b.invoice(t, d, func(inv *invoice.Invoice) { inv.Lines = []invoice.Line{{ID: newID()}} })
	must(t, b.Events().Append(b.ctx, event.Event{Type: event.EntityCreated, OrganizationID: s.OrganizationID, EntityID: e.ID}))
	return d, inv
}

// wantReach tries to read and to change the records of an entity.
func (b *bench) wantReach(t *testing.T, s identity.Scope, e *entity.Entity, d *document.Document, inv *invoice.Invoice, reach bool) {
	t.Helper()
	changes := 0
	for operation, try := range map[string]func(context.Context) error{
		"get entity":   func(ctx context.Context) error { _, err := b.Entities().Get(ctx, s, e.ID); return err },
		"get intake":   func(ctx context.Context) error { _, err := b.Entities().Intake(ctx, s, e.ID); return err },
		"get settings": func(ctx context.Context) error { _, err := b.Settings().Get(ctx, s, e.ID); return err },
		"get document": func(ctx context.Context) error { _, err := b.Documents().Get(ctx, s, d.ID); return err },
		"get invoice":  func(ctx context.Context) error { _, err := b.Invoices().Get(ctx, s, inv.ID); return err },
		"get lines": func(ctx context.Context) error {
			_, err := b.Invoices().Lines(ctx, s, inv.ID, page.Request{})
			return err
		},
		"change entity": func(ctx context.Context) error {
			_, err := b.Entities().Update(ctx, s, e.ID, 0, func(*entity.Entity) error { changes++; return nil })
			return err
		},
		"change settings": func(ctx context.Context) error {
			_, err := b.Settings().Update(ctx, s, e.ID, 0, func(*entity.Settings) error { changes++; return nil })
			return err
		},
		"change document": func(ctx context.Context) error {
			_, err := b.Documents().Update(ctx, s, d.ID, func(*document.Document) error { changes++; return nil })
			return err
		},
		"change invoice": func(ctx context.Context) error {
			_, err := b.Invoices().Update(ctx, s, inv.ID, 0, func(*invoice.Invoice) error { changes++; return nil })
			return err
		},
	} {
		want := fault.Code("")
		if !reach {
			want = fault.CodeNotFound
		}
		if err := try(b.ctx); fault.CodeOf(err) != want {
			t.Errorf("%s: %v", operation, err)
		}
	}
	if want := map[bool]int{true: 4}[reach]; changes != want {
		t.Errorf("%d changes, want %d", changes, want)
	}
}

func (b *bench) wantListed(t *testing.T, s identity.Scope, want, wantEvents int) {
	t.Helper()
	entities, err := b.Entities().List(b.ctx, s, entity.Filter{}, page.Request{})
	must(t, err)
	documents, err := b.Documents().List(b.ctx, s, document.Filter{}, document.Sort{}, page.Request{})
	must(t, err)
	invoices, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{}, page.Request{})
	must(t, err)
	events, err := b.Events().List(b.ctx, s, event.Filter{}, page.Request{})
	must(t, err)
	if len(entities.Items) != want || len(documents.Items) != want || len(invoices.Items) != want || len(events.Items) != wantEvents {
		t.Errorf("%d entities, %d documents, %d invoices, %d events; want %d and %d events",
			len(entities.Items), len(documents.Items), len(invoices.Items), len(events.Items), want, wantEvents)
	}
}

func (b *bench) wantListedOf(t *testing.T, s identity.Scope, e *entity.Entity, want int) {
	t.Helper()
	documents, err := b.Documents().List(b.ctx, s, document.Filter{EntityID: e.ID}, document.Sort{}, page.Request{})
	must(t, err)
	invoices, err := b.Invoices().List(b.ctx, s, invoice.Filter{EntityID: e.ID}, invoice.Sort{}, page.Request{})
	must(t, err)
	events, err := b.Events().List(b.ctx, s, event.Filter{EntityID: e.ID}, page.Request{})
	must(t, err)
	if len(documents.Items) != want || len(invoices.Items) != want || len(events.Items) != want {
		t.Errorf("of one entity: %d documents, %d invoices, %d events; want %d",
			len(documents.Items), len(invoices.Items), len(events.Items), want)
	}
}
