package extraction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/review"
	"docledger/domain/supplier"

	"github.com/google/uuid"
)

// errHeld rolls back the transaction if the plan's limit is reached.
var errHeld = errors.New("plan limit reached")

// outcome contains what finishing one document needs.
type outcome struct {
	actor    identity.Actor
	document *document.Document
	present  *document.Document // as it is stored, since the transaction that stores the result began
	entity   *entity.Entity
	settings *entity.Settings
	plan     billing.Plan
	result   *extraction.Result
	took     time.Duration
	now      time.Time
	// examples are the printed texts of the documents of approved invoices, by invoice.
	examples map[uuid.UUID][]extraction.Reading
}

// finish stores the result for the document: one invoice, or one child document with its invoice
// for each invoice of a file (domain D11).
func (s *Service) finish(ctx context.Context, a identity.Actor, d *document.Document, r *extraction.Result, took time.Duration) error {
	if r.Container {
		return s.unpack(ctx, a, d, r)
	}
	drafts, err := draftsOf(d, r)
	if err != nil {
		return err
	}
	o, err := s.prepare(ctx, a, d, r, took)
	if err != nil {
		return err
	}
	places, err := s.route(ctx, o, drafts)
	if err != nil {
		return err
	}
	if drafts, err = s.study(ctx, o, drafts, places); err != nil {
		return err
	}
	err = s.Duplicates.InTurn(ctx, d.OrganizationID, func(ctx context.Context) error {
		if o.document, o.present, err = s.renamed(ctx, a, d); err != nil {
			return err
		}
		places, err := s.settle(ctx, o, places)
		if err != nil {
			return err
		}
		if len(drafts) > 1 {
			return s.split(ctx, o, drafts, places)
		}
		return s.single(ctx, o.in(places[0]), drafts[0], d.EntityID)
	})
	if errors.Is(err, errHeld) {
		return s.hold(ctx, o)
	}
	return err
}

// renamed returns a document with its present external id, which can have changed during the
// extraction. Its parts and invoices have it too. It also returns the document as it is stored.
func (s *Service) renamed(ctx context.Context, a identity.Actor, d *document.Document) (named, present *document.Document, err error) {
	present, err = s.Documents.Get(ctx, a.Scope(), d.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("read document: %w", err)
	}
	out := *d
	out.ExternalID = present.ExternalID
	return &out, present, nil
}

// draftsOf returns the drafts that apply to the document. For a part of a split file it returns
// only that part. A document that already has one invoice is never split.
func draftsOf(d *document.Document, r *extraction.Result) ([]extraction.Draft, error) {
	switch {
	case len(r.Drafts) == 0:
		return nil, extraction.NoInvoice(extraction.Other, "The document contains no invoice.")
	case d.Pages != nil:
		return r.Drafts[:1], nil // only these pages were read
	case d.Part > len(r.Drafts):
		return nil, extraction.NoInvoice(extraction.Other, "The file now contains %d invoices, and this was number %d.", len(r.Drafts), d.Part)
	case d.Part > 0:
		return r.Drafts[d.Part-1 : d.Part], nil
	case d.InvoiceID != uuid.Nil && len(r.Drafts) > 1:
		return nil, extraction.NoInvoice(extraction.Other,
			"The file contains %d invoices, but the document already has one. Upload the parts separately.", len(r.Drafts))
	}
	return r.Drafts, nil
}

func (s *Service) prepare(ctx context.Context, a identity.Actor, d *document.Document, r *extraction.Result, took time.Duration) (*outcome, error) {
	e, err := s.Entities.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	settings, err := s.Settings.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	plan, err := s.Plans.Of(ctx, d.OrganizationID)
	if err != nil {
		return nil, fmt.Errorf("find plan: %w", err)
	}
	return &outcome{actor: a, document: d, entity: e, settings: settings, plan: plan, result: r, took: took, now: s.Clock.Now()}, nil
}

