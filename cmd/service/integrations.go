package service

import (
	"context"
	"fmt"
	"maps"
	"time"

	"docledger/adapter/accounting/quickbooks"
	"docledger/adapter/accounting/xero"
	"docledger/adapter/docstore/gdrive"
	"docledger/adapter/docstore/msgraph"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/usecase/integrations"
)

// callbackPath is where providers send the browser back to.
const callbackPath = "/api/v1/integrations/oauth/callback"

// meterMemory is how long a meter is kept that nobody uses: longer than the
// longest window of any provider.
const meterMemory = 48 * time.Hour

// openIntegrations builds what speaks to the providers that are configured.
// The overridden connectors stand in for those of their provider.
func (s *Service) openIntegrations(o Overrides) error {
	st, ids := s.store, clock.UUIDv7{}
	gate := &gauged{Gate: &integrations.Gate{Meters: st.Meters(), Clock: s.clock, IDs: ids, Pause: clock.Pause, Log: s.log}, m: s.metrics}
	waiting := &workload{read: st.WorkloadForOperator, gate: gate, clock: s.clock}
	waiting.watch(s.metrics.Metrics)
	connectors, err := s.connectors(gate, o.Providers)
	if err != nil {
		return err
	}
	maps.Copy(connectors, o.Connectors)
	s.Integrations = &integrations.Service{
		Reader: st.Integrations(), Integrations: st.Integrations(), Everywhere: st.Integrations(), Grants: st.Grants(),
		Attempts: st.ConsentAttempts(), Meters: st.Meters(), Entities: st.Entities(), Settings: st.Settings(),
		Memberships: st.Memberships(), Events: st.Events(), Connectors: connectors,
		Tokens: &integrations.Tokens{
			Integrations: st.Integrations(), Grants: st.Grants(), Events: st.Events(), Leases: st.Leases(), Connectors: connectors,
			UnitOfWork: st, Clock: s.clock, IDs: ids, Pause: clock.Pause,
		},
		UnitOfWork: st, Clock: s.clock, IDs: ids, Log: s.log,
		CallbackURL: s.cfg.BaseURL + callbackPath, RedirectOrigins: s.cfg.RedirectOrigins,
		Booked: st.Bookings().AnyThrough, Resume: st.Bookings().Resume,
	}
	return nil
}

// connectors makes the connector of each provider that is configured.
func (s *Service) connectors(gate integration.Gate, n Providers) (integrations.Connectors, error) {
	made := integrations.Connectors{}
	for p, make := range map[integration.Provider]func() (integration.Authorizer, error){
		integration.AccountingA: func() (integration.Authorizer, error) { return s.accountingA(s.cfg.AccountingA, gate, n) },
		integration.AccountingB: func() (integration.Authorizer, error) { return s.accountingB(s.cfg.AccountingB, gate, n) },
		integration.DocstoreA:   func() (integration.Authorizer, error) { return s.docstoreA(s.cfg.DocstoreA, gate, n) },
		integration.DocstoreB:   func() (integration.Authorizer, error) { return s.docstoreB(s.cfg.DocstoreB, gate, n) },
	} {
		c, err := make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		if c != nil {
			made[p] = c
		}
	}
	return made, nil
}

func (s *Service) accountingA(c config.Provider, gate integration.Gate, n Providers) (integration.Authorizer, error) {
	if c.ClientID == "" {
		return nil, nil
	}
	return xero.New(xero.Options{
		ClientID: c.ClientID, ClientSecret: secret.New(c.ClientSecret.Reveal()), Scopes: c.Scopes, URL: c.URL,
		LoopbackHTTP: true, Gate: gate, Timeout: n.Timeout, Limits: n.Limits, Now: s.clock.Now,
	})
}

func (s *Service) accountingB(c config.Provider, gate integration.Gate, n Providers) (integration.Authorizer, error) {
	if c.ClientID == "" {
		return nil, nil
	}
	return quickbooks.New(quickbooks.Options{
		ClientID: c.ClientID, ClientSecret: secret.New(c.ClientSecret.Reveal()), Scopes: c.Scopes, URL: c.URL,
		LoopbackHTTP: true, Gate: gate, Timeout: n.Timeout, Limits: n.Limits, Now: s.clock.Now,
	})
}

func (s *Service) docstoreA(c config.Provider, gate integration.Gate, n Providers) (integration.Authorizer, error) {
	if c.ClientID == "" {
		return nil, nil
	}
	return msgraph.New(msgraph.Options{
		ClientID: c.ClientID, ClientSecret: secret.New(c.ClientSecret.Reveal()), Tenant: s.cfg.DocstoreATenant, Scopes: c.Scopes, URL: c.URL,
		LoopbackHTTP: true, Gate: gate, Limits: n.Limits, Timeout: n.Timeout, Now: s.clock.Now,
	})
}

func (s *Service) docstoreB(c config.Provider, gate integration.Gate, n Providers) (integration.Authorizer, error) {
	if c.ClientID == "" {
		return nil, nil
	}
	return gdrive.New(gdrive.Options{
		ClientID: c.ClientID, ClientSecret: secret.New(c.ClientSecret.Reveal()), Scopes: c.Scopes, URL: c.URL,
		LoopbackHTTP: true, Gate: gate, Timeout: n.Timeout, Now: s.clock.Now,
	})
}

// expireMeters forgets the meters of tenants that nobody asks any more.
func (s *Service) expireMeters(ctx context.Context, now time.Time) error {
	return s.store.Meters().Expire(ctx, now.Add(-meterMemory))
}

// RotateTokenKeys seals everything with the first of the configured keys and
// returns how much that was. Keys that nothing is sealed with any more can be
// removed then.
func (s *Service) RotateTokenKeys(ctx context.Context) (int, error) {
	return s.store.Grants().ResealForRotation(ctx)
}
