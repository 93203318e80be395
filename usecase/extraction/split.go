package extraction

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/page"

	"github.com/google/uuid"
)

// MaxParts is the maximum number of parts of a file.
const MaxParts = 200

// supersededReason is the reason of rejection of an invoice that a corrected split replaces.
const supersededReason = "The file was split differently."

// Split corrects which pages of a file are which document (domain D11). A part that exists already
// stays as it is. The invoices of other parts, and that of an undivided file, are rejected. None may
// be approved or synced. Version 0 matches every version.
func (s *Service) Split(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, parts []document.Pages) (*document.Document, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	// A new division rejects the invoices of the earlier one.
	if err := e.Require(ctx, a, identity.Reject, s.Settings); err != nil {
		return nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, err
	}
	if err := validParts(d, parts); err != nil {
		return nil, err
	}
	if err := s.mayExtract(ctx, d); err != nil {
		return nil, err
	}
	var updated *document.Document
	err = s.Duplicates.InTurn(ctx, a.OrganizationID, func(ctx context.Context) error {
		updated, err = s.splitInTx(ctx, a, d, ifVersion, parts)
		return err
	})
	if err != nil {
		return nil, err
	}
	return updated, nil
}

// validParts verifies that the document is a file of pages with these parts.
func validParts(d *document.Document, parts []document.Pages) error {
	switch {
	case d.Part > 0:
		return fault.New(fault.Conflict, fault.CodeConflict, "The document is a part of a file. Split the file, its parent_id.").
			With("parent_id", d.ParentID.String())
	case !d.Status.Terminal():
		return fault.New(fault.Conflict, fault.CodeConflict, "The document is being extracted. Split it when it has ended.").
			With("status", string(d.Status))
	case d.PageCount < 2:
		return fault.New(fault.Conflict, fault.CodeConflict, "The document has fewer than two pages, so it cannot be split.")
	case len(parts) == 0 || len(parts) > MaxParts:
		return fault.InvalidField("parts", "must have 1 to %d items", MaxParts)
	}
	var wrong fault.Fields
	last := 0
	for i, p := range parts {
		field := fmt.Sprintf("parts[%d]", i)
		if p.From <= last {
			wrong.Add(field+".from", "must be after the page before it, %d", last)
		}
		switch {
		case p.To < p.From:
			wrong.Add(field+".to", "must not be before from")
		case p.To > d.PageCount:
			wrong.Add(field+".to", "must not be after the last page, %d", d.PageCount)
		}
		last = p.To
	}
	return wrong.Err()
}

// splitInTx splits a document. d is the document for which the rights were checked.
func (s *Service) splitInTx(ctx context.Context, a identity.Actor, d *document.Document, ifVersion int, parts []document.Pages) (*document.Document, error) {
	e, err := s.Entities.GetShared(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	// The caller can have waited for others who changed the rights or archived the entity.
	if err := e.Require(ctx, a, identity.Reject, s.Settings); err != nil {
		return nil, err
	}
	if err := e.RequireOpen(); err != nil {
		return nil, err
	}
	var before document.Document
	updated, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
		if ifVersion != 0 && now.Version != ifVersion || now.EntityID != e.ID { // a move changes the rights
			return fault.StaleVersion(now.Version)
		}
		if err := validParts(now, parts); err != nil {
			return err
		}
		before = *now
		now.Status, now.InvoiceID, now.Failure, now.HeldReason, now.Requested = document.Split, uuid.Nil, nil, "", false
		now.RelatedInvoiceID = uuid.Nil
		now.UpdatedAt = s.Clock.Now()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("split document: %w", err)
	}
	if before.InvoiceID != uuid.Nil {
		if err := s.supersede(ctx, a, before.InvoiceID, supersededReason); err != nil {
			return nil, err
		}
	}
	kept, last, err := s.supersedeParts(ctx, a, &before, parts)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		if slices.Contains(kept, p) {
			continue
		}
		last++
		if err := s.addPart(ctx, a, &before, last, p); err != nil {
			return nil, err
		}
	}
	ev := event.By(a, event.DocumentSplit, updated.EntityID, subjectOf(updated))
	ev.Data = map[string]string{"parts": fmt.Sprint(len(parts))}
	return updated, s.Events.Append(ctx, ev)
}

