package store

import (
	"context"
	"time"

	"docledger/domain/duplicate"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type recheckRow struct {
	InvoiceID      uuid.UUID `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	Assistant      bool
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
}

// TableName implements gorm's tabler.
func (recheckRow) TableName() string { return "duplicate_rechecks" }

func (r recheckRow) fromRow() duplicate.Recheck {
	return duplicate.Recheck{InvoiceID: r.InvoiceID, Assistant: r.Assistant}
}

// Postpone implements duplicate.Repository.
func (r Duplicates) Postpone(ctx context.Context, organization uuid.UUID, ids []uuid.UUID, assistant bool, at time.Time) error {
	rows := mapped(ids, func(id uuid.UUID) recheckRow {
		return recheckRow{InvoiceID: id, OrganizationID: organization, Assistant: assistant, CreatedAt: instant(at)}
	})
	kept := clause.Assignment{Column: clause.Column{Name: "assistant"}, Value: gorm.Expr("duplicate_rechecks.assistant OR excluded.assistant")}
	return failed("postpone the check of duplicates", r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "invoice_id"}}, DoUpdates: clause.Set{kept},
	}).CreateInBatches(&rows, maxCandidates).Error)
}

// Postponed implements duplicate.Repository.
func (r Duplicates) Postponed(ctx context.Context, organization uuid.UUID, limit int) ([]duplicate.Recheck, error) {
	var rows []recheckRow
	err := r.s.handle(ctx).Where("organization_id = ?", organization).Order("created_at, invoice_id").Limit(limit).Find(&rows).Error
	return mapped(rows, recheckRow.fromRow), failed("read postponed checks of duplicates", err)
}

// PostponedFor implements duplicate.Repository.
func (r Duplicates) PostponedFor(ctx context.Context, organization, invoiceID uuid.UUID) (duplicate.Recheck, bool, error) {
	var rows []recheckRow
	err := r.s.handle(ctx).Where("organization_id = ? AND invoice_id = ?", organization, invoiceID).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return duplicate.Recheck{}, false, failed("read the postponed check of an invoice", err)
	}
	return rows[0].fromRow(), true, nil
}

// Rechecked implements duplicate.Repository.
func (r Duplicates) Rechecked(ctx context.Context, organization, invoiceID uuid.UUID) error {
	done := r.s.handle(ctx).Delete(&recheckRow{}, "organization_id = ? AND invoice_id = ?", organization, invoiceID)
	return failed("remove the postponed check of an invoice", done.Error)
}

// Defer implements duplicate.Repository.
func (r Duplicates) Defer(ctx context.Context, organization, invoiceID uuid.UUID, at time.Time) error {
	done := r.s.handle(ctx).Model(&recheckRow{}).Where("organization_id = ? AND invoice_id = ?", organization, invoiceID).Update("created_at", instant(at))
	return failed("defer the postponed check of an invoice", done.Error)
}

// Postponing implements duplicate.Repository.
func (r Duplicates) Postponing(ctx context.Context, limit int) ([]uuid.UUID, error) {
	var rows []struct{ OrganizationID uuid.UUID }
	err := r.s.handle(ctx).Model(&recheckRow{}).Select("organization_id").Group("organization_id").
		Order("MIN(created_at), organization_id").Limit(limit).Find(&rows).Error
	return mapped(rows, func(r struct{ OrganizationID uuid.UUID }) uuid.UUID { return r.OrganizationID }), failed("read organizations with postponed checks", err)
}
