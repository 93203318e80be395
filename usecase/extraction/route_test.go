package extraction

import (
	"context"
	"testing"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// documentsByID reads documents from memory.
type documentsByID struct {
	document.Repository
	of map[uuid.UUID]*document.Document
}

// Get implements document.Reader.
func (r documentsByID) Get(_ context.Context, _ identity.Scope, id uuid.UUID) (*document.Document, error) {
	if d := r.of[id]; d != nil {
		return d, nil
	}
	return nil, fault.New(fault.NotFound, fault.CodeNotFound, "There is no such document.")
}

// logOf lists events from memory by the parts of the filter that NeedsPerson uses.
type logOf struct {
	event.Log
	events []event.Event
}

// List implements event.Log.
func (l logOf) List(_ context.Context, _ identity.Scope, f event.Filter, _ page.Request) (out page.Of[event.Event], err error) {
	for _, e := range l.events {
		for _, id := range f.SubjectIDs {
			if e.Subject.ID == id && (f.ActorType == "" || f.ActorType == e.ActorType) {
				out.Items = append(out.Items, e)
			}
		}
	}
	return out, nil
}

// TestForcedByUnknownNeedsAPerson asks for a person for forced documents. Earlier releases recorded no
// event of a forced extraction. A part has the event of its file, but an original that was merged does
// not have that of another one.
func TestForcedByUnknownNeedsAPerson(t *testing.T) {
	t.Parallel()
	user := identity.Actor{Type: identity.ActorUser, UserID: uuid.New(), OrganizationID: uuid.New()}
	assistant := user
	assistant.Type = identity.ActorAssistant
	forced := func(a identity.Actor, of *document.Document) event.Event {
		return event.Requested(a, uuid.Nil, event.Subject{ID: of.ID}, false, true, true)[0]
	}
	file := &document.Document{ID: uuid.New(), Forced: true}
	part := &document.Document{ID: uuid.New(), ParentID: file.ID, Forced: true}
	plain := &document.Document{ID: uuid.New()}
	other := &document.Document{ID: uuid.New(), Forced: true}
	merged := &document.Document{ID: uuid.New(), MergedFrom: []uuid.UUID{file.ID, other.ID}}
	of := map[uuid.UUID]*document.Document{}
	for _, d := range []*document.Document{file, part, plain, other, merged} {
		of[d.ID] = d
	}
	renamed := event.By(user, event.DocumentChanged, uuid.Nil, event.Subject{ID: file.ID})
	renamed.Changes = []event.Change{{Field: "external_id", To: "7"}}
	for name, c := range map[string]struct {
		of     *document.Document
		events []event.Event
		want   bool
	}{
		"not forced":              {plain, nil, false},
		"without an event":        {file, nil, true},
		"another change":          {file, []event.Event{renamed}, true},
		"by a person":             {file, []event.Event{forced(user, file)}, false},
		"by an assistant":         {file, []event.Event{forced(assistant, file)}, true},
		"a part without an event": {part, nil, true},
		"a part of a forced file": {part, []event.Event{forced(user, file)}, false},
		"one of two originals":    {merged, []event.Event{forced(user, file)}, true},
		"both originals":          {merged, []event.Event{forced(user, file), forced(user, other)}, false},
	} {
		s := &Service{Documents: documentsByID{of: of}, Events: logOf{events: c.events}}
		got, err := s.NeedsPerson(t.Context(), user, c.of, &entity.Settings{AssistantActions: identity.AssistantPrepare})
		if err != nil || got != c.want {
			t.Errorf("%s: NeedsPerson is %v, %v; want %v", name, got, err, c.want)
		}
	}
}
