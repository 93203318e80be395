package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"docledger/adapter/httpapi"
	"docledger/adapter/identity/clerk"
	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/infrastructure/clock"
	"docledger/infrastructure/config"
	"docledger/infrastructure/httpserver"
	"docledger/infrastructure/ratelimit"
	"docledger/infrastructure/telemetry"
	"docledger/usecase"
)

const selfCheckTimeout = 10 * time.Second

// Tools is the tool server in a separate process. It has no database and calls the API over the
// network.
type Tools struct {
	cfg    config.Config
	log    *slog.Logger
	tokens toolTokens
	server *toolserver.Server
	scraped
	end func() error
}

// OpenTools builds the tool server.
func OpenTools(cfg config.Config, log *slog.Logger, version string) (*Tools, error) {
	tokens, err := tokensAlone(cfg, log)
	if err != nil {
		return nil, err
	}
	m := newMetrics(telemetry.NewMetrics("docledger", version, log))
	tracing, flush, err := openTracing(cfg, version)
	if err != nil {
		return nil, err
	}
	m.tracing = tracing
	limiter, closeLimiter, err := newLimiter(cfg, clock.System{}, log)
	if err != nil {
		return nil, err
	}
	server, err := newTools(cfg, log, version, tokens, inProcess{}, clock.System{}, limiter, newBodyMemory(cfg), m)
	if err != nil {
		return nil, errors.Join(err, closeLimiter())
	}
	end := func() error { return errors.Join(flush(), closeLimiter()) }
	return &Tools{cfg: cfg, log: log, tokens: tokens, server: server, scraped: scraped{metrics: m}, end: end}, nil
}

// tokensAlone returns the verifier of a process that serves only tools.
func tokensAlone(cfg config.Config, log *slog.Logger) (toolTokens, error) {
	if !cfg.Identity.External() {
		return remoteTokens(cfg, clock.System{}, log), nil
	}
	verifier, issuer, err := clerk.NewVerifier(clerk.Options{
		PublishableKey: cfg.Identity.PublishableKey, ClientID: cfg.Identity.OAuthClientID, LoopbackHTTP: plainProvider(cfg), Logger: log,
	})
	if err != nil {
		return toolTokens{}, err
	}
	return providerTokens(verifier, issuer, clock.System{}), nil
}

// providerTokens verifies the tokens of the identity provider.
func providerTokens(verifier *clerk.Verifier, issuer string, now usecase.Clock) toolTokens {
	return toolTokens{issuer: issuer, verify: verifyTools(verifier, now), run: verifier.Run, ready: verifier.Ready}
}

// plainProvider reports that the identity provider may use http on this machine: in the
// development environment, and if its URL says so.
func plainProvider(cfg config.Config) bool {
	u, err := url.Parse(cfg.Identity.URL)
	return cfg.Environment.Rules().LoopbackSignIn || err == nil && u.Scheme == "http"
}

// inProcess is what this process itself does for its tool server.
type inProcess struct {
	token http.HandlerFunc // answers token requests; nil forwards them
	api   http.Handler     // answers calls of the API; nil sends them to the backend
}

// newTools builds the tool server.
func newTools(
	cfg config.Config, log *slog.Logger, version string, tokens toolTokens, own inProcess, now usecase.Clock,
	limiter *ratelimit.Limiter, memory bodyMemory, m *metrics,
) (*toolserver.Server, error) {
	rules := cfg.Environment.Rules()
	backend := cfg.Tools.BackendURL
	if backend == "" {
		backend = config.LocalURL(cfg.Listen)
	}
	facade := oauth.Config{
		BaseURL: cfg.BaseURL, Issuer: tokens.issuer, Server: oauth.Server(cfg.Tools.Server), ClientID: cfg.Identity.OAuthClientID,
		AuthMethod: rules.TokenAuthMethod, Scopes: rules.Scopes, Now: now.Now, Token: own.token,
	}
	facade.Redirects, facade.LoopbackRedirects = oauthRedirects(cfg)
	if facade.Local = !cfg.Identity.External(); facade.Local {
		facade.AuthMethod, facade.TokenOrigin = "none", backend
	}
	client := oauth.NewClient(0)
	if own.api != nil {
		client.Transport = toolserver.InProcess{API: own.api}
	}
	client.Transport = m.tracing.Transport(client.Transport, "call API")
	return toolserver.New(toolserver.Options{
		Client: client,
		OAuth:  facade,
		Rates:  toolRates(cfg, limiter), Memory: memory.tools, MaxFileBytes: cfg.MaxJSONUploadBytes, TempDir: cfg.DataDir, TrustedProxies: cfg.TrustedProxies,
		Backend: backend, Verify: tokens.verify, Origins: toolOrigins(cfg), Hosts: cfg.Tools.Hosts,
		Version: version, Log: log, Observe: m.tool, Timeout: cfg.RequestTimeout + cfg.ExtractWaitTimeout,
	})
}

