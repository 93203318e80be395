package sync

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docledger/domain/accounting"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
)

// errOriginal reports that the original cannot be read.
var errOriginal = errors.New("the original cannot be read")

// attachPatience is how long docledger tries to attach the original to a bill.
const attachPatience = 24 * time.Hour

// attachOriginal attaches the original to the bill and ends the sync. If the ledger does not accept
// it, the sync still succeeds and records the reason.
func (s *Service) attachOriginal(ctx context.Context, r *run) error {
	state, reason, err := s.attached(ctx, r)
	if err != nil {
		if s.Clock.Now().Sub(r.booking.SyncedAt) < attachPatience {
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

// attached attaches the original to the bill, or returns the reason for skipping it.
func (s *Service) attached(ctx context.Context, r *run) (invoice.AttachmentState, string, error) {
	d, err := s.Documents.Get(ctx, r.actor.Scope(), r.invoice.DocumentID)
	if err != nil {
		return "", "", fmt.Errorf("read document: %w", err)
	}
	attacher := r.ledger.Attacher
	limits := attacher.AttachmentLimits()
	switch {
	case !slices.Contains(limits.MediaTypes, d.MediaType):
		return invoice.Skipped, fmt.Sprintf("The ledger does not accept files of the type %s.", d.MediaType), nil
	case d.SizeBytes > limits.MaxBytes:
		return invoice.Skipped, fmt.Sprintf("The ledger accepts files of at most %d bytes, the original has %d.", limits.MaxBytes, d.SizeBytes), nil
	}
	var there []accounting.Attachment
	err = s.with(ctx, r, func(ctx context.Context, a integration.Access) (err error) {
		there, err = attacher.Attachments(ctx, a, r.booking.Kind, r.booking.RemoteID)
		return err
	})
	if missing(err) {
		return invoice.Skipped, "The bill was removed before the original was attached.", nil
	}
	if err != nil {
		return "", "", err
	}
	name := attacher.AttachmentName(d.Filename)
	if slices.ContainsFunc(there, func(a accounting.Attachment) bool { return a.Filename == name && a.SizeBytes == d.SizeBytes }) {
		return invoice.Attached, "", nil
	}
	if limits.MaxFiles > 0 && len(there) >= limits.MaxFiles {
		return invoice.Skipped, fmt.Sprintf("The bill already has %d files, the maximum of the ledger.", len(there)), nil
	}
	return s.attach(ctx, r, d)
}

func (s *Service) attach(ctx context.Context, r *run, d *document.Document) (invoice.AttachmentState, string, error) {
	err := s.with(ctx, r, func(ctx context.Context, a integration.Access) error {
		content, err := s.Blobs.Open(ctx, d.SHA256)
		if err != nil {
			return errors.Join(errOriginal, err)
		}
		defer content.Close()
		_, err = r.ledger.Attacher.Attach(ctx, a, r.booking.Kind, r.booking.RemoteID, accounting.File{
			Filename: d.Filename, MediaType: d.MediaType, SizeBytes: d.SizeBytes, Content: content,
		})
		return err
	})
	if refusal, ok := accounting.RefusalOf(err); ok {
		return invoice.Skipped, refusal.Message(), nil
	}
	if errors.Is(err, errOriginal) && fault.CodeOf(err) == fault.CodeNotFound {
		return invoice.Skipped, "The stored original is missing.", nil
	}
	if err != nil {
		return "", "", err
	}
	return invoice.Attached, "", nil
}
