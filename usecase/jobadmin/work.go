// Package work lets the operator look at the jobs of the installation, hurry
// them and end them (domain D32). The aggregate, not the job, is the truth: a
// job that is cancelled ends what it was for in a state that people see and can
// go on from, since the sweeps would give it another job otherwise.
package jobadmin

import (
	"context"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/usecase"
)

// Owner is the use-case that a kind of job serves.
type Owner[T job.Args] interface {
	// Cancel ends what the job is for, and Again begins it anew after a job that
	// has ended without it; both within the caller's transaction.
	Cancel(ctx context.Context, args T) error
	Retry(ctx context.Context, args T) error
}

// Service is the operator's view of the jobs.
type Service struct {
	Jobs       job.Operator
	Extraction Owner[job.ExtractDocument]
	Sync       Owner[job.SyncInvoice]
	Inbox      Owner[job.ProcessEvent]
	UnitOfWork usecase.UnitOfWork
}

// List shows jobs, newest first.
func (s *Service) List(ctx context.Context, f job.Filter, p page.Request) (page.Of[job.Record], error) {
	return s.Jobs.ForOperator(ctx, f, p)
}

// Retry makes a job run now that waits. What a job was for that has failed, or
// was cancelled, is begun anew, with a job of its own. It returns the job as it
// was.
func (s *Service) Retry(ctx context.Context, id int64) (r *job.Record, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		if r, err = s.Jobs.RecordForOperator(ctx, id); err != nil {
			return err
		}
		switch r.State {
		case job.Running:
			return conflict("The job runs just now.")
		case job.Done:
			return conflict("The job is done; there is nothing to repeat.")
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

// Cancel ends a job that waits, with what it is for. It returns the job as it
// was.
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
			return conflict("Only a job that waits can be cancelled; this one runs or has ended.")
		}
		return s.end(ctx, r)
	})
	return r, err
}

// end ends what a job is for.
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
		return conflict("A watched place is polled as long as its integration is connected: disconnect integration %s to end that.", args.IntegrationID)
	}
	if r.Subject != "" {
		return conflict("What is done every so often comes again by itself.")
	}
	return conflict("This release does not know what the job is for; cancel it with the release that does.")
}

func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, fault.CodeConflict, format, args...)
}
