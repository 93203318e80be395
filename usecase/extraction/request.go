package extraction

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// Request polls the document with growing delays, because the worker may be another process.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 250 * time.Millisecond
)

// Request extracts a document and returns its invoice (domain D20). It returns the existing result
// of an extracted document. With force it extracts the document again and treats it as an invoice
// regardless of its title.
func (s *Service) Request(ctx context.Context, a identity.Actor, id uuid.UUID, force bool) (*invoice.Invoice, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Extract, s.Settings); err != nil {
		return nil, err
	}
	if d.Status.Terminal() && !force {
		return s.answer(ctx, a, d)
	}
	if err := s.mayExtract(ctx, d); err != nil {
		return nil, err
	}
	if force {
		if err := s.mayRepeat(ctx, a, d); err != nil {
			return nil, err
		}
	}
	if err := s.begin(ctx, a, d, force); err != nil {
		return nil, err
	}
	if d, err = s.await(ctx, a, d); err != nil {
		return nil, err
	}
	return s.answer(ctx, a, d)
}

// mayExtract returns a fault if the plan has no room.
func (s *Service) mayExtract(ctx context.Context, d *document.Document) error {
	plan, err := s.Plans.Of(ctx, d.OrganizationID)
	if err != nil {
		return fmt.Errorf("find plan: %w", err)
	}
	if !plan.Writable {
		return billing.ErrInactive(plan)
	}
	if plan.MaxInvoicesPerMonth == nil || d.InvoiceID != uuid.Nil {
		return nil
	}
	used, err := s.Usage.Used(ctx, d.OrganizationID, billing.Invoices, billing.Month(s.Clock.Now()))
	if err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	if used >= *plan.MaxInvoicesPerMonth {
		return billing.ErrLimit(billing.Invoices, *plan.MaxInvoicesPerMonth)
	}
	return nil
}

// mayRepeat returns a fault if the result of the previous extraction is in use.
func (s *Service) mayRepeat(ctx context.Context, a identity.Actor, d *document.Document) error {
	if d.Status == document.Split {
		return s.errSplit(ctx, a, d)
	}
	if d.InvoiceID == uuid.Nil {
		return nil
	}
	inv, err := s.Invoices.Get(ctx, a.Scope(), d.InvoiceID)
	if err != nil {
		return fmt.Errorf("read invoice: %w", err)
	}
	if !inv.Status.Open() {
		return fault.New(fault.Conflict, fault.CodeConflict,
			"The invoice is %s, so its document cannot be extracted again. Reopen the invoice first.", inv.Status).
			With("status", string(inv.Status)).With("invoice_id", inv.ID.String())
	}
	return nil
}

// begin ensures that the document is being extracted: it enqueues a job with the caller's priority
// and, with force, resets the document. An event says who forced the extraction, and which assistant
// requested one that was not requested before, because SYSTEM does not approve what an assistant selected.
func (s *Service) begin(ctx context.Context, a identity.Actor, d *document.Document, force bool) error {
	// The automatic extraction can have ended since the document was read.
	done, entity := errors.New("done"), d.EntityID
	err := s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if force || !d.Requested || d.HeldReason == document.HeldPlanLimit {
			var err error
			var before document.Document
			d, err = s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
				if now.EntityID != entity { // moved meanwhile, to an entity with other rights
					return fault.StaleVersion(now.Version)
				}
				if now.Status.Terminal() && !force {
					return done
				}
				before = *now
				if force || now.HeldReason == document.HeldPlanLimit {
					now.ResetForExtraction(force)
				}
				now.Requested, now.UpdatedAt = true, s.Clock.Now()
				return nil
			})
			if err != nil {
				return fmt.Errorf("request document: %w", err)
			}
			requested := before.Requested && !before.Status.Terminal()
			events := event.Requested(a, d.EntityID, subjectOf(d), before.Forced, force, requested)
			if err := s.Events.Append(ctx, events...); err != nil {
				return fmt.Errorf("append event of the request: %w", err)
			}
		}
		return s.enqueue(ctx, d, job.Interactive)
	})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

