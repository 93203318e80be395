package billing

import (
	"context"
	"time"

	"docledger/domain/inbox"

	"github.com/google/uuid"
)

// LastKnownPlanTTL is how long the last plan known holds while the processor is out of
// reach (domain D14).
const LastKnownPlanTTL = 7 * 24 * time.Hour

// LastKnownPlan is the last plan that was read of an organization.
type LastKnownPlan struct {
	Plan       Plan
	PaymentURL string // the page of the newest invoice that waits for payment; "" for none
	ReadAt     time.Time
}

// LastKnownPlans keeps what the processor said last.
type LastKnownPlans interface {
	// Put keeps the plan, unless a later reading is there.
	Put(ctx context.Context, organization uuid.UUID, k LastKnownPlan) error
	// Get returns the last plan known, or a NotFound fault.
	Get(ctx context.Context, organization uuid.UUID) (*LastKnownPlan, error)
}

// PlanEvent is an event of another system that changed what an organization
// may do.
type PlanEvent struct {
	Sender     inbox.Sender
	ID         string
	Type       string
	OccurredAt time.Time // by the sender's own word
}

// PlanEvents keeps each sender's latest one for an organization.
type PlanEvents interface {
	// Put keeps the event, unless a later one of its sender is there.
	Put(ctx context.Context, organization uuid.UUID, e PlanEvent) error
	// OfOrganization returns what is kept, at most one of each sender.
	OfOrganization(ctx context.Context, organization uuid.UUID) ([]PlanEvent, error)
}

// ChargeState is how far an immediate charge has come.
type ChargeState string

// The states, in the order in which they follow.
const (
	ChargePlanned   ChargeState = "PLANNED"   // decided, nothing asked of the processor yet
	ChargeDrafted   ChargeState = "DRAFTED"   // its invoice is known
	ChargeFinalized ChargeState = "FINALIZED" // the invoice is final
	ChargeDone      ChargeState = "DONE"      // payment was tried; Outcome tells
	ChargeSkipped   ChargeState = "SKIPPED"   // can't be made; Reason tells
)

// Ended says that nothing is left to do.
func (s ChargeState) Ended() bool { return s == ChargeDone || s == ChargeSkipped }

// ChargeRecord is our own record of a charge, since the processor forgets its
// idempotency keys after a day.
type ChargeRecord struct {
	Charge    Charge
	Price     string
	EventID   string
	EventAt   time.Time // of the event that caused it
	State     ChargeState
	Invoice   string // at the processor; "" until it is drafted
	Outcome   PaymentOutcome
	Reason    string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ChargeRecords keeps one record for each subscription and month.
type ChargeRecords interface {
	// Begin stores the record unless there is one of its subscription and month
	// already, and returns the one that stands.
	Begin(ctx context.Context, r *ChargeRecord) (*ChargeRecord, error)
	// Update changes the record of a charge under a row lock.
	Update(ctx context.Context, c Charge, change func(*ChargeRecord) error) (*ChargeRecord, error)
	// OfOrganization lists an organization's charges, newest first, at most
	// limit.
	OfOrganization(ctx context.Context, organization uuid.UUID, limit int) ([]ChargeRecord, error)
}
