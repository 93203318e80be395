package httpapi

import (
	"context"

	"docledger/adapter/httpapi/convert"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/gen/backend"

	"github.com/google/uuid"
)

// ListEvents implements the operation listEvents.
func (s *Server) ListEvents(ctx context.Context, r backend.ListEventsRequestObject) (backend.ListEventsResponseObject, error) {
	p := r.Params
	f := event.Filter{
		EntityID: convert.ID(p.EntityId), ActorID: convert.ID(p.ActorId),
		CreatedFrom: instant(p.CreatedFrom), CreatedTo: instant(p.CreatedTo), NewestFirst: newestFirst(p.Order),
	}
	if p.SubjectId != nil {
		f.SubjectIDs = []uuid.UUID{*p.SubjectId}
	}
	if p.Type != nil {
		for _, t := range *p.Type {
			f.Types = append(f.Types, event.Type(t))
		}
	}
	if err := s.visible(ctx, f.EntityID); err != nil {
		return nil, err
	}
	found, err := s.Events.List(ctx, actor(ctx).Scope(), f, pageOf(p.Limit, p.After))
	if err != nil {
		return nil, renamed(err, "cursor", "after")
	}
	return backend.ListEvents200JSONResponse{Body: backend.EventList{
		Items: convert.ToAPIEvents(found.Items), NextCursor: convert.Cursor(found.Next),
	}}, nil
}

// newestFirst reports whether the caller asks for the newest events first.
func newestFirst(order *backend.EventOrder) bool { return order != nil && *order == backend.Desc }

// visible refuses a list of an entity that the caller may not see. No entity
// means all entities that the caller may see.
func (s *Server) visible(ctx context.Context, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	_, err := s.Entities.Get(ctx, actor(ctx).Scope(), id)
	return err
}

// renamed replaces the name of an invalid field by its name in this operation.
func renamed(err error, from, to string) error {
	f, ok := fault.As(err)
	if !ok || len(f.Fields) != 1 || f.Fields[0].Field != from {
		return err
	}
	return fault.InvalidField(to, "%s", f.Fields[0].Reason)
}
