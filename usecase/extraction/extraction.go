// Package extraction turns documents into invoices. The document, not the job,
// is the truth: whatever a crash leaves behind, its row says what is to be
// done (architecture, orphans).
package extraction

import (
	"context"
	"time"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/domain/job"
	"docledger/usecase"
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

	// Deadline is how long one document may take.
	Deadline time.Duration
	// Patience is how long Request waits for a document before it answers that
	// it is still processing.
	Patience time.Duration
}

func (s *Service) jobOf(d *document.Document) job.ExtractDocument {
	return job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID}
}

func subjectOf(d *document.Document) event.Subject {
	return event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version}
}

// sweepAge is how long a document may stand unfinished before the sweep looks
// whether its job is still there.
const sweepAge = 2 * time.Second

const sweepLimit = 200

// Sweep finds documents that are not finished and have no job, and gives them
// one. It returns how many it helped.
func (s *Service) Sweep(ctx context.Context) (int, error) {
	orphans, err := s.Orphans.Unfinished(ctx, s.Clock.Now().Add(-sweepAge), sweepLimit)
	if err != nil {
		return 0, err
	}
	helped := 0
	for i := range orphans {
		live, err := s.Queue.Live(ctx, s.jobOf(&orphans[i]))
		if err != nil {
			return helped, err
		}
		if live {
			continue
		}
		if err := s.Queue.Enqueue(ctx, s.jobOf(&orphans[i]), job.Automatic); err != nil {
			return helped, err
		}
		helped++
	}
	return helped, nil
}
