package billing

import (
	"context"
	"time"

	"docledger/domain/inbox"

	"github.com/google/uuid"
)

// LastKnownPlanTTL is how long the last known plan is used while the processor is unreachable
// (domain D14).
const LastKnownPlanTTL = 7 * 24 * time.Hour

// LastKnownPlan is the last plan that was read for an organization.
type LastKnownPlan struct {
	Plan       Plan
	PaymentURL string // the page of the newest invoice that waits for payment; "" for none
	ReadAt     time.Time
}

// LastKnownPlans stores the last known plans.
type LastKnownPlans interface {
	// Put stores the plan, unless a later one is stored. It returns the plan that was replaced; nil
	// if none was.
	Put(ctx context.Context, organization uuid.UUID, k LastKnownPlan) (replaced *LastKnownPlan, err error)
	// Get returns the last known plan, or a NotFound fault.
	Get(ctx context.Context, organization uuid.UUID) (*LastKnownPlan, error)
}

// PlanEvent is an event of another system that changed an organization's plan.
type PlanEvent struct {
	Sender     inbox.Sender
	ID         string
	Type       string
	OccurredAt time.Time // the time stated by the sender
}

// PlanEvents stores the latest event of each sender for an organization.
type PlanEvents interface {
	// Put stores the event, unless a later one of the sender is stored.
	Put(ctx context.Context, organization uuid.UUID, e PlanEvent) error
	// OfOrganization returns the stored events, at most one of each sender.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]PlanEvent, error)
}

// ChargeState is the progress of an immediate charge.
type ChargeState string

// The states, in order.
const (
	ChargePlanned   ChargeState = "PLANNED"   // decided, nothing requested from the processor yet
	ChargeDrafted   ChargeState = "DRAFTED"   // the draft invoice exists and is recorded
	ChargeFinalized ChargeState = "FINALIZED" // the invoice is final
	ChargeDone      ChargeState = "DONE"      // payment was attempted; see Outcome
	ChargeSkipped   ChargeState = "SKIPPED"   // cannot be made; see Reason
)

// Ended reports whether nothing is left to do.
func (s ChargeState) Ended() bool { return s == ChargeDone || s == ChargeSkipped }

// ChargeRecord is docledger's record of a charge. It is necessary because the processor forgets
// idempotency keys after a day.
type ChargeRecord struct {
	Charge Charge
	Price  string
	// Quantity is that of the price when the event was written, because the processor itself charges
	// later changes of the quantity in proportion. 0 if the event has none.
	Quantity  int64
	EventID   string
	EventAt   time.Time // the event that triggered it
	State     ChargeState
	Invoice   string // at the processor; "" until it is drafted
	Outcome   PaymentOutcome
	Reason    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ChargeRecords stores one record for each subscription and month.
type ChargeRecords interface {
	// Begin stores the record unless one exists for its subscription and month. It returns the
	// stored record.
	Begin(ctx context.Context, r *ChargeRecord) (*ChargeRecord, error)
	// Update changes the record of a charge under a row lock.
	Update(ctx context.Context, c Charge, change func(*ChargeRecord) error) (*ChargeRecord, error)
	// OfOrganization lists at most limit charges of an organization, newest first.
	OfOrganization(ctx context.Context, organization uuid.UUID, limit int) ([]ChargeRecord, error)
}
