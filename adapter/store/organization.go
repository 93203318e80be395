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
	TrialExpiryDate   *day
	TrialMaxEntities  *int
	TrialMaxInvoices  *int `gorm:"column:trial_max_invoices_per_month"`
	InactiveSince     *time.Time
	CreatedAt         time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt         time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (organizationRow) TableName() string { return "organizations" }

func (r organizationRow) fromRow() organization.Organization {
	o := organization.Organization{
		ID: r.ID, IdentityID: fromOptionalText(r.IdentityID), Name: r.Name,
		PaymentCustomerID: fromOptionalText(r.PaymentCustomerID),
		InactiveSince:     fromOptionalTime(r.InactiveSince),
		CreatedAt:         instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
	if r.TrialMaxEntities != nil && r.TrialMaxInvoices != nil {
		o.Trial = &organization.Trial{
			Expiry: fromOptionalDay(r.TrialExpiryDate), MaxEntities: *r.TrialMaxEntities, MaxInvoicesPerMonth: *r.TrialMaxInvoices,
		}
	}
	return o
}

func toOrganizationRow(o *organization.Organization) organizationRow {
	row := organizationRow{
		ID: o.ID, IdentityID: optionalText(o.IdentityID), Name: clean(o.Name),
		PaymentCustomerID: optionalText(o.PaymentCustomerID), InactiveSince: optionalTime(o.InactiveSince), CreatedAt: o.CreatedAt, UpdatedAt: o.UpdatedAt,
	}
	if t := o.Trial; t != nil {
		row.TrialExpiryDate, row.TrialMaxEntities, row.TrialMaxInvoices = optionalDay(t.Expiry), &t.MaxEntities, &t.MaxInvoicesPerMonth
	}
	return row
}

// Organizations implements organization.Repository.
type Organizations struct{ s *Store }

// Add implements organization.Repository.
func (r Organizations) Add(ctx context.Context, o *organization.Organization) error {
	r.s.stamp(&o.CreatedAt)
	r.s.stamp(&o.UpdatedAt)
	row := toOrganizationRow(o)
	return failed("add the organization", r.s.handle(ctx).Create(&row).Error)
}

// ByID implements organization.Repository.
func (r Organizations) ByID(ctx context.Context, id uuid.UUID) (*organization.Organization, error) {
	return r.find(ctx, "id = ?", id)
}

// ByIdentity implements organization.Repository.
func (r Organizations) ByIdentity(ctx context.Context, identityID string) (*organization.Organization, error) {
	return r.find(ctx, "identity_id = ?", identityID)
}

// ByPaymentCustomer implements organization.Repository.
func (r Organizations) ByPaymentCustomer(ctx context.Context, customerID string) (*organization.Organization, error) {
	return r.find(ctx, "payment_customer_id = ?", customerID)
}

func (r Organizations) find(ctx context.Context, condition string, value any) (*organization.Organization, error) {
	row, err := readFirst[organizationRow](ctx, r.s, condition, value)
	if err != nil {
		return nil, found("organization", err)
	}
	o := row.fromRow()
	return &o, nil
}

// Update implements organization.Repository.
func (r Organizations) Update(ctx context.Context, id uuid.UUID, change func(*organization.Organization) error) (o *organization.Organization, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		if o, err = r.find(ctx, "id = ?"+r.s.forUpdate("organizations"), id); err != nil {
			return err
		}
		before := o.UpdatedAt
		if err := change(o); err != nil {
			return err
		}
		r.s.touch(&o.UpdatedAt, before)
		row := toOrganizationRow(o)
		return failed("change the organization", save(r.s.handle(ctx), &row, "created_at"))
	})
	return o, err
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

// ByPaymentCustomers implements organization.Repository.
func (r Organizations) ByPaymentCustomers(ctx context.Context, customerIDs []string) ([]uuid.UUID, error) {
	if len(customerIDs) == 0 {
		return nil, nil
	}
	values := make([]any, len(customerIDs))
	for i, id := range customerIDs {
		values[i] = id
	}
	found, err := r.s.ids(ctx, "SELECT id FROM organizations WHERE payment_customer_id IN "+placeholders(1, len(values)), values)
	return found, failed("look up organizations", err)
}

// ForOperator implements organization.Repository.
func (r Organizations) ForOperator(ctx context.Context) ([]organization.Organization, error) {
	var rows []organizationRow
	err := r.s.handle(ctx).Order("created_at, id").Find(&rows).Error
	return mapped(rows, organizationRow.fromRow), failed("list organizations", err)
}

// lockOrganization locks the row of an organization until the end of the transaction,
// so that what is counted for one of its limits stays true.
func (s *Store) lockOrganization(ctx context.Context, id uuid.UUID) error {
	var ids []uuid.UUID
	return failed("lock the organization", s.handle(ctx).Clauses(lock).Table("organizations").Where("id = ?", id).Pluck("id", &ids).Error)
}
