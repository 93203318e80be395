package billing

import (
	"context"
	"fmt"

	"docledger/domain/billing"
	"docledger/domain/identity"
)

// UsageByEntity is what an organization used in a month, entity by entity.
type UsageByEntity struct {
	Month  string // YYYY-MM in UTC
	Total  int
	Shares []billing.Share // add up to Total
}

// UsageByEntity reads what the caller's organization used in a month, "" for
// the running one (domain D15). What of it is of entities that the caller may
// not see is one share.
func (r *Reader) UsageByEntity(ctx context.Context, a identity.Actor, month string) (*UsageByEntity, error) {
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
