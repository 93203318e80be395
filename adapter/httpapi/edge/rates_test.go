package edge_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

// counters count for ever, key by key.
type counters struct {
	mu   sync.Mutex
	used map[string]int
}

func (c *counters) take(_ context.Context, quotas ...edge.Quota) edge.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out edge.Result
	for _, q := range quotas {
		if q.Limit <= 0 {
			continue
		}
		c.used[q.Key]++
		s := edge.Result{Limit: q.Limit, Remaining: max(q.Limit-c.used[q.Key], 0), Reset: 1500 * time.Millisecond, Refused: c.used[q.Key] > q.Limit}
		if out.Limit == 0 || s.Refused && !out.Refused || s.Refused == out.Refused && s.Remaining < out.Remaining {
			out = s
		}
	}
	return out
}

// person authenticates every token as the same person, with its own session.
type person struct{ user, organization uuid.UUID }

func (p person) Authenticate(_ context.Context, bearer string) (identity.Actor, error) {
	if bearer == "bad" {
		return identity.Actor{}, fault.New(fault.Unauthenticated, fault.CodeUnauthorized, "The token is not valid. Sign in again.")
	}
	return identity.Actor{
		Type: identity.ActorUser, UserID: p.user, OrganizationID: p.organization, Role: identity.RoleAdmin,
		SessionID: uuid.NewSHA1(uuid.Nil, []byte(bearer)),
	}, nil
}

func limited(t *testing.T, answer answerFunc, change func(*edge.Options)) *bundle {
	t.Helper()
	c := &counters{used: map[string]int{}}
	return setup(t, answer, func(o *edge.Options) {
		o.Authenticator = person{uuid.New(), uuid.New()}
		o.Rates.Take = c.take
		change(o)
	})
}

func checkRefused(t *testing.T, r *reply, limit string) {
	t.Helper()
	checkEnvelope(t, r, 429, "rate_limited")
	for header, want := range map[string]string{
		"Retry-After": "2", "RateLimit-Limit": limit, "RateLimit-Remaining": "0", "RateLimit-Reset": "2",
	} {
		if got := r.Header.Get(header); got != want {
			t.Errorf("%s is %q, want %q", header, got, want)
		}
	}
}

func TestEachCredentialHasItsQuota(t *testing.T) {
	t.Parallel()
	b := limited(t, missing, func(o *edge.Options) { o.Rates.PerCredential, o.Rates.PerOrganization = 2, 4 })
	send := func(token string) *reply {
		return b.send(t, b.request(t, "GET", "/api/me", "", "Authorization", "Bearer "+token))
	}
	for i, want := range []string{"1", "0"} {
		r := send("one")
		checkEnvelope(t, r, 404, "not_found")
		if r.Header.Get("RateLimit-Remaining") != want || r.Header.Get("RateLimit-Limit") != "2" || r.Header.Get("RateLimit-Reset") != "2" {
			t.Errorf("request %d: %v", i, r.Header)
		}
	}
	checkRefused(t, send("one"), "2")
	checkEnvelope(t, send("another"), 404, "not_found")
	checkRefused(t, send("third"), "4")
}

// Without a good credential the address is what counts, whatever is asked for.
func TestAddressesHaveAQuota(t *testing.T) {
	t.Parallel()
	for name, request := range map[string][]string{
		"unknown path":    {"GET", "/api/nothing", "Bearer good"},
		"outside the API": {"GET", "/nothing", ""},
		"wrong method":    {"DELETE", "/api/auth/login", ""},
		"no token":        {"GET", "/api/me", ""},
		"bad token":       {"GET", "/api/me", "Bearer bad"},
		"signing in":      {"POST", "/api/auth/login", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := limited(t, missing, func(o *edge.Options) { o.Rates.PerAddress = 1 })
			send := func() *reply { return b.send(t, b.request(t, request[0], request[1], "", "Authorization", request[2])) }
			if r := send(); r.StatusCode == 429 || r.Header.Get("RateLimit-Limit") != "1" {
				t.Errorf("the first request: %d %v", r.StatusCode, r.Header)
			}
			checkRefused(t, send(), "1")
		})
	}
}

// Webhooks and preflights count and return the sender's rate limit, but they are never refused.
func TestSomeRequestsAreNeverRefused(t *testing.T) {
	t.Parallel()
	const ours = "https://app.example.com"
	b := limited(t, missing, func(o *edge.Options) { o.Rates.PerAddress, o.AllowedOrigins = 1, []string{ours} })
	for range 3 {
		event := b.send(t, b.request(t, "POST", "/webhook/payments", "{}", "Authorization", ""))
		preflight := b.send(t, b.request(t, "OPTIONS", "/api/me", "", "Authorization", "", "Origin", ours, "Access-Control-Request-Method", "GET"))
		if event.StatusCode != http.StatusOK || preflight.StatusCode != http.StatusNoContent {
			t.Errorf("answers are %d and %d", event.StatusCode, preflight.StatusCode)
		}
		for _, r := range []*reply{event, preflight} {
			if r.Header.Get("RateLimit-Limit") != "1" || r.Header.Get("Retry-After") != "" {
				t.Errorf("headers are %v", r.Header)
			}
		}
	}
}

