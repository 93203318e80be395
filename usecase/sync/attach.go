package sync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
)

// errOriginal reports that the original cannot be read.
var errOriginal = errors.New("the original cannot be read")

// attachTimeout is how long docledger tries to attach the original to a bill.
const attachTimeout = 24 * time.Hour

// attachOriginal attaches the original to the bill and ends the sync. If the ledger does not accept
// it, the sync still succeeds and records the reason.
func (s *Service) attachOriginal(ctx context.Context, r *run) error {
	state, reason, err := s.attached(ctx, r)
	if err != nil {
		if s.Clock.Now().Sub(r.booking.SyncedAt) < attachTimeout {
			return err
		}
		state, reason = invoice.Skipped, "The original could not be attached for a day."
	}
	return s.finish(context.WithoutCancel(ctx), r, state, reason)
}

// finish ends the sync successfully.
func (s *Service) finish(ctx context.Context, r *run, state invoice.AttachmentState, reason string) error {
	_, err := s.change(ctx, r, func(_ *invoice.Invoice, b *ledgersync.Sync) (bool, error) {
		b.Finish(state, reason)
		return false, nil
	})
	return err
}

// attachmentRefused is the reason of a skipped file if the consent does not allow attachments.
const attachmentRefused = "The consent does not allow docledger to attach files. Connect the integration again with the scope for attachments."

// attached attaches the original or its rendering to the bill, or returns the reason for skipping it.
func (s *Service) attached(ctx context.Context, r *run) (invoice.AttachmentState, string, error) {
	d, err := s.Documents.Get(ctx, r.actor.Scope(), r.invoice.DocumentID)
	if err != nil {
		return "", "", fmt.Errorf("read document: %w", err)
	}
	attacher := r.ledger.Attacher
	limits := attacher.AttachmentLimits()
	f := s.original(d)
	elsewhere, err := document.Elsewhere(ctx, s.Documents, d)
	if err != nil {
		return "", "", err
	}
	if elsewhere {
		if f, err = s.ownPart(ctx, d); err != nil {
			if refusal, ok := fault.As(err); ok && refusal.Kind == fault.Invalid {
				return invoice.Skipped, refusal.Message, nil
			}
			return "", "", err
		}
		d = &document.Document{MediaType: f.mediaType}
	}
	if !slices.Contains(limits.MediaTypes, d.MediaType) {
		f = nil
		if !elsewhere && slices.Contains(limits.MediaTypes, renderedType) && r.invoice.Extraction.Method == invoice.Structured {
			if f, err = s.rendering(ctx, d); err != nil {
				return "", "", err
			}
		}
	}
	switch {
	case f == nil:
		return invoice.Skipped, fmt.Sprintf("The ledger does not accept files of the type %s.", d.MediaType), nil
	case f.size > limits.MaxBytes:
		return invoice.Skipped, fmt.Sprintf("The ledger accepts files of at most %d bytes, the file has %d.", limits.MaxBytes, f.size), nil
	}
	var there []accounting.Attachment
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		there, err = attacher.Attachments(ctx, a, r.booking.Kind, r.booking.RemoteID)
		return integration.Optional(err)
	})
	if integration.CapabilityRefused(err) {
		return invoice.Skipped, attachmentRefused, nil
	}
	if missing(err) {
		return invoice.Skipped, "The bill was removed before the original was attached.", nil
	}
	if err != nil {
		return "", "", err
	}
	name := attacher.AttachmentName(f.name)
	if slices.ContainsFunc(there, func(a accounting.Attachment) bool { return a.Filename == name && a.SizeBytes == f.size }) {
		return f.state, "", nil
	}
	if limits.MaxFiles > 0 && len(there) >= limits.MaxFiles {
		return invoice.Skipped, fmt.Sprintf("The bill already has %d files, the maximum of the ledger.", len(there)), nil
	}
	return s.attach(ctx, r, f)
}

// file is what is attached to a bill.
type file struct {
	name, mediaType string
	size            int64
	state           invoice.AttachmentState
	open            func(context.Context) (io.ReadCloser, error)
}

func (s *Service) original(d *document.Document) *file {
	return &file{name: d.Filename, mediaType: d.MediaType, size: d.SizeBytes, state: invoice.Attached, open: func(ctx context.Context) (io.ReadCloser, error) {
		return s.Blobs.Open(ctx, d.SHA256)
	}}
}

// ownPart returns what the people of the entity may have of the file of a part that is in another one.
func (s *Service) ownPart(ctx context.Context, d *document.Document) (*file, error) {
	own, content, err := s.Originals.Original(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := content.Close(); err != nil {
		return nil, fmt.Errorf("close part: %w", err)
	}
	state := invoice.Rendered
	if d.Pages != nil {
		state = invoice.Attached
	}
	return &file{name: own.Filename, mediaType: own.MediaType, size: own.SizeBytes, state: state, open: func(ctx context.Context) (io.ReadCloser, error) {
		_, content, err := s.Originals.Original(ctx, d)
		return content, err
	}}, nil
}

// renderedType is the media type of a rendering.
const renderedType = "application/pdf"

// rendering returns the readable PDF of an electronic invoice, named after the original (domain
// D29). It is nil if the document cannot be rendered. The same document always gives the same bytes,
// so a retry recognizes the attached file.
func (s *Service) rendering(ctx context.Context, d *document.Document) (*file, error) {
	local, release, err := s.Blobs.Local(ctx, d.SHA256)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("fetch blob: %w", err)
	}
	defer release()
	data, err := s.Viewer.PDF(ctx, extraction.Viewed{Path: local, Part: d.Part})
	var failure *extraction.Failure
	if errors.As(err, &failure) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("render document: %w", err)
	}
	name := strings.TrimSuffix(d.Filename, path.Ext(d.Filename)) + ".pdf"
	return &file{name: name, mediaType: renderedType, size: int64(len(data)), state: invoice.Rendered, open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}, nil
}

func (s *Service) attach(ctx context.Context, r *run, f *file) (invoice.AttachmentState, string, error) {
	err := s.with(ctx, r, func(ctx context.Context, a integration.Access) error {
		content, err := f.open(ctx)
		if err != nil {
			return errors.Join(errOriginal, err)
		}
		defer content.Close()
		_, err = r.ledger.Attacher.Attach(ctx, a, r.booking.Kind, r.booking.RemoteID, accounting.File{
			Filename: f.name, MediaType: f.mediaType, SizeBytes: f.size, Content: content,
		})
		return integration.Optional(err)
	})
	if integration.CapabilityRefused(err) {
		return invoice.Skipped, attachmentRefused, nil
	}
	if refusal, ok := accounting.RefusalOf(err); ok {
		return invoice.Skipped, refusal.Message(), nil
	}
	if errors.Is(err, errOriginal) && fault.CodeOf(err) == fault.CodeNotFound {
		return invoice.Skipped, "The stored original is missing.", nil
	}
	if err != nil {
		return "", "", err
	}
	return f.state, "", nil
}
