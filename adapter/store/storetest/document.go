package storetest

import (
	"cmp"
	"slices"
	"sync"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func testDocuments(t *testing.T, b *bench) {
	s := b.organization(t)
	e, other := b.entity(t, s), b.entity(t, s)
	parent := b.document(t, e)
	d := filled[document.Document]()
	d.EntityID, d.OrganizationID, d.ParentID = e.ID, s.OrganizationID, parent.ID
	existing, err := b.Documents().Add(b.ctx, &d)
	must(t, err)
	if existing != nil {
		t.Error("a part was treated as another document")
	}
	got, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	same(t, "what was stored", *got, d)

	again := newDocument(e, b.at)
	again.SHA256 = parent.SHA256
	existing, err = b.Documents().Add(b.ctx, again)
	must(t, err)
	same(t, "the document of the same bytes", existing, parent)
	elsewhere := newDocument(other, b.at)
	elsewhere.SHA256 = parent.SHA256
	if existing, err = b.Documents().Add(b.ctx, elsewhere); err != nil || existing != nil {
		t.Errorf("same bytes of another entity: %v, %v", existing, err)
	}
	foreign := newDocument(e, b.at)
	foreign.OrganizationID = b.organization(t).OrganizationID
	_, err = b.Documents().Add(b.ctx, foreign)
	wantCode(t, err, fault.CodeConflict) // the entity belongs to another organization

	testDocumentUpdate(t, b, s, &d)
	testDocumentUpdateSeen(t, b, s, parent)
	testDocumentFilters(t, b, s, parent, &d, elsewhere)
}

func testDocumentUpdate(t *testing.T, b *bench, s identity.Scope, d *document.Document) {
	changed, err := b.Documents().Update(b.ctx, s, d.ID, func(d *document.Document) error {
		d.Status, d.Failure, d.HeldReason, d.InvoiceID, d.Pages, d.Attachments, d.Signatures = document.Processing, nil, "", uuid.Nil, nil, nil, nil
		d.Attempts++
		return nil
	})
	must(t, err)
	got, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	same(t, "what was changed", got, changed)
	if got.Version != d.Version+1 || got.Attempts != d.Attempts+1 || got.Failure != nil {
		t.Errorf("changed to %+v", got)
	}
}

// testDocumentUpdateSeen changes a document in the state in which it was read, and in an older one.
func testDocumentUpdateSeen(t *testing.T, b *bench, s identity.Scope, d *document.Document) {
	attempt := func(d *document.Document) error {
		d.Attempts++
		return nil
	}
	seen, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	before := *seen
	for n := 1; n <= 2; n++ { // the second change has not seen the first one
		changed, err := b.Documents().UpdateSeen(b.ctx, s, seen, attempt)
		must(t, err)
		got, err := b.Documents().Get(b.ctx, s, d.ID)
		must(t, err)
		same(t, "what was changed", got, changed)
		if got.Version != before.Version+n || got.Attempts != before.Attempts+n {
			t.Errorf("after change %d: version %d, attempts %d", n, got.Version, got.Attempts)
		}
	}
	same(t, "what was seen", *seen, before)
	// The state that was read refuses the change, and the present one accepts it.
	refused := fault.New(fault.Conflict, fault.CodeConflict, "refused")
	_, err = b.Documents().UpdateSeen(b.ctx, s, seen, func(d *document.Document) error {
		if d.Version == before.Version {
			return refused
		}
		return attempt(d)
	})
	must(t, err)
	other := b.organization(t)
	_, err = b.Documents().UpdateSeen(b.ctx, other, seen, attempt)
	wantCode(t, err, fault.CodeNotFound)
	got, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	_, err = b.Documents().UpdateSeen(b.ctx, other, got, attempt)
	wantCode(t, err, fault.CodeNotFound)
	// Of concurrent changes none is lost.
	var running sync.WaitGroup
	const changes = 8
	for range changes {
		running.Go(func() {
			if _, err := b.Documents().Update(b.ctx, s, d.ID, attempt); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	last, err := b.Documents().Get(b.ctx, s, d.ID)
	must(t, err)
	if last.Version != got.Version+changes || last.Attempts != got.Attempts+changes {
		t.Errorf("after %d concurrent changes: version %d, attempts %d; before: %d, %d", changes, last.Version, last.Attempts, got.Version, got.Attempts)
	}
}

// testDocumentFilters lists two documents of one entity, of which one has a part in PROCESSING,
// and one document of another entity.
func testDocumentFilters(t *testing.T, b *bench, s identity.Scope, parent, part, elsewhere *document.Document) {
	for name, test := range map[string]struct {
		filter document.Filter
		want   []uuid.UUID
	}{
		"all":                {document.Filter{}, []uuid.UUID{elsewhere.ID, part.ID, parent.ID}},
		"of an entity":       {document.Filter{EntityID: parent.EntityID}, []uuid.UUID{part.ID, parent.ID}},
		"by status":          {document.Filter{Statuses: []document.Status{document.Processing}}, []uuid.UUID{part.ID}},
		"by several":         {document.Filter{Statuses: document.Statuses(), EntityID: elsewhere.EntityID}, []uuid.UUID{elsewhere.ID}},
		"by external id":     {document.Filter{ExternalIDs: []string{part.ExternalID, "x"}}, []uuid.UUID{part.ID}},
		"by name":            {document.Filter{Query: "RÉCHNUNG.p"}, []uuid.UUID{elsewhere.ID, parent.ID}},
		"by no pattern":      {document.Filter{Query: "Rechnun_%"}, nil},
		"by source":          {document.Filter{Origins: []document.Origin{part.Origin, document.FromEmail}}, []uuid.UUID{part.ID}},
		"by integration":     {document.Filter{IntegrationIDs: []uuid.UUID{part.IntegrationID, newID()}}, []uuid.UUID{part.ID}},
		"by uploader":        {document.Filter{CreatedBy: part.CreatedBy}, []uuid.UUID{part.ID}},
		"by another":         {document.Filter{CreatedBy: newID()}, nil},
		"created from":       {document.Filter{CreatedFrom: part.CreatedAt, EntityID: part.EntityID, Origins: []document.Origin{part.Origin}}, []uuid.UUID{part.ID}},
		"created to":         {document.Filter{CreatedTo: part.CreatedAt, Origins: []document.Origin{part.Origin}}, nil},
		"by parent":          {document.Filter{ParentID: parent.ID}, []uuid.UUID{part.ID}},
		"of a missing one":   {document.Filter{EntityID: newID()}, nil},
		"by missing parents": {document.Filter{ParentID: newID()}, nil},
	} {
		list, err := b.Documents().List(b.ctx, s, test.filter, document.Sort{}, page.Request{})
		must(t, err)
		var ids []uuid.UUID
		for _, d := range list.Items {
			ids = append(ids, d.ID)
		}
		slices.SortFunc(test.want, func(a, b uuid.UUID) int { return slices.Compare(b[:], a[:]) })
		if !slices.Equal(ids, test.want) {
			t.Errorf("%s: %v, want %v", name, ids, test.want)
		}
	}
}

func testUnfinished(t *testing.T, b *bench) {
	s := b.organization(t)
	e := b.entity(t, s)
	as := func(status document.Status, age time.Duration, held string, requested bool) func(*document.Document) {
		return func(d *document.Document) {
			d.Status, d.UpdatedAt, d.HeldReason, d.Requested = status, b.at.Add(-age), held, requested
		}
	}
	b.document(t, e, as(document.Uploaded, time.Second, "", true))
	newer := b.document(t, e, as(document.Uploaded, time.Minute, "", true))
	older := b.document(t, e, as(document.Processing, time.Hour, "", false))
	held := b.document(t, e, as(document.Uploaded, time.Hour, document.HeldPlanLimit, true))
	b.document(t, e, as(document.Failed, time.Hour, "", true))
	b.document(t, e, as(document.Extracted, time.Hour, "", true))
	b.document(t, e, as(document.Uploaded, time.Hour, "", false))
	asked := b.document(t, e, as(document.Processing, 2*time.Hour, "", true))
	working := b.document(t, e, as(document.Uploaded, time.Hour, "", true))
	b.jobs.add(working.ID)

	list, err := b.Documents().Unfinished(b.ctx, b.at.Add(-time.Second), 10)
	must(t, err)
	var ids []uuid.UUID
	for _, d := range list {
		ids = append(ids, d.ID)
	}
	if want := []uuid.UUID{asked.ID, older.ID, newer.ID}; !slices.Equal(ids, want) {
		t.Errorf("unfinished %v, want %v", ids, want)
	}
	if list, err = b.Documents().Unfinished(b.ctx, b.at, 2); err != nil || len(list) != 2 {
		t.Errorf("limit: %d, %v", len(list), err)
	}
	// Documents of one organization are found even if another one has many waiting.
	second := b.document(t, e, as(document.Uploaded, time.Minute, document.HeldPlanLimit, true))
	s2 := b.organization(t)
	third := b.document(t, b.entity(t, s2), as(document.Uploaded, time.Second, document.HeldPlanLimit, true))
	if in, err := b.Documents().HeldIn(b.ctx); err != nil || !slices.Equal(in, []uuid.UUID{s.OrganizationID, s2.OrganizationID}) {
		t.Errorf("held in %v, %v", in, err)
	}
	for organization, want := range map[uuid.UUID][]uuid.UUID{s.OrganizationID: {held.ID, second.ID}, s2.OrganizationID: {third.ID}} {
		list, err := b.Documents().Held(b.ctx, organization, 10)
		if must(t, err); len(list) != len(want) || list[0].ID != want[0] || list[len(want)-1].ID != want[len(want)-1] {
			t.Errorf("held: %d, want %d", len(list), len(want))
		}
	}
	if list, err = b.Documents().Held(b.ctx, s.OrganizationID, 1); err != nil || len(list) != 1 || list[0].ID != held.ID {
		t.Errorf("held, at most one: %d, %v", len(list), err)
	}
	b.jobs.clear()
	if list, err = b.Documents().Unfinished(b.ctx, b.at, 10); err != nil || len(list) != 5 {
		t.Errorf("with its job gone, one more is unfinished: %d, %v", len(list), err)
	}
}

// testDocumentSorts reads each order in pages of two, for an administrator, for one entity and for
// a member. Equal times lose and repeat nothing.
func testDocumentSorts(t *testing.T, b *bench) {
	s := b.organization(t)
	member := newID()
	visible, hidden := b.entity(t, s, member), b.entity(t, s, newID())
	var all []*document.Document
	for i := range 7 {
		e := visible
		if i%3 == 1 {
			e = hidden
		}
		all = append(all, b.document(t, e, func(d *document.Document) { d.UpdatedAt = b.at.Add(time.Duration(i%3) * time.Hour) }))
	}
	for _, sort := range []document.Sort{{}, {Ascending: true}, {ByUpdate: true}, {ByUpdate: true, Ascending: true}} {
		for name, reader := range map[string]struct {
			scope  identity.Scope
			filter document.Filter
		}{
			"organization": {s, document.Filter{}},
			"entity":       {s, document.Filter{EntityID: visible.ID}},
			"member":       {identity.Scope{OrganizationID: s.OrganizationID, Member: member}, document.Filter{}},
		} {
			var want []uuid.UUID
			sorted := slices.Clone(all)
			slices.SortFunc(sorted, func(x, y *document.Document) int {
				order := slices.Compare(x.ID[:], y.ID[:])
				if sort.ByUpdate {
					order = cmp.Or(x.UpdatedAt.Compare(y.UpdatedAt), order)
				}
				if !sort.Ascending {
					order = -order
				}
				return order
			})
			for _, d := range sorted {
				if name == "organization" || d.EntityID == visible.ID {
					want = append(want, d.ID)
				}
			}
			got := idsOf(pages(t, 2, func(p page.Request) (page.Of[document.Document], error) {
				return b.Documents().List(b.ctx, reader.scope, reader.filter, sort, p)
			}))
			if !slices.Equal(got, want) {
				t.Errorf("%s by %+v: %v, want %v", name, sort, got, want)
			}
		}
	}
	first, err := b.Documents().List(b.ctx, s, document.Filter{}, document.Sort{ByUpdate: true}, page.Request{Limit: 1})
	must(t, err)
	for _, other := range []document.Sort{{}, {ByUpdate: true, Ascending: true}} {
		_, err := b.Documents().List(b.ctx, s, document.Filter{}, other, page.Request{After: first.Next})
		wantCode(t, err, fault.CodeInvalidRequest)
	}
	_, err = b.Documents().List(b.ctx, s, document.Filter{Origins: []document.Origin{document.FromUpload}}, document.Sort{ByUpdate: true}, page.Request{After: first.Next})
	wantCode(t, err, fault.CodeInvalidRequest)
}
