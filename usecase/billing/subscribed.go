package billing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// EnforcementPatience is how long a limit waits for the payment processor
// (domain D14).
const EnforcementPatience = 2 * time.Second

// Trials knows the terms of trials where they are true.
type Trials interface {
	// CurrentTrial returns an organization's terms as they stand now; while they
	// can't be read, those known last.
	CurrentTrial(ctx context.Context, o *organization.Organization) organization.Trial
}

// Subscribed knows plans from the payment processor: through the cache, and
// while the processor is out of reach by what it said last.
type Subscribed struct {
	Organizations organization.Repository
	Subscriptions billing.Subscriptions
	Customers     *Customers
	Cache         billing.PlanCache
	Known         billing.LastKnownPlans
	Trials        Trials // nil: the organization's own record holds them
	Clock         usecase.Clock
	Log           *slog.Logger
}

// Of implements billing.Plans for limits: it waits for the processor no longer
// than EnforcementPatience, and believes the last plan known for seven days.
// Only an organization that was never read before is refused, as Unavailable.
func (s *Subscribed) Of(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	hurried, cancel := context.WithTimeout(ctx, EnforcementPatience)
	defer cancel()
	plan, err := s.Read(hurried, id)
	if err == nil {
		return plan, nil
	}
	if ctx.Err() != nil {
		return billing.Plan{}, ctx.Err()
	}
	if f, ok := fault.As(err); ok && f.Kind != fault.Upstream && f.Kind != fault.Unavailable {
		return billing.Plan{}, err
	}
	return s.lastKnown(ctx, id, err)
}

func (s *Subscribed) lastKnown(ctx context.Context, id uuid.UUID, cause error) (billing.Plan, error) {
	known, err := s.Known.Get(ctx, id)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return billing.Plan{}, unavailable(cause)
	}
	if err != nil {
		return billing.Plan{}, fmt.Errorf("read the plan known last: %w", err)
	}
	now := s.Clock.Now()
	if now.Sub(known.ReadAt) > billing.LastKnownPlanTTL {
		return billing.Plan{}, unavailable(cause)
	}
	s.Log.WarnContext(ctx, "payment processor out of reach; the plan known last holds", "organization", id, "read_at", known.ReadAt)
	return known.Plan.Record().Plan(now), nil
}

func unavailable(cause error) error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable, "Your plan can't be read at the moment. Try again shortly.")
	f.RetryAfter = 5 * time.Second
	return f.WithCause(cause)
}

// Read returns the organization's plan from the cache, else from the
// processor; its error is the processor's.
func (s *Subscribed) Read(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	record, err := s.Cache.Load(ctx, id, func(ctx context.Context) (billing.Record, error) { return s.fill(ctx, id) })
	if err != nil {
		return billing.Plan{}, err
	}
	return record.Plan(s.Clock.Now()), nil
}

// fill reads the plan at its source and keeps it for the day that the source
// is out of reach.
func (s *Subscribed) fill(ctx context.Context, id uuid.UUID) (billing.Record, error) {
	o, err := s.Organizations.ByID(ctx, id)
	if err != nil {
		return billing.Record{}, fmt.Errorf("find organization: %w", err)
	}
	readAt := s.Clock.Now()
	snapshot, err := s.snapshot(ctx, o)
	if err != nil {
		return billing.Record{}, fmt.Errorf("read the subscription: %w", err)
	}
	terms := o.TrialTerms()
	if s.Trials != nil && len(snapshot.Subscriptions) == 0 {
		terms = s.Trials.CurrentTrial(ctx, o)
	}
	plan, err := billing.PlanOf(snapshot, terms, readAt)
	if err != nil {
		s.Log.ErrorContext(ctx, "a plan's limits can't be read", "organization", id, "error", err)
		return billing.Record{}, err
	}
	known := billing.LastKnownPlan{Plan: plan, ReadAt: readAt}
	if snapshot.OpenInvoice != nil {
		known.PaymentURL = snapshot.OpenInvoice.PaymentURL
	}
	if err := s.Known.Put(ctx, id, known); err != nil {
		return billing.Record{}, fmt.Errorf("keep the plan: %w", err)
	}
	return plan.Record(), nil
}

// snapshot reads what the organization's customer has. One that was deleted at
// the processor, with all that it had, is replaced: each organization has a
// customer (interface 1.5).
func (s *Subscribed) snapshot(ctx context.Context, o *organization.Organization) (billing.Snapshot, error) {
	if o.PaymentCustomerID == "" {
		return billing.Snapshot{}, nil // who has no customer has no subscription either
	}
	snapshot, err := s.Subscriptions.OfCustomer(ctx, o.PaymentCustomerID)
	if err != nil {
		return billing.Snapshot{}, unknown(err)
	}
	if sub, ok := snapshot.Effective(); ok && sub.Status.Writable() {
		return snapshot, nil
	}
	customer, err := s.Customers.Replace(ctx, o.ID, o.PaymentCustomerID)
	if err != nil {
		return billing.Snapshot{}, unknown(err)
	}
	if customer == o.PaymentCustomerID {
		return snapshot, nil
	}
	return s.Subscriptions.OfCustomer(ctx, customer)
}

// unknown tells of a customer that the processor never had: nothing that the
// caller asks for is missing, but the service speaks to another account.
func unknown(err error) error {
	if fault.CodeOf(err) != fault.CodeNotFound {
		return err
	}
	return fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The payment processor does not know your organization's customer. The operator must check that the secret key is that of the right account.").
		WithCause(err)
}
