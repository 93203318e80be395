package extraction

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"
)

// errSuperseded says that another run of the same document took over.
var errSuperseded = errors.New("another extraction of the document took over")

// Run reads the document of a job. It returns an error only where another try
// may fare better; everything that the document itself is to blame for ends in
// the document's own failure.
func (s *Service) Run(ctx context.Context, args job.ExtractDocument) error {
	actor := identity.System(args.OrganizationID)
	d, err := s.claim(ctx, actor, args)
	if err != nil || d == nil {
		return err
	}
	began := time.Now()
	result, err := s.read(ctx, d)
	var failure *extraction.Failure
	switch {
	case err == nil:
		err = s.finish(ctx, actor, d, result, time.Since(began))
	case errors.As(err, &failure) && failure.Passing && d.Attempts < document.MaxAttempts:
		return s.giveBack(ctx, actor, d, d.Attempts, failure)
	case errors.As(err, &failure):
		err = s.fail(ctx, actor, d, failure)
	default:
		// The document is not to blame, so the try does not count.
		return s.giveBack(ctx, actor, d, d.Attempts-1, err)
	}
	if errors.Is(err, errSuperseded) {
		return nil
	}
	return err
}

// claim marks the document as being read, in a transaction of its own: should
// reading it bring the process down, the try has been counted. It returns nil
// where there is nothing to do.
func (s *Service) claim(ctx context.Context, a identity.Actor, args job.ExtractDocument) (*document.Document, error) {
	done := errors.New("done")
	d, err := s.Documents.Update(ctx, a.Scope(), args.DocumentID, func(d *document.Document) error {
		if d.Status.Terminal() {
			return done
		}
		d.Status, d.HeldReason, d.Failure = document.Processing, "", nil
		d.Attempts++
		d.UpdatedAt = s.Clock.Now()
		return nil
	})
	if errors.Is(err, done) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claim document: %w", err)
	}
	if d.Attempts > document.MaxAttempts {
		return nil, s.fail(ctx, a, d, extraction.Fail(extraction.Crashed,
			"Reading the document failed %d times. It may be damaged; save it anew with another program and upload that.", document.MaxAttempts))
	}
	return d, nil
}

// read runs the extractors outside any transaction.
func (s *Service) read(ctx context.Context, d *document.Document) (result *extraction.Result, err error) {
	path, release, err := s.Blobs.Local(ctx, d.SHA256)
	if err != nil {
		return nil, fmt.Errorf("fetch blob: %w", err)
	}
	defer release()
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, extraction.Fail(extraction.Crashed, "Reading the document failed unexpectedly. Try again, or upload another copy.")
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, s.Deadline)
	defer cancel()
	result, err = s.Reader.Read(ctx, extraction.Source{Name: d.Filename, Path: path, Size: d.SizeBytes, Forced: d.Forced})
	var failure *extraction.Failure
	if err != nil && !errors.As(err, &failure) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = extraction.Fail(extraction.TimedOut, "Reading the document took longer than %s.", s.Deadline)
	}
	return result, err
}

// giveBack leaves the document waiting and returns the cause, so that the
// queue tries again later.
func (s *Service) giveBack(ctx context.Context, a identity.Actor, d *document.Document, attempts int, cause error) error {
	// The job's own context may be what ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
		if err := stillOurs(now, d); err != nil {
			return err
		}
		now.Status, now.Attempts, now.UpdatedAt = document.Uploaded, attempts, s.Clock.Now()
		return nil
	})
	if err != nil && !errors.Is(err, errSuperseded) {
		return errors.Join(cause, fmt.Errorf("give document back: %w", err))
	}
	return cause
}

// stillOurs refuses to end a document that another run has claimed since; the
// count of tries is the fencing token.
func stillOurs(now, claimed *document.Document) error {
	if now.Status != document.Processing || now.Attempts != claimed.Attempts {
		return errSuperseded
	}
	return nil
}

// fail ends the document with a reason that a person can read.
func (s *Service) fail(ctx context.Context, a identity.Actor, d *document.Document, f *extraction.Failure) error {
	status, kind := document.Failed, event.DocumentFailed
	if f.Reason == extraction.NotAnInvoice {
		status, kind = document.NotAnInvoice, event.DocumentNotAnInvoice
	}
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		updated, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.Status, now.Failure = status, &document.Failure{Code: f.Code(), Message: f.Message}
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil {
			return fmt.Errorf("fail document: %w", err)
		}
		ev := event.By(a, kind, d.EntityID, subjectOf(updated))
		ev.Data = map[string]string{"code": f.Code()}
		return s.Events.Append(ctx, ev)
	})
}
