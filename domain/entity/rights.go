package entity

import (
	"context"
	"fmt"

	"docledger/domain/identity"
)

// AssistantsApprove reports whether assistants may approve invoices of the entity. If not, SYSTEM does
// not approve what an assistant caused: a person must.
func (s *Settings) AssistantsApprove() bool {
	return s.AssistantActions.Includes(identity.AssistantNeeds(identity.Approve, false))
}

// Require refuses an actor who may not use a permission on the entity. It is
// the only place that decides about rights on an entity:
//   - the role of the person must include the permission;
//   - for an assistant, the entity's setting assistant_actions must include it
//     too (domain D10).
//
// The settings are read for assistants only.
func (e *Entity) Require(ctx context.Context, a identity.Actor, p identity.Permission, settings SettingsRepository) error {
	if err := a.Require(p, e.RoleOf(a)); err != nil || !a.IsAssistant() {
		return err
	}
	s, err := settings.Get(ctx, a.Scope(), e.ID)
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if needed := identity.AssistantNeeds(p, false); !s.AssistantActions.Includes(needed) {
		if needed == identity.AssistantNever {
			return identity.ErrAssistantNever()
		}
		return identity.ErrAssistantActions(s.AssistantActions, needed)
	}
	return nil
}
