package integrations

import (
	"context"
	"errors"
	"slices"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/identity"
	"docledger/domain/integration"

	"github.com/google/uuid"
)

// Suppliers keeps the suppliers of entities.
type Suppliers interface {
	// ForgetLedger removes the ids of a former ledger from the suppliers of an entity, within the
	// caller's transaction.
	ForgetLedger(ctx context.Context, organization, entity uuid.UUID) error
}

// settle updates the entity's settings with its accounting integration, within the caller's
// transaction. The integration that becomes ACTIVE is the one used for syncs (domain D31). Accounts
// and tax rates belong to a tenant; a change of tenant clears them (domain D4).
func (s *Service) settle(ctx context.Context, a identity.Actor, before, i *integration.Integration) error {
	if i.Type() == integration.Trigger && i.Trigger != nil && (i.Status == integration.Active || i.Reason == integration.AccessLost) {
		return s.Watches.Wake(ctx, i)
	}
	moved := before.Tenant() != "" && before.Tenant() != i.Tenant()
	chosen := before.Tenant() == "" && i.Tenant() != ""
	became := i.Status == integration.Active && before.Status != integration.Active
	if i.Type() != integration.Accounting || !moved && !chosen && !became {
		return nil
	}
	if became {
		if err := s.Resume(ctx, i.OrganizationID, i.EntityID, s.Clock.Now()); err != nil {
			return err
		}
	}
	elsewhere := moved
	if chosen {
		// This runs only for a new tenant. Settings that a person chooses afterwards are kept when
		// the connection is lost and restored.
		var err error
		if elsewhere, err = s.bookedElsewhere(ctx, i); err != nil {
			return err
		}
	}
	if elsewhere {
		if err := s.Suppliers.ForgetLedger(ctx, i.OrganizationID, i.EntityID); err != nil {
			return err
		}
	}
	return s.changeSettings(ctx, a, i.EntityID, func(v *entity.Settings) {
		if became {
			v.AccountingIntegrationID = i.ID
		}
		if elsewhere {
			v.DefaultAccountID, v.DefaultTaxRateID, v.TaxMappings = "", "", nil
		}
	})
}

// bookedElsewhere reports whether the entity's previous accounting integration was for another
// tenant.
func (s *Service) bookedElsewhere(ctx context.Context, i *integration.Integration) (bool, error) {
	all, err := s.Integrations.List(ctx, identity.Scope{OrganizationID: i.OrganizationID}, integration.Filter{EntityID: i.EntityID})
	if err != nil {
		return false, err
	}
	for _, other := range slices.Backward(all) {
		if other.ID != i.ID && other.Accounting != nil {
			return other.Provider != i.Provider || other.Tenant() != i.Tenant(), nil
		}
	}
	return false, nil
}

// forgetInSettings removes a disconnected integration from its entity's settings, within the
// caller's transaction.
func (s *Service) forgetInSettings(ctx context.Context, a identity.Actor, i *integration.Integration) error {
	return s.changeSettings(ctx, a, i.EntityID, func(v *entity.Settings) {
		if v.AccountingIntegrationID == i.ID {
			v.AccountingIntegrationID = uuid.Nil
		}
	})
}

func (s *Service) changeSettings(ctx context.Context, a identity.Actor, entityID uuid.UUID, change func(*entity.Settings)) error {
	var changes []event.Change
	updated, err := s.Settings.Update(ctx, identity.Scope{OrganizationID: a.OrganizationID}, entityID, 0, func(v *entity.Settings) error {
		before := *v
		change(v)
		note := func(field, from, to string) {
			if from != to {
				changes = append(changes, event.Change{Field: field, From: from, To: to})
			}
		}
		note("accounting_integration_id", idText(before.AccountingIntegrationID), idText(v.AccountingIntegrationID))
		note("default_account_id", before.DefaultAccountID, v.DefaultAccountID)
		note("default_tax_rate_id", before.DefaultTaxRateID, v.DefaultTaxRateID)
		if len(before.TaxMappings) > 0 && len(v.TaxMappings) == 0 {
			changes = append(changes, event.Change{Field: "tax_mappings", From: "mapped to the former ledger's rates"})
		}
		if len(changes) == 0 {
			return errUnchanged
		}
		v.UpdatedAt = s.Clock.Now()
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	e := event.By(a, event.SettingsChanged, entityID, event.Subject{Type: event.SubjectSettings, ID: entityID, Version: updated.Version})
	e.Changes = changes
	return s.Events.Append(ctx, e)
}

func idText(id uuid.UUID) string {
	if id == uuid.Nil {
		return ""
	}
	return id.String()
}
