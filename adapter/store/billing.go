package store

import (
	"context"
	"errors"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/inbox"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type knownPlanRow struct {
	OrganizationID      uuid.UUID `gorm:"primaryKey"`
	Name                string
	Status              string
	Writable            bool
	CycleEnd            *time.Time
	MaxEntities         *int
	MaxInvoicesPerMonth *int
	PaymentURL          string
	ReadAt              time.Time
}

// TableName implements gorm's tabler.
func (knownPlanRow) TableName() string { return "known_plans" }

// KnownPlans implements billing.KnownPlans.
type KnownPlans struct{ s *Store }

// Put implements billing.KnownPlans.
func (r KnownPlans) Put(ctx context.Context, organization uuid.UUID, k billing.LastKnownPlan) (replaced *billing.LastKnownPlan, err error) {
	row := knownPlanRow{
		OrganizationID: organization, Name: clean(k.Plan.Name), Status: clean(k.Plan.Status), Writable: k.Plan.Writable,
		CycleEnd: optionalTime(k.Plan.CycleEnd), MaxEntities: k.Plan.MaxEntities, MaxInvoicesPerMonth: k.Plan.MaxInvoicesPerMonth,
		PaymentURL: clean(k.PaymentURL), ReadAt: instant(k.ReadAt),
	}
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		q := r.s.handle(ctx)
		var before knownPlanRow
		err := q.Clauses(lock).Take(&before, "organization_id = ?", organization).Error
		if err == nil && !row.ReadAt.Before(instant(before.ReadAt)) {
			known := before.fromRow()
			replaced = &known
		}
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return failed("read the plan", err)
		}
		err = q.Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "organization_id"}}, UpdateAll: true,
			Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("known_plans.read_at <= ?", row.ReadAt)}},
		}).Create(&row).Error
		return failed("keep the plan", err)
	})
	if err != nil {
		return nil, err
	}
	return replaced, nil
}

func (r knownPlanRow) fromRow() billing.LastKnownPlan {
	return billing.LastKnownPlan{
		Plan: billing.Plan{
			Name: r.Name, Status: r.Status, Writable: r.Writable, CycleEnd: fromOptionalTime(r.CycleEnd),
			MaxEntities: r.MaxEntities, MaxInvoicesPerMonth: r.MaxInvoicesPerMonth,
		},
		PaymentURL: r.PaymentURL, ReadAt: instant(r.ReadAt),
	}
}

// Get implements billing.KnownPlans.
func (r KnownPlans) Get(ctx context.Context, organization uuid.UUID) (*billing.LastKnownPlan, error) {
	var row knownPlanRow
	if err := r.s.handle(ctx).Take(&row, "organization_id = ?", organization).Error; err != nil {
		return nil, found("plan", err)
	}
	known := row.fromRow()
	return &known, nil
}

type planEventRow struct {
	OrganizationID uuid.UUID    `gorm:"primaryKey"`
	Sender         inbox.Sender `gorm:"primaryKey"`
	EventID        string
	Type           string
	OccurredAt     time.Time
}

// TableName implements gorm's tabler.
func (planEventRow) TableName() string { return "plan_events" }

// PlanEvents implements billing.PlanEvents.
type PlanEvents struct{ s *Store }

// Put implements billing.PlanEvents.
func (r PlanEvents) Put(ctx context.Context, organization uuid.UUID, e billing.PlanEvent) error {
	row := planEventRow{
		OrganizationID: organization, Sender: e.Sender, EventID: clean(e.ID), Type: clean(e.Type), OccurredAt: instant(e.OccurredAt),
	}
	err := r.s.handle(ctx).Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "organization_id"}, {Name: "sender"}}, UpdateAll: true,
		Where: clause.Where{Exprs: []clause.Expression{gorm.Expr("plan_events.occurred_at <= ?", row.OccurredAt)}},
	}).Create(&row).Error
	return failed("keep the event", err)
}

// OfOrganization implements billing.PlanEvents.
func (r PlanEvents) OfOrganization(ctx context.Context, organization uuid.UUID) ([]billing.PlanEvent, error) {
	var rows []planEventRow
	err := r.s.handle(ctx).Order("sender").Find(&rows, "organization_id = ?", organization).Error
	return mapped(rows, func(row planEventRow) billing.PlanEvent {
		return billing.PlanEvent{Sender: row.Sender, ID: row.EventID, Type: row.Type, OccurredAt: instant(row.OccurredAt)}
	}), failed("read the events", err)
}