// await waits until the extraction has ended, at most for WaitTimeout.
func (s *Service) await(ctx context.Context, a identity.Actor, d *document.Document) (*document.Document, error) {
	waiting, cancel := context.WithTimeout(ctx, s.WaitTimeout)
	defer cancel()
	pause := firstPoll
	for {
		select {
		case <-waiting.Done():
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return nil, errStillProcessing(d)
		case <-time.After(pause):
			pause = min(pause*3/2, lastPoll)
		}
		now, err := s.Documents.Get(waiting, a.Scope(), d.ID)
		if err != nil {
			if errors.Is(waiting.Err(), context.DeadlineExceeded) {
				continue
			}
			return nil, err
		}
		switch {
		case now.Status.Terminal(), now.HeldReason == document.HeldPlanLimit:
			return now, nil
		case now.HeldReason == document.HeldReaderUnavailable && now.Version > d.Version:
			return now, nil // requeued since the request
		}
	}
}

// errReaderUnavailable returns the fault for a document that waits for the extraction process.
func errReaderUnavailable(d *document.Document) error {
	f := fault.New(fault.Unavailable, fault.CodeStillProcessing,
		"The extraction process is unavailable. The document waits and is extracted automatically. Try again later.").
		With("document_id", d.ID.String()).With("progress", nil).With("held_reason", d.HeldReason)
	f.RetryAfter = readerRetryDelay
	return f
}

func errStillProcessing(d *document.Document) error {
	f := fault.New(fault.Unavailable, fault.CodeStillProcessing, "The document is still being extracted. Try again in a moment.").
		With("document_id", d.ID.String()).With("progress", nil)
	f.RetryAfter = 2 * time.Second
	return f
}

// answer returns the invoice of a finished document, or the reason why there is none.
func (s *Service) answer(ctx context.Context, a identity.Actor, d *document.Document) (*invoice.Invoice, error) {
	switch {
	case d.HeldReason == document.HeldReaderUnavailable:
		return nil, errReaderUnavailable(d)
	case d.HeldReason != "":
		plan, err := s.Plans.Of(ctx, d.OrganizationID)
		if err != nil {
			return nil, fmt.Errorf("find plan: %w", err)
		}
		if plan.MaxInvoicesPerMonth == nil {
			return nil, errStillProcessing(d)
		}
		return nil, billing.ErrLimit(billing.Invoices, *plan.MaxInvoicesPerMonth)
	case d.Status == document.Extracted:
		return s.Invoices.Get(ctx, a.Scope(), d.InvoiceID)
	case d.Status == document.Split:
		return nil, s.errSplit(ctx, a, d)
	case d.Status == document.NotAnInvoice:
		return nil, withFailure(fault.New(fault.Invalid, fault.CodeNotAnInvoice,
			"The document is not an invoice: %s", d.Failure.Message), d)
	default:
		return nil, withFailure(fault.New(fault.Invalid, fault.CodeUnreadableDocument,
			"The document cannot be extracted: %s", d.Failure.Message), d)
	}
}

func withFailure(f *fault.Error, d *document.Document) error {
	return f.With("document_id", d.ID.String()).
		With("failure", map[string]any{"code": d.Failure.Code, "message": d.Failure.Message}).
		With("reason", d.Failure.Code)
}

// errSplit lists the parts, which can be extracted separately.
func (s *Service) errSplit(ctx context.Context, a identity.Actor, d *document.Document) error {
	children := []string{}
	request := page.Request{Limit: page.MaxLimit}
	for {
		parts, err := s.Documents.List(ctx, a.Scope(), document.Filter{ParentID: d.ID}, document.Sort{}, request)
		if err != nil {
			return fmt.Errorf("list parts: %w", err)
		}
		for _, p := range parts.Items {
			children = append(children, p.ID.String())
		}
		if request.After = parts.Next; request.After == "" {
			break
		}
	}
	// A document that a container brought again can have been deleted since.
	for _, id := range d.Known {
		switch _, err := s.Documents.Get(ctx, a.Scope(), id); {
		case err == nil:
			children = append(children, id.String())
		case fault.CodeOf(err) != fault.CodeNotFound:
			return fmt.Errorf("read document of container: %w", err)
		}
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"The file contains other documents, each stored separately. Extract one of details.children.").
		With("document_id", d.ID.String()).With("children", children)
}
