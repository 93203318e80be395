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

// errAsItIs rolls back if there is nothing to change.
var errAsItIs = errors.New("nothing to change")

// Cancel ends the extraction of a document whose job the operator has cancelled, within the
// caller's transaction. The document becomes FAILED, or keeps its existing invoice. The original is
// kept. A document that no longer depends on the job is unchanged.
func (s *Service) Cancel(ctx context.Context, args job.ExtractDocument) error {
	actor := identity.System(args.OrganizationID)
	d, err := s.Documents.Update(ctx, actor.Scope(), args.DocumentID, func(d *document.Document) error {
		if d.Status.Terminal() || d.Restarts != args.Restart {
			return errAsItIs
		}
		d.Requested, d.HeldReason, d.UpdatedAt = false, "", s.Clock.Now()
		d.Run++ // a running attempt can no longer store its result
		if d.InvoiceID != uuid.Nil {
			d.Status = document.Extracted
			return nil
		}
		d.Status = document.Failed
		d.Failure = &document.Failure{
			Code:    string(extraction.Cancelled),
			Message: "The operator of the service cancelled the extraction. Extract the document with force to try again.",
		}
		return nil
	})
	if errors.Is(err, errAsItIs) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cancel extraction: %w", err)
	}
	if d.Status != document.Failed {
		return nil
	}
	ev := event.By(actor, event.DocumentFailed, d.EntityID, subjectOf(d))
	ev.Data = map[string]string{"code": string(extraction.Cancelled)}
	return s.Events.Append(ctx, ev)
}

// Retry requests another extraction of a document whose job ended without a result, within the
// caller's transaction. It returns a Conflict fault if the document has been extracted.
func (s *Service) Retry(ctx context.Context, args job.ExtractDocument) error {
	d, err := s.Documents.Update(ctx, identity.System(args.OrganizationID).Scope(), args.DocumentID, func(d *document.Document) error {
		if d.Status != document.Failed && d.Status.Terminal() {
			return fault.New(fault.Conflict, fault.CodeConflict, "The document is already extracted: its status is %s.", d.Status)
		}
		if d.Status == document.Failed {
			d.ResetForExtraction(false)
			d.UpdatedAt = s.Clock.Now()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("retry extraction: %w", err)
	}
	return s.enqueue(ctx, d, job.Interactive)
}
