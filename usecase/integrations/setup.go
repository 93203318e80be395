package integrations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"docledger/domain/event"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

// Setup is the request body of the setup (interface 2.2); nil fields are unchanged.
type Setup struct {
	Status         string
	Provider       string
	OrganizationID *string // ACCOUNTING
	PaysTax        *bool
	SourceID       *string // TRIGGER
	SubSourceID    *string
	Directories    *[]string // empty: the whole location
}

// SetUp sets up an integration (row 3). The setup is verified with the provider and the integration
// becomes ACTIVE, or stays PENDING while the provider is unreachable. A later setup changes the
// given fields only.
func (s *Service) SetUp(
	ctx context.Context, a identity.Actor, id, entityID uuid.UUID, ifVersion int, in Setup,
) (*integration.Integration, error) {
	if in.Status != string(integration.Pending) {
		return nil, fault.InvalidField("status", "must be %s", integration.Pending)
	}
	i, err := s.ofEntity(ctx, a, id, entityID)
	if err != nil {
		return nil, err
	}
	if err := a.RequireAdmin(); err != nil {
		return nil, err
	}
	if in.Provider != string(i.Provider) {
		return nil, fault.InvalidField("public_metadata.provider", "must be %s, the provider of this integration", i.Provider)
	}
	if err := i.RequireConsent(); err != nil {
		return nil, err
	}
	if i.Type() == integration.Trigger {
		return s.setUpTrigger(ctx, a, i, ifVersion, in)
	}
	return s.setUpAccounting(ctx, a, i, ifVersion, in)
}

// setUpAccounting sets up an accounting integration.
func (s *Service) setUpAccounting(
	ctx context.Context, a identity.Actor, i *integration.Integration, ifVersion int, in Setup,
) (*integration.Integration, error) {
	err := foreign(i, "trigger", map[string]bool{
		sourceField: in.SourceID != nil, subSourceField: in.SubSourceID != nil, directoriesField: in.Directories != nil,
	})
	if err != nil {
		return nil, err
	}
	meta, err := in.accounting(i.Accounting)
	if err != nil {
		return nil, err
	}
	if i.Accounting != nil && *i.Accounting == meta && i.Status == integration.Active {
		return i, nil
	}
	if err := s.mayMove(ctx, i, meta.Tenant); err != nil {
		return nil, err
	}
	reached, err := s.verify(ctx, i, &meta)
	if err != nil {
		return nil, err
	}
	return s.store(ctx, a, i, ifVersion, meta, reached)
}

// foreign returns a fault that names the keys of another type of integration.
func foreign(i *integration.Integration, kind string, named map[string]bool) error {
	var wrong fault.Fields
	for _, field := range slices.Sorted(maps.Keys(named)) {
		if named[field] {
			wrong.Add(field, "is for %s integrations; this one is for %s", kind, i.Provider)
		}
	}
	return wrong.Err()
}

// accounting merges the request into the existing metadata.
func (in Setup) accounting(there *integration.AccountingMetadata) (meta integration.AccountingMetadata, err error) {
	if there != nil {
		meta = *there
	}
	var missing []fault.Field
	if in.OrganizationID != nil {
		if *in.OrganizationID != meta.Tenant {
			meta.Tenant, meta.TenantName = *in.OrganizationID, ""
		}
	} else if there == nil {
		missing = append(missing, fault.Field{Field: "public_metadata.organization_id", Reason: "is required"})
	}
	if in.PaysTax != nil {
		meta.PaysTax = *in.PaysTax
	} else if there == nil {
		missing = append(missing, fault.Field{Field: "public_metadata.pays_tax", Reason: "is required"})
	}
	if len(missing) > 0 {
		return meta, fault.InvalidFields(missing)
	}
	return meta, nil
}

// mayMove returns a fault for a change of tenant after invoices were synced to the first one
// (domain D4).
func (s *Service) mayMove(ctx context.Context, i *integration.Integration, tenant string) error {
	if i.Accounting == nil || i.Tenant() == tenant {
		return nil
	}
	booked, err := s.Booked(ctx, i.OrganizationID, i.ID)
	if err != nil {
		return err
	}
	if !booked {
		return nil
	}
	return fault.New(fault.Conflict, fault.CodeConflict,
		"Invoices were synced to the organization that this integration is set up with. To sync to another organization, disconnect this integration and connect a new one.").
		With("organization_id", i.Tenant())
}

