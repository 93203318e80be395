package billing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"docledger/domain/billing"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// EnforcementTimeout is the maximum wait of a limit check for the payment processor
// (domain D14).
const EnforcementTimeout = 2 * time.Second

// Trials returns trial terms from their authoritative source.
type Trials interface {
	// CurrentTrial returns the current terms of an organization. If they cannot be
	// read, it returns the last known terms.
	CurrentTrial(ctx context.Context, o *organization.Organization) organization.Trial
}

// Subscribed reads plans from the payment processor through the cache. While the
// processor is unavailable, it uses the last known plan.
type Subscribed struct {
	Organizations organization.Repository
	Subscriptions billing.Subscriptions
	Customers     *Customers
	Cache         billing.PlanCache
	Known         billing.LastKnownPlans
	Events        event.Log
	UnitOfWork    usecase.UnitOfWork
	Trials        Trials // nil: the record of the organization has the terms
	Clock         usecase.Clock
	Log           *slog.Logger
}

// Of implements billing.Plans for limits. It waits for the processor for at most
// EnforcementTimeout, and uses the last known plan for up to seven days. It refuses
// only an organization without a recent known plan, with an Unavailable fault.
func (s *Subscribed) Of(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	limited, cancel := context.WithTimeout(ctx, EnforcementTimeout)
	defer cancel()
	plan, err := s.Read(limited, id)
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
		return billing.Plan{}, fmt.Errorf("read the last known plan: %w", err)
	}
	now := s.Clock.Now()
	if now.Sub(known.ReadAt) > billing.LastKnownPlanTTL {
		return billing.Plan{}, unavailable(cause)
	}
	s.Log.WarnContext(ctx, "payment processor unavailable, using last known plan", "organization", id, "read_at", known.ReadAt)
	return known.Plan.Record().Plan(now), nil
}

func unavailable(cause error) error {
	f := fault.New(fault.Unavailable, fault.CodeUnavailable, "Your plan cannot be read at the moment. Try again shortly.")
	f.RetryAfter = 5 * time.Second
	return f.WithCause(cause)
}

// Read returns the organization's plan from the cache or from the processor. Its
// error is the processor's.
func (s *Subscribed) Read(ctx context.Context, id uuid.UUID) (billing.Plan, error) {
	record, err := s.Cache.Load(ctx, id, func(ctx context.Context) (billing.Record, error) { return s.fill(ctx, id) })
	if err != nil {
		return billing.Plan{}, err
	}
	return record.Plan(s.Clock.Now()), nil
}

// fill reads the plan from its source and stores it as the last known plan.
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
		s.Log.ErrorContext(ctx, "plan limits unreadable", "organization", id, "error", err)
		return billing.Record{}, err
	}
	known := billing.LastKnownPlan{Plan: plan, ReadAt: readAt}
	if snapshot.OpenInvoice != nil {
		known.PaymentURL = snapshot.OpenInvoice.PaymentURL
	}
	if err := s.keep(ctx, id, known); err != nil {
		return billing.Record{}, err
	}
	return plan.Record(), nil
}

// keep stores the last known plan, with an event if it is another one (domain D3). A reading that
// is older than the stored one records nothing.
func (s *Subscribed) keep(ctx context.Context, id uuid.UUID, known billing.LastKnownPlan) error {
	return s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		replaced, err := s.Known.Put(ctx, id, known)
		if err != nil {
			return fmt.Errorf("store the plan: %w", err)
		}
		if replaced == nil || !known.Plan.Differs(replaced.Plan) {
			return nil
		}
		e := event.By(identity.System(id), event.BillingPlanChanged, uuid.Nil, event.Subject{Type: event.SubjectOrganization, ID: id})
		for _, c := range []event.Change{
			{Field: "plan", From: replaced.Plan.Name, To: known.Plan.Name},
			{Field: "subscription_status", From: replaced.Plan.Status, To: known.Plan.Status},
		} {
			if c.From != c.To {
				e.Changes = append(e.Changes, c)
			}
		}
		if err := s.Events.Append(ctx, e); err != nil {
			return fmt.Errorf("record the change of the plan: %w", err)
		}
		return nil
	})
}

// snapshot reads the data of the organization's customer. If the customer was deleted
// at the processor, it replaces the customer, because each organization has one
// (interface 1.5).
func (s *Subscribed) snapshot(ctx context.Context, o *organization.Organization) (billing.Snapshot, error) {
	if o.PaymentCustomerID == "" {
		return billing.Snapshot{}, nil // without a customer there is no subscription
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

// unknown converts the error for a customer that the processor never had. It is not a
// missing resource of the caller: the service uses a different processor account.
func unknown(err error) error {
	if fault.CodeOf(err) != fault.CodeNotFound {
		return err
	}
	return fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The payment processor does not know your organization's customer. The operator must check that the secret key is that of the right account.").
		WithCause(err)
}