// single stores the invoice of a document. The document was in the entity from until now.
func (s *Service) single(ctx context.Context, o *outcome, draft extraction.Draft, from uuid.UUID) error {
	var invoiceID uuid.UUID
	var announced []event.Event
	var err error
	if o.document.InvoiceID != uuid.Nil {
		invoiceID = o.document.InvoiceID
		if announced, err = s.again(ctx, o, draft); err != nil {
			return err
		}
	} else {
		var inv *invoice.Invoice
		if inv, announced, err = s.first(ctx, o, o.document, draft); err != nil {
			return err
		}
		invoiceID = inv.ID
	}
	updated, err := s.conclude(ctx, o, document.Extracted, invoiceID)
	if err != nil {
		return err
	}
	events := announced
	if from != updated.EntityID {
		events = append(events, event.Moved(o.actor, from, updated.EntityID, subjectOf(updated))...)
	}
	return s.Events.Append(ctx, append(events, event.By(o.actor, event.DocumentExtracted, updated.EntityID, subjectOf(updated)))...)
}

// first creates a document's first invoice, which counts against the plan. It returns the events that
// announce returns.
func (s *Service) first(ctx context.Context, o *outcome, d *document.Document, draft extraction.Draft) (*invoice.Invoice, []event.Event, error) {
	ok, err := s.Usage.Take(ctx, billing.Use{
		Organization: d.OrganizationID, Entity: d.EntityID, Counter: billing.Invoices, Period: billing.Month(o.now),
	}, o.plan.MaxInvoicesPerMonth)
	if err != nil {
		return nil, nil, fmt.Errorf("count invoice: %w", err)
	}
	if !ok || !o.plan.Writable {
		return nil, nil, errHeld
	}
	inv, candidates, err := s.build(ctx, o, d, draft)
	if err != nil {
		return nil, nil, err
	}
	inv.ID, inv.Version, inv.CreatedBy, inv.CreatedAt = s.IDs.New(), 1, d.CreatedBy, o.now
	if inv.Reopened, err = s.NeedsPerson(ctx, o.actor, o.document, o.settings); err != nil {
		return nil, nil, err
	}
	accounts, err := s.Suppliers.ChecksAmong(ctx, o.actor, inv, candidates)
	if err != nil {
		return nil, nil, err
	}
	found, err := s.Duplicates.FindNew(ctx, inv, duplicate.BytesKey(d.SHA256, d.Part))
	if err != nil {
		return nil, nil, err
	}
	review.Evaluate(inv, o.entity, o.settings, slices.Concat(draft.Checks, o.result.Checks, accounts, []invoice.Check{found.Check()}), o.now, inv.Version)
	if err := review.Suggest(ctx, inv, o.entity, s.Entities); err != nil {
		return nil, nil, err
	}
	rejectDuplicate(inv, found, o)
	if err := s.Invoices.Add(ctx, inv); err != nil {
		return nil, nil, fmt.Errorf("add invoice: %w", err)
	}
	events, err := s.announce(ctx, o, inv, found, false)
	return inv, events, err
}

