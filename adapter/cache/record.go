// Package cache stores plans in Redis or in the process.
package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"docledger/domain/billing"
)

// recordJSON is the cache record of the contract (2.5): one JSON object with
// exactly these fields.
type recordJSON struct {
	SubscriptionStatus  string     `json:"subscription_status"`
	CurrentPlan         string     `json:"current_plan"`
	BillingCycleEnd     *time.Time `json:"billing_cycle_end"`
	MaxInvoicesPerMonth *int       `json:"max_invoices_per_month"`
	MaxEntities         *int       `json:"max_entities"`
}

func encode(r billing.Record) ([]byte, error) {
	j := recordJSON{
		SubscriptionStatus: r.SubscriptionStatus, CurrentPlan: r.CurrentPlan,
		MaxInvoicesPerMonth: r.MaxInvoicesPerMonth, MaxEntities: r.MaxEntities,
	}
	if !r.BillingCycleEnd.IsZero() {
		end := r.BillingCycleEnd.UTC()
		j.BillingCycleEnd = &end
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("write the cached plan: %w", err)
	}
	return text, nil
}

// decode parses a record and rejects records that docledger did not write.
func decode(text []byte) (billing.Record, error) {
	var fields map[string]json.RawMessage
	var j recordJSON
	if err := json.Unmarshal(text, &fields); err != nil {
		return billing.Record{}, fmt.Errorf("read the cached plan: %w", err)
	}
	if err := json.Unmarshal(text, &j); err != nil {
		return billing.Record{}, fmt.Errorf("read the cached plan: %w", err)
	}
	if len(fields) != 5 || j.SubscriptionStatus == "" {
		return billing.Record{}, errors.New("the cached plan has an unknown format")
	}
	r := billing.Record{
		SubscriptionStatus: j.SubscriptionStatus, CurrentPlan: j.CurrentPlan,
		MaxInvoicesPerMonth: j.MaxInvoicesPerMonth, MaxEntities: j.MaxEntities,
	}
	if j.BillingCycleEnd != nil {
		r.BillingCycleEnd = j.BillingCycleEnd.UTC()
	}
	return r, nil
}
