package documents

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/job"

	"github.com/google/uuid"
)

// StoreBlob streams bytes into the blob store. The blob stays unreferenced until a document
// record refers to it.
func (s *Service) StoreBlob(ctx context.Context, r io.Reader) (document.StoredBlob, error) {
	begin := &prefix{r: r}
	sha256, size, err := s.Blobs.Put(ctx, begin)
	if err != nil {
		return document.StoredBlob{}, err
	}
	if err := document.KeepBlob(ctx, s.Blobs, s.Removals, sha256, s.Clock.Now().Add(s.BlobGrace)); err != nil {
		return document.StoredBlob{}, err
	}
	return document.StoredBlob{SHA256: sha256, SizeBytes: size, MediaType: s.Sniffer.MediaType(begin.bytes)}, nil
}

// Ingest records a file that arrives without an upload, with the job that reads it, within the
// caller's transaction. If the entity has a document with the same bytes, Ingest returns that, and
// fresh is false.
func (s *Service) Ingest(ctx context.Context, a identity.Actor, in document.IngestInput) (d *document.Document, fresh bool, err error) {
	intake, err := s.openIntake(ctx, a, in.EntityID)
	if err != nil {
		return nil, false, err
	}
	now := s.Clock.Now()
	d = &document.Document{
		ID: s.IDs.New(), EntityID: in.EntityID, OrganizationID: a.OrganizationID,
		Filename: document.CleanFilename(in.Filename), MediaType: in.MediaType, SizeBytes: in.SizeBytes, SHA256: in.SHA256,
		Origin: cmp.Or(in.Origin, document.FromTrigger), Email: in.Email, IntegrationID: in.IntegrationID, SourcePath: in.SourcePath,
		Status: document.Uploaded, Requested: intake.AutoExtract, Version: 1, CreatedAt: now, UpdatedAt: now,
	}
	if in.Held && d.Requested {
		d.HeldReason = document.HeldPlanLimit
	}
	existing, err := s.Documents.Add(ctx, d)
	if err != nil || existing != nil {
		return existing, false, err
	}
	if err := s.received(ctx, a, d, job.Watched); err != nil {
		return nil, false, err
	}
	return d, true, s.held(ctx, a, d)
}

// openIntake returns what a new document of the entity depends on, or a fault if the entity is archived.
func (s *Service) openIntake(ctx context.Context, a identity.Actor, id uuid.UUID) (entity.Intake, error) {
	intake, err := s.Entities.Intake(ctx, a.Scope(), id)
	if err != nil {
		return intake, fmt.Errorf("read entity: %w", err)
	}
	return intake, intake.RequireOpen()
}

// held logs the event that a document waits for the plan.
func (s *Service) held(ctx context.Context, a identity.Actor, d *document.Document) error {
	if d.HeldReason == "" {
		return nil
	}
	ev := event.By(a, event.DocumentHeld, d.EntityID, event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version})
	ev.Data = map[string]string{"reason": d.HeldReason}
	return s.Events.Append(ctx, ev)
}
