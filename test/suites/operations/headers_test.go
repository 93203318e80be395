package operations

import (
	"net/http"
	"strings"
	"testing"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
	"docledger/test/lib/redis"
)

// TestEveryResponseHasSecurityHeaders checks the headers of every route and status.
func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	provider := harness.NewProvider(t, simclerk.Options{})
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"WEB_URL": "https://app.example.com"}}.WithProvider(provider))
	for _, path := range []string{
		"GET /", "GET /nothing", "GET /api/nothing", "GET /api/me", "DELETE /api/auth/login", "POST /api/auth/login", "OPTIONS /api/me",
		"POST /webhook/identity", "POST /webhook/payments", "GET /webhook/payments", "GET /healthz", "GET /readyz",
		"GET /docs", "GET /docs/errors", "GET /docs/start.js", "GET /llms.txt", "GET /openapi/backend.yaml", "GET /openapi/docledger.json", "GET /sign-in",
		"POST /mcp", "GET /mcp", "PUT /mcp", "GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-authorization-server",
		"POST /register", "GET /authorize", "POST /token", "DELETE /token", "GET /.well-known/nothing", "HEAD /docs",
	} {
		method, path, _ := strings.Cut(path, " ")
		h := s.Send(method, path, "", nil).Header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", method, path, name, got, want)
			}
		}
		if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s %s: Content-Security-Policy is %q", method, path, h.Get("Content-Security-Policy"))
		}
		if h.Get("Server") != "" || h.Get("X-Powered-By") != "" {
			t.Errorf("%s %s: reveals the server software: %v", method, path, h)
		}
		if h.Get("RateLimit-Limit") == "" || h.Get("RateLimit-Remaining") == "" || h.Get("RateLimit-Reset") == "" {
			t.Errorf("%s %s: has no rate limit headers: %v", method, path, h)
		}
	}
}

// TestProcessesShareTheLimits checks that the limit of a credential applies across
// all processes that share a Redis. Another credential of the same user has a
// separate limit.
func TestProcessesShareTheLimits(t *testing.T) {
	t.Parallel()
	env := map[string]string{"REQUESTS_PER_CREDENTIAL": "6", "REDIS_URL": redis.New(t).URL}
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Env, o.NoWorkers = env, true
		one := harness.Start(t, o)
		person := one.NewOrganization("Sender").Admin
		o.DataDir = one.DataDir
		o.Env = map[string]string{"BASE_URL": one.URL, "REQUESTS_PER_CREDENTIAL": "6", "REDIS_URL": env["REDIS_URL"]}
		two := harness.Start(t, o)
		for i := range 6 {
			s := []*harness.Server{one, two}[i%2]
			s.Do(http.MethodGet, "/api/me", person.Token, nil).OK()
		}
		for _, s := range []*harness.Server{one, two} {
			r := s.Do(http.MethodGet, "/api/me", person.Token, nil).Want(http.StatusTooManyRequests, "rate_limited")
			if r.Header.Get("Retry-After") == "" || r.Header.Get("RateLimit-Remaining") != "0" || r.Header.Get("RateLimit-Limit") != "6" {
				t.Errorf("headers are %v", r.Header)
			}
		}
		one.Do(http.MethodGet, "/api/me", one.Login(person.Email), nil).OK()
	})
}
