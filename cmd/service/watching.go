package service

import (
	"math/rand/v2"

	"docledger/domain/billing"
	"docledger/domain/integration"
	"docledger/usecase/watching"
)

// newWatching builds the use cases for watched locations. Files become documents like uploads.
func (s *Service) newWatching(plans billing.Plans) *watching.Service {
	st := s.store
	return &watching.Service{
		Watches: st.Watches(), Nodes: st.WatchNodes(), Sets: st.WatchNodes(), Versions: st.WatchVersions(),
		Subscriptions: st.WatchSubscriptions(), CallURL: s.cfg.NotificationsURL,
		Integrations: st.Integrations(), Entities: st.Entities(), Accesses: s.Integrations.Tokens,
		Connectors: func(p integration.Provider) any { return s.Integrations.Connectors[p] },
		Providers:  Catalog(s.registered), Health: s.Integrations, Intake: s.Documents, Plans: plans, Usage: st.Usage(), Queue: s.queue, Holds: st.Holds(),
		UnitOfWork: st, Clock: s.clock, Log: s.log, Interval: s.cfg.PollInterval,
		// A random tenth distributes the polls of watches that started together.
		Spread: func() float64 { return 0.9 + 0.2*rand.Float64() }, MaxBytes: s.cfg.MaxUploadBytes,
		FileTimeout: watching.DefaultFileTimeout,
	}
}
