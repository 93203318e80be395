package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

func testEvents(t *testing.T, b *bench) {
	s := b.organization(t)
	log := b.Events()
	none, err := log.List(b.ctx, s, event.Filter{}, page.Request{})
	must(t, err)
	if len(none.Items) != 0 || none.Next != "" {
		t.Errorf("an empty log: %+v", none)
	}
	e := filled[event.Event]()
	e.OrganizationID = s.OrganizationID
	e.Subject.ExternalID = "" // only webhooks have it
	must(t, log.Append(b.ctx, e))
	list, err := log.List(b.ctx, s, event.Filter{}, page.Request{})
	must(t, err)
	same(t, "the log", list.Items, []event.Event{e})
	found, err := log.Find(b.ctx, s.OrganizationID, e.ID)
	must(t, err)
	same(t, "by its id", *found, e)
	for name, organization := range map[string]uuid.UUID{"another organization": newID(), "no organization": uuid.Nil} {
		if _, err := log.Find(b.ctx, organization, e.ID); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("found for %s: %v", name, err)
		}
	}
	must(t, log.Append(b.ctx, event.Event{Type: event.EntityCreated, OrganizationID: s.OrganizationID}))
	list, err = log.List(b.ctx, s, event.Filter{}, page.Request{After: list.Next})
	must(t, err)
	if len(list.Items) != 1 || list.Items[0].ID == uuid.Nil || time.Since(list.Items[0].CreatedAt) > time.Minute {
		t.Errorf("an event without id and time: %+v", list.Items)
	}
	quiet, err := log.List(b.ctx, s, event.Filter{}, page.Request{After: list.Next})
	must(t, err)
	if len(quiet.Items) != 0 || quiet.Next != list.Next {
		t.Errorf("nothing new: %+v, want to go on from %s", quiet, list.Next)
	}
	testEventFilters(t, b)
	testNewestEventsFirst(t, b)
	testEventRollback(t, b)
}

func testEventFilters(t *testing.T, b *bench) {
	s := b.organization(t)
	entity, subject, actor := newID(), newID(), newID()
	all := []event.Event{
		{Type: event.EntityCreated, EntityID: entity, Subject: event.Subject{ID: newID()}, CreatedAt: b.at},
		{Type: event.EntityChanged, EntityID: newID(), Subject: event.Subject{ID: subject}, CreatedAt: b.at.Add(time.Hour)},
		{Type: event.MemberAdded, ActorID: actor, ActorType: identity.ActorAssistant, Subject: event.Subject{ID: newID()}, CreatedAt: b.at.Add(2 * time.Hour)},
	}
	for i := range all {
		all[i].OrganizationID, all[i].ID = s.OrganizationID, newID()
	}
	must(t, b.Events().Append(b.ctx, all...))
	for name, test := range map[string]struct {
		filter event.Filter
		want   []int
	}{
		"all":           {event.Filter{}, []int{0, 1, 2}},
		"type":          {event.Filter{Types: []event.Type{event.MemberAdded, event.EntityCreated}}, []int{0, 2}},
		"entity":        {event.Filter{EntityID: entity}, []int{0}},
		"subject":       {event.Filter{SubjectIDs: []uuid.UUID{subject, newID()}}, []int{1}},
		"actor":         {event.Filter{ActorID: actor}, []int{2}},
		"type of actor": {event.Filter{ActorType: identity.ActorAssistant}, []int{2}},
		"from":          {event.Filter{CreatedFrom: b.at.Add(time.Hour)}, []int{1, 2}},
		"to":            {event.Filter{CreatedTo: b.at.Add(time.Hour)}, []int{0}},
		"together":      {event.Filter{EntityID: entity, CreatedFrom: b.at.Add(time.Hour)}, nil},
	} {
		list, err := b.Events().List(b.ctx, s, test.filter, page.Request{})
		must(t, err)
		var got []int
		for _, e := range list.Items {
			got = append(got, slices.IndexFunc(all, func(a event.Event) bool { return a.ID == e.ID }))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: events %v, want %v", name, got, test.want)
		}
	}
}

func testNewestEventsFirst(t *testing.T, b *bench) {
	s := b.organization(t)
	var ids []uuid.UUID
	for range 5 {
		e := event.Event{ID: newID(), Type: event.EntityCreated, OrganizationID: s.OrganizationID}
		must(t, b.Events().Append(b.ctx, e))
		ids = append(ids, e.ID)
	}
	slices.Reverse(ids)
	var got []uuid.UUID
	newest := event.Filter{NewestFirst: true}
	for p := (page.Request{Limit: 2}); ; {
		list, err := b.Events().List(b.ctx, s, newest, p)
		must(t, err)
		for _, e := range list.Items {
			got = append(got, e.ID)
		}
		if p.After = list.Next; p.After == "" {
			break
		}
	}
	if !slices.Equal(got, ids) {
		t.Errorf("newest first: %v, want %v", got, ids)
	}
	oldest, err := b.Events().List(b.ctx, s, event.Filter{}, page.Request{Limit: 2})
	must(t, err)
	if _, err := b.Events().List(b.ctx, s, newest, page.Request{After: oldest.Next}); err == nil {
		t.Error("a cursor of the other order is accepted")
	}
}

func testEventRollback(t *testing.T, b *bench) {
	s := b.organization(t)
	_ = b.InTx(b.ctx, func(ctx context.Context) error {
		must(t, b.Events().Append(ctx, event.Event{OrganizationID: s.OrganizationID}))
		return errStop
	})
	must(t, b.Events().Append(b.ctx, event.Event{OrganizationID: s.OrganizationID, Type: event.EntityCreated}))
	// Inside a transaction the log is read without a wait for its end.
	must(t, b.InTx(b.ctx, func(ctx context.Context) error {
		must(t, b.Events().Append(ctx, event.Event{OrganizationID: s.OrganizationID, Type: event.EntityChanged}))
		_, err := b.Events().List(ctx, s, event.Filter{}, page.Request{})
		return err
	}))
	list, err := b.Events().List(b.ctx, s, event.Filter{}, page.Request{})
	must(t, err)
	var types []event.Type
	for _, e := range list.Items {
		types = append(types, e.Type)
	}
	if want := []event.Type{event.EntityCreated, event.EntityChanged}; !slices.Equal(types, want) {
		t.Errorf("events %v, want %v", types, want)
	}
}

// eventsOf reads the whole log in pages.
func (b *bench) eventsOf(t *testing.T, s identity.Scope) []event.Event {
	t.Helper()
	var all []event.Event
	var after string
	for {
		list, err := b.Events().List(b.ctx, s, event.Filter{}, page.Request{Limit: 3, After: after})
		must(t, err)
		if len(list.Items) == 0 {
			return all
		}
		all, after = append(all, list.Items...), list.Next
	}
}