// verify validates a setup with the provider. reached is false if the provider is unreachable.
func (s *Service) verify(ctx context.Context, i *integration.Integration, meta *integration.AccountingMetadata) (reached bool, err error) {
	list, err := s.organizations(ctx, i)
	if err == nil {
		known := false
		for _, o := range list {
			if o.ID == meta.Tenant {
				known, meta.TenantName = true, o.Name
			}
		}
		if !known {
			return false, fault.InvalidField("public_metadata.organization_id",
				"is not an organization that the consent covers; GET /api/v1/integrations/%s/accounting-organizations lists them", i.ID)
		}
		err = s.readBooks(ctx, i, meta.Tenant)
	}
	if outOfReach(err) {
		return false, nil
	}
	return err == nil, err
}

// readBooks verifies that a tenant's ledger can be read.
func (s *Service) readBooks(ctx context.Context, i *integration.Integration, tenant string) error {
	reader, err := capability[organizationReader](s, i)
	if err != nil {
		return err
	}
	return s.Tokens.With(ctx, i, false, func(ctx context.Context, a integration.Access) error {
		a.Tenant = tenant
		_, err := reader.Organization(ctx, a)
		return err
	})
}

// outOfReach reports whether a provider is temporarily unreachable, so that the setup may still be
// valid.
func outOfReach(err error) bool { return fault.CodeOf(err) == fault.CodeProviderUnavailable }

// store stores a setup. If another entity set up the same tenant in the meantime, it returns a
// fault.
func (s *Service) store(
	ctx context.Context, a identity.Actor, i *integration.Integration, ifVersion int, meta integration.AccountingMetadata, reached bool,
) (stored *integration.Integration, err error) {
	err = s.UnitOfWork.InTx(ctx, func(ctx context.Context) error {
		// The grant's lock serializes two setups of one tenant.
		if _, err := s.lockGrant(ctx, i.OrganizationID, i.GrantID); err != nil {
			return err
		}
		if err := s.onlyHere(ctx, i, meta.Tenant); err != nil {
			return err
		}
		stored, err = s.change(ctx, a, i.ID, ifVersion, event.IntegrationSetUp, func(now *integration.Integration) error {
			if err := now.RequireConsent(); err != nil {
				return err
			}
			if now.GrantID != i.GrantID {
				return connectedAnew() // it was verified with the previous consent
			}
			now.Accounting = &meta
			if reached {
				now.Verified()
			} else {
				now.Unverified()
			}
			return nil
		})
		return err
	})
	if err == nil {
		s.lists.forget(i.ID)
	}
	return stored, err
}

// onlyHere returns a fault for a tenant that another entity uses, and for a second accounting
// integration of the entity.
func (s *Service) onlyHere(ctx context.Context, i *integration.Integration, tenant string) error {
	all, err := s.Integrations.List(ctx, identity.Scope{OrganizationID: i.OrganizationID}, integration.Filter{
		Statuses: []integration.Status{integration.Pending, integration.Active, integration.Failed},
	})
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.ID == i.ID || other.Accounting == nil {
			continue
		}
		if other.Provider == i.Provider && other.Tenant() == tenant {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"Entity %s already syncs to this organization. Choose another organization, or disconnect that integration first.", other.EntityID).
				With("used_by_entity_id", other.EntityID.String())
		}
		if other.EntityID == i.EntityID {
			return fault.New(fault.Conflict, fault.CodeConflict,
				"The entity already syncs through integration %s. Disconnect that integration first.", other.ID).
				With("integration_id", other.ID.String())
		}
	}
	return nil
}

// VerifyEvery is the interval of verifying pending setups, verifyBatch the maximum number per run.
const (
	VerifyEvery = 30 * time.Second
	verifyBatch = 100
)

// SweepUnverified verifies setups whose provider was unreachable. It returns the number of
// completed ones.
func (s *Service) SweepUnverified(ctx context.Context) (done int, err error) {
	waiting, err := s.Everywhere.UnverifiedForSweep(ctx, s.Clock.Now().Add(-VerifyEvery), verifyBatch)
	if err != nil {
		return 0, err
	}
	var failed []error
	for n := range waiting {
		ended, err := s.verifyAgain(ctx, &waiting[n])
		if err != nil { // a failure does not stop the others
			failed = append(failed, fmt.Errorf("verify integration %s: %w", waiting[n].ID, err))
		}
		if ended {
			done++
		}
	}
	return done, errors.Join(failed...)
}

