package service

import (
	"context"
	"log/slog"
	"time"

	"docledger/adapter/authserver"
	"docledger/adapter/identity/local"
	"docledger/adapter/toolserver"
	"docledger/domain/fault"
	"docledger/domain/oauthclient"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/usecase"
	"docledger/usecase/assistants"

	"github.com/google/uuid"
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

// sessionTokens returns the verifier of a process with the database. It refuses the token of a
// session that ended, so that a client renews the token or connects again.
func sessionTokens(cfg config.Config, authenticator authserver.Authenticator) toolTokens {
	return toolTokens{
		issuer: cfg.BaseURL, run: func(context.Context) {}, ready: func() bool { return true },
		verify: func(ctx context.Context, bearer string) (toolserver.Caller, error) {
			actor, err := authenticator.Authenticate(ctx, bearer)
			if _, known := fault.As(err); err != nil && !known {
				f := fault.New(fault.Unavailable, fault.CodeUnavailable, "Sessions cannot be read at the moment.").WithCause(err)
				f.RetryAfter = retryTokens
				return toolserver.Caller{}, f
			}
			if err != nil {
				return toolserver.Caller{}, err
			}
			return ownCaller(cfg, actor.ClientID, actor.UserID)
		},
	}
}

// retryTokens is when a caller should retry while tokens cannot be verified.
const retryTokens = 5 * time.Second

// remoteTokens returns the verifier of a process without the database. It reads the public keys from
// the API, which checks the session of each call.
func remoteTokens(cfg config.Config, now usecase.Clock, log *slog.Logger) toolTokens {
	verifier := local.NewVerifier(cfg.BaseURL, cfg.Tools.BackendURL, log)
	return toolTokens{
		issuer: cfg.BaseURL, run: verifier.Run, ready: verifier.Ready,
		verify: func(ctx context.Context, bearer string) (toolserver.Caller, error) {
			claims, err := verifier.Verify(ctx, bearer, now.Now())
			if err != nil {
				return toolserver.Caller{}, err
			}
			return ownCaller(cfg, claims.ClientID, claims.UserID)
		},
	}
}

// ownCaller accepts the tokens of the one OAuth client (interface 5.2).
func ownCaller(cfg config.Config, client string, user uuid.UUID) (toolserver.Caller, error) {
	if client == "" || client != cfg.Identity.OAuthClientID {
		return toolserver.Caller{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Tools take OAuth access tokens, not sessions.")
	}
	return toolserver.Caller{Subject: user.String()}, nil
}
