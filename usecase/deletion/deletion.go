// Package deletion deletes documents and removes the bytes that no document refers to any more
// (domain D21).
package deletion

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/document"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Duplicates keeps the pairs of duplicates current. Its methods except InTurn run within the
// caller's transaction.
type Duplicates interface {
	// InTurn runs fn in a transaction, one at a time for each organization.
	InTurn(ctx context.Context, organization uuid.UUID, fn func(ctx context.Context) error) error
	// Partners returns the other invoices of an invoice's pairs.
	Partners(ctx context.Context, organization, id uuid.UUID) ([]uuid.UUID, error)
	// Deleted evaluates invoices again that were in pairs with deleted ones.
	Deleted(ctx context.Context, organization uuid.UUID, partners []uuid.UUID) error
}

// Entities reads entities.
type Entities interface {
	entity.Reader
	// GetShared returns an entity under a lock until the end of the transaction. A change of the
	// entity, such as a legal hold, waits for it.
	GetShared(ctx context.Context, s identity.Scope, id uuid.UUID) (*entity.Entity, error)
}

// Service deletes documents.
type Service struct {
	Documents  document.Reader
	Invoices   invoice.Repository
	Duplicates Duplicates
	Deletions  document.Deletions
	Removals   document.Removals
	Blobs      document.Blobs
	Entities   Entities
	Settings   entity.SettingsRepository
	Events     event.Log
	Clock      usecase.Clock
	Log        *slog.Logger
	// BlobGrace is the time between a document's deletion and the removal of its bytes.
	BlobGrace time.Duration
	// RetentionYears is the age at which documents are deleted; 0 keeps them.
	RetentionYears int
}

// Delete deletes a document with its parts and their invoices, and returns it. Only administrators
// delete, and never an assistant. An invoice that is approved, synced or being synced must be
// reopened or rejected first.
func (s *Service) Delete(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, reason string) (*document.Document, error) {
	d, err := s.Documents.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	e, err := s.Entities.Get(ctx, a.Scope(), d.EntityID)
	if err != nil {
		return nil, fmt.Errorf("read entity: %w", err)
	}
	if err := e.Require(ctx, a, identity.Admin, s.Settings); err != nil {
		return nil, err
	}
	if ifVersion > 0 && ifVersion != d.Version {
		return nil, fault.StaleVersion(d.Version)
	}
	return d, s.remove(ctx, a, d, ifVersion, reason, (*invoice.Invoice).RequireDeletable)
}

// remove deletes a document in one transaction with its events. Version 0 matches every version.
// allowed returns the fault for an invoice that prevents it.
func (s *Service) remove(
	ctx context.Context, a identity.Actor, d *document.Document, ifVersion int, reason string, allowed func(*invoice.Invoice) error,
) error {
	system := identity.System(d.OrganizationID)
	return s.Duplicates.InTurn(ctx, d.OrganizationID, func(ctx context.Context) error {
		e, err := s.Entities.GetShared(ctx, a.Scope(), d.EntityID)
		if err != nil {
			return fmt.Errorf("read entity: %w", err)
		}
		if err := e.RequireDeletable(); err != nil {
			return err
		}
		ids, err := s.Deletions.Invoices(ctx, a.Scope(), d.ID)
		if err != nil {
			return err
		}
		partners, err := s.endInvoices(ctx, system, ids, allowed)
		if err != nil {
			return err
		}
		gone, err := s.Deletions.Remove(ctx, a.Scope(), d.ID)
		if err != nil {
			return err
		}
		if now := gone.Documents[0].Version; ifVersion > 0 && ifVersion != now { // changed meanwhile
			return fault.StaleVersion(now)
		}
		if err := s.requireDeletable(ctx, a, e.ID, gone.Documents); err != nil {
			return err
		}
		if err := s.Removals.Schedule(ctx, d.OrganizationID, gone.Blobs, s.Clock.Now().Add(s.BlobGrace)); err != nil {
			return err
		}
		if err := s.Events.Append(ctx, eventsOf(a, gone, reason)...); err != nil {
			return err
		}
		return s.Duplicates.Deleted(ctx, d.OrganizationID, partners)
	})
}

