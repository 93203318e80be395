package service

import (
	"context"
	"maps"
	"time"

	"docledger/infrastructure/clock"
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
	limiter := &instrumentedLimiter{RateLimiter: &integrations.RateLimiter{Meters: st.Meters(), Clock: s.clock, IDs: ids, Pause: clock.Pause, Log: s.log}, m: s.metrics}
	waiting := &workload{read: st.WorkloadForOperator, count: s.queue.CountsForOperator, limiter: limiter, clock: s.clock}
	waiting.watch(s.metrics.Metrics)
	connectors, err := s.connectors(limiter, o.Providers)
	if err != nil {
		return err
	}
	maps.Copy(connectors, o.Connectors)
	s.Integrations = &integrations.Service{
		Reader: st.Integrations(), Integrations: st.Integrations(), Everywhere: st.Integrations(), Grants: st.Grants(),
		Attempts: st.ConsentAttempts(), Meters: st.Meters(), Entities: st.Entities(), Settings: st.Settings(),
		Memberships: st.Memberships(), OrganizationRecords: st.Organizations(), Users: st.Users(), Events: st.Events(), Connectors: connectors, Providers: Catalog(s.registered),
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

// expireMeters forgets the meters of tenants that nobody asks any more.
func (s *Service) expireMeters(ctx context.Context, now time.Time) error {
	return s.store.Meters().Expire(ctx, now.Add(-meterMemory))
}

// RotateTokenKeys seals everything with the first of the configured keys and
// returns how much that was. Keys that nothing is sealed with any more can be
// removed then.
func (s *Service) RotateTokenKeys(ctx context.Context) (int, error) {
	grants, err := s.store.Grants().ResealForRotation(ctx)
	if err != nil {
		return grants, err
	}
	webhooks, err := s.store.Webhooks().ResealForRotation(ctx)
	return grants + webhooks, err
}
