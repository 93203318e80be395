// Package billing knows each organization's plan.
package billing

import (
	"context"
	"fmt"

	"docledger/domain/billing"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Unlimited is the plan of installations without a payment processor: every
// organization is active (records D16).
type Unlimited struct{}

// Of implements billing.Plans.
func (Unlimited) Of(context.Context, uuid.UUID) (billing.Plan, error) {
	return billing.SelfHosted(), nil
}

// Trials gives every organization the free trial from its creation on
// (contract section 8).
type Trials struct {
	Organizations organization.Repository
	Clock         usecase.Clock
}

// Of implements billing.Plans.
func (t Trials) Of(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	o, err := t.Organizations.ByID(ctx, id)
	if err != nil {
		return billing.Plan{}, fmt.Errorf("find organization: %w", err)
	}
	return billing.TrialPlan(o.TrialTerms(), t.Clock.Now()), nil
}
