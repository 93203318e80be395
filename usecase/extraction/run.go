package extraction

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// errSuperseded reports that the document was reset or claimed by another run during this run.
var errSuperseded = errors.New("another extraction of the document took over")

// A document that cannot be released is retried every giveBackPause for giveBackTime, which is less
// than the time that a process has to shut down.
const (
	giveBackTime  = 5 * time.Second
	giveBackPause = 200 * time.Millisecond
)

// Run extracts the document of a job. It returns an error only if another attempt may succeed. A
// permanent problem of the document becomes the document's failure.
func (s *Service) Run(ctx context.Context, args job.ExtractDocument) error {
	return s.run(ctx, args, false)
}

// RunScan extracts a document that Run identified as a scan or a photo, with OCR.
func (s *Service) RunScan(ctx context.Context, args job.ReadScan) error {
	return s.run(ctx, job.ExtractDocument(args), true)
}

func (s *Service) run(ctx context.Context, args job.ExtractDocument, recognize bool) error {
	actor := identity.System(args.OrganizationID)
	// The job's first claim also claims a document whose process died; later claims only a document
	// that was reset in the meantime.
	for claimable := (*document.Document).CanBeRead; ; claimable = (*document.Document).IsQueued {
		d, err := s.claim(ctx, actor, args, claimable)
		if err != nil || d == nil {
			return err
		}
		err = s.readOnce(ctx, actor, d, recognize)
		if errors.Is(err, errSuperseded) {
			continue
		}
		if err != nil && s.deleted(ctx, actor, d.ID) {
			return nil // the document was deleted during the extraction
		}
		return err
	}
}

// deleted reports whether the document no longer exists.
func (s *Service) deleted(ctx context.Context, a identity.Actor, id uuid.UUID) bool {
	_, err := s.Documents.Get(ctx, a.Scope(), id)
	return fault.CodeOf(err) == fault.CodeNotFound
}

func (s *Service) readOnce(ctx context.Context, actor identity.Actor, d *document.Document, recognize bool) error {
	if d.AttemptsExhausted() {
		return s.fail(ctx, actor, d, extraction.Fail(extraction.Crashed,
			"The extraction failed %d times. The document may be damaged. Save it again with another program and upload the new file.", d.Attempts-1+d.Interruptions))
	}
	began := s.Clock.Now()
	result, err := s.read(ctx, d, recognize)
	if err == nil {
		err = s.finish(ctx, actor, d, result, s.Clock.Now().Sub(began))
	}
	if err != nil {
		s.dropContained(ctx, d, result)
	}
	var failure *extraction.Failure
	switch {
	case err == nil, errors.Is(err, errSuperseded):
		return err
	case errors.Is(err, extraction.ErrNeedsOCR):
		return s.handOver(ctx, actor, d)
	case errors.As(err, &failure) && failure.Passing && d.Attempts < document.MaxAttempts:
		return s.giveBack(ctx, actor, d, d.Attempts, err)
	case errors.As(err, &failure):
		return s.fail(ctx, actor, d, failure)
	case errors.Is(err, extraction.ErrUnavailable):
		return s.awaitReader(ctx, actor, d, err)
	case passing(err):
		// The document is not the cause, so the attempt does not count.
		return s.giveBack(ctx, actor, d, d.Attempts-1, err)
	default:
		// An unexpected error must not be retried forever, so the attempt counts.
		return s.giveBack(ctx, actor, d, d.Attempts, err)
	}
}

// passing reports whether an error is a temporary outage.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	f, ok := fault.As(err)
	return ok && (f.Kind == fault.Unavailable || f.Kind == fault.Upstream || f.Kind == fault.TooMany)
}

// claim marks the document as being extracted, in a separate transaction, so that the attempt
// counts even if the process crashes. It returns nil if there is nothing to do.
func (s *Service) claim(ctx context.Context, a identity.Actor, args job.ExtractDocument, claimable func(*document.Document) bool) (*document.Document, error) {
	done := errors.New("done")
	d, err := s.Documents.Update(ctx, a.Scope(), args.DocumentID, func(d *document.Document) error {
		if !claimable(d) {
			return done
		}
		d.BeginReading()
		d.UpdatedAt = s.Clock.Now()
		return nil
	})
	if errors.Is(err, done) || fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("claim document: %w", err)
	}
	return d, nil
}

