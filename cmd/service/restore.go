package service

import (
	"context"
	"time"

	"docledger/adapter/store"
	"docledger/domain/job"
	"docledger/infrastructure/config"
	"docledger/usecase/restore"
)

func (s *Service) newRestore() *restore.Service {
	st := s.store
	return &restore.Service{
		Holds: st.Holds(), Grants: st.Grants(), Integrations: st.Integrations(), Check: s.Integrations.Tokens.Try, Clock: s.clock,
	}
}

// verifyUnlessHeld checks whether the providers of broken integrations are available again, which
// may renew tokens. It does nothing while work is paused.
func (s *Service) verifyUnlessHeld(ctx context.Context) (int, error) {
	held, err := job.Paused(ctx, s.store.Holds())
	if err != nil || held {
		return 0, err
	}
	return s.Integrations.SweepUnverified(ctx)
}

// wakeHeld makes the jobs due that a pause delayed, after the pause ended.
func (s *Service) wakeHeld(ctx context.Context) (int, error) {
	return job.WakePaused(ctx, s.store.Holds(), s.queue, s.clock.Now())
}

// checkHold reports a pause, because an operator may forget it.
func checkHold(ctx context.Context, cfg config.Config) Finding {
	f := Finding{
		Subject: "work", OK: "not paused",
		Remedy: "run docledger resume after all other findings are ok; until then nothing is synced, polled or charged",
	}
	f.Err = withStore(ctx, cfg, func(st *store.Store) error {
		since, err := st.Holds().Since(ctx)
		if err == nil && !since.IsZero() {
			f.Warning = "paused after a restore, since " + since.Format(time.RFC3339)
		}
		return err
	})
	if f.Err != nil {
		f.Remedy = databaseFirst
	}
	return f
}
