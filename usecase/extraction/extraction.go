// Package extraction turns documents into invoices. The document, not the job,
// is the truth: whatever a crash leaves behind, its row says what is to be
// done (architecture, orphans).
package extraction

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/domain/ledgersync"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Service reads documents.
type Service struct {
	Documents  document.Repository
	Orphans    document.Orphans
	Invoices   invoice.Repository
	Entities   entity.Reader
	Settings   entity.SettingsRepository
	Blobs      document.Blobs
	Reader     extraction.Reader
	Events     event.Log
	Queue      job.Queue
	Plans      billing.Plans
	Usage      billing.Usage
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Bookings   Bookings
	Codings    ledgersync.Codings
	Log        *slog.Logger

	// Patience is how long Request waits for a document before it answers that
	// it is still processing.
	Patience time.Duration
}

// Bookings begins the booking of an invoice that was approved at once, where
// the entity's settings ask for it, within the caller's transaction.
type Bookings interface {
	Approved(ctx context.Context, a identity.Actor, inv *invoice.Invoice, settings *entity.Settings) error
}

func (s *Service) jobOf(d *document.Document) job.ExtractDocument {
	return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID, Restart: d.Restarts}
}

func subjectOf(d *document.Document) event.Subject {
	return event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version}
}

const (
	// sweepAge is how long a document may stand unfinished before the sweep
	// takes it for one without a job.
	sweepAge   = 2 * time.Second
	sweepLimit = 200
)

// Sweep gives a job to documents that are to be read and have none. It returns
// how many it helped.
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

// SweepHeld has documents read for which their plan has room by now (domain
// D15). It returns how many it released. However many one organization has
// waiting, the others' are looked at too, and one that fails keeps no other
// waiting.
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

// releaseHeld releases as many of an organization's documents as its plan has
// room for.
func (s *Service) releaseHeld(ctx context.Context, organization uuid.UUID) (released int, err error) {
	room, err := s.room(ctx, organization)
	if err != nil || room == 0 {
		return 0, nil // a plan that can't be told is asked for again by the next sweep
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

// room is how many more invoices an organization may have this month.
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
