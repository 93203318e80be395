package billing

import (
	"context"
	"fmt"

	"docledger/domain/billing"
	"docledger/domain/identity"
)

// UsageByEntity is the usage of an organization in a month by entity.
type UsageByEntity struct {
	Month  string // YYYY-MM in UTC
	Total  int
	Shares []billing.Share // their sum is Total
}

// UsageByEntity reads the usage of the caller's organization in a month; "" is the
// current month (domain D15). One share sums up the entities that the caller may not
// see. Like Overview it creates a missing payment customer, but it does not fail with
// the processor, because the usage is known without it.
func (r *Reader) UsageByEntity(ctx context.Context, a identity.Actor, month string) (*UsageByEntity, error) {
	if r.Customers != nil {
		if _, err := r.Customers.EnsureAtRequest(ctx, a.OrganizationID); err != nil {
			r.Log.WarnContext(ctx, "payment customer not created at a read of the usage", "organization", a.OrganizationID, "error", err)
		}
	}
	if month == "" {
		month = billing.Month(r.Clock.Now())
	}
	shares, err := r.Usage.Shares(ctx, a.Scope(), billing.Invoices, month)
	if err != nil {
		return nil, fmt.Errorf("read usage: %w", err)
	}
	u := &UsageByEntity{Month: month, Shares: shares}
	for _, share := range shares {
		u.Total += share.Used
	}
	return u, nil
}
