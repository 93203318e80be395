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

// Customers keeps the payment customers of organizations.
type Customers interface {
	// Upsert makes sure that the customer exists and carries the organization's
	// present name.
	Upsert(ctx context.Context, organization uuid.UUID) error
}

// EventReader reads an event that was verified before it was stored.
type EventReader interface {
	Read(id string, body []byte) (identity.ProviderEvent, error)
}

// Events carries out what the identity provider tells us (interface 6).
// It implements the inbox's Handler. An event only says that there is something
// to look at: what is then done follows from what the provider says now, so
// that late, repeated and reordered events end in one state.
type Events struct {
	*Service
	Reader    EventReader
	Customers Customers // nil without a payment processor
	// Told keeps where a plan comes from; nil without a payment processor.
	Told billing.PlanEvents
}

// Before removes the organizations' plans from the cache before the events are
// answered, so that whoever reads after the answer reads anew.
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
			continue // nobody has read a plan of it
		}
		if err != nil {
			return fmt.Errorf("find organization: %w", err)
		}
		e.forgetPlan(ctx, o.ID)
	}
	return nil
}

// read returns the event where it is one of those that we act on.
func (e *Events) read(ctx context.Context, m *inbox.Message) (identity.ProviderEvent, bool) {
	switch identity.ProviderEventType(m.Type) {
	case identity.OrganizationCreated, identity.OrganizationUpdated:
	default:
		return identity.ProviderEvent{}, false
	}
	ev, err := e.Reader.Read(m.EventID, m.Body)
	if err != nil {
		e.Log.ErrorContext(ctx, "identity event can't be read", "event", m.EventID, "type", m.Type, "error", err)
		return identity.ProviderEvent{}, false
	}
	return ev, true
}

// Handle implements the inbox's Handler: the organization as the provider has
// it now, its payment customer, the trial of a new one, and the plan read anew.
func (e *Events) Handle(ctx context.Context, m *inbox.Message) error {
	ev, ok := e.read(ctx, m)
	if !ok {
		return inbox.ErrIgnored
	}
	p, err := e.Directory.Organization(ctx, ev.Organization.ID)
	if fault.CodeOf(err) == fault.CodeNotFound {
		return inbox.ErrIgnored // it is gone since
	}
	if err != nil {
		return fmt.Errorf("read the organization: %w", err)
	}
	o, err := e.keep(ctx, p)
	if err != nil {
		return err
	}
	if e.Customers != nil {
		if err := e.Customers.Upsert(ctx, o.ID); err != nil {
			return fmt.Errorf("keep the payment customer: %w", err)
		}
	}
	if ev.Type == identity.OrganizationCreated {
		if err := e.begin(ctx, o, p); err != nil {
			return err
		}
	}
	if e.Told != nil {
		told := billing.PlanEvent{Sender: m.Sender, ID: ev.ID, Type: string(ev.Type), OccurredAt: m.OccurredAt}
		if err := e.Told.Put(ctx, o.ID, told); err != nil {
			return fmt.Errorf("keep what the plan comes from: %w", err)
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

// begin writes the terms of a new organization's trial into the provider's
// metadata (interface 2.4). Terms that stand there already stay: somebody
// extended them, or the event came before. Writing makes the provider send
// organization.updated, which writes nothing.
func (e *Events) begin(ctx context.Context, o *organization.Organization, p identity.ProviderOrganization) error {
	if p.Trial.ExpiryDate != "" && p.Trial.MaxEntities > 0 && p.Trial.MaxInvoicesPerMonth > 0 {
		return nil
	}
	if o.Trial != nil && p.Trial.ExpiryDate == "" {
		return nil // an owner took the trial away since
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
		return fmt.Errorf("keep the trial: %w", err)
	}
	return nil
}
