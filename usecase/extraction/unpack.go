package extraction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// unpack stores the documents in a container, which is then SPLIT (domain D11). Bytes
// that the entity already has give no second document.
func (s *Service) unpack(ctx context.Context, a identity.Actor, d *document.Document, r *extraction.Result) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		d, present, err := s.renamed(ctx, a, d)
		if err != nil {
			return err
		}
		added := 0
		var known []uuid.UUID
		for i := range r.Contained {
			child := containedIn(d, &r.Contained[i])
			child.ID, child.CreatedAt, child.UpdatedAt = s.IDs.New(), now, now
			existing, err := s.Documents.Add(ctx, child)
			switch {
			case err != nil:
				return fmt.Errorf("add document of container: %w", err)
			case existing == nil:
				added++
				if err := s.receivedInside(ctx, a, child); err != nil {
					return err
				}
			case existing.ParentID != d.ID && existing.ID != d.ID && !slices.Contains(known, existing.ID):
				known = append(known, existing.ID)
				if _, err := s.receivedAgain(ctx, a, d, existing); err != nil {
					return err
				}
			}
		}
		updated, err := s.Documents.UpdateSeen(ctx, a.Scope(), present, func(now *document.Document) error {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.Status, now.Failure, now.HeldReason, now.Requested = document.Split, nil, "", false
			now.MediaType, now.Attachments, now.Known = r.MediaType, r.Attachments, known
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil {
			return fmt.Errorf("conclude container: %w", err)
		}
		ev := event.By(a, event.DocumentSplit, d.EntityID, subjectOf(updated))
		ev.Data = map[string]string{"parts": strconv.Itoa(added), "known": strconv.Itoa(len(known))}
		return s.Events.Append(ctx, ev)
	})
}

// containedIn returns the document of a file in a container. It has the origin and the external id of
// the container.
func containedIn(d *document.Document, f *extraction.Contained) *document.Document {
	path := f.Path
	if d.SourcePath != "" {
		path = d.SourcePath + "/" + path
	}
	return &document.Document{
		EntityID: d.EntityID, OrganizationID: d.OrganizationID, ParentID: d.ID,
		Filename: document.CleanFilename(f.Path), SourcePath: path, MediaType: f.MediaType, SizeBytes: f.SizeBytes, SHA256: f.SHA256,
		Origin: d.Origin, IntegrationID: d.IntegrationID, Email: d.Email, Status: document.Uploaded, Requested: true,
		ExternalID: d.ExternalID,
		Version:    1, CreatedBy: d.CreatedBy,
	}
}

func (s *Service) receivedInside(ctx context.Context, a identity.Actor, child *document.Document) error {
	ev := event.By(a, event.DocumentReceived, child.EntityID, subjectOf(child))
	ev.Data = map[string]string{"sha256": child.SHA256, "source": string(child.Origin), "parent_id": child.ParentID.String()}
	if err := s.Events.Append(ctx, ev); err != nil {
		return fmt.Errorf("append event of contained document: %w", err)
	}
	return s.enqueue(ctx, child, job.Automatic)
}

// receivedAgain extracts a FAILED document again, because its bytes arrived again
// (domain D7), in a container or, if that is nil, from the actor. Any other document
// stays as it is. It returns the document.
func (s *Service) receivedAgain(ctx context.Context, a identity.Actor, container, d *document.Document) (*document.Document, error) {
	if d.Status != document.Failed {
		return d, nil
	}
	unchanged := errors.New("unchanged")
	again, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
		if now.Status != document.Failed {
			return unchanged
		}
		now.ResetForExtraction(false)
		now.UpdatedAt = s.Clock.Now()
		return nil
	})
	if errors.Is(err, unchanged) {
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("extract known document again: %w", err)
	}
	by := a
	if container != nil {
		if by, err = s.selector(ctx, a, container); err != nil {
			return nil, err
		}
	}
	if err := s.Events.Append(ctx, event.Requested(by, again.EntityID, subjectOf(again), again.Forced, false, false)...); err != nil {
		return nil, fmt.Errorf("append event of the request: %w", err)
	}
	return again, s.enqueue(ctx, again, job.Automatic)
}
