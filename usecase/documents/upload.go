package documents

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"docledger/domain/billing"
	"docledger/domain/document"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// UploadInput is a file to take in. Content is read once, to its end.
type UploadInput struct {
	EntityID uuid.UUID
	Filename string
	Content  io.Reader
	// ExternalID is the id in another program; "" if it has none. A document that the
	// entity had before keeps its own.
	ExternalID string
}

// Uploaded is the document of an upload; Duplicate says that the entity had
// the same bytes before and that nothing new was stored.
type Uploaded struct {
	*document.Document
	Duplicate bool
}

// Upload streams a file into the blob store and records it, with the job that
// reads it in the same transaction. Once it has answered, the document is kept
// whatever happens next.
func (s *Service) Upload(ctx context.Context, a identity.Actor, in UploadInput) (*Uploaded, error) {
	if err := s.MayUpload(ctx, a, in.EntityID); err != nil {
		return nil, err
	}
	content := bufio.NewReader(in.Content)
	if _, err := content.Peek(1); errors.Is(err, io.EOF) {
		return nil, errEmpty()
	}
	kept, err := s.StoreBlob(ctx, content)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	d := &document.Document{
		ID: s.IDs.New(), EntityID: in.EntityID, OrganizationID: a.OrganizationID,
		Filename: document.CleanFilename(in.Filename), MediaType: kept.MediaType,
		SizeBytes: kept.SizeBytes, SHA256: kept.SHA256, Origin: document.FromUpload, ExternalID: in.ExternalID, Status: document.Uploaded,
		Version: 1, CreatedBy: a.UserID, CreatedAt: now, UpdatedAt: now,
	}
	var existing *document.Document
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The entity can have been archived during the upload.
		intake, err := s.openIntake(ctx, a, in.EntityID)
		if err != nil {
			return err
		}
		d.Requested = intake.AutoExtract
		if existing, err = s.Documents.Add(ctx, d); err != nil {
			return err
		}
		if existing != nil {
			existing, err = s.retryFailed(ctx, a, existing)
			return err
		}
		return s.received(ctx, a, d, job.Automatic)
	})
	if err != nil {
		return nil, err
	}
	if existing != nil {
		return &Uploaded{Document: existing, Duplicate: true}, nil
	}
	return &Uploaded{Document: d}, nil
}

// retryFailed extracts a FAILED document again, because its bytes were uploaded again. Any other
// document stays as it is.
func (s *Service) retryFailed(ctx context.Context, a identity.Actor, d *document.Document) (*document.Document, error) {
	if d.Status != document.Failed {
		return d, nil
	}
	d, err := s.Documents.Update(ctx, a.Scope(), d.ID, func(now *document.Document) error {
		if now.Status == document.Failed {
			now.ResetForExtraction(false)
			now.UpdatedAt = s.Clock.Now()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("retry document: %w", err)
	}
	subject := event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version}
	if err := s.Events.Append(ctx, event.Requested(a, d.EntityID, subject, d.Forced, false, false)...); err != nil {
		return nil, fmt.Errorf("append event: %w", err)
	}
	args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID, Restart: d.Restarts}
	if err := s.Queue.Enqueue(ctx, args, job.Automatic); err != nil {
		return nil, fmt.Errorf("enqueue extraction: %w", err)
	}
	return d, nil
}

// MayUpload refuses an upload before any byte is read: an entity that is not
// the caller's to see, a role that is too small, an archived entity, a plan
// without room.
func (s *Service) MayUpload(ctx context.Context, a identity.Actor, entityID uuid.UUID) error {
	e, err := s.Entities.Get(ctx, a.Scope(), entityID)
	if err != nil {
		return err
	}
	if err := e.Require(ctx, a, identity.Upload, s.Settings); err != nil {
		return err
	}
	if err := e.RequireOpen(); err != nil {
		return err
	}
	plan, err := s.Plans.Of(ctx, a.OrganizationID)
	if err != nil {
		return fmt.Errorf("find plan: %w", err)
	}
	if !plan.Writable {
		return billing.ErrInactive(plan)
	}
	if plan.MaxInvoicesPerMonth == nil {
		return nil
	}
	used, err := s.Usage.Used(ctx, a.OrganizationID, billing.Invoices, billing.Month(s.Clock.Now()))
	if err != nil {
		return fmt.Errorf("read usage: %w", err)
	}
	if used >= *plan.MaxInvoicesPerMonth {
		return billing.ErrLimit(billing.Invoices, *plan.MaxInvoicesPerMonth)
	}
	return nil
}

// errEmpty refuses a file without bytes. Every empty file has the same checksum,
// so a stored one would be the duplicate of each later one.
func errEmpty() error {
	f := fault.InvalidField("file", "is empty; send the bytes of the file")
	f.Code = fault.CodeUnreadableDocument
	return f.With("reason", "empty")
}

func (s *Service) received(ctx context.Context, a identity.Actor, d *document.Document, p job.Priority) error {
	ev := event.By(a, event.DocumentReceived, d.EntityID, event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version})
	ev.Data = map[string]string{"sha256": d.SHA256, "source": string(d.Origin)}
	if err := s.Events.Append(ctx, ev); err != nil {
		return fmt.Errorf("append event: %w", err)
	}
	if !d.Requested || d.HeldReason != "" {
		return nil
	}
	args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: d.OrganizationID, DocumentID: d.ID}
	if err := s.Queue.Enqueue(ctx, args, p); err != nil {
		return fmt.Errorf("enqueue extraction: %w", err)
	}
	return nil
}

// prefix keeps the first bytes of what passes through.
type prefix struct {
	r     io.Reader
	bytes []byte
}

func (p *prefix) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if room := SniffLength - len(p.bytes); room > 0 {
		p.bytes = append(p.bytes, b[:min(n, room)]...)
	}
	return n, err
}
