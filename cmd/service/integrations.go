package service

import (
	"context"
	"maps"
	"time"

	"docledger/infrastructure/clock"
	"docledger/usecase/integrations"
)

// callbackPath is the path to which providers redirect the browser.
const callbackPath = "/api/v1/integrations/oauth/callback"

// meterMemory is how long an unused rate tracker is kept: longer than the longest window of any
// provider.
const meterMemory = 48 * time.Hour

// openIntegrations builds the connectors of the configured providers. Overridden connectors
// replace those of their provider.
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
		Memberships: st.Memberships(), OrganizationRecords: st.Organizations(), Users: st.Users(), Keys: st.APIKeys(), AdminKeys: s.cfg.AdminKeys, Links: st.Links(), Events: st.Events(), Connectors: connectors, Providers: Catalog(s.registered),
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

// expireMeters removes the unused rate trackers.
func (s *Service) expireMeters(ctx context.Context, now time.Time) error {
	return s.store.Meters().Expire(ctx, now.Add(-meterMemory))
}

// RotateTokenKeys encrypts all tokens with the first configured key and returns their number.
// Afterwards the unused keys can be removed.
func (s *Service) RotateTokenKeys(ctx context.Context) (int, error) {
	grants, err := s.store.Grants().ResealForRotation(ctx)
	if err != nil {
		return grants, err
	}
	webhooks, err := s.store.Webhooks().ResealForRotation(ctx)
	return grants + webhooks, err
}
