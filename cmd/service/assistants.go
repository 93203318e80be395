package service

import (
	"context"
	"log/slog"
	"time"

	"docledger/adapter/authserver"
	"docledger/adapter/identity/local"
	"docledger/adapter/toolserver"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/domain/oauthclient"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/usecase"
	"docledger/usecase/assistants"
)

// oauthRedirects returns the rules for redirect addresses. An installation that is its own
// authorization server checks no list of an identity provider, so it allows only what is listed and
// this machine.
func oauthRedirects(cfg config.Config) (listed []string, loopback bool) {
	return cfg.Tools.RedirectURIs, cfg.Environment.Rules().LoopbackRedirects || !cfg.Identity.External()
}

// newAuthServer returns the authorization server; without routes if an identity provider is used.
func (s *Service) newAuthServer(tokens *local.Tokens) (*authserver.Server, error) {
	if s.cfg.Identity.External() {
		return &authserver.Server{}, nil
	}
	redirects, err := oauthclient.NewRedirects(oauthRedirects(s.cfg))
	if err != nil {
		return nil, err
	}
	keys, err := tokens.KeySet()
	if err != nil {
		return nil, err
	}
	st := s.store
	return &authserver.Server{
		Assistants: &assistants.Service{
			ClientID: s.cfg.Identity.OAuthClientID, Issuer: s.cfg.BaseURL, Redirects: redirects, Links: st.Links(), Users: st.Users(),
			Sessions: st.Sessions(), Events: st.Events(), Tokens: tokens, UnitOfWork: st, Clock: s.clock, IDs: clock.UUIDv7{}, Log: s.log,
		},
		Authenticator: s.Session, KeySet: keys, PagesURL: s.cfg.WebURL, Log: s.log,
	}, nil
}

// toolTokens verifies the tokens of assistants for the tool server.
type toolTokens struct {
	issuer string
	verify toolserver.Verify
	run    func(context.Context) // refreshes the keys until the context ends
	ready  func() bool
}

// ownTokens verifies with a function the tokens that docledger issued to assistants.
func ownTokens(cfg config.Config, now usecase.Clock, check func(ctx context.Context, token string, now time.Time) (identity.Claims, error)) toolTokens {
	return toolTokens{issuer: cfg.BaseURL, run: func(context.Context) {}, ready: func() bool { return true },
		verify: func(ctx context.Context, bearer string) (toolserver.Caller, error) {
			claims, err := check(ctx, bearer, now.Now())
			if err != nil {
				return toolserver.Caller{}, err
			}
			if claims.ClientID != cfg.Identity.OAuthClientID {
				return toolserver.Caller{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Tools take OAuth access tokens, not sessions.")
			}
			return toolserver.Caller{Subject: claims.UserID.String()}, nil
		},
	}
}

// localTokens returns the verifier of a process with the signing keys.
func localTokens(cfg config.Config, now usecase.Clock, tokens *local.Tokens) toolTokens {
	return ownTokens(cfg, now, func(_ context.Context, token string, now time.Time) (identity.Claims, error) {
		return tokens.Verify(token, now)
	})
}

// remoteTokens returns the verifier of a process without them. It reads the public keys from the API.
func remoteTokens(cfg config.Config, now usecase.Clock, log *slog.Logger) toolTokens {
	verifier := local.NewVerifier(cfg.BaseURL, cfg.Tools.BackendURL, log)
	t := ownTokens(cfg, now, verifier.Verify)
	t.run, t.ready = verifier.Run, verifier.Ready
	return t
}