func toolOrigins(cfg config.Config) []string {
	return append([]string{cfg.WebURL}, cfg.Tools.Origins...)
}

// verifyTools accepts only OAuth tokens of the configured client. It also passes on tokens that
// name no organization: the API refuses them (interface 5.4), and its message explains to the caller
// what to do, whereas a refusal here would start the authorization again.
func verifyTools(verifier *clerk.Verifier, now usecase.Clock) toolserver.Verify {
	return func(ctx context.Context, bearer string) (toolserver.Caller, error) {
		claims, err := verifier.Verify(ctx, bearer, now.Now())
		if refused := new(fault.Error); errors.As(err, &refused) && refused.Code == fault.CodeOrganizationRequired {
			return toolserver.Caller{}, nil
		}
		if err != nil {
			return toolserver.Caller{}, err
		}
		if claims.Kind != identity.ProviderOAuth {
			return toolserver.Caller{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "Tools take OAuth access tokens, not sessions.")
		}
		return toolserver.Caller{Subject: claims.Subject}, nil
	}
}

// ServeTools adds the tool server to the service, or replaces the API by it. Call it once, before
// Run.
func (s *Service) ServeTools(version string, api bool) error {
	// Without the role api, the token endpoint belongs to another process.
	var own inProcess
	if api && s.provider == nil {
		own.token = s.authServer.ServeToken
	}
	if api && s.cfg.Tools.BackendURL == "" {
		own.api = s.metrics.tracing.Handler(s.handler)
	}
	server, err := newTools(s.cfg, s.log, version, s.toolTokens, own, s.clock, s.limiter, s.bodyMemory, s.metrics)
	if err != nil {
		return err
	}
	rest := s.handler
	if !api {
		rest = healthOnlyHandler(s.Ready)
	}
	s.handler, s.tools = mountTools(server, rest), server
	return nil
}

// ServeHealth restricts a process with only the role worker to health endpoints. Call it once,
// before Run.
func (s *Service) ServeHealth() { s.handler = healthOnlyHandler(s.Ready) }

// mountTools routes the paths of the tool server to it and all others to rest.
func mountTools(tools *toolserver.Server, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if toolserver.HandlesPath(r.URL.Path) {
			tools.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// healthOnlyHandler serves the health endpoints of a process without the API.
func healthOnlyHandler(ready httpapi.Ready) http.Handler {
	mux := http.NewServeMux()
	reply := func(w http.ResponseWriter, status int, text string) {
		header := w.Header()
		header.Set("Content-Type", "application/json; charset=utf-8")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		header.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, `{"status":"ok"}`) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		degraded, err := ready(r.Context())
		if err != nil {
			w.Header().Set("Retry-After", "1")
			reply(w, http.StatusServiceUnavailable, `{"status":"unavailable"}`)
			return
		}
		if len(degraded) > 0 {
			reply(w, http.StatusOK, `{"degraded":["`+strings.Join(degraded, `","`)+`"],"status":"ok"}`)
			return
		}
		reply(w, http.StatusOK, `{"status":"ok"}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusNotFound, `{"error":"not_found","error_description":"This process does not serve the API."}`)
	})
	return mux
}

// checkTools reports settings at the start that would make clients fail.
func checkTools(ctx context.Context, server *toolserver.Server, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, selfCheckTimeout)
	defer cancel()
	warning, err := server.Check(ctx)
	switch {
	case ctx.Err() == context.Canceled:
	case err != nil:
		log.WarnContext(ctx, "tool server settings could not be checked with the identity provider", "error", err)
	case warning != "":
		log.WarnContext(ctx, "assistants will fail to connect", "reason", warning)
	}
}

var errNoKeys = errors.New("the keys of tokens were not loaded yet")

// Run serves tools on l until ctx ends.
func (t *Tools) Run(ctx context.Context, l net.Listener) error {
	ending, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { t.tokens.run(ending) })
	running.Go(func() { checkTools(ending, t.server, t.log) })
	running.Go(func() { t.serveMetrics(ending, t.log) })
	defer running.Wait()
	defer stop()
	err := httpserver.Serve(ctx, l, t.metrics.tracing.Handler(t.Handler()), t.cfg.ShutdownTimeout, t.log)
	return errors.Join(err, t.end())
}

// Handler serves all HTTP requests of the process.
func (t *Tools) Handler() http.Handler {
	return mountTools(t.server, healthOnlyHandler(func(context.Context) ([]string, error) {
		if !t.tokens.ready() {
			return nil, errNoKeys
		}
		return nil, nil
	}))
}
