package toolserver_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
)

// counting refuses whoever has sent limit requests, and keeps who sent how many.
type counting map[string]int

func (n counting) limit(limit int) func(context.Context, string) toolserver.Result {
	return func(_ context.Context, who string) toolserver.Result {
		n[who]++
		return toolserver.Result{Limit: limit, Remaining: max(limit-n[who], 0), Reset: 1500 * time.Millisecond, Refused: n[who] > limit}
	}
}

// Whoever shows no good token is counted by address, at all routes together; a
// good token is counted by its person.
func TestCallersAreLimited(t *testing.T) {
	t.Parallel()
	addresses, callers := counting{}, counting{}
	w := start(t, nil, func(o *toolserver.Options) {
		o.Rates = toolserver.Rates{Address: addresses.limit(5), Caller: callers.limit(2)}
		o.TrustedProxies = []string{"127.0.0.1"}
	})
	send := func(method, path, token, from string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("X-Forwarded-For", from)
		req.Header.Set("X-Real-Ip", "203.0.113."+strconv.Itoa(len(addresses)))
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := w.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if resp.Header.Get("RateLimit-Limit") == "" || resp.Header.Get("RateLimit-Reset") != "2" {
			t.Errorf("%s %s does not return the caller's rate limit: %v", method, path, resp.Header)
		}
		return resp
	}
	for _, c := range []struct {
		method, path, token string
		status              int
	}{
		{http.MethodPost, "/register", "", http.StatusCreated},
		{http.MethodPost, "/mcp", "", http.StatusUnauthorized},
		{http.MethodPost, "/mcp", "bad.token", http.StatusUnauthorized},
		{http.MethodGet, "/.well-known/oauth-protected-resource", "", http.StatusOK},
		{http.MethodGet, "/.well-known/nothing", "", http.StatusNotFound},
		{http.MethodPost, "/register", "", http.StatusTooManyRequests},
		{http.MethodPost, "/mcp", "", http.StatusTooManyRequests},
		{http.MethodPost, "/token", "", http.StatusTooManyRequests},
		{http.MethodPost, "/mcp", goodToken, http.StatusOK},
		{http.MethodPost, "/mcp", goodToken, http.StatusOK},
		{http.MethodPost, "/mcp", goodToken, http.StatusTooManyRequests},
	} {
		resp := send(c.method, c.path, c.token, "192.0.2.1")
		if resp.StatusCode != c.status {
			t.Errorf("%s %s with %q: %d, want %d", c.method, c.path, c.token, resp.StatusCode, c.status)
		}
		if refused := resp.StatusCode == http.StatusTooManyRequests; refused != (resp.Header.Get("Retry-After") == "2") {
			t.Errorf("%s %s: %d with Retry-After %q", c.method, c.path, resp.StatusCode, resp.Header.Get("Retry-After"))
		}
	}
	if resp := send(http.MethodPost, "/mcp", "", "192.0.2.2"); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("another address gets %d", resp.StatusCode)
	}
	if addresses["192.0.2.1"] != 8 || callers["user_1"] != 3 {
		t.Errorf("counted %v and %v", addresses, callers)
	}
}