// requireDeletable returns a fault if a part was moved to an entity under legal hold. checked is the
// entity of the document itself.
func (s *Service) requireDeletable(ctx context.Context, a identity.Actor, checked uuid.UUID, gone []document.Document) error {
	done := map[uuid.UUID]bool{checked: true}
	for _, d := range gone {
		if done[d.EntityID] {
			continue
		}
		done[d.EntityID] = true
		e, err := s.Entities.GetShared(ctx, a.Scope(), d.EntityID)
		if err != nil {
			return fmt.Errorf("read entity of a part: %w", err)
		}
		if err := e.RequireDeletable(); err != nil {
			return err
		}
	}
	return nil
}

// endInvoices locks the invoices, checks that they may be deleted, and returns the other invoices
// of their pairs. The locks order a deletion and a sync of the same invoice.
func (s *Service) endInvoices(ctx context.Context, system identity.Actor, ids []uuid.UUID, allowed func(*invoice.Invoice) error) ([]uuid.UUID, error) {
	var partners []uuid.UUID
	for _, id := range ids {
		_, err := s.Invoices.Update(ctx, system.Scope(), id, 0, func(inv *invoice.Invoice) error {
			if err := allowed(inv); err != nil {
				return err
			}
			return invoice.ErrUnchanged
		})
		if err != nil && !errors.Is(err, invoice.ErrUnchanged) {
			return nil, err
		}
		of, err := s.Duplicates.Partners(ctx, system.OrganizationID, id)
		if err != nil {
			return nil, err
		}
		partners = append(partners, of...)
	}
	return partners, nil
}

// eventsOf returns what remains of deleted documents: the SHA-256, who, when and why.
func eventsOf(a identity.Actor, gone document.Removed, reason string) []event.Event {
	events := make([]event.Event, len(gone.Documents))
	for i, d := range gone.Documents {
		subject := event.Subject{Type: event.SubjectDocument, ID: d.ID, Version: d.Version, ExternalID: d.ExternalID}
		events[i] = event.By(a, event.DocumentDeleted, d.EntityID, subject)
		events[i].Data = map[string]string{"sha256": d.SHA256}
		if reason != "" {
			events[i].Data["reason"] = reason
		}
		if d.ParentID != uuid.Nil {
			events[i].Data["parent_id"] = d.ParentID.String()
		}
	}
	return events
}

const (
	// removalBatch is the number of blobs that one run claims at a time.
	removalBatch = 100
	// removedFor is how long docledger knows that a blob was removed. It exceeds the time of any
	// upload.
	removedFor = 24 * time.Hour
)

// RemoveBlobs removes the blobs that are due. A run that is interrupted is continued by the next. A
// blob that cannot be removed does not prevent the removal of others.
func (s *Service) RemoveBlobs(ctx context.Context, now time.Time) error {
	removed := 0
	defer func() {
		if removed > 0 {
			s.Log.InfoContext(ctx, "blobs of deleted documents removed", "count", removed)
		}
	}()
	for {
		blobs, err := s.Removals.Claim(ctx, now, removalBatch)
		if err != nil {
			return fmt.Errorf("claim blobs: %w", err)
		}
		var failures []error
		for _, sha256 := range blobs {
			if err := s.Blobs.Remove(ctx, sha256); err != nil {
				failures = append(failures, fmt.Errorf("remove blob: %w", err))
				continue
			}
			if err := s.Removals.Done(ctx, sha256, now); err != nil {
				return err
			}
			removed++
		}
		// The next claim returns the blobs that failed again, so a batch of failures ends the run.
		if len(blobs) < removalBatch || len(failures) == len(blobs) {
			return errors.Join(errors.Join(failures...), s.Removals.Forget(ctx, now.Add(-removedFor)))
		}
	}
}