// again replaces the content of a document's invoice with the new result, except values that a
// person set (domain D20). An invoice that was approved or rejected in the meantime is unchanged.
func (s *Service) again(ctx context.Context, o *outcome, draft extraction.Draft) ([]event.Event, error) {
	changed := false
	var found duplicate.Found
	inv, err := s.Invoices.Update(ctx, o.actor.Scope(), o.document.InvoiceID, 0, func(old *invoice.Invoice) error {
		if !old.Status.Open() {
			return invoice.ErrUnchanged
		}
		fresh, candidates, err := s.build(ctx, o, o.document, draft)
		if err != nil {
			return err
		}
		fresh.ID, fresh.Version, fresh.CreatedBy, fresh.CreatedAt = old.ID, old.Version, old.CreatedBy, old.CreatedAt
		fresh.ChangedBy, fresh.CodedBy = old.ChangedBy, old.CodedBy
		needsPerson, err := s.NeedsPerson(ctx, o.actor, o.document, o.settings)
		if err != nil {
			return err
		}
		fresh.Reopened = old.Reopened || needsPerson
		fresh.KeepHuman(old)
		accounts, err := s.Suppliers.ChecksAmong(ctx, o.actor, fresh, candidates)
		if err != nil {
			return err
		}
		if found, err = s.Duplicates.Find(ctx, fresh, duplicate.BytesKey(o.document.SHA256, o.document.Part)); err != nil {
			return err
		}
		fresh.Reopened = fresh.Reopened || found.Assistant && !o.settings.AssistantsApprove()
		review.Evaluate(fresh, o.entity, o.settings, slices.Concat(draft.Checks, o.result.Checks, accounts, []invoice.Check{found.Check()}), o.now, old.Version+1)
		if err := review.Suggest(ctx, fresh, o.entity, s.Entities); err != nil {
			return err
		}
		rejectDuplicate(fresh, found, o)
		*old = *fresh
		changed = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("update invoice: %w", err)
	}
	if !changed {
		return nil, nil
	}
	return s.announce(ctx, o, inv, found, true)
}

// rejectDuplicate rejects an open invoice that is a duplicate, if the entity's policy is REJECT.
// near_number alone rejects nothing.
func rejectDuplicate(inv *invoice.Invoice, found duplicate.Found, o *outcome) {
	if o.settings.DuplicatePolicy != entity.DuplicateReject || !found.Blocking() {
		return
	}
	inv.Status, inv.Approval = invoice.Rejected, nil
	inv.Rejection = &invoice.Rejection{At: o.now, Reason: "Duplicate of another invoice (" + duplicate.Rules(found.Open) + ")."}
}

// build creates an invoice from a draft. Its checks have not been evaluated yet. It also returns the
// candidates for its supplier.
func (s *Service) build(ctx context.Context, o *outcome, d *document.Document, draft extraction.Draft) (*invoice.Invoice, *supplier.Candidates, error) {
	inv := &invoice.Invoice{
		DocumentID: d.ID, EntityID: d.EntityID, OrganizationID: d.OrganizationID,
		Status: invoice.Extracted, Content: draft.Content, LinesTotal: len(draft.Content.Lines), Fields: draft.Fields,
		Extraction: invoice.Extraction{
			Method: o.result.Method, Format: draft.Format, EngineVersion: o.result.EngineVersion, Duration: o.took,
		},
		ExternalID: d.ExternalID, UpdatedAt: o.now,
	}
	if inv.Fields == nil {
		inv.Fields = map[string]invoice.Evidence{}
	}
	if inv.Currency == "" && o.settings.DefaultCurrency != "" {
		inv.Currency = o.settings.DefaultCurrency
		inv.Fields["currency"] = invoice.Evidence{Source: invoice.Computed, Confidence: invoice.DefaultedConfidence}
	}
	inv.Lines = slices.Clone(inv.Lines)
	for i := range inv.Lines {
		l := &inv.Lines[i]
		l.ID, l.Position = s.IDs.New(), i+1
	}
	coding, candidates, err := s.Suppliers.Recognize(ctx, inv, o.settings.AccountingIntegrationID)
	if err != nil {
		return nil, nil, err
	}
	coding.Apply(inv, o.settings)
	if err := s.Suppliers.Learn(ctx, inv, supplier.Printed{Own: draft.Readings, Of: o.examples}); err != nil {
		return nil, nil, fmt.Errorf("learn from the supplier's invoices: %w", err)
	}
	return inv, candidates, nil
}

// announce returns the events of the invoice, which the caller appends together with those of its
// document. Those of an automatically approved invoice precede what follows from the approval, so
// announce appends them and returns none. It then starts the sync if the settings require it. An
// assistant can have requested the extraction. Therefore an invoice that is then no longer in a pair
// with this one counts as affected by an assistant.
func (s *Service) announce(ctx context.Context, o *outcome, inv *invoice.Invoice, found duplicate.Found, again bool) ([]event.Event, error) {
	fresh, err := s.Duplicates.Keep(ctx, inv, found, again)
	if err != nil {
		return nil, fmt.Errorf("keep duplicates: %w", err)
	}
	kind := event.InvoiceExtracted
	if inv.Status == invoice.NeedsReview {
		kind = event.InvoiceNeedsReview
	}
	subject := event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version}
	events := []event.Event{event.By(o.actor, kind, inv.EntityID, subject)}
	if inv.Status == invoice.Approved {
		events = append(events, event.By(o.actor, event.InvoiceApproved, inv.EntityID, subject))
	}
	if len(fresh) > 0 {
		ev := event.By(o.actor, event.InvoiceDuplicateFound, inv.EntityID, subject)
		ev.Data = map[string]string{"rules": duplicate.Rules(fresh)}
		events = append(events, ev)
	}
	if inv.Status == invoice.Rejected {
		ev := event.By(identity.System(inv.OrganizationID), event.InvoiceRejected, inv.EntityID, subject)
		ev.Data = map[string]string{"reason": inv.Rejection.Reason}
		events = append(events, ev)
		if err := s.Duplicates.Rejected(ctx, inv, again); err != nil {
			return nil, err
		}
	}
	if inv.Status != invoice.Approved {
		return events, nil
	}
	if err := s.Events.Append(ctx, events...); err != nil {
		return nil, err
	}
	if err := s.Suppliers.Approved(ctx, o.actor, inv); err != nil {
		return nil, err
	}
	return nil, s.Bookings.Approved(ctx, o.actor, inv, o.settings)
}

