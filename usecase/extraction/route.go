package extraction

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docledger/domain/document"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/page"
	"docledger/domain/review"

	"github.com/google/uuid"
)

// place is the entity in which an invoice is stored, with its settings.
type place struct {
	entity   *entity.Entity
	settings *entity.Settings
	email    *document.Email // as the entity judges the sender
}

// in returns the outcome as that of a document in another place.
func (o *outcome) in(p place) *outcome {
	out, d := *o, *o.document
	d.EntityID, d.Email = p.entity.ID, p.email
	out.document, out.entity, out.settings = &d, p.entity, p.settings
	return &out
}

// route returns the place of the invoice of each draft. It is the entity of the document, unless the
// entity's setting route_by_buyer is on and the buyer's tax identifier is that of exactly one other
// entity, which then applies its settings and checks (domain D12). A document is routed only with its
// first invoice, so that one that a person moved back stays. It is not routed to an entity that has the
// same bytes, nor out of an entity under legal hold.
func (s *Service) route(ctx context.Context, o *outcome, drafts []extraction.Draft) ([]place, error) {
	places := make([]place, len(drafts))
	for i := range places {
		places[i] = place{o.entity, o.settings, o.document.Email}
	}
	if !o.settings.RouteByBuyer || o.document.InvoiceID != uuid.Nil || o.entity.LegalHold {
		return places, nil
	}
	others, err := s.Entities.Buyers(ctx, o.document.OrganizationID)
	if err != nil {
		return nil, fmt.Errorf("find the entities of buyers: %w", err)
	}
	for i := range drafts {
		to := review.Route(drafts[i].Content.Buyer, o.entity, others)
		if to == nil {
			continue
		}
		if len(drafts) == 1 && o.document.Part == 0 {
			existing, err := s.Moves.WithBytes(ctx, to.OrganizationID, to.ID, o.document.SHA256)
			if err != nil {
				return nil, err
			}
			if existing != uuid.Nil {
				continue
			}
		}
		settings, err := s.Settings.Get(ctx, o.actor.Scope(), to.ID)
		if err != nil {
			return nil, fmt.Errorf("read settings of the buyer: %w", err)
		}
		origin, err := email.In(ctx, s.Senders, o.document, to.ID)
		if err != nil {
			return nil, err
		}
		places[i] = place{to, settings, origin}
	}
	return places, nil
}

// settle returns the places in which the invoices of drafts can still be stored, under locks until the
// end of the transaction. A legal hold of the entity of the document, or the end of another one, can
// have begun since route. The invoices then stay in the entity of the document.
func (s *Service) settle(ctx context.Context, o *outcome, places []place) ([]place, error) {
	own := place{o.entity, o.settings, o.document.Email}
	leaves := func(p place) bool { return p.entity.ID != own.entity.ID }
	if !slices.ContainsFunc(places, leaves) {
		return places, nil
	}
	var err error
	if own.entity, err = s.Entities.GetShared(ctx, o.actor.Scope(), o.entity.ID); err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	out := slices.Clone(places)
	for i, p := range places {
		if leaves(p) {
			p.entity, err = s.Entities.GetShared(ctx, o.actor.Scope(), p.entity.ID)
			if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
				return nil, fmt.Errorf("read the entity of the buyer: %w", err)
			}
			if err == nil && own.entity.RequireReleasable() == nil && p.entity.RequireOpen() == nil {
				out[i] = p
				continue
			}
		}
		out[i] = own
	}
	return out, nil
}

// maxOrigins is the number of documents that are asked for the origin of a merged one. Beyond it a
// person approves.
const maxOrigins = 100

// maxCauses is the number of events that are read to find an assistant. Beyond it a person approves.
const maxCauses = 10 * page.MaxLimit

