// Package clerk simulates an identity provider. It implements the wire format of Clerk's frontend
// API, backend API and webhooks, and the pages for sign-in, consent and the choice of an
// organization. It signs tokens with its own keys. The published server libraries work with it
// unchanged.
//
// One origin serves everything: the well-known documents, /oauth/, /v1/, the pages, the control
// surface of sim/kit and the controls of control.go.
package clerk

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"docledger/adapter/sim/kit"
	"docledger/adapter/sim/kit/oidc"
)

const maxBody = 1 << 20

// Limits are the provider's limits.
type Limits struct {
	MetadataWrites  int             // per organization and window; more return 429
	BackendRequests int             // per window; more return 429
	Window          time.Duration   // by the simulator's clock
	MetadataBytes   int             // of the public and of the private metadata of an organization
	WebhookRetries  []time.Duration // after each failed attempt
	WebhookTimeout  time.Duration   // real time for one delivery
	CodeLifetime    time.Duration
	TokenLifetime   time.Duration // of OAuth access and id tokens
	SessionLifetime time.Duration // of session tokens
}

// DefaultLimits are the documented limits of a development instance.
func DefaultLimits() Limits {
	return Limits{
		MetadataWrites:  10,
		BackendRequests: 100,
		Window:          10 * time.Second,
		MetadataBytes:   8 << 10,
		WebhookRetries: []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour,
		},
		WebhookTimeout:  15 * time.Second,
		CodeLifetime:    10 * time.Minute,
		TokenLifetime:   24 * time.Hour,
		SessionLifetime: time.Minute,
	}
}

// Settings can be changed while the simulator runs.
type Settings struct {
	AutoApprove    bool   `json:"auto_approve"`    // grants consents immediately, as the signed-in user or else the first user
	OmitIssuer     bool   `json:"omit_issuer"`     // a leniency: authorization responses lack iss (RFC 9207), which the vendor sends
	OpaqueTokens   bool   `json:"opaque_tokens"`   // OAuth access tokens are opaque
	ScopeList      bool   `json:"scope_list"`      // access tokens contain scp, a list, instead of scope
	SessionVersion int    `json:"session_version"` // of session claims: 1 or 2; 0 for 2
	SignInURL      string `json:"sign_in_url"`     // address to which signed-in users are redirected before the consent page
}

// Endpoint is a receiver of webhooks.
type Endpoint struct {
	URL     string   `json:"url"`
	Secrets []string `json:"secrets"` // each signs every delivery; two during a rotation
}

// Options configures the simulated instance.
type Options struct {
	Origin        string // origin of the simulator: http://127.0.0.1:4010
	SecretKey     string // of the backend API; "" for any with the prefix sk_
	Users         []User
	Organizations []Organization
	Memberships   []Membership
	Clients       []Client
	Endpoints     []Endpoint
	Settings      Settings
	Limits        *Limits   // nil for DefaultLimits
	Start         time.Time // of the clock, which is then fixed; see kit.Options
	HTTPClient    *http.Client
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	limits  Limits
	handler http.Handler
	keys    *keyring
	out     *outbox

	mu       sync.Mutex // guards the following fields
	settings Settings
	store    store
	calls    map[string][]time.Time // within the window, by the limited resource
}

// New returns a running simulator. Close stops it.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, keys: newKeyring(),
		calls: map[string][]time.Time{},
	}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.Kit = kit.New(kit.Options{
		Start: o.Start, State: s.state,
		ErrorBody: func(status int) []byte {
			return oidc.JSON(failed(status, "internal_error", "The request failed.").body())
		},
	})
	s.store = newStore(o, s.Kit.Clock.Now())
	s.out = newOutbox(s)
	mux := http.NewServeMux()
	s.frontend(mux)
	s.pages(mux)
	s.backend(mux)
	s.handler = s.controls(s.Kit.Handler(mux))
	return s
}

// Close stops the sending of webhooks.
func (s *Server) Close() { s.out.close() }

// Drain waits until every webhook that is due by the simulator's clock was attempted.
func (s *Server) Drain(ctx context.Context) error { return s.out.drain(ctx) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.handler.ServeHTTP(w, r)
}

// Origin is the address of the simulator and the issuer of its tokens.
func (s *Server) Origin() string { return s.options.Origin }

// Host is the host and port of the frontend API and of the account portal, which are the same
// here.
func (s *Server) Host() string {
	_, host, _ := strings.Cut(s.options.Origin, "://")
	return host
}

// PublishableKey is the publishable key with which a browser names the instance.
func (s *Server) PublishableKey() string {
	return "pk_test_" + base64.StdEncoding.EncodeToString([]byte(s.Host()+"$"))
}

// Configure changes the settings.
func (s *Server) Configure(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
}

// stamp is the time in tokens and signatures. The application that verifies them uses the
// machine's clock, which an advance of the simulator's clock does not change. Therefore they
// carry the machine's time, unless the simulator's clock is fixed.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}

// admit counts a call against a limit per window. It returns the time until the next permitted
// call, 0 if the call is within the limit. The caller holds the lock.
func (s *Server) admit(what string, limit int) time.Duration {
	now := s.Kit.Clock.Now()
	recent := s.calls[what]
	for len(recent) > 0 && now.Sub(recent[0]) >= s.limits.Window {
		recent = recent[1:]
	}
	if limit > 0 && len(recent) >= limit {
		s.calls[what] = recent
		return s.limits.Window - now.Sub(recent[0])
	}
	s.calls[what] = append(recent, now)
	return 0
}

// failure is an error of the provider's APIs.
type failure struct {
	status     int
	code       string
	message    string
	retryAfter int // seconds; 0 for none
}

func failed(status int, code, message string) *failure {
	return &failure{status: status, code: code, message: message}
}

func notFound(what string) *failure {
	return failed(http.StatusNotFound, "resource_not_found", "No "+what+" was found with this id.")
}

func invalid(message string) *failure {
	return failed(http.StatusUnprocessableEntity, "form_param_invalid", message)
}

func (f *failure) body() any {
	return map[string]any{
		"errors": []any{map[string]any{
			"message": f.message, "long_message": f.message, "code": f.code, "meta": map[string]any{},
		}},
		"clerk_trace_id": strings.ToLower(rand.Text()),
	}
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(oidc.JSON(body)) // a caller that disconnected needs no response
}

// readJSON parses a body. An empty body is an empty object.
func readJSON(r *http.Request, into any) *failure {
	body, err := io.ReadAll(r.Body)
	if err == nil && len(bytes.TrimSpace(body)) > 0 {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return failed(http.StatusBadRequest, "request_body_invalid", "The request body is not valid JSON for this call.")
	}
	return nil
}

// newID returns an id in the provider's format: a prefix and 27 characters.
func newID(prefix string) string {
	return prefix + "_" + (rand.Text() + rand.Text())[:27]
}
