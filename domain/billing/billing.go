// Package billing holds what an organization's plan lets it do.
package billing

import (
	"context"
	"time"

	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

//go:generate go tool mockgen -typed -destination ../../gen/mock/billingmock/billing.go -package billingmock . Plans

// Plans knows each organization's plan.
type Plans interface {
	// Of returns the organization's present plan.
	Of(ctx context.Context, organization uuid.UUID) (Plan, error)
}

// Counter names what is counted against a plan.
type Counter string

// The counters. Entities counts what is not archived, over all time; invoices
// are counted by UTC month.
const (
	Entities Counter = "entities"
	Invoices Counter = "invoices"
)

// Month is the period of the invoices counter at t: YYYY-MM in UTC.
func Month(t time.Time) string { return t.UTC().Format("2006-01") }

// Use is one thing that counts against a plan.
type Use struct {
	Organization uuid.UUID
	Entity       uuid.UUID // whose share grows with it; Nil where shares aren't kept
	Counter      Counter
	Period       string // "" for counters without one
}

// Share is what an entity has of its organization's usage.
type Share struct {
	Entity uuid.UUID // Nil: all that the reader may not see, together
	Used   int
}

// Usage counts what organizations use. Increments are exact under concurrency:
// one conditional UPDATE decides.
type Usage interface {
	// Take raises a counter by one within the caller's transaction unless it
	// has reached limit (nil: unlimited), and says whether it did. The entity's
	// share grows in the same transaction, so that shares add up to the
	// counter.
	Take(ctx context.Context, u Use, limit *int) (bool, error)
	// GiveBack lowers a counter by one, to 0 at the least.
	GiveBack(ctx context.Context, organization uuid.UUID, c Counter, period string) error
	// Used returns a counter's value; 0 where nothing was counted yet.
	Used(ctx context.Context, organization uuid.UUID, c Counter, period string) (int, error)
	// Shares returns what each entity has of a counter that keeps shares, as of
	// one moment, in the order of their ids. What the scope does not see is one
	// share without an entity, so that the sum is the counter's value for
	// whoever reads it.
	Shares(ctx context.Context, s identity.Scope, c Counter, period string) ([]Share, error)
}

// ErrInactive refuses new work of an organization without an active plan.
func ErrInactive(p Plan) error {
	return fault.New(fault.Forbidden, fault.CodeSubscriptionInactive,
		"Your organization's plan is not active, so nothing new can be added; reading keeps working. An administrator can choose a plan.").
		With("subscription_status", p.Status)
}

// ErrLimit refuses what would exceed the plan.
func ErrLimit(c Counter, limit int) error {
	return fault.New(fault.Forbidden, fault.CodePlanLimitReached,
		"Your plan's limit of %d %s is reached. An administrator can choose a larger plan.", limit, describe[c]).
		With("limit", limit).With("counter", string(c))
}

var describe = map[Counter]string{Entities: "entities", Invoices: "invoices a month"}
