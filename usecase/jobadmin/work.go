// Package jobadmin lets the operator list, retry and cancel jobs (domain D32). The aggregate, not
// the job, is the source of truth. Cancelling a job therefore ends the aggregate in a visible,
// recoverable state; otherwise the sweep would enqueue another job.
package jobadmin

import (
	"context"
	"slices"

	"docledger/domain/fault"
	"docledger/domain/job"
	"docledger/domain/page"
	"docledger/usecase"
)

// Owner is the use case behind a job kind; see Own.
type Owner struct {
	kind          string
	cancel, retry func(ctx context.Context, args job.Args) error
}

// Own returns the owner of a kind. cancel ends what the job works on, and retry starts it again after
// a job that ended without a result. Both run within the caller's transaction.
func Own[T job.Args](kind job.KindOf[T], cancel, retry func(ctx context.Context, args T) error) Owner {
	call := func(fn func(context.Context, T) error) func(context.Context, job.Args) error {
		return func(ctx context.Context, args job.Args) error { return fn(ctx, args.(T)) }
	}
	return Owner{kind: kind.Name, cancel: call(cancel), retry: call(retry)}
}

// Service is the operator's access to the jobs.
type Service struct {
	Jobs job.Operator
	// Owners has one owner for each kind that the operator can cancel.
	Owners     []Owner
	UnitOfWork usecase.UnitOfWork
}

// owner returns the owner of a job. ok is false for kinds without an owner, and for jobs with
// arguments of another release.
func (s *Service) owner(r *job.Record) (o Owner, ok bool) {
	i := slices.IndexFunc(s.Owners, func(o Owner) bool { return o.kind == r.Kind })
	if i < 0 || r.Args == nil {
		return Owner{}, false
	}
	return s.Owners[i], true
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
	if o, ok := s.owner(r); ok {
		return o.retry(ctx, r.Args)
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
	if o, ok := s.owner(r); ok {
		return o.cancel(ctx, r.Args)
	}
	if k, ok := job.ByName(r.Kind); ok && r.Args != nil && k.NotCancellable != "" {
		return conflict(k.NotCancellable, r.Subject)
	}
	return conflict("This release does not know what the job is for; cancel it with the release that does.")
}

func conflict(format string, args ...any) error {
	return fault.New(fault.Conflict, fault.CodeConflict, format, args...)
}
