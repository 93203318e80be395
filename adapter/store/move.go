package store

import (
	"context"

	"docledger/domain/document"
	"docledger/domain/identity"

	"github.com/google/uuid"
	"gorm.io/gorm"
)

// Moves implements document.Moves.
type Moves struct{ s *Store }

// Moves returns what a move of documents to another entity reads.
func (s *Store) Moves() Moves { return Moves{s} }

// Whole implements document.Moves.
func (r Moves) Whole(ctx context.Context, s identity.Scope, id uuid.UUID) ([]document.Document, error) {
	rows, err := r.s.Deletions().whole(ctx, s, id, true)
	return mapped(rows, documentRow.fromRow), err
}

// WithBytes implements document.Moves.
func (r Moves) WithBytes(ctx context.Context, organization, entity uuid.UUID, sha256 string) (uuid.UUID, error) {
	var ids []uuid.UUID
	err := r.s.handle(ctx).Model(&documentRow{}).Where("organization_id = ? AND entity_id = ? AND sha256 = ? AND part = 0", organization, entity, sha256).
		Limit(1).Pluck("id", &ids).Error
	if err != nil || len(ids) == 0 {
		return uuid.Nil, failed("look for a document with the same bytes", err)
	}
	return ids[0], nil
}

// Invoices implements document.Moves.
func (r Moves) Invoices(ctx context.Context, organization uuid.UUID, documents []uuid.UUID) (ids []uuid.UUID, err error) {
	err = r.s.handle(ctx).Table("invoices").Where("organization_id = ? AND document_id IN ?", organization, documents).Order("id").Pluck("id", &ids).Error
	return ids, failed("find the invoices of documents", err)
}

// Forget implements document.Moves.
func (r Moves) Forget(ctx context.Context, organization, invoice uuid.UUID) error {
	err := r.s.handle(ctx).Table("suppliers").Where("organization_id = ? AND last_invoice_id = ?", organization, invoice).
		Update("last_invoice_id", nil).Error
	if err != nil {
		return failed("forget the invoice of a supplier", err)
	}
	return r.s.forgetRelated(ctx, organization, []uuid.UUID{invoice})
}

// forgetRelated removes invoices from the reminders that name them.
func (s *Store) forgetRelated(ctx context.Context, organization uuid.UUID, invoices []uuid.UUID) error {
	err := s.handle(ctx).Table("documents").Where("organization_id = ? AND related_invoice_id IN ?", organization, invoices).
		Updates(map[string]any{"related_invoice_id": nil, "version": gorm.Expr("version + 1"), "updated_at": s.now()}).Error
	return failed("forget the invoice of a reminder", err)
}