// conclude ends the extraction of the document successfully.
func (s *Service) conclude(ctx context.Context, o *outcome, status document.Status, invoiceID uuid.UUID) (*document.Document, error) {
	elsewhere, err := document.Elsewhere(ctx, s.Documents, o.document)
	if err != nil {
		return nil, err
	}
	d, err := s.Documents.UpdateSeen(ctx, o.actor.Scope(), o.present, func(now *document.Document) error {
		if err := stillOurs(now, o.document); err != nil {
			return err
		}
		now.EntityID, now.Email = o.document.EntityID, o.document.Email
		now.Status, now.InvoiceID, now.Failure, now.HeldReason, now.Requested = status, invoiceID, nil, "", false
		now.PageCount, now.Attachments, now.Signatures = o.result.PageCount, o.result.Attachments, o.result.Signatures
		if elsewhere {
			now.Attachments = nil // those of the file belong to its entity
		}
		if o.result.MediaType != "" {
			now.MediaType = o.result.MediaType
		}
		now.UpdatedAt = o.now
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("conclude document: %w", err)
	}
	return d, nil
}

func (s *Service) split(ctx context.Context, o *outcome, drafts []extraction.Draft, places []place) error {
	for i, draft := range drafts {
		file := o.document.EntityID
		o := o.in(places[i])
		child := *o.document
		if child.EntityID != file {
			child.Attachments = nil // those of the file belong to its entity
		}
		child.ID, child.ParentID, child.Part = s.IDs.New(), o.document.ID, i+1
		child.Status, child.InvoiceID, child.Version = document.Extracted, uuid.Nil, 1
		child.Attempts, child.Interruptions = 0, 0
		child.Requested, child.Run, child.Restarts = false, 0, 0
		child.MediaType, child.Signatures = o.result.MediaType, o.result.Signatures
		if child.Pages = draft.Pages; child.Pages != nil {
			child.PageCount = child.Pages.To - child.Pages.From + 1
		}
		child.CreatedAt, child.UpdatedAt = o.now, o.now
		if _, err := s.Documents.Add(ctx, &child); err != nil {
			return fmt.Errorf("add part: %w", err)
		}
		inv, events, err := s.first(ctx, o, &child, draft)
		if err != nil {
			return err
		}
		_, err = s.Documents.Update(ctx, o.actor.Scope(), child.ID, func(d *document.Document) error {
			d.InvoiceID = inv.ID
			return nil
		})
		if err != nil {
			return fmt.Errorf("link part: %w", err)
		}
		err = s.Events.Append(ctx, append(events,
			event.By(o.actor, event.DocumentReceived, child.EntityID, event.Subject{Type: event.SubjectDocument, ID: child.ID, Version: 1}),
			event.By(o.actor, event.DocumentExtracted, child.EntityID, event.Subject{Type: event.SubjectDocument, ID: child.ID, Version: 2}))...)
		if err != nil {
			return fmt.Errorf("append events of part: %w", err)
		}
	}
	updated, err := s.conclude(ctx, o, document.Split, uuid.Nil)
	if err != nil {
		return err
	}
	ev := event.By(o.actor, event.DocumentSplit, o.document.EntityID, subjectOf(updated))
	ev.Data = map[string]string{"parts": fmt.Sprint(len(drafts))}
	return s.Events.Append(ctx, ev)
}

// hold holds the document until the plan has room (domain D15).
func (s *Service) hold(ctx context.Context, o *outcome) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		d, err := s.Documents.Update(ctx, o.actor.Scope(), o.document.ID, func(now *document.Document) error {
			if err := stillOurs(now, o.document); err != nil {
				return err
			}
			now.Status, now.HeldReason = document.Uploaded, document.HeldPlanLimit
			now.Attempts, now.UpdatedAt = now.Attempts-1, o.now
			return nil
		})
		if err != nil {
			return fmt.Errorf("hold document: %w", err)
		}
		return s.Events.Append(ctx,
			event.By(o.actor, event.DocumentHeld, d.EntityID, subjectOf(d)),
			event.By(o.actor, event.BillingLimitReached, uuid.Nil, event.Subject{Type: event.SubjectOrganization, ID: d.OrganizationID}))
	})
}
