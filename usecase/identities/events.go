package identities

import (
	"context"
	"fmt"

	"docledger/domain/billing"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/inbox"
	"docledger/domain/organization"

	"github.com/google/uuid"
)

// Customers manages the payment customers of organizations.
type Customers interface {
	// Upsert ensures that the customer exists and has the organization's current
	// name.
	Upsert(ctx context.Context, organization uuid.UUID) error
}

// EventReader parses an event that was verified before it was stored.
type EventReader interface {
	Read(id string, body []byte) (identity.ProviderEvent, error)
}

// Events processes events of the identity provider (interface 6). It implements the
// inbox's Handler. An event only triggers a read. The processing uses the current
// state at the provider, so that late, repeated and reordered events lead to the same
// state.
type Events struct {
	*Service
	Reader    EventReader
	Customers Customers // nil without a payment processor
	// PlanEvents stores the latest event of a plan; nil without a payment processor.
	PlanEvents billing.PlanEvents
}

// Before removes the plans of the organizations from the cache before docledger
// acknowledges the events. A read after the acknowledgement therefore uses the
// source.
func (e *Events) Before(ctx context.Context, messages []*inbox.Message) error {
	seen := map[string]bool{}
	for _, m := range messages {
		ev, ok := e.read(ctx, m)
		if !ok || seen[ev.Organization.ID] {
			continue
		}
		seen[ev.Organization.ID] = true
		o, err := e.Organizations.ByIdentity(ctx, ev.Organization.ID)
		if fault.CodeOf(err) == fault.CodeNotFound {
			continue // its plan was never read
		}
		if err != nil {
			return fmt.Errorf("find organization: %w", err)
		}
		e.forgetPlan(ctx, o.ID)
	}
	return nil
}

// read returns the event if docledger processes its type.
func (e *Events) read(ctx context.Context, m *inbox.Message) (identity.ProviderEvent, bool) {
	switch identity.ProviderEventType(m.Type) {
	case identity.OrganizationCreated, identity.OrganizationUpdated, identity.OrganizationDeleted:
	default:
		return identity.ProviderEvent{}, false
	}
	ev, err := e.Reader.Read(m.EventID, m.Body)
	if err != nil {
		e.Log.ErrorContext(ctx, "identity event unreadable", "event", m.EventID, "type", m.Type, "error", err)
		return identity.ProviderEvent{}, false
	}
	return ev, true
}

// Handle implements the inbox's Handler. It updates the organization, its payment
// customer, the trial of a new organization, and the plan.
func (e *Events) Handle(ctx context.Context, m *inbox.Message) error {
	ev, ok := e.read(ctx, m)
	if !ok {
		return inbox.ErrIgnored
	}
	p, err := e.Directory.Organization(ctx, ev.Organization.ID)
	if fault.CodeOf(err) == fault.CodeNotFound && ev.Type == identity.OrganizationDeleted {
		return e.deactivate(ctx, ev.Organization.ID)
	}
	if fault.CodeOf(err) == fault.CodeNotFound {
		return inbox.ErrIgnored // its deletion has an event
	}
	if err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	if ev.Type == identity.OrganizationDeleted {
		return inbox.ErrIgnored // the provider has it
	}
	o, err := e.keep(ctx, p)
	if err != nil {
		return err
	}
	if e.Customers != nil {
		if err := e.Customers.Upsert(ctx, o.ID); err != nil {
			return fmt.Errorf("store the payment customer: %w", err)
		}
	}
	if ev.Type == identity.OrganizationCreated {
		if err := e.begin(ctx, o, p); err != nil {
			return err
		}
	}
	if e.PlanEvents != nil {
		planEvent := billing.PlanEvent{Sender: m.Sender, ID: ev.ID, Type: string(ev.Type), OccurredAt: m.OccurredAt}
		if err := e.PlanEvents.Put(ctx, o.ID, planEvent); err != nil {
			return fmt.Errorf("store the event of the plan: %w", err)
		}
	}
	if e.Plans == nil {
		return nil
	}
	if err := e.Plans.Invalidate(ctx, o.ID); err != nil {
		return fmt.Errorf("remove the cached plan: %w", err)
	}
	return nil
}

// begin writes the trial terms of a new organization into the provider's metadata
// (interface 2.4). It keeps existing terms: an owner extended them, or the event
// arrived before. Writing makes the provider send organization.updated, which writes
// nothing.
func (e *Events) begin(ctx context.Context, o *organization.Organization, p identity.ProviderOrganization) error {
	if p.Trial.ExpiryDate != "" && p.Trial.MaxEntities > 0 && p.Trial.MaxInvoicesPerMonth > 0 {
		return nil
	}
	if o.Trial != nil && p.Trial.ExpiryDate == "" {
		return nil // an owner has removed the trial
	}
	terms := organization.NewTrial(p.CreatedAt)
	if stated := trialOf(p); stated != nil {
		terms = *stated
	}
	err := e.Directory.SetTrial(ctx, p.ID, metadataOf(terms))
	if fault.CodeOf(err) == fault.CodeNotFound {
		return inbox.ErrIgnored
	}
	if err != nil {
		return fmt.Errorf("write the trial: %w", err)
	}
	_, err = e.Organizations.Update(ctx, o.ID, func(o *organization.Organization) error {
		o.Trial, o.UpdatedAt = &terms, e.Clock.Now()
		return nil
	})
	if err != nil {
		return fmt.Errorf("store the trial: %w", err)
	}
	return nil
}