type chargeRow struct {
	SubscriptionID string `gorm:"primaryKey"`
	Month          string `gorm:"primaryKey"`
	OrganizationID uuid.UUID
	CustomerID     string
	PriceID        string
	Quantity       int64
	EventID        string
	EventAt        time.Time
	State          billing.ChargeState
	InvoiceID      string
	Outcome        billing.PaymentOutcome
	Reason         string
	CreatedAt      time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
}

// TableName implements gorm's tabler.
func (chargeRow) TableName() string { return "charges" }

func (r chargeRow) fromRow() billing.ChargeRecord {
	return billing.ChargeRecord{
		Charge: billing.Charge{
			Organization: r.OrganizationID, Customer: r.CustomerID, Subscription: r.SubscriptionID, Month: r.Month,
		},
		Price: r.PriceID, Quantity: r.Quantity, EventID: r.EventID, EventAt: instant(r.EventAt), State: r.State, Invoice: r.InvoiceID,
		Outcome: r.Outcome, Reason: r.Reason, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

func toChargeRow(c *billing.ChargeRecord) chargeRow {
	return chargeRow{
		SubscriptionID: c.Charge.Subscription, Month: c.Charge.Month, OrganizationID: c.Charge.Organization,
		CustomerID: c.Charge.Customer, PriceID: clean(c.Price), Quantity: c.Quantity, EventID: c.EventID, EventAt: instant(c.EventAt), State: c.State,
		InvoiceID: c.Invoice, Outcome: c.Outcome, Reason: clean(c.Reason), CreatedAt: instant(c.CreatedAt), UpdatedAt: instant(c.UpdatedAt),
	}
}

// Charges implements billing.ChargeRecords.
type Charges struct{ s *Store }

// Begin implements billing.ChargeRecords.
func (r Charges) Begin(ctx context.Context, c *billing.ChargeRecord) (there *billing.ChargeRecord, err error) {
	r.s.stamp(&c.CreatedAt)
	r.s.stamp(&c.UpdatedAt)
	row := toChargeRow(c)
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		err := r.s.handle(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error
		if err != nil {
			return failed("record the charge", err)
		}
		there, err = r.get(r.s.handle(ctx), c.Charge)
		return err
	})
	return there, err
}

func (r Charges) get(q *gorm.DB, c billing.Charge) (*billing.ChargeRecord, error) {
	var row chargeRow
	err := q.Take(&row, "organization_id = ? AND subscription_id = ? AND month = ?", c.Organization, c.Subscription, c.Month).Error
	if err != nil {
		return nil, found("charge", err)
	}
	out := row.fromRow()
	return &out, nil
}

// Update implements billing.ChargeRecords.
func (r Charges) Update(ctx context.Context, c billing.Charge, change func(*billing.ChargeRecord) error) (out *billing.ChargeRecord, err error) {
	err = r.s.inOne(ctx, func(ctx context.Context) error {
		q := r.s.handle(ctx)
		if out, err = r.get(q.Clauses(lock), c); err != nil {
			return err
		}
		before := out.UpdatedAt
		if err := change(out); err != nil {
			return err
		}
		if out.Charge.Subscription != c.Subscription || out.Charge.Month != c.Month || out.Charge.Organization != c.Organization {
			return fault.New(fault.Internal, fault.CodeInternal, "A charge can't become another one.")
		}
		r.s.touch(&out.UpdatedAt, before)
		row := toChargeRow(out)
		return failed("record the charge", save(q, &row, "organization_id", "created_at"))
	})
	return out, err
}

// OfOrganization implements billing.ChargeRecords.
func (r Charges) OfOrganization(ctx context.Context, organization uuid.UUID, limit int) ([]billing.ChargeRecord, error) {
	var rows []chargeRow
	err := r.s.handle(ctx).Where("organization_id = ?", organization).Order("created_at DESC").Limit(limit).Find(&rows).Error
	return mapped(rows, chargeRow.fromRow), failed("list charges", err)
}
