package entities

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"docledger/domain/billing"
	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// Update changes an entity by what change does to its values. Archiving frees
// its place in the plan; taking it back needs one.
func (s *Service) Update(ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, change func(*Values)) (*entity.Entity, error) {
	if _, err := s.Entities.Get(ctx, a.Scope(), id); err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	// The plan may come from another system, so it is read before the transaction.
	plan, err := s.Plans.Of(ctx, a.OrganizationID)
	if err != nil {
		return nil, fmt.Errorf("find plan: %w", err)
	}
	people, err := s.people(ctx, a.OrganizationID)
	if err != nil {
		return nil, err
	}
	var updated *entity.Entity
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var changes []event.Change
		var err error
		updated, err = s.Entities.Update(ctx, a.Scope(), id, ifVersion, func(e *entity.Entity) error {
			before := ValuesOf(e)
			values := before
			change(&values)
			if err := values.normalize(); err != nil {
				return err
			}
			// Somebody who has left stays listed until the list is changed.
			if listMembers(values.Members) != listMembers(before.Members) {
				if err := onlyPeople(people, values.Members); err != nil {
					return err
				}
			}
			if changes = differences(before, values); len(changes) == 0 {
				return errUnchanged
			}
			values.apply(e)
			e.UpdatedAt = s.Clock.Now()
			return s.adjustEntityCount(ctx, a.OrganizationID, plan, before.Archived, values.Archived)
		})
		if err != nil {
			return err
		}
		ev := event.By(a, event.EntityChanged, id, subject(updated))
		ev.Changes = changes
		return s.Events.Append(ctx, ev)
	})
	if errors.Is(err, errUnchanged) {
		return s.Entities.Get(ctx, a.Scope(), id)
	}
	if err != nil {
		return nil, err
	}
	return updated, nil
}

// errUnchanged rolls a change back that changes nothing, so that it makes no
// version and no event.
var errUnchanged = errors.New("unchanged")

func (s *Service) adjustEntityCount(ctx context.Context, organization uuid.UUID, plan billing.Plan, was, is bool) error {
	switch {
	case is && !was:
		return s.Usage.GiveBack(ctx, organization, billing.Entities, "")
	case was && !is:
		if !plan.Writable {
			return billing.ErrInactive(plan)
		}
		return s.reserveEntity(ctx, organization, plan)
	}
	return nil
}

// differences returns the changes in the order of the API's keys.
func differences(a, b Values) []event.Change {
	var changes []event.Change
	for _, c := range []event.Change{
		{Field: "name", From: a.Name, To: b.Name},
		{Field: "legal_name", From: a.LegalName, To: b.LegalName},
		{Field: "tax_ids", From: strings.Join(a.TaxIDs, ", "), To: strings.Join(b.TaxIDs, ", ")},
		{Field: "aliases", From: strings.Join(a.Aliases, ", "), To: strings.Join(b.Aliases, ", ")},
		{Field: "country", From: a.Country, To: b.Country},
		{Field: "base_currency", From: a.BaseCurrency, To: b.BaseCurrency},
		{Field: "access", From: string(a.Access), To: string(b.Access)},
		{Field: "default_role", From: string(a.DefaultRole), To: string(b.DefaultRole)},
		{Field: "members", From: listMembers(a.Members), To: listMembers(b.Members)},
		{Field: "archived", From: fmt.Sprint(a.Archived), To: fmt.Sprint(b.Archived)},
		{Field: "legal_hold", From: fmt.Sprint(a.LegalHold), To: fmt.Sprint(b.LegalHold)},
	} {
		if c.From != c.To {
			changes = append(changes, c)
		}
	}
	return changes
}

func listMembers(members []entity.Member) string {
	parts := make([]string, len(members))
	for i, m := range members {
		parts[i] = m.UserID.String() + " " + string(m.Role)
	}
	return strings.Join(parts, ", ")
}
