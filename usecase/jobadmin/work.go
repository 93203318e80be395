// Package jobadmin lets the operator list, retry and cancel jobs (domain D32). The aggregate, not
// the job, is the source of truth. Cancelling a job therefore ends the aggregate in a visible,
// recoverable state; otherwise the sweep would enqueue another job.
package jobadmin

import (
	"context"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/usecase"
)

// Owner is the use case behind a job kind.
type Owner[T job.Args] interface {
	// Cancel ends what the job works on, and Retry starts it again after a job that ended without a
	// result. Both run within the caller's transaction.
	Cancel(ctx context.Context, args T) error
	Retry(ctx context.Context, args T) error
}

// Service is the operator's access to the jobs.
type Service struct {
	Jobs       job.Operator
	Extraction Owner[job.ExtractDocument]
	Sync       Owner[job.SyncInvoice]
	Inbox      Owner[job.ProcessEvent]
	UnitOfWork usecase.UnitOfWork
}

// List returns jobs, newest first.
func (s *Service) List(ctx context.Context, f job.Filter, p page.Request) (page.Of[job.Record], error) {
	return s.Jobs.ForOperator(ctx, f, p)
}

// Retry runs a waiting job now. For a failed or cancelled job it starts the work again with a new
// job. It returns the job as it was.
func (s *Service) Retry(ctx context.Context, id int64) (r *job.Record, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if r, err = s.Jobs.RecordForOperator(ctx, id); err != nil {
			return err
		}
		switch r.State {
		case job.Running:
			return conflict("The job is running.")
		case job.Done:
			return conflict("The job is done and cannot be retried.")
		case job.Failed, job.Cancelled:
			return s.again(ctx, r)
		}
		return s.Jobs.RetryForOperator(ctx, id)
	})
	return r, err
}

func (s *Service) again(ctx context.Context, r *job.Record) error {
	switch args := r.Args.(type) {
	case job.ExtractDocument:
		return s.Extraction.Retry(ctx, args)
	case job.ReadScan:
		return s.Extraction.Retry(ctx, job.ExtractDocument(args))
	case job.SyncInvoice:
		return s.Sync.Retry(ctx, args)
	case job.ProcessEvent:
		return s.Inbox.Retry(ctx, args)
	}
	return s.Jobs.RetryForOperator(ctx, r.ID)
}

// Cancel cancels a waiting job and ends its work. It returns the job as it was.
func (s *Service) Cancel(ctx context.Context, id int64) (r *job.Record, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if r, err = s.Jobs.RecordForOperator(ctx, id); err != nil {
			return err
		}
		ok, err := s.Jobs.CancelForOperator(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			return conflict("Only a waiting job can be cancelled. This job is running or has ended.")
		}
		return s.end(ctx, r)
	})
	return r, err
}

// end ends the work of a job.
func (s *Service) end(ctx context.Context, r *job.Record) error {
	switch args := r.Args.(type) {
	case job.ExtractDocument:
		return s.Extraction.Cancel(ctx, args)
	case job.ReadScan:
		return s.Extraction.Cancel(ctx, job.ExtractDocument(args))
	case job.SyncInvoice:
		return s.Sync.Cancel(ctx, args)
	case job.ProcessEvent:
		return s.Inbox.Cancel(ctx, args)
	case job.PollStore:
		return conflict("A watched location is polled while its integration is connected. Disconnect integration %s to stop the polls.", args.IntegrationID)
	}
	if r.Subject != "" {
		return conflict("A periodic task cannot be cancelled, because it is scheduled again automatically.")
	}
	return conflict("This release does not know what the job is for; cancel it with the release that does.")
}

func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, fault.CodeConflict, format, args...)
}