// read runs the extractors outside any transaction. The extraction process limits its own time.
func (s *Service) read(ctx context.Context, d *document.Document, recognize bool) (*extraction.Result, error) {
	var contained []extraction.Contained
	result, err := s.extract(ctx, d, extraction.Source{
		Recognize: recognize,
		OnFile: func(f extraction.ContainedFile) error {
			if !f.Document {
				return nil
			}
			sha256, size, err := s.Blobs.Put(ctx, bytes.NewReader(f.Data))
			if err != nil {
				return unavailable(fmt.Errorf("store file of container: %w", err))
			}
			if err := document.KeepBlob(ctx, s.Blobs, s.Removals, sha256, s.Clock.Now().Add(s.BlobGrace)); err != nil {
				return err
			}
			contained = append(contained, extraction.Contained{
				StoredBlob: document.StoredBlob{SHA256: sha256, SizeBytes: size, MediaType: f.MediaType}, Path: f.Path,
			})
			return nil
		},
		OnWords: func(page int, words []extraction.PageWord) { s.storeWords(ctx, d, page, words) },
	})
	if result != nil {
		result.Contained = contained
	}
	return result, err
}

// extract runs the extractors on the stored original of a document, with the options of o.
func (s *Service) extract(ctx context.Context, d *document.Document, o extraction.Source) (result *extraction.Result, err error) {
	path, release, err := s.Blobs.Local(ctx, d.SHA256)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, extraction.Fail(extraction.ContentMissing, "The stored original is missing. Upload the document again and inform the operator.")
	}
	if err != nil {
		return nil, unavailable(fmt.Errorf("fetch blob: %w", err))
	}
	defer release()
	defer func() {
		if r := recover(); r != nil {
			// The panic value may contain document content, so only the stack is logged.
			s.Log.ErrorContext(ctx, "extraction panicked", "document", d.ID, "stack", string(debug.Stack()))
			result, err = nil, extraction.Fail(extraction.Crashed, "The extraction failed unexpectedly. Try again, or upload another copy.")
		}
	}()
	settings, err := s.Settings.Get(ctx, identity.System(d.OrganizationID).Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	o.Name, o.Path, o.Size, o.Pages = d.Filename, path, d.SizeBytes, d.Pages
	o.Forced, o.DateOrder = d.Forced, extraction.DateOrder(settings.DateOrder)
	return s.Reader.Read(ctx, o)
}

// dropContained schedules the removal of the blobs of a container that was not stored. Those that a
// later attempt uses are kept.
func (s *Service) dropContained(ctx context.Context, d *document.Document, result *extraction.Result) {
	if result == nil || len(result.Contained) == 0 {
		return
	}
	blobs := make([]string, len(result.Contained))
	for i, c := range result.Contained {
		blobs[i] = c.SHA256
	}
	slices.Sort(blobs)
	err := s.Removals.Schedule(context.WithoutCancel(ctx), d.OrganizationID, slices.Compact(blobs), s.Clock.Now().Add(s.BlobGrace))
	if err != nil {
		s.Log.WarnContext(ctx, "removal of files of a container not scheduled", "document", d.ID, "error", err)
	}
}

// unavailable marks an outage of docledger's own components.
func unavailable(err error) error {
	if _, ok := fault.As(err); ok {
		return err
	}
	return fault.New(fault.Unavailable, fault.CodeUnavailable, "The blob store is unavailable.").WithCause(err)
}

// giveBack releases the document and returns the cause, so that the queue retries later.
func (s *Service) giveBack(ctx context.Context, a identity.Actor, d *document.Document, attempts int, cause error) error {
	// The job's context may have ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
	defer cancel()
	err := s.untilStored(ctx, func() error {
		_, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.Status, now.Attempts, now.UpdatedAt = document.Uploaded, attempts, s.Clock.Now()
			// The document was being extracted, so extraction was requested.
			now.Requested = true
			return nil
		})
		return err
	})
	if errors.Is(err, errSuperseded) {
		return err
	}
	if err != nil {
		return errors.Join(cause, fmt.Errorf("release document: %w", err))
	}
	return cause
}

