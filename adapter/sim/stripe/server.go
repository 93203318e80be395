// Package stripe simulates a payment processor. It implements the wire format of Stripe's API
// 2024-06-20, keeps state, has its own clock, declines test cards, expires idempotency keys and
// sends signed webhooks. It moves no money. The published client libraries work with it
// unchanged.
//
// In addition to the API under /v1/ it has the pages for people (checkout, portal, an invoice to
// pay) and the control surface of sim/kit.
package stripe

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"docledger/adapter/sim/kit"
)

// Versions of the API that differ in the fields that docledger reads. Any other date is rendered
// like the preceding version.
const (
	Version      = "2024-06-20"
	VersionBasil = "2025-03-31.basil" // periods are properties of items from this version on
)

const maxBody = 1 << 20

// Limits are the processor's limits.
type Limits struct {
	RequestsPerSecond int             // accepted; more return 429. 0: no limit
	SearchLag         time.Duration   // until a change can be found by a search
	KeyLifetime       time.Duration   // of idempotency keys
	Latency           time.Duration   // real time of a POST, during which its key is in use
	WebhookRetries    []time.Duration // after each failed attempt
	WebhookTimeout    time.Duration   // real time for one delivery
	WebhooksAtOnce    int             // deliveries in flight
	PaymentRetries    []time.Duration // after each failed payment
	EventLifetime     time.Duration   // how long events can be listed
	AutomaticTax      string          // rate of the automatic tax in per cent
}

// DefaultLimits are the documented limits, or typical observed values.
func DefaultLimits() Limits {
	const day = 24 * time.Hour
	return Limits{
		RequestsPerSecond: 100,
		SearchLag:         time.Minute,
		KeyLifetime:       day,
		WebhookRetries: []time.Duration{
			time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 10 * time.Hour, 12 * time.Hour,
		},
		WebhookTimeout: 10 * time.Second,
		WebhooksAtOnce: 4,
		PaymentRetries: []time.Duration{3 * day, 5 * day, 7 * day},
		EventLifetime:  30 * day,
		AutomaticTax:   "20",
	}
}

// Endpoint is a receiver of webhooks.
type Endpoint struct {
	URL        string
	Secrets    []string // each signs every delivery; two during a rotation
	APIVersion string   // of the events; "" for Version
	Events     []string // their types; none for all
}

// Options configures the simulated account.
type Options struct {
	SecretKeys  []string // accepted keys; none: any with the prefix sk_ or rk_
	Endpoints   []Endpoint
	Limits      *Limits   // nil for DefaultLimits
	Start       time.Time // of the clock, which is then fixed; see kit.Options
	BaseURL     string    // of the pages; "" for the host of the request
	AutoApprove bool      // the checkout page completes automatically with a valid card
	Account     Account
	Client      *http.Client
}

// Server is the simulated processor. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	limits  Limits
	handler http.Handler
	routes  *http.ServeMux
	out     *outbox

	mu      sync.Mutex // one request at a time holds it; it guards the following fields
	account Account
	store   store
	keys    map[string]*remembered
	recent  []time.Time // times of the requests within the last second
	now     int64       // time of the current operation in seconds
}

// New returns a running processor without data. Close stops it.
func New(o Options) *Server {
	s := &Server{options: o, limits: DefaultLimits(), store: newStore(), keys: map[string]*remembered{}}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.Kit = kit.New(kit.Options{
		Start: o.Start, State: s.state,
		ErrorBody: func(status int) []byte {
			body, _ := json.Marshal(errorOfStatus(status).body()) // strings only
			return body
		},
	})
	s.Kit.Clock.OnAdvance(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settle()
	})
	s.routes = http.NewServeMux()
	s.register()
	s.account = o.Account
	s.handler = s.controls(s.Kit.Handler(http.HandlerFunc(s.serve)))
	s.out = newOutbox(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	for _, e := range o.Endpoints {
		s.addEndpoint(e)
	}
	return s
}

// Close stops the sending of webhooks.
func (s *Server) Close() { s.out.close() }

// Drain waits until every webhook that is due by the simulator's clock was attempted.
func (s *Server) Drain(ctx context.Context) error { return s.out.drain(ctx) }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/v1/") {
		s.pages(w, r)
		return
	}
	w.Header().Set("Request-Id", newID("req"))
	w.Header().Set("Stripe-Version", versionOf(r))
	if e := s.admit(r); e != nil {
		answer(w, e.status, e.body())
		return
	}
	if _, pattern := s.routes.Handler(r); pattern == "" {
		e := refused("", "", "Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)
		e.status = http.StatusNotFound
		answer(w, e.status, e.body())
		return
	}
	s.routes.ServeHTTP(w, r)
}

func versionOf(r *http.Request) string {
	if v := r.Header.Get("Stripe-Version"); v != "" {
		return v
	}
	return Version
}