// NeedsPerson reports whether an assistant that may not approve uploaded or moved the
// document, requested its extraction or forced it, or an e-mail of a sender who is not
// accepted brought it. SYSTEM does not approve such an invoice, because the assistant or
// sender may have made it up, or the assistant judged or selected it.
func (s *Service) NeedsPerson(ctx context.Context, a identity.Actor, d *document.Document, settings *entity.Settings) (bool, error) {
	if e := d.Email; e != nil && !e.Accepted {
		return true, nil // domain D33
	}
	if settings.AssistantsApprove() {
		return false, nil
	}
	// A part comes from whoever uploaded its file, also if a person divided it. The file
	// may be in a container. Pages that a person merged come from the originals.
	subjects, waiting := []uuid.UUID{}, []*document.Document{d}
	forced, parents := []uuid.UUID{}, map[uuid.UUID]uuid.UUID{}
	for len(waiting) > 0 && len(subjects) < maxOrigins {
		one := waiting[0]
		waiting, subjects = waiting[1:], append(subjects, one.ID)
		if parents[one.ID] = one.ParentID; one.Forced {
			forced = append(forced, one.ID)
		}
		for _, id := range append(slices.Clone(one.MergedFrom), one.ParentID) {
			if id == uuid.Nil || slices.Contains(subjects, id) {
				continue
			}
			origin, err := s.Documents.Get(ctx, a.Scope(), id)
			if fault.CodeOf(err) == fault.CodeNotFound && id != one.ParentID {
				return true, nil // an original was deleted, so it is not known who sent it
			}
			if err != nil {
				return false, fmt.Errorf("find the file of a part: %w", err)
			}
			waiting = append(waiting, origin)
		}
	}
	if len(waiting) > 0 {
		return true, nil
	}
	if unknown, err := s.forcedByUnknown(ctx, a, forced, parents); err != nil || unknown {
		return unknown, err
	}
	return s.anyEvent(ctx, a, byAssistants(subjects), event.Event.Selects)
}

// byAssistants finds the events by which assistants select documents.
func byAssistants(subjects []uuid.UUID) event.Filter {
	return event.Filter{
		Types:     []event.Type{event.DocumentReceived, event.DocumentMoved, event.DocumentChanged},
		ActorType: identity.ActorAssistant, SubjectIDs: subjects,
	}
}

// selector returns the assistant that selected a container or a file that contains it; the actor if
// none did.
func (s *Service) selector(ctx context.Context, a identity.Actor, container *document.Document) (identity.Actor, error) {
	subjects := []uuid.UUID{container.ID}
	for id := container.ParentID; id != uuid.Nil; {
		file, err := s.Documents.Get(ctx, a.Scope(), id)
		if err != nil {
			return a, fmt.Errorf("find the file of a container: %w", err)
		}
		subjects, id = append(subjects, id), file.ParentID
	}
	_, err := s.anyEvent(ctx, a, byAssistants(subjects), func(e event.Event) bool {
		if e.Selects() {
			a = identity.Actor{Type: e.ActorType, UserID: e.ActorID, ClientID: e.ClientID, OrganizationID: e.OrganizationID}
		}
		return e.Selects()
	})
	return a, err
}

// forcedByUnknown reports whether one of the forced documents has no event of a forced extraction:
// earlier releases did not record who forced it. A part is forced with its file. parents are the
// files of the documents.
func (s *Service) forcedByUnknown(ctx context.Context, a identity.Actor, forced []uuid.UUID, parents map[uuid.UUID]uuid.UUID) (bool, error) {
	if len(forced) == 0 {
		return false, nil
	}
	recorded := map[uuid.UUID]bool{}
	endless, err := s.anyEvent(ctx, a, event.Filter{
		Types: []event.Type{event.DocumentChanged}, SubjectIDs: slices.Collect(maps.Keys(parents)),
	}, func(e event.Event) bool {
		recorded[e.Subject.ID] = recorded[e.Subject.ID] || e.Forces()
		return false
	})
	return endless || slices.ContainsFunc(forced, func(id uuid.UUID) bool {
		for id != uuid.Nil && !recorded[id] {
			id = parents[id]
		}
		return id == uuid.Nil
	}), err
}

// anyEvent reports whether an event has a property, or there are too many to tell. It reads the
// newest events first: that order includes the events of a transaction that committed while an older
// one is open.
func (s *Service) anyEvent(ctx context.Context, a identity.Actor, filter event.Filter, has func(event.Event) bool) (bool, error) {
	filter.NewestFirst = true
	request := page.Request{Limit: page.MaxLimit}
	for range maxCauses / page.MaxLimit {
		events, err := s.Events.List(ctx, a.Scope(), filter, request)
		if err != nil {
			return false, fmt.Errorf("find who uploaded the document: %w", err)
		}
		if slices.ContainsFunc(events.Items, has) {
			return true, nil
		}
		if request.After = events.Next; request.After == "" {
			return false, nil
		}
	}
	return true, nil
}