// A panic's answer carries what all answers carry.
func TestPanicsCarryTheHeadersToo(t *testing.T) {
	t.Parallel()
	b := limited(t, func(context.Context, string, any) (any, error) { panic("oh") }, func(o *edge.Options) {
		o.Rates.PerCredential, o.Secure = 7, true
	})
	r := b.send(t, b.request(t, "GET", "/api/me", ""))
	checkEnvelope(t, r, 500, "internal")
	for header, want := range map[string]string{
		"RateLimit-Remaining": "6", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "no-referrer", "Strict-Transport-Security": "max-age=31536000", "Cache-Control": "no-store",
	} {
		if r.Header.Get(header) != want {
			t.Errorf("%s is %q, want %q", header, r.Header.Get(header), want)
		}
	}
}

// Only so many requests of one credential run at a time; whoever waits for none
// of them is served.
func TestRequestsAtOnce(t *testing.T) {
	t.Parallel()
	began, release := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	running := map[string]int{}
	b := limited(t, func(_ context.Context, operation string, _ any) (any, error) {
		if operation == "GetMe" {
			began <- struct{}{}
			<-release
		}
		return nil, fault.Missing("thing")
	}, func(o *edge.Options) {
		o.Rates.AtOnce = 2
		o.Rates.Enter = func(key string, limit int) (func(), bool) {
			mu.Lock()
			defer mu.Unlock()
			if running[key] >= limit {
				return func() {}, false
			}
			running[key]++
			return func() { mu.Lock(); running[key]--; mu.Unlock() }, true
		}
	})
	var answered sync.WaitGroup
	for range 2 {
		answered.Go(func() { b.send(t, b.request(t, "GET", "/api/me", "")) })
		<-began
	}
	third := b.send(t, b.request(t, "GET", "/api/entities", ""))
	checkEnvelope(t, third, 429, "rate_limited")
	if third.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", third.Header.Get("Retry-After"))
	}
	checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/entities", "", "Authorization", "Bearer other")), 404, "not_found")
	close(release)
	answered.Wait()
	checkEnvelope(t, b.send(t, b.request(t, "GET", "/api/entities", "")), 404, "not_found")
}

// Pages of every port of this machine may call where that is said.
func TestOriginsOfThisMachine(t *testing.T) {
	t.Parallel()
	b := setup(t, missing, func(o *edge.Options) { o.AllowedOrigins = []string{"http://localhost:*"} })
	for origin, allowed := range map[string]bool{
		"http://localhost:5173": true, "http://localhost:": true, "http://localhost:5173.evil.example": false,
		"http://localhost": false, "https://localhost:5173": false, "http://evil.example": false,
	} {
		r := b.send(t, b.request(t, "GET", "/api/me", "", "Origin", origin))
		if got := r.Header.Get("Access-Control-Allow-Origin") == origin; got != allowed {
			t.Errorf("%s is allowed: %v", origin, got)
		}
		if exposed := r.Header.Get("Access-Control-Expose-Headers"); allowed && !strings.Contains(exposed, "RateLimit-Remaining") {
			t.Errorf("exposed are %q", exposed)
		}
	}
}

// TestCallersChooseNoAddress: behind a trusted proxy the address is the one that
// it adds to X-Forwarded-For, whatever else a caller sends; without one it is
// the connection's.
func TestCallersChooseNoAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trusted []string
		headers []string // %d is the caller's to choose
		own     bool     // each value is an address of its own
	}{
		"added by the proxy":                 {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "198.51.100.%d"}, true},
		"in front of what the proxy added":   {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "10.0.0.%d, 198.51.100.7"}, false},
		"in a line of its own":               {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "10.0.0.%d", "X-Forwarded-For", "198.51.100.7"}, false},
		"no address":                         {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "somebody-%d"}, false},
		"in X-Real-IP":                       {[]string{"127.0.0.0/8"}, []string{"X-Real-IP", "10.0.0.%d"}, false},
		"in X-Real-IP, the proxy's unread":   {[]string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "198.51.100.7:80", "X-Real-IP", "10.0.0.%d"}, false},
		"in Forwarded":                       {[]string{"127.0.0.0/8"}, []string{"Forwarded", "for=10.0.0.%d"}, false},
		"in headers of networks of delivery": {[]string{"127.0.0.0/8"}, []string{"CF-Connecting-IP", "10.0.0.%d", "True-Client-IP", "10.0.0.%d"}, false},
		"without trusted proxies":            {nil, []string{"X-Forwarded-For", "198.51.100.%d"}, false},
		"trusting others":                    {[]string{"192.0.2.0/24"}, []string{"X-Forwarded-For", "198.51.100.%d"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := limited(t, missing, func(o *edge.Options) { o.Rates.PerAddress, o.TrustedProxies = 1, c.trusted })
			for i, limited := range []bool{false, !c.own} {
				r := b.request(t, "GET", "/api/me", "", "Authorization", "")
				for j := 0; j < len(c.headers); j += 2 {
					r.Header.Add(c.headers[j], strings.ReplaceAll(c.headers[j+1], "%d", strconv.Itoa(i+1)))
				}
				if got := b.send(t, r); (got.StatusCode == 429) != limited {
					t.Errorf("request %d is answered with %d", i+1, got.StatusCode)
				}
			}
		})
	}
}