// admit checks the key and the rate.
func (s *Server) admit(r *http.Request) *apiError {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if user, _, ok := r.BasicAuth(); ok {
		key = user
	}
	if key == "" {
		return &apiError{
			status: http.StatusUnauthorized, kind: invalidRequest,
			message: "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth.",
		}
	}
	if !s.knows(key) {
		return &apiError{
			status: http.StatusUnauthorized, kind: invalidRequest, message: "Invalid API Key provided: " + masked(key),
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits.RequestsPerSecond == 0 {
		return nil
	}
	now := time.Now()
	for len(s.recent) > 0 && now.Sub(s.recent[0]) >= time.Second {
		s.recent = s.recent[1:]
	}
	if len(s.recent) >= s.limits.RequestsPerSecond {
		return errorOfStatus(http.StatusTooManyRequests)
	}
	s.recent = append(s.recent, now)
	return nil
}

func (s *Server) knows(key string) bool {
	if len(s.options.SecretKeys) == 0 {
		return strings.HasPrefix(key, "sk_") || strings.HasPrefix(key, "rk_")
	}
	for _, known := range s.options.SecretKeys {
		if key == known {
			return true
		}
	}
	return false
}

func masked(key string) string {
	const shown = 4
	if len(key) <= 2*shown {
		return strings.Repeat("*", len(key))
	}
	return key[:shown] + strings.Repeat("*", len(key)-2*shown) + key[len(key)-shown:]
}

// call is one request to the API.
type call struct {
	*params
	request *http.Request
	id      string
	key     string
	version string
	expand  []string
	base    string // of the addresses of pages
}

func (c *call) at(name string) string { return c.request.PathValue(name) }

// operation performs a request. It returns a record, a list, or another value for encoding/json.
type operation func(*call) (any, *apiError)

// on adds a route.
func (s *Server) on(pattern string, do operation) {
	s.routes.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c, e := s.newCall(w, r)
		if e != nil {
			answer(w, e.status, e.body())
			return
		}
		if r.Method == http.MethodPost && c.key != "" {
			s.once(w, c, do)
			return
		}
		s.pause(r)
		s.mu.Lock()
		status, body, _ := s.perform(c, do)
		s.mu.Unlock()
		answer(w, status, body)
	})
}

func (s *Server) newCall(w http.ResponseWriter, r *http.Request) (*call, *apiError) {
	text := r.URL.RawQuery
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return nil, invalid("", "", "The request could not be read.")
		}
		if text != "" && len(body) > 0 {
			text += "&"
		}
		text += string(body)
	}
	form, err := decodeForm(text)
	if err != nil {
		return nil, invalid("", "", "%s", err)
	}
	c := &call{
		params: newParams(form, ""), request: r, id: w.Header().Get("Request-Id"), version: versionOf(r), base: s.options.BaseURL,
	}
	if r.Method == http.MethodPost {
		c.key = r.Header.Get("Idempotency-Key")
	}
	if c.base == "" {
		c.base = "http://" + r.Host
	}
	c.expand, _ = c.texts("expand")
	for _, path := range c.expand {
		if strings.Count(path, ".") >= maxExpansion {
			return nil, invalid("", "expand", "You cannot expand more than %d levels of a property. Property: %s", maxExpansion, path)
		}
	}
	return c, nil
}

// pause waits as long as the operation of the vendor would take.
func (s *Server) pause(r *http.Request) {
	if s.limits.Latency > 0 && r.Method == http.MethodPost {
		timer := time.NewTimer(s.limits.Latency)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
}

// perform performs an operation and renders its result. The caller holds the lock.
func (s *Server) perform(c *call, do operation) (status int, body any, e *apiError) {
	s.settle()
	result, e := do(c)
	if e == nil {
		body, e = s.show(c, result)
	}
	if e != nil {
		return e.status, e.body(), e
	}
	return http.StatusOK, body, nil
}

func answer(w http.ResponseWriter, status int, body any) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(body); err != nil {
		status = http.StatusInternalServerError
		out.Reset()
		out.WriteString(`{"error":{"type":"api_error","message":"the simulator could not write its answer"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // a caller that disconnected needs no response
}

// Do calls the API without a network, for a test or a program in the same process. form is the
// body of a POST, and the query of another method.
func (s *Server) Do(method, path string, form url.Values) (status int, body map[string]any) {
	w := &memory{header: http.Header{}, status: http.StatusOK}
	r, err := http.NewRequest(method, path, strings.NewReader(form.Encode()))
	if err != nil {
		return http.StatusBadRequest, map[string]any{"error": err.Error()}
	}
	if method != http.MethodPost {
		r.URL.RawQuery, r.Body = form.Encode(), http.NoBody
	}
	r.Header.Set("Authorization", "Bearer sk_test_in_process")
	if len(s.options.SecretKeys) > 0 {
		r.Header.Set("Authorization", "Bearer "+s.options.SecretKeys[0])
	}
	s.serve(w, r)
	if err := json.Unmarshal(w.body.Bytes(), &body); err != nil {
		return w.status, map[string]any{"error": err.Error()}
	}
	return w.status, body
}

type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (m *memory) Header() http.Header         { return m.header }
func (m *memory) WriteHeader(status int)      { m.status = status }
func (m *memory) Write(p []byte) (int, error) { return m.body.Write(p) }

func newID(prefix string) string { return prefix + "_" + rand.Text() }
