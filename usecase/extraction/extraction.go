// Package extraction turns documents into invoices. The document, not the job, is the source of
// truth: after a crash its row determines what happens next (docs/architecture.md, orphans).
package extraction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/email"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/domain/supplier"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Service extracts documents.
type Service struct {
	Documents  document.Repository
	Orphans    document.Orphans
	Invoices   invoice.Repository
	Duplicates duplicate.Detection
	Numbers    duplicate.Numbers
	Entities   Entities
	Moves      document.Moves
	Senders    email.Lists
	Settings   entity.SettingsRepository
	Blobs      document.Blobs
	Renditions document.Renditions
	Removals   document.Removals
	Reader     extraction.Reader
	Merger     extraction.Merger
	Events     event.Log
	Queue      job.Queue
	Plans      billing.Plans
	Usage      billing.Usage
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Bookings   Bookings
	Suppliers  Suppliers
	Log        *slog.Logger

	// WaitTimeout is how long Request waits for the result before it reports that the document is
	// still being processed.
	WaitTimeout time.Duration
	// StudyTime is the time for which a document is delayed to learn from its suppliers' approved
	// invoices; 0 for the default.
	StudyTime time.Duration
	// BlobGrace is the time after which an unused blob is removed.
	BlobGrace time.Duration
	// Merging admits one merge of each organization at a time.
	Merging *usecase.Turns[uuid.UUID]
}

// Entities reads entities.
type Entities interface {
	entity.Reader
	entity.Buyers
	// GetShared returns an entity under a lock until the end of the transaction. A change of the
	// entity, such as a legal hold or its archiving, waits for it.
	GetShared(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error)
}

// Bookings starts the sync of an invoice that was approved automatically, if the entity's settings
// require it. It runs within the caller's transaction.
type Bookings interface {
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error
}

// Suppliers finds the suppliers of invoices. Except for Study it runs within the caller's transaction.
type Suppliers interface {
	// Recognize finds the supplier of an invoice, raises the confidence of the values that agree with
	// its record, and returns how its lines are coded, and the candidates for ChecksAmong.
	Recognize(ctx context.Context, inv *invoice.Invoice, integration uuid.UUID) (ledgersync.Coding, *supplier.Candidates, error)
	// Study returns what Learn needs for an extracted invoice that is not stored yet: whether the
	// printed texts of its document, and the approved invoices of its supplier of which the texts are
	// needed. It changes nothing and needs no transaction.
	Study(ctx context.Context, inv *invoice.Invoice) (own bool, examples []invoice.Invoice, err error)
	// Learn raises the confidence of values that are printed where a person approved the values of
	// earlier invoices of the supplier, and replaces values by those at the places of corrected ones.
	// Recognize has found the supplier.
	Learn(ctx context.Context, inv *invoice.Invoice, printed supplier.Printed) error
	// ChecksAmong finds the supplier of an invoice and returns the checks of its bank accounts.
	ChecksAmong(ctx context.Context, a identity.Actor, inv *invoice.Invoice, candidates *supplier.Candidates) ([]invoice.Check, error)
	// Approved records an approved invoice with its supplier.
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice) error
}

func (s *Service) jobOf(d *document.Document) job.ExtractDocument {
	return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID, Restart: d.Restarts}
}

func subjectOf(d *document.Document) event.Subject {
	return event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version}
}

const (
	// sweepAge is the time without a change after which the sweep considers an unfinished document
	// to have no job.
	sweepAge   = 2 * time.Second
	sweepLimit = 200
)

// Sweep enqueues jobs for documents that await extraction and have no job. It returns their number.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	orphans, err := s.Orphans.Unfinished(ctx, s.Clock.Now().Add(-sweepAge), sweepLimit)
	if err != nil {
		return 0, err
	}
	for i := range orphans {
		if err := s.enqueue(ctx, &orphans[i], job.Automatic); err != nil {
			return i, err
		}
	}
	return len(orphans), nil
}

// SweepHeld releases held documents whose plan has room again (domain D15). It returns the number
// of released documents. It processes every organization, regardless of how many documents one has
// and of failures in others.
func (s *Service) SweepHeld(ctx context.Context) (released int, err error) {
	organizations, err := s.Orphans.HeldIn(ctx)
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, organization := range organizations {
		n, err := s.releaseHeld(ctx, organization)
		released += n
		if err != nil {
			failed = append(failed, fmt.Errorf("release held documents of organization %s: %w", organization, err))
		}
	}
	return released, errors.Join(failed...)
}

// releaseHeld releases the documents of an organization for which its plan has room.
func (s *Service) releaseHeld(ctx context.Context, organization uuid.UUID) (released int, err error) {
	room, err := s.room(ctx, organization)
	if err != nil || room == 0 {
		return 0, nil // the next sweep tries again if the plan is unknown
	}
	documents, err := s.Orphans.Held(ctx, organization, min(room, sweepLimit))
	if err != nil {
		return 0, err
	}
	for n := range documents {
		if err := s.release(ctx, &documents[n]); err != nil {
			return n, err
		}
	}
	return len(documents), nil
}

// room returns how many more invoices an organization may have this month.
func (s *Service) room(ctx context.Context, organization uuid.UUID) (int, error) {
	plan, err := s.Plans.Of(ctx, organization)
	if err != nil || !plan.Writable {
		return 0, err
	}
	if plan.MaxInvoicesPerMonth == nil {
		return sweepLimit, nil
	}
	used, err := s.Usage.Used(ctx, organization, billing.Invoices, billing.Month(s.Clock.Now()))
	return max(*plan.MaxInvoicesPerMonth-used, 0), err
}

func (s *Service) release(ctx context.Context, d *document.Document) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Documents.Update(ctx, identity.System(d.OrganizationID).Scope(), d.ID, func(d *document.Document) error {
			d.HeldReason, d.UpdatedAt = "", s.Clock.Now()
			return nil
		})
		if err != nil {
			return fmt.Errorf("release document: %w", err)
		}
		return s.enqueue(ctx, d, job.Automatic)
	})
}
