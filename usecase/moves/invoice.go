package moves

import (
	"context"
	"fmt"
	"slices"

	"docledger/domain/document"
	"docledger/domain/duplicate"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/ledgersync"
	"docledger/domain/review"

	"github.com/google/uuid"
)

// invoice moves one invoice. Its checks are evaluated again for the new entity, except that a REJECTED
// invoice stays rejected.
func (s *Service) invoice(ctx context.Context, m *move, id uuid.UUID, documents map[uuid.UUID]*document.Document) error {
	system := identity.System(m.actor.OrganizationID)
	var found *duplicate.Found
	var changes []event.Change
	withdrawn := false
	inv, _, err := s.Syncs.Change(ctx, system.Scope(), id, func(inv *invoice.Invoice, b *ledgersync.Sync) (*ledgersync.Sync, bool, error) {
		if err := inv.RequireMovable(); err != nil {
			return nil, false, err
		}
		if b != nil {
			if err := b.RequireSettled(); err != nil {
				return nil, false, err
			}
			b.Withdraw()
		}
		withdrawn = inv.MoveTo(m.to.ID, m.settings.DefaultCurrency)
		inv.UpdatedAt = s.Clock.Now()
		if m.actor.UserID != uuid.Nil {
			inv.ChangedBy = m.actor.UserID
		}
		changes = []event.Change{{Field: "entity_id", From: m.from.ID.String(), To: m.to.ID.String()}}
		if lost, err := s.unassign(ctx, m, inv); err != nil {
			return nil, false, err
		} else if lost != uuid.Nil {
			changes = append(changes, event.Change{Field: "assigned_to", From: lost.String()})
		}
		var err error
		found, err = s.judge(ctx, m, inv, documents[inv.DocumentID])
		return b, true, err
	})
	if err != nil {
		return fmt.Errorf("move invoice: %w", err)
	}
	if err := s.Moves.Forget(ctx, inv.OrganizationID, inv.ID); err != nil {
		return err
	}
	return s.announce(ctx, m, inv, found, changes, withdrawn)
}

// unassign ends the assignment to a member who cannot read the new entity, and returns the member.
func (s *Service) unassign(ctx context.Context, m *move, inv *invoice.Invoice) (uuid.UUID, error) {
	member := inv.AssignedTo
	if member == uuid.Nil {
		return uuid.Nil, nil
	}
	of, err := s.Memberships.Find(ctx, member, inv.OrganizationID)
	if err != nil && fault.CodeOf(err) != fault.CodeNotFound {
		return uuid.Nil, fmt.Errorf("find member: %w", err)
	}
	if err == nil {
		reader := identity.Actor{Type: identity.ActorUser, UserID: member, OrganizationID: inv.OrganizationID, Role: of.Role}
		if m.to.RoleOf(reader) != identity.NoRole {
			return uuid.Nil, nil
		}
	}
	inv.AssignedTo = uuid.Nil
	return member, nil
}

// judge codes the lines of an open invoice and evaluates its checks in the new entity. It returns the
// duplicates; nil for a REJECTED invoice, which is not compared.
func (s *Service) judge(ctx context.Context, m *move, inv *invoice.Invoice, d *document.Document) (*duplicate.Found, error) {
	findings := review.Findings(inv)
	if !inv.Status.Open() {
		for _, c := range inv.Checks {
			if c.Rule == invoice.RuleNotADuplicate {
				findings = append(findings, c)
			}
		}
		review.Evaluate(inv, m.to, m.settings, findings, s.Clock.Now(), inv.Version+1)
		return nil, review.Suggest(ctx, inv, m.to, s.Entities)
	}
	needsPerson, err := s.Origins.NeedsPerson(ctx, identity.System(inv.OrganizationID), d, m.settings)
	if err != nil {
		return nil, err
	}
	coding, err := s.Suppliers.Coding(ctx, inv, m.settings.AccountingIntegrationID)
	if err != nil {
		return nil, err
	}
	coding.Apply(inv, m.settings)
	accounts, err := s.Suppliers.Checks(ctx, m.actor, inv)
	if err != nil {
		return nil, err
	}
	found, err := s.Duplicates.Find(ctx, inv, "")
	if err != nil {
		return nil, err
	}
	caused := m.actor.IsAssistant() || found.Assistant
	inv.Reopened = inv.Reopened || needsPerson || caused && !m.settings.AssistantsApprove()
	review.Evaluate(inv, m.to, m.settings, slices.Concat(findings, accounts, []invoice.Check{found.Check()}), s.Clock.Now(), inv.Version+1)
	return &found, review.Suggest(ctx, inv, m.to, s.Entities)
}

// announce stores the duplicates, appends the events and follows an approval by SYSTEM.
func (s *Service) announce(ctx context.Context, m *move, inv *invoice.Invoice, found *duplicate.Found, changes []event.Change, withdrawn bool) error {
	subject := event.Subject{Type: event.SubjectInvoice, ID: inv.ID, Version: inv.Version, ExternalID: inv.ExternalID}
	by := func(a identity.Actor, t event.Type) event.Event { return event.By(a, t, inv.EntityID, subject) }
	moved := by(m.actor, event.InvoiceCorrected)
	moved.Changes = changes
	events := []event.Event{moved}
	if withdrawn {
		events = append(events, by(m.actor, event.InvoiceApprovalWithdrawn))
	}
	system := identity.System(inv.OrganizationID)
	switch inv.Status {
	case invoice.NeedsReview:
		events = append(events, by(m.actor, event.InvoiceNeedsReview))
	case invoice.Extracted:
		events = append(events, by(m.actor, event.InvoiceExtracted))
	case invoice.Approved:
		events = append(events, by(system, event.InvoiceApproved))
	}
	if found != nil {
		fresh, err := s.Duplicates.Keep(ctx, inv, *found, m.actor.IsAssistant())
		if err != nil {
			return fmt.Errorf("keep duplicates: %w", err)
		}
		if len(fresh) > 0 {
			e := by(m.actor, event.InvoiceDuplicateFound)
			e.Data = map[string]string{"rules": duplicate.Rules(fresh)}
			events = append(events, e)
		}
	}
	if err := s.Events.Append(ctx, events...); err != nil || inv.Status != invoice.Approved {
		return err
	}
	if err := s.Suppliers.Approved(ctx, system, inv); err != nil {
		return err
	}
	return s.Bookings.Approved(ctx, system, inv, m.settings)
}
