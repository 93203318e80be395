package extraction

import (
	"context"
	"errors"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// errAsItIs rolls back where nothing is to be changed.
var errAsItIs = errors.New("the document stays as it is")

// Cancel ends the reading of a document whose job the operator has cancelled,
// within the caller's transaction: it is FAILED, or keeps the invoice that it
// has, and its original stays. A document that has gone on without the job
// stays as it is.
func (s *Service) Cancel(ctx context.Context, args job.ExtractDocument) error {
	actor := identity.System(args.OrganizationID)
	d, err := s.Documents.Update(ctx, actor.Scope(), args.DocumentID, func(d *document.Document) error {
		if d.Status.Terminal() || d.Restarts != args.Restart {
			return errAsItIs
		}
		d.Requested, d.HeldReason, d.UpdatedAt = false, "", s.Clock.Now()
		d.Run++ // whoever reads it after all can end it no more
		if d.InvoiceID != uuid.Nil {
			d.Status = document.Extracted
			return nil
		}
		d.Status = document.Failed
		d.Failure = &document.Failure{
			Code:    string(extraction.Cancelled),
			Message: "The operator of the service has ended the reading. Extract the document with force to have it read.",
		}
		return nil
	})
	if errors.Is(err, errAsItIs) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel the reading: %w", err)
	}
	if d.Status != document.Failed {
		return nil
	}
	ev := event.By(actor, event.DocumentFailed, d.EntityID, subjectOf(d))
	ev.Data = map[string]string{"code": string(extraction.Cancelled)}
	return s.Events.Append(ctx, ev)
}

// Retry has a document read whose job has ended without it, within the caller's
// transaction. One that has been read is a Conflict fault.
func (s *Service) Retry(ctx context.Context, args job.ExtractDocument) error {
	d, err := s.Documents.Update(ctx, identity.System(args.OrganizationID).Scope(), args.DocumentID, func(d *document.Document) error {
		if d.Status != document.Failed && d.Status.Terminal() {
			return fault.New(fault.Conflict, fault.CodeConflict, "The document has been read meanwhile: it is %s.", d.Status)
		}
		if d.Status == document.Failed {
			d.ResetForExtraction(false)
			d.UpdatedAt = s.Clock.Now()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("have the document read again: %w", err)
	}
	return s.enqueue(ctx, d, job.Interactive)
}
