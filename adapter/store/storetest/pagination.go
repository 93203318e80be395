package storetest

import (
	"encoding/base64"
	"math/rand/v2"
	"slices"
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

// pages reads all pages of a list.
func pages[T any](t *testing.T, limit int, list func(page.Request) (page.Of[T], error)) []T {
	t.Helper()
	var all []T
	var after string
	for {
		p, err := list(page.Request{Limit: limit, After: after})
		must(t, err)
		if len(p.Items) > limit || p.Next != "" && len(p.Items) != limit {
			t.Fatalf("a page of %d, limit %d, next %q", len(p.Items), limit, p.Next)
		}
		if all = append(all, p.Items...); p.Next == "" {
			return all
		}
		after = p.Next
	}
}

// testPagination checks that pages of any size, filter and scope return the same rows as one
// list, in the same order, and that concurrent additions do not disturb them.
func testPagination(t *testing.T, b *bench) {
	s := b.organization(t)
	member := newID()
	visible := identity.Scope{OrganizationID: s.OrganizationID, Member: member}
	entities := []uuid.UUID{uuid.Nil}
	var seen []uuid.UUID // of the member, oldest first
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 5 {
		var members []uuid.UUID
		if i%2 == 1 {
			members = []uuid.UUID{map[bool]uuid.UUID{true: member, false: newID()}[i == 1]}
		}
		e := b.entity(t, s, members...)
		entities = append(entities, e.ID)
		for range 4 + random.IntN(5) {
			d := b.document(t, e, func(d *document.Document) {
				d.Status = document.Statuses()[random.IntN(2)]
			})
			if i != 3 {
				seen = append(seen, d.ID)
			}
			must(t, b.Events().Append(b.ctx, event.Event{OrganizationID: s.OrganizationID, EntityID: e.ID, Subject: event.Subject{ID: d.ID}}))
		}
	}
	for _, scope := range []identity.Scope{s, visible} {
		for _, e := range entities {
			for _, statuses := range [][]document.Status{nil, {document.Uploaded}} {
				f := document.Filter{EntityID: e, Statuses: statuses}
				list := func(p page.Request) (page.Of[document.Document], error) {
					return b.Documents().List(b.ctx, scope, f, document.Sort{}, p)
				}
				whole := idsOf(pages(t, page.MaxLimit, list))
				for _, limit := range []int{1, 2, 3, 7, len(whole), len(whole) + 1} {
					if limit == 0 {
						continue
					}
					if got := idsOf(pages(t, limit, list)); !slices.Equal(got, whole) {
						t.Errorf("filter %+v, pages of %d: %v, want %v", f, limit, got, whole)
					}
				}
			}
		}
	}
	got := idsOf(pages(t, 3, func(p page.Request) (page.Of[document.Document], error) {
		b.document(t, b.entity(t, s, newID())) // not visible to the member
		return b.Documents().List(b.ctx, visible, document.Filter{}, document.Sort{}, p)
	}))
	slices.Reverse(got)
	if !slices.Equal(got, seen) {
		t.Errorf("the member sees %v, want %v", got, seen)
	}
	events := b.eventsOf(t, visible)
	for i, e := range events {
		if len(events) != len(seen) || e.Subject.ID != seen[i] {
			t.Fatalf("the member's log has %d events, want %d in the order of documents", len(events), len(seen))
		}
	}
}

func idsOf(list []document.Document) []uuid.UUID {
	ids := make([]uuid.UUID, len(list))
	for i, d := range list {
		ids[i] = d.ID
	}
	return ids
}

// testCursors checks that a cursor is valid only for its own list and filter.
func testCursors(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	d := b.document(t, e)
	b.document(t, e)
	inv := b.invoice(t, d, func(inv *invoice.Invoice) { inv.Lines = []invoice.Line{{ID: newID()}, {ID: newID()}} })
	b.entity(t, s)
	must(t, b.Events().Append(b.ctx, event.Event{OrganizationID: s.OrganizationID}))

	lists := b.lists(t, s, d, inv)
	cursors := map[string]string{"nonsense": "nonsense", "padding": "AAAA====", "zeros": base64.RawURLEncoding.EncodeToString(make([]byte, 24))}
	for name, list := range lists {
		next, err := list(page.Request{Limit: 1})
		must(t, err)
		if next != "" {
			cursors[name] = next
		}
	}
	if len(cursors) < 9 {
		t.Errorf("only %d lists gave a cursor", len(cursors))
	}
	for from, cursor := range cursors {
		for to, list := range lists {
			_, err := list(page.Request{Limit: 1, After: cursor})
			if from == to {
				must(t, err)
				continue
			}
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Field != "cursor" {
				t.Errorf("cursor of %s for %s: %v", from, to, err)
			}
		}
	}
	// The order of a filter's values does not matter.
	f := document.Filter{Statuses: []document.Status{document.Failed, document.Uploaded}}
	_, err := b.Documents().List(b.ctx, s, f, document.Sort{}, page.Request{After: cursors["documents by status"]})
	must(t, err)
}

// lists are all lists, and some filters; each returns the cursor of its next page.
func (b *bench) lists(t *testing.T, s identity.Scope, d *document.Document, inv *invoice.Invoice) map[string]func(page.Request) (string, error) {
	documents := func(s identity.Scope, f document.Filter) func(page.Request) (string, error) {
		return func(p page.Request) (string, error) {
			l, err := b.Documents().List(b.ctx, s, f, document.Sort{}, p)
			return l.Next, err
		}
	}
	return map[string]func(page.Request) (string, error){
		"documents":             documents(s, document.Filter{}),
		"documents of entity":   documents(s, document.Filter{EntityID: d.EntityID}),
		"documents by status":   documents(s, document.Filter{Statuses: []document.Status{document.Uploaded, document.Failed}}),
		"foreign documents":     documents(b.organization(t), document.Filter{}),
		"documents of a parent": documents(s, document.Filter{ParentID: d.ID}),
		"invoices": func(p page.Request) (string, error) {
			l, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{}, p)
			return l.Next, err
		},
		"invoices, sorted": func(p page.Request) (string, error) {
			l, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{By: invoice.SortByGross}, p)
			return l.Next, err
		},
		"invoices, sorted the other way": func(p page.Request) (string, error) {
			l, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{By: invoice.SortByGross, Ascending: true}, p)
			return l.Next, err
		},
		"invoices, by date": func(p page.Request) (string, error) {
			l, err := b.Invoices().List(b.ctx, s, invoice.Filter{}, invoice.Sort{By: invoice.SortByIssueDate}, p)
			return l.Next, err
		},
		"invoices, query": func(p page.Request) (string, error) {
			l, err := b.Invoices().List(b.ctx, s, invoice.Filter{Query: "R-"}, invoice.Sort{}, p)
			return l.Next, err
		},
		"entities": func(p page.Request) (string, error) {
			l, err := b.Entities().List(b.ctx, s, entity.Filter{}, p)
			return l.Next, err
		},
		"lines": func(p page.Request) (string, error) {
			l, err := b.Invoices().Lines(b.ctx, s, inv.ID, p)
			return l.Next, err
		},
		"members": func(p page.Request) (string, error) {
			l, err := b.Memberships().List(b.ctx, s.OrganizationID, p)
			return l.Next, err
		},
		"events": func(p page.Request) (string, error) {
			l, err := b.Events().List(b.ctx, s, event.Filter{}, p)
			return l.Next, err
		},
		"events by type": func(p page.Request) (string, error) {
			l, err := b.Events().List(b.ctx, s, event.Filter{Types: []event.Type{""}}, p)
			return l.Next, err
		},
	}
}
