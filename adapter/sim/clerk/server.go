// Package clerk is an identity provider on this machine: it speaks the wire
// format of Clerk's frontend API, backend API and webhooks, shows pages to sign
// in, consent and choose an organization, and signs tokens with keys of its
// own. The published server libraries work against it unchanged.
//
// All of it answers at one origin: the well-known documents, /oauth/, /v1/ and
// the pages. Beside them stand the control surface of sim/kit and some controls
// of its own; see control.go.
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

// Limits are the provider's numbers.
type Limits struct {
	MetadataWrites  int             // of one organization within the window; more are 429
	BackendRequests int             // within the window; more are 429
	Window          time.Duration   // by the simulator's clock
	MetadataBytes   int             // of one organization's public and private metadata
	WebhookRetries  []time.Duration // after each attempt that failed
	WebhookTimeout  time.Duration   // real time for one delivery
	CodeLifetime    time.Duration
	TokenLifetime   time.Duration // of OAuth access and id tokens
	SessionLifetime time.Duration // of session tokens
}

// DefaultLimits are what the provider documents, for a development instance.
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
	AutoApprove    bool   `json:"auto_approve"`    // consents are given at once, by whoever is signed in or the first person
	StampIssuer    bool   `json:"stamp_issuer"`    // authorization answers carry iss (RFC 9207)
	OpaqueTokens   bool   `json:"opaque_tokens"`   // OAuth access tokens are no JWTs
	ScopeList      bool   `json:"scope_list"`      // access tokens say scp, a list, instead of scope
	SessionVersion int    `json:"session_version"` // of session claims: 1 or 2; 0 for 2
	SignInURL      string `json:"sign_in_url"`     // where people who are signed in already are sent on the way to consent
}

// Endpoint is where webhooks go.
type Endpoint struct {
	URL     string   `json:"url"`
	Secrets []string `json:"secrets"` // each signs every delivery; two while they are rotated
}

// Options describe the instance that is simulated.
type Options struct {
	Origin        string // where the simulator answers: http://127.0.0.1:4010
	SecretKey     string // of the backend API; "" for any that begins with sk_
	Users         []User
	Organizations []Organization
	Memberships   []Membership
	Clients       []Client
	Endpoints     []Endpoint
	Settings      Settings
	Limits        *Limits   // nil for DefaultLimits
	Start         time.Time // of the clock, which then stands still; see kit.Options
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

	mu       sync.Mutex // guards what follows
	settings Settings
	store    store
	calls    map[string][]time.Time // within the window, by what is limited
}

// New returns a running provider. Close it in the end.
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

// Close ends the sending of webhooks.
func (s *Server) Close() { s.out.close() }

// Drain waits until every webhook that is due by the simulator's clock was
// tried.
func (s *Server) Drain(ctx context.Context) error { return s.out.drain(ctx) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.handler.ServeHTTP(w, r)
}

// Origin is the address of the simulator and the issuer of its tokens.
func (s *Server) Origin() string { return s.options.Origin }

// Host is the host and port of the frontend API and of the account portal,
// which are one here.
func (s *Server) Host() string {
	_, host, _ := strings.Cut(s.options.Origin, "://")
	return host
}

// PublishableKey names the instance as a browser would be told.
func (s *Server) PublishableKey() string {
	return "pk_test_" + base64.StdEncoding.EncodeToString([]byte(s.Host()+"$"))
}

// Configure changes the settings.
func (s *Server) Configure(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
}

// stamp is the time that tokens and signatures state. Whoever checks them has a
// clock of their own, which does not follow when the simulator's is advanced;
// so they state the machine's, unless the simulator's stands still.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}

// admit counts a call against a limit within the window and returns for how
// long there is no room, 0 where there is; the lock is held.
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
	_, _ = w.Write(oidc.JSON(body)) // a caller that went away needs no answer
}

// readJSON reads a body; an empty one is an empty object.
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

// newID makes an id as the provider's look: a prefix and 27 characters.
func newID(prefix string) string {
	return prefix + "_" + (rand.Text() + rand.Text())[:27]
}
