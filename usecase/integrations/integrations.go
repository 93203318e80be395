// Package integrations connects entities to providers: consent, setup, reading of lists, and
// disconnection.
package integrations

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"docledger/domain/entity"
	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/organization"
	"docledger/usecase"

	"github.com/google/uuid"
)

// Connectors are the configured providers. Further capabilities of a connector are found by type
// assertion.
type Connectors map[integration.Provider]integration.Authorizer

// Service contains the operations on integrations. Reading integrations needs no rule beyond the
// scope and uses the store directly.
type Service struct {
	integration.Reader
	Integrations integration.Repository
	Everywhere   integration.CrossOrganizationReader
	Grants       integration.Grants
	Attempts     integration.OAuthStates
	Meters       integration.Meters
	Watches      Watches
	Suppliers    Suppliers
	Entities     entity.Reader
	Settings     entity.SettingsRepository
	Memberships  identity.Memberships
	// OrganizationRecords and Users name who asked for a consent.
	OrganizationRecords organization.Repository
	Users               identity.Users
	Keys                identity.APIKeys
	// AdminKeys accepts API keys of the role ADMIN.
	AdminKeys bool
	// Links counts the use of a connect link for a consent.
	Links      LinkUses
	Events     event.Log
	Connectors Connectors
	Providers  integration.Catalog // of this release, configured or not
	Tokens     *Tokens
	UnitOfWork usecase.UnitOfWork
	Clock      usecase.Clock
	IDs        usecase.IDs
	Log        *slog.Logger
	// CallbackURL is the URL to which providers redirect the browser.
	CallbackURL string
	// RedirectOrigins are the origins to which docledger may redirect the browser afterwards
	// (decisions 3).
	RedirectOrigins []string
	// Booked reports whether an invoice was synced, or may have been synced, through an
	// integration.
	Booked func(ctx context.Context, organization, integration uuid.UUID) (bool, error)
	// Resume runs an entity's waiting syncs now.
	Resume func(ctx context.Context, organization, entity uuid.UUID, now time.Time) error

	lists lists
}

// LinkUses counts the uses of links.
type LinkUses interface {
	// Reserve counts a use. It is false if the link is used up or was expired at now.
	Reserve(ctx context.Context, id uuid.UUID, now time.Time) (bool, error)
	// Release gives back a use.
	Release(ctx context.Context, id uuid.UUID) error
}

// Available reports whether a provider is configured.
func (s *Service) Available(p integration.Provider) bool { return s.Connectors[p] != nil }

// connector returns the provider's connector, or a fault if the provider is not configured. field
// is the request's field name for the provider.
func (s *Service) connector(p integration.Provider, field string) (integration.Authorizer, error) {
	c, ok := s.Connectors[p]
	if !ok {
		return nil, fault.InvalidField(field, "%s is not configured in this installation; the operator must set the provider's client id and secret", p)
	}
	return c, nil
}

// ofEntity returns an integration of the entity that the caller named. An integration of another
// entity is NotFound.
func (s *Service) ofEntity(ctx context.Context, a identity.Actor, id, entityID uuid.UUID) (*integration.Integration, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return nil, err
	}
	if i.EntityID != entityID {
		return nil, fault.Missing("integration")
	}
	return i, nil
}

// Find returns an integration within the caller's scope.
func (s *Service) Find(ctx context.Context, a identity.Actor, id uuid.UUID) (*integration.Integration, error) {
	return s.Integrations.Get(ctx, a.Scope(), id)
}

// RequireEntity returns the fault for a missing integration unless the integration belongs to the
// entity.
func (s *Service) RequireEntity(ctx context.Context, a identity.Actor, id, entityID uuid.UUID) error {
	_, err := s.ofEntity(ctx, a, id, entityID)
	return err
}

// checkRedirect returns a fault unless the URL has an allowed origin.
func (s *Service) checkRedirect(address string) error {
	if !usecase.IsAllowedRedirect(address, s.RedirectOrigins) {
		return fault.InvalidField("redirect_url", "must be an http or https address of an origin that is allowed here; allowed are: %s", allowed(s.RedirectOrigins))
	}
	return nil
}

func allowed(origins []string) string {
	if len(origins) == 0 {
		return "none (the operator sets REDIRECT_ORIGINS)"
	}
	return strings.Join(origins, ", ")
}

func subject(i *integration.Integration) event.Subject {
	return event.Subject{Type: event.SubjectIntegration, ID: i.ID, Version: i.Version}
}

// change changes an integration and appends the event for its new status, in one transaction. what
// is the event if the status is unchanged; "" for none.
func (s *Service) change(
	ctx context.Context, a identity.Actor, id uuid.UUID, ifVersion int, what event.Type, change func(*integration.Integration) error,
) (i *integration.Integration, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		var before integration.Integration
		i, err = s.Integrations.Update(ctx, a.Scope(), id, ifVersion, func(i *integration.Integration) error {
			before = *i
			if err := change(i); err != nil {
				return err
			}
			i.UpdatedAt = s.Clock.Now()
			return nil
		})
		if err != nil {
			return err
		}
		if err := s.settle(ctx, a, &before, i); err != nil {
			return err
		}
		return s.Events.Append(ctx, eventsOf(a, before, i, what)...)
	})
	return i, err
}

// eventsOf returns the events for the difference between two states of an integration.
func eventsOf(a identity.Actor, before integration.Integration, after *integration.Integration, what event.Type) []event.Event {
	var events []event.Event
	tell := func(t event.Type) {
		e := event.By(a, t, after.EntityID, subject(after))
		e.Data = map[string]string{"provider": string(after.Provider)}
		if after.Reason != "" {
			e.Data["reason"] = string(after.Reason)
		}
		if before.Status != after.Status {
			e.Changes = []event.Change{{Field: "status", From: string(before.Status), To: string(after.Status)}}
		}
		events = append(events, e)
	}
	if what != "" {
		tell(what)
	}
	if before.Status == after.Status {
		return events
	}
	switch after.Status {
	case integration.Active:
		if before.Status == integration.Failed {
			tell(event.IntegrationHealed)
		} else {
			tell(event.IntegrationActivated)
		}
	case integration.Failed:
		tell(event.IntegrationError)
	case integration.Disconnected:
		tell(event.IntegrationDisconnected)
	}
	return events
}

// errUnchanged rolls back a change without effect, so that it creates neither a version nor an
// event.
var errUnchanged = errors.New("unchanged")
