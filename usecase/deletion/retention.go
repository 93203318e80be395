package deletion

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
)

const (
	// retentionBatch is the number of documents that are read at a time.
	retentionBatch = 100
	// mostExpired is the number of documents that one run deletes. The next run continues.
	mostExpired = 2000
	// mostFailures is the number of documents that cannot be deleted after which a run ends.
	mostFailures = 100
	// expiredReason is the reason in the events of documents that were deleted by age.
	expiredReason = "retention"
)

// Retain deletes the documents that were received more than RetentionYears ago, whatever the status
// of their invoices, except those of entities under legal hold and those that are being synced. It
// does nothing without RetentionYears. A document that cannot be deleted does not prevent the
// deletion of others.
func (s *Service) Retain(ctx context.Context, now time.Time) error {
	if s.RetentionYears == 0 {
		return nil
	}
	before := now.AddDate(-s.RetentionYears, 0, 0)
	deleted := 0
	defer func() {
		if deleted > 0 {
			s.Log.InfoContext(ctx, "documents deleted by age", "count", deleted, "received_before", before)
		}
	}()
	var last *document.Document
	var failures []error
	for deleted < mostExpired {
		old, err := s.Deletions.Expired(ctx, before, last, retentionBatch)
		if err != nil {
			return errors.Join(append(failures, fmt.Errorf("list old documents: %w", err))...)
		}
		for i := range old {
			last = &old[i]
			err := s.remove(ctx, identity.System(last.OrganizationID), last, 0, expiredReason, (*invoice.Invoice).RequireNotInFlight)
			switch {
			case err == nil:
				deleted++
			case fault.CodeOf(err) == fault.CodeConflict, fault.CodeOf(err) == fault.CodeNotFound:
				// It is being synced, its entity came under legal hold, or a person deleted it.
			default:
				failures = append(failures, fmt.Errorf("delete document %s: %w", last.ID, err))
			}
			if ctx.Err() != nil || len(failures) == mostFailures {
				return errors.Join(failures...)
			}
		}
		if len(old) < retentionBatch {
			break
		}
	}
	return errors.Join(failures...)
}