// supersedeParts rejects the invoices of the parts that are not wanted any more. It returns the pages
// of those that stay, and the highest number of a part.
func (s *Service) supersedeParts(ctx context.Context, a identity.Actor, parent *document.Document, parts []document.Pages) (kept []document.Pages, last int, err error) {
	request := page.Request{Limit: page.MaxLimit}
	for {
		// The caller may not see the entity of a part that was moved.
		list, err := s.Documents.List(ctx, identity.System(a.OrganizationID).Scope(), document.Filter{ParentID: parent.ID}, document.Sort{}, request)
		if err != nil {
			return nil, 0, fmt.Errorf("list parts: %w", err)
		}
		for i := range list.Items {
			child := &list.Items[i]
			last = max(last, child.Part)
			if child.EntityID != parent.EntityID {
				return nil, 0, fault.New(fault.Conflict, fault.CodeConflict,
					"A part of the file is in another entity. Move it back before you split the file differently.").With("document_id", child.ID.String())
			}
			superseded, err := s.superseded(ctx, a, child)
			switch {
			case err != nil:
				return nil, 0, err
			case superseded:
				continue
			case child.Pages != nil && slices.Contains(parts, *child.Pages) && !slices.Contains(kept, *child.Pages):
				kept = append(kept, *child.Pages)
				continue
			case !child.Status.Terminal():
				return nil, 0, fault.New(fault.Conflict, fault.CodeConflict, "A part of the file is being extracted. Split the file when it has ended.").
					With("document_id", child.ID.String())
			case child.InvoiceID != uuid.Nil:
				if err := s.supersede(ctx, a, child.InvoiceID, supersededReason); err != nil {
					return nil, 0, err
				}
			}
		}
		if request.After = list.Next; request.After == "" {
			return kept, last, nil
		}
	}
}

// superseded reports whether an earlier correction replaced a part.
func (s *Service) superseded(ctx context.Context, a identity.Actor, child *document.Document) (bool, error) {
	if child.InvoiceID == uuid.Nil {
		return false, nil
	}
	inv, err := s.Invoices.Get(ctx, a.Scope(), child.InvoiceID)
	if err != nil {
		return false, fmt.Errorf("read invoice of part: %w", err)
	}
	return inv.Rejection != nil && inv.Rejection.Reason == supersededReason, nil
}

// supersede rejects an invoice the pages of which are those of another document now.
func (s *Service) supersede(ctx context.Context, a identity.Actor, id uuid.UUID, reason string) error {
	inv, err := s.Invoices.Update(ctx, a.Scope(), id, 0, func(inv *invoice.Invoice) error {
		if err := supersedable(inv); err != nil {
			return err
		}
		if inv.Status == invoice.Rejected {
			inv.Rejection = &invoice.Rejection{By: a.UserID, At: s.Clock.Now(), Reason: reason}
			return nil
		}
		return inv.Reject(a.UserID, s.Clock.Now(), reason)
	})
	if errors.Is(err, invoice.ErrUnchanged) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reject invoice: %w", err)
	}
	ev := event.By(a, event.InvoiceRejected, inv.EntityID, event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version})
	ev.Data = map[string]string{"reason": reason}
	if err := s.Events.Append(ctx, ev); err != nil {
		return err
	}
	return s.Duplicates.Rejected(ctx, inv, a.IsAssistant())
}

// supersedable returns a fault if an invoice is in use, so that its pages stay those of its document.
func supersedable(inv *invoice.Invoice) error {
	if inv.Status.Open() || inv.Status == invoice.Rejected {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"An invoice of the file is %s, so its pages cannot become those of another document. Reopen the invoice first.", inv.Status).
		With("status", string(inv.Status)).With("invoice_id", inv.ID.String())
}

// addPart adds a document for pages of a file, and the job that extracts it.
func (s *Service) addPart(ctx context.Context, a identity.Actor, parent *document.Document, number int, pages document.Pages) error {
	now := s.Clock.Now()
	child := *parent
	child.ID, child.ParentID, child.Part, child.Pages = s.IDs.New(), parent.ID, number, &pages
	child.Status, child.InvoiceID, child.Failure, child.HeldReason = document.Uploaded, uuid.Nil, nil, ""
	child.RelatedInvoiceID = uuid.Nil
	child.PageCount, child.Attachments, child.Version = pages.To-pages.From+1, nil, 1
	child.Attempts, child.Interruptions, child.Run, child.Restarts = 0, 0, 0, 0
	child.Requested, child.CreatedBy, child.CreatedAt, child.UpdatedAt = true, a.UserID, now, now
	if _, err := s.Documents.Add(ctx, &child); err != nil {
		return fmt.Errorf("add part: %w", err)
	}
	err := s.Events.Append(ctx, event.By(a, event.DocumentReceived, child.EntityID, subjectOf(&child)))
	if err != nil {
		return fmt.Errorf("append event of part: %w", err)
	}
	return s.enqueue(ctx, &child, job.Interactive)
}
