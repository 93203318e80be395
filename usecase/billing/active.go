package billing

import (
	"context"
	"fmt"

	"docledger/domain/billing"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// ActiveOnly permits nothing new to organizations that the identity provider has deleted (domain
// D21), whatever their plan is.
type ActiveOnly struct {
	billing.Plans
	Organizations organization.Repository
}

// Of implements billing.Plans.
func (a ActiveOnly) Of(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	o, err := a.Organizations.ByID(ctx, id)
	if err != nil {
		return billing.Plan{}, fmt.Errorf("find organization: %w", err)
	}
	plan, err := a.Plans.Of(ctx, id)
	if err == nil && !o.InactiveSince.IsZero() {
		plan.Writable, plan.Status = false, billing.OrganizationInactive
	}
	return plan, err
}
