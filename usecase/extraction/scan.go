package extraction

import (
	"context"
	"fmt"

	"docledger/domain/document"
	"docledger/domain/identity"
	"docledger/domain/job"
)

func (s *Service) scanOf(d *document.Document) job.ReadScan {
	return job.ReadScan{V: job.ScanVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID, Restart: d.Restarts}
}

// handOver passes a scan to the job kind that runs OCR. The document waits in the meantime, and the
// attempt does not count.
func (s *Service) handOver(ctx context.Context, a identity.Actor, d *document.Document) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		_, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.Status, now.Attempts, now.Requested, now.UpdatedAt = document.Uploaded, d.Attempts-1, true, s.Clock.Now()
			return nil
		})
		if err != nil {
			return fmt.Errorf("enqueue scan: %w", err)
		}
		return s.Queue.Enqueue(ctx, s.scanOf(d), job.Automatic)
	})
}

// enqueue enqueues a job for a document. If a scan job for it is queued or running, enqueue adds no
// other job, because that would claim the document from the scan job.
func (s *Service) enqueue(ctx context.Context, d *document.Document, p job.Priority) error {
	scan := s.scanOf(d)
	live, err := s.Queue.Live(ctx, scan)
	if err != nil {
		return err
	}
	if live {
		return s.Queue.Enqueue(ctx, scan, p) // raises the priority if necessary
	}
	return s.Queue.Enqueue(ctx, s.jobOf(d), p)
}
