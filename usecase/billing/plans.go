// Package billing determines each organization's plan.
package billing

import (
	"context"

	"docledger/domain/billing"

	"github.com/google/uuid"
)

// Unlimited is the plan of installations without a payment processor: every
// organization is active (domain D16).
type Unlimited struct{}

// Of implements billing.Plans.
func (Unlimited) Of(context.Context, uuid.UUID) (billing.Plan, error) {
	return billing.SelfHosted(), nil
}

// Read implements Source.
func (Unlimited) Read(context.Context, uuid.UUID) (billing.Plan, error) {
	return billing.SelfHosted(), nil
}