// readerRetryDelay is the delay before the next attempt if the extraction process could not start.
const readerRetryDelay = 10 * time.Second

// awaitReader leaves the document in PROCESSING and returns a job.Later, so that the attempt does
// not count.
func (s *Service) awaitReader(ctx context.Context, a identity.Actor, d *document.Document, cause error) error {
	s.Log.WarnContext(ctx, "extraction process unavailable, document waits", "document", d.ID, "error", cause)
	// The job's context may have ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackTime)
	defer cancel()
	err := s.untilStored(ctx, func() error {
		_, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.AwaitReader()
			now.UpdatedAt = s.Clock.Now()
			return nil
		})
		return err
	})
	if errors.Is(err, errSuperseded) {
		return err
	}
	return &job.Later{After: readerRetryDelay, Cause: errors.Join(cause, err)}
}

// untilStored repeats a change while the database is unavailable, until ctx ends. A change that is
// not stored would count as an interruption.
func (s *Service) untilStored(ctx context.Context, change func() error) error {
	tick := time.NewTicker(giveBackPause)
	defer tick.Stop()
	for {
		err := change()
		if f, ok := fault.As(err); !ok || f.Kind != fault.Unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// stillOurs returns errSuperseded if the document was reset or claimed by another run.
func stillOurs(now, claimed *document.Document) error {
	if now.Status != document.Processing || now.Run != claimed.Run {
		return errSuperseded
	}
	return nil
}

// fail ends the extraction with a failure that users can read. A document with an invoice from an
// earlier extraction keeps it.
func (s *Service) fail(ctx context.Context, a identity.Actor, d *document.Document, f *extraction.Failure) error {
	status, kind := document.Failed, event.DocumentFailed
	if f.Reason == extraction.NotAnInvoice {
		status, kind = document.NotAnInvoice, event.DocumentNotAnInvoice
	}
	switch f.Reason {
	case extraction.Crashed, extraction.OutOfMemory, extraction.TimedOut, extraction.ContentMissing:
		s.Log.WarnContext(ctx, "document extraction failed", "document", d.ID, "reason", f.Reason, "attempts", d.Attempts)
	}
	inTx := s.UnitOfWork.InTx
	if len(f.Numbers) > 0 {
		// An invoice is not deleted or moved between the search for it and the end of the transaction.
		inTx = func(ctx context.Context, fn func(context.Context) error) error {
			return s.Duplicates.InTurn(ctx, d.OrganizationID, fn)
		}
	}
	return inTx(ctx, func(ctx context.Context) error {
		updated, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) (err error) {
			if err := stillOurs(now, d); err != nil {
				return err
			}
			now.Requested, now.UpdatedAt = false, s.Clock.Now()
			if now.InvoiceID != uuid.Nil {
				now.Status = document.Extracted
				return nil
			}
			now.Status, now.Failure = status, &document.Failure{Code: f.Code(), Message: f.Message}
			now.RelatedInvoiceID, err = s.named(ctx, now, f)
			return err
		})
		if err != nil {
			return fmt.Errorf("fail document: %w", err)
		}
		ev := event.By(a, kind, d.EntityID, subjectOf(updated))
		ev.Data = map[string]string{"code": f.Code()}
		return s.Events.Append(ctx, ev)
	})
}

// named returns the invoice of the document's entity that a reminder names; Nil if it names none, or
// more than one has the number.
func (s *Service) named(ctx context.Context, d *document.Document, f *extraction.Failure) (uuid.UUID, error) {
	if f.Reason != extraction.NotAnInvoice || f.Kind != extraction.Reminder || len(f.Numbers) == 0 {
		return uuid.Nil, nil
	}
	numbers := f.Numbers[:min(len(f.Numbers), extraction.MaxNumbers)]
	found, err := s.Numbers.WithNumbers(ctx, d.OrganizationID, d.EntityID, numbers)
	if err != nil || len(found) != 1 {
		return uuid.Nil, err
	}
	return found[0], nil
}
