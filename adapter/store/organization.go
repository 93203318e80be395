package store

import (
	"context"
	"time"

	"docledger/domain/organization"

	"github.com/google/uuid"
)

type organizationRow struct {
	ID                uuid.UUID `gorm:"primaryKey"`
	IdentityID        *string
	Name              string
	PaymentCustomerID *string
	CreatedAt         time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (organizationRow) TableName() string { return "organizations" }

func (r organizationRow) fromRow() organization.Organization {
	return organization.Organization{
		ID: r.ID, IdentityID: fromOptionalText(r.IdentityID), Name: r.Name,
		PaymentCustomerID: fromOptionalText(r.PaymentCustomerID),
		CreatedAt:         instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

// Organizations implements organization.Repository.
type Organizations struct{ s *Store }

// Add implements organization.Repository.
func (r Organizations) Add(ctx context.Context, o *organization.Organization) error {
	r.s.stamp(&o.CreatedAt)
	r.s.stamp(&o.UpdatedAt)
	row := organizationRow{
		ID: o.ID, IdentityID: optionalText(o.IdentityID), Name: clean(o.Name),
		PaymentCustomerID: optionalText(o.PaymentCustomerID), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}
	return failed("add the organization", r.s.handle(ctx).Create(&row).Error)
}

// ByID implements organization.Repository.
func (r Organizations) ByID(ctx context.Context, id uuid.UUID) (*organization.Organization, error) {
	var row organizationRow
	if err := r.s.handle(ctx).Take(&row, "id = ?", id).Error; err != nil {
		return nil, found("organization", err)
	}
	o := row.fromRow()
	return &o, nil
}

// ByIDs implements organization.Repository.
func (r Organizations) ByIDs(ctx context.Context, ids []uuid.UUID) ([]organization.Organization, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []organizationRow
	err := r.s.handle(ctx).Find(&rows, "id IN ?", ids).Error
	return mapped(rows, organizationRow.fromRow), failed("look up organizations", err)
}

// ForOperator implements organization.Repository.
func (r Organizations) ForOperator(ctx context.Context) ([]organization.Organization, error) {
	var rows []organizationRow
	err := r.s.handle(ctx).Order("created_at, id").Find(&rows).Error
	return mapped(rows, organizationRow.fromRow), failed("list organizations", err)
}
