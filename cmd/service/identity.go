package service

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"docledger/adapter/identity/clerk"
	"docledger/adapter/identity/local"
	"docledger/domain/fault"
	domaininbox "docledger/domain/inbox"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/usecase/identities"
	"docledger/usecase/inbox"
)

// openIdentity builds the connection to the identity provider, if one is configured (domain D16).
func (s *Service) openIdentity() (err error) {
	if !s.cfg.Identity.External() {
		return nil
	}
	if s.provider, err = newProvider(s.cfg, s.log); err != nil {
		return err
	}
	if s.cfg.Identity.OAuthClientID == "" {
		s.log.Warn("every OAuth token is refused: OAUTH_CLIENT_ID is not set", "environment", s.cfg.Environment)
	}
	st := s.store
	s.identities = &identities.Service{
		Tokens: s.provider.Tokens, Directory: s.provider.Organizations, People: s.provider.Users, Passwords: s.provider.Passwords,
		Accounts: st.Users(), Users: st.Users(), Memberships: st.Memberships(), Organizations: st.Organizations(),
		Events: st.Events(), UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{}, Log: s.log,
	}
	return nil
}

func newProvider(cfg config.Config, log *slog.Logger) (*clerk.Client, error) {
	var secrets []string
	for _, secret := range cfg.Identity.SigningSecrets {
		secrets = append(secrets, secret.Reveal())
	}
	return clerk.New(clerk.Options{
		PublishableKey: cfg.Identity.PublishableKey, SecretKey: cfg.Identity.SecretKey.Reveal(), WebhookSecrets: secrets,
		ClientID: cfg.Identity.OAuthClientID, AuthorizedParties: cfg.Identity.Parties, APIURL: cfg.Identity.URL,
		LoopbackHTTP: plainProvider(cfg), Logger: log,
	})
}

// takeIdentityEvents registers the handler for the identity provider's events.
func (s *Service) takeIdentityEvents() {
	if s.identities == nil {
		return
	}
	events := &identities.Events{Service: s.identities, Reader: s.provider.Webhooks}
	if s.customers != nil {
		// A nil pointer in an interface is not a nil interface.
		events.Customers, events.PlanEvents = s.customers, s.store.PlanEvents()
	}
	s.Inbox.Handlers[domaininbox.Identity] = events
}

// verifyIdentity parses an event of the identity provider.
func (s *Service) verifyIdentity(header map[string][]string, body []byte, now time.Time) (inbox.Event, error) {
	ev, err := s.provider.Webhooks.Verify(header, body, now)
	if fault.CodeOf(err) == fault.CodeInvalidRequest {
		return unreadable(string(ev.Type), ev.ID, body, now, err), nil
	}
	if err != nil {
		return inbox.Event{}, err
	}
	occurred := ev.CreatedAt
	if occurred.IsZero() {
		occurred = now
	}
	return inbox.Event{ID: ev.ID, Type: string(ev.Type), OccurredAt: occurred, Body: body}, nil
}

// keepKeys refreshes the provider's keys until ctx ends. It returns a function that waits for the
// end.
func (s *Service) keepKeys(ctx context.Context) (wait func()) {
	if s.provider == nil {
		return func() {}
	}
	var running sync.WaitGroup
	running.Go(func() { s.provider.Run(ctx) })
	if s.tools != nil {
		running.Go(func() { checkTools(ctx, s.tools, s.log) })
	}
	return running.Wait
}

// passwordCost returns the cost of new password hashes.
func passwordCost(cfg config.Config, o Overrides) local.Cost {
	if o.PasswordCost != nil {
		return *o.PasswordCost
	}
	cost := local.DefaultCost
	cost.MemoryKiB = uint32(cfg.PasswordMemoryKiB)
	return cost
}
