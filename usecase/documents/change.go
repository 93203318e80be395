package documents

import (
	"context"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Patch changes values of a document. A nil value stays.
type Patch struct {
	ExternalID *string // "" clears it
}

// Change changes values of a document that do not belong to its file. Version 0 matches every
// version. A patch without effect changes nothing and records nothing.
func (s *Service) Change(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, p Patch) (*document.Document, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Correct, s.Settings); err != nil {
		return nil, err
	}
	if ifVersion > 0 && ifVersion != d.Version {
		return nil, fault.StaleVersion(d.Version)
	}
	if p.ExternalID == nil || *p.ExternalID == d.ExternalID {
		return d, nil
	}
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		before := ""
		d, err = s.Documents.Update(ctx, a.Scope(), id, func(now *document.Document) error {
			if ifVersion > 0 && ifVersion != now.Version || now.EntityID != e.ID { // e is not that of a document moved meanwhile
				return fault.StaleVersion(now.Version)
			}
			before = now.ExternalID
			now.ExternalID, now.UpdatedAt = *p.ExternalID, s.Clock.Now()
			return nil
		})
		if err != nil {
			return err
		}
		changed := event.By(a, event.DocumentChanged, d.EntityID, event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version})
		changed.Changes = []event.Change{{Field: "external_id", From: before, To: d.ExternalID}}
		return s.Events.Append(ctx, changed)
	})
	if err != nil {
		return nil, fmt.Errorf("change document: %w", err)
	}
	return d, nil
}
