// Package billing determines what an organization's plan allows.
package billing

import (
	"context"
	"fmt"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

//go:generate go tool mockgen -typed -destination ../../gen/mock/billingmock/billing.go -package billingmock . Plans

// Plans returns the plan of each organization.
type Plans interface {
	// Of returns the organization's current plan.
	Of(ctx context.Context, organization uuid.UUID) (Plan, error)
}

// Counter identifies what is counted against a plan.
type Counter string

// The counters. Entities counts entities that are not archived; Invoices is counted per UTC month.
const (
	Entities Counter = "entities"
	Invoices Counter = "invoices"
)

// Month returns the period of the invoices counter at t: YYYY-MM in UTC.
func Month(t time.Time) string { return t.UTC().Format("2006-01") }

// Use is one unit that counts against a plan.
type Use struct {
	Organization uuid.UUID
	Entity       uuid.UUID // the share of this entity increases; Nil if no shares are counted
	Counter      Counter
	Period       string // "" for counters without one
}

// Share is an entity's part of its organization's usage.
type Share struct {
	Entity uuid.UUID // Nil: the sum of what the reader may not see
	Used   int
}

// Usage counts what organizations use. Increments are exact under concurrency, because one
// conditional UPDATE decides.
type Usage interface {
	// Take increments a counter within the caller's transaction unless it has reached limit (nil:
	// unlimited). It reports whether it did. The entity's share is incremented in the same
	// transaction, so that shares add up to the counter.
	Take(ctx context.Context, u Use, limit *int) (bool, error)
	// GiveBack decrements a counter, to a minimum of 0.
	GiveBack(ctx context.Context, organization uuid.UUID, c Counter, period string) error
	// Used returns a counter's value; 0 if nothing was counted.
	Used(ctx context.Context, organization uuid.UUID, c Counter, period string) (int, error)
	// Shares returns each entity's part of a counter that keeps shares, in a consistent snapshot
	// ordered by id. Entities outside the scope are combined in one share without an entity, so
	// that the sum always equals the counter.
	Shares(ctx context.Context, s identity.Scope, c Counter, period string) ([]Share, error)
}

// IsFull reports whether the plan of an organization has no room for a further document, so that one
// that arrives without a request waits (domain D15).
func IsFull(ctx context.Context, plans Plans, usage Usage, organization uuid.UUID, now time.Time) (bool, error) {
	plan, err := plans.Of(ctx, organization)
	if err != nil {
		return false, fmt.Errorf("find plan: %w", err)
	}
	if !plan.Writable || plan.MaxInvoicesPerMonth == nil {
		return !plan.Writable, nil
	}
	used, err := usage.Used(ctx, organization, Invoices, Month(now))
	if err != nil {
		return false, fmt.Errorf("read usage: %w", err)
	}
	return used >= *plan.MaxInvoicesPerMonth, nil
}

// ErrInactive returns the fault for new work of an organization without an active plan.
func ErrInactive(p Plan) error {
	if p.Status == OrganizationInactive {
		return fault.New(fault.Forbidden, fault.CodeSubscriptionInactive,
			"Your organization was deleted at the identity provider. Existing data stays readable, but nothing new can be added. Ask the operator of the service.").
			With("subscription_status", p.Status)
	}
	return fault.New(fault.Forbidden, fault.CodeSubscriptionInactive,
		"Your organization's plan is not active. Existing data stays readable, but nothing new can be added. An administrator can choose a plan.").
		With("subscription_status", p.Status)
}

// ErrLimit returns the fault for exceeding a limit of the plan.
func ErrLimit(c Counter, limit int) error {
	return fault.New(fault.Forbidden, fault.CodePlanLimitReached,
		"Your plan's limit of %d %s is reached. An administrator can choose a larger plan.", limit, describe[c]).
		With("limit", limit).With("counter", string(c))
}

var describe = map[Counter]string{Entities: "entities", Invoices: "invoices a month"}
