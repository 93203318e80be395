package billing

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/inbox"
	"docledger/domain/organization"
	"docledger/usecase"
)

// Events processes events of the payment processor (interface 6). It implements the
// inbox's Handler.
type Events struct {
	Organizations organization.Repository
	Customers     billing.Customers
	Webhooks      billing.Webhooks
	Cache         billing.PlanCache
	PlanEvents    billing.PlanEvents
	Charger       *Charger
	Clock         usecase.Clock
	Log           *slog.Logger
}

// Before removes the plans of the organizations from the cache before docledger
// acknowledges the events. A read after the acknowledgement therefore uses the
// processor.
func (e *Events) Before(ctx context.Context, messages []*inbox.Message) error {
	var customers []string
	for _, m := range messages {
		if ev, ok := e.read(ctx, m); ok && !slices.Contains(customers, ev.Customer) {
			customers = append(customers, ev.Customer)
		}
	}
	found, err := e.Organizations.ByPaymentCustomers(ctx, customers)
	if err != nil {
		return fmt.Errorf("find organizations: %w", err)
	}
	// The removals run concurrently, because each one waits for an unreachable cache.
	var removals sync.WaitGroup
	for _, organization := range found {
		removals.Go(func() {
			if err := e.Cache.Invalidate(ctx, organization); err != nil {
				// The job removes the plan again and retries until it succeeds.
				e.Log.WarnContext(ctx, "cached plan not removed yet", "organization", organization, "error", err)
			}
		})
	}
	removals.Wait()
	return nil
}

// read returns the event if docledger processes its type.
func (e *Events) read(ctx context.Context, m *inbox.Message) (billing.PaymentEvent, bool) {
	if !slices.Contains(billing.PaymentEvents(), billing.EventType(m.Type)) {
		return billing.PaymentEvent{}, false
	}
	ev, err := e.Webhooks.Read(m.Body)
	if err != nil || ev.Customer == "" {
		e.Log.ErrorContext(ctx, "payment event unreadable", "event", m.EventID, "type", m.Type, "error", err)
		return billing.PaymentEvent{}, false
	}
	return ev, true
}

// Handle implements the inbox's Handler. It makes the immediate charge of a new
// subscription and always refreshes the plan.
func (e *Events) Handle(ctx context.Context, m *inbox.Message) error {
	ev, ok := e.read(ctx, m)
	if !ok {
		return inbox.ErrIgnored
	}
	o, err := e.organization(ctx, ev)
	if err != nil {
		return err
	}
	if o == nil {
		e.Log.WarnContext(ctx, "payment event of an unknown customer", "event", m.EventID, "type", m.Type)
		return inbox.ErrIgnored
	}
	if ev.Type == billing.SubscriptionCreated {
		if err := e.Charger.Created(ctx, o, ev); err != nil {
			return err
		}
	}
	planEvent := billing.PlanEvent{Sender: m.Sender, ID: ev.ID, Type: string(ev.Type), OccurredAt: ev.CreatedAt}
	if err := e.PlanEvents.Put(ctx, o.ID, planEvent); err != nil {
		return fmt.Errorf("store the event of the plan: %w", err)
	}
	if err := e.Cache.Invalidate(ctx, o.ID); err != nil {
		return fmt.Errorf("remove the cached plan: %w", err)
	}
	return nil
}

// organization finds the organization of an event. If the id of the customer was not
// stored yet when the event came, it uses the metadata of the customer.
func (e *Events) organization(ctx context.Context, ev billing.PaymentEvent) (*organization.Organization, error) {
	o, err := e.Organizations.ByPaymentCustomer(ctx, ev.Customer)
	if err == nil || fault.CodeOf(err) != fault.CodeNotFound {
		return o, err
	}
	customer, err := e.Customers.ByID(ctx, ev.Customer)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the customer: %w", err)
	}
	o, err = e.Organizations.ByID(ctx, customer.OrganizationID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find organization: %w", err)
	}
	o, err = e.Organizations.Update(ctx, o.ID, func(o *organization.Organization) error {
		return o.SetPaymentCustomer(ev.Customer, e.Clock.Now())
	})
	if err != nil {
		return nil, fmt.Errorf("store the customer: %w", err)
	}
	if o.PaymentCustomerID != ev.Customer {
		return nil, nil // a second customer, which no organization uses
	}
	return o, nil
}