func (s *Service) verifyAgain(ctx context.Context, i *integration.Integration) (ended bool, err error) {
	if !i.IsSetUp() || !s.Available(i.Provider) {
		return false, nil
	}
	var reached bool
	var meta integration.AccountingMetadata
	failed := integration.TenantChanged
	if i.Trigger != nil {
		failed = integration.AccessLost
		reached, err = s.verifyTrigger(ctx, i, *i.Trigger)
	} else {
		meta = *i.Accounting
		reached, err = s.verify(ctx, i, &meta)
	}
	wrong := fault.CodeOf(err) == fault.CodeInvalidRequest
	switch {
	case fault.CodeOf(err) == fault.CodeProviderUnauthorized:
		return true, nil // the status of the integration reports the failure
	case err != nil && !wrong:
		return false, err
	case !reached && !wrong:
		return false, nil
	}
	_, err = s.change(ctx, identity.System(i.OrganizationID), i.ID, i.Version, "", func(now *integration.Integration) error {
		if wrong {
			now.Fail(failed)
			return nil
		}
		if now.Accounting != nil {
			now.Accounting = &meta
		}
		now.Verified()
		return nil
	})
	if fault.CodeOf(err) == fault.CodeVersionConflict || fault.CodeOf(err) == fault.CodeNotFound {
		return false, nil // another process was faster
	}
	return err == nil, err
}

// Status is the state of an integration, for GET …/status.
type Status struct {
	*integration.Integration
	Scopes  []string      // granted; nil if there is no consent
	RetryAt time.Time     // the provider is called again then; zero means any time
	Watch   *watch.Report // of a trigger integration after setup
	// Hint is a frequent cause of the reason at this provider; may be "".
	Hint string
	// Unavailable lists the capabilities that are missing, each with its remedy.
	Unavailable []integration.Gap
}

// Status returns the state of an integration.
func (s *Service) Status(ctx context.Context, a identity.Actor, id uuid.UUID) (Status, error) {
	i, err := s.Integrations.Get(ctx, a.Scope(), id)
	if err != nil {
		return Status{}, err
	}
	st, tenant := Status{Integration: i}, i.Tenant()
	provider := s.Providers.Find(i.Provider)
	if i.Reason == integration.ReconnectNeeded {
		st.Hint = provider.ReconnectHint
	}
	if i.GrantID != uuid.Nil {
		g, err := s.Grants.Get(ctx, i.OrganizationID, i.GrantID)
		if err != nil {
			return Status{}, err
		}
		st.Scopes = g.Tokens.Scopes
		if gap, missing := provider.AttachmentGap(st.Scopes); missing {
			st.Unavailable = append(st.Unavailable, gap)
		}
		if m, ok := s.Connectors[i.Provider].(integration.AccountMeter); ok {
			tenant = m.MeterTenant(g.Account)
		}
	}
	m, err := s.Meters.Look(ctx, integration.MeterKey(i.Provider, tenant))
	if err != nil {
		return Status{}, err
	}
	st.RetryAt = m.RetryAt(s.Clock.Now())
	if i.Trigger != nil {
		st.Watch, err = s.Watches.Report(ctx, a, i)
		if st.Watch != nil && st.Watch.Refusal.Lasting {
			st.Unavailable = append(st.Unavailable, provider.NotificationGap(st.Watch.Refusal.Code, st.Watch.Refusal.Message))
		}
	}
	return st, err
}

// Offer is a provider with the caller's integrations.
type Offer struct {
	Provider     integration.Provider
	Available    bool // the provider is configured
	Integrations []integration.Integration
}

// Catalogue lists the providers of the contract with the integrations in the caller's scope; entity
// restricts it to one entity.
func (s *Service) Catalogue(ctx context.Context, a identity.Actor, entityID uuid.UUID) ([]Offer, error) {
	if entityID != uuid.Nil {
		if _, err := s.Entities.Get(ctx, a.Scope(), entityID); err != nil {
			return nil, err
		}
	}
	all, err := s.Integrations.List(ctx, a.Scope(), integration.Filter{EntityID: entityID})
	if err != nil {
		return nil, err
	}
	offers := make([]Offer, 0, len(s.Providers))
	for _, p := range s.Providers.Codes() {
		o := Offer{Provider: p, Available: s.Available(p)}
		for _, i := range all {
			if i.Provider == p {
				o.Integrations = append(o.Integrations, i)
			}
		}
		offers = append(offers, o)
	}
	return offers, nil
}
