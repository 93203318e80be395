package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"docledger/adapter/httpapi/edge"
	"docledger/adapter/queue"
	"docledger/adapter/store"
	"docledger/domain/extraction"
	"docledger/domain/integration"
	"docledger/infrastructure/httpserver"
	"docledger/infrastructure/telemetry"
	"docledger/usecase"
)

// metrics are the metrics of the service. Labels are operations, kinds, providers and outcomes.
// They never contain a path, an organization or a value from a caller.
type metrics struct {
	*telemetry.Metrics
	requests, jobs, extractions, calls, tools telemetry.Durations
	waits                                     telemetry.Durations
	tracing                                   *telemetry.Tracing // nil for none
}

func newMetrics(m *telemetry.Metrics) *metrics {
	return &metrics{
		Metrics:     m,
		requests:    m.Durations("http_request_duration_seconds", "Completed requests, by operation of the specification and status.", "operation", "status"),
		jobs:        m.Durations("job_duration_seconds", "Jobs that this process ran, by kind and outcome (done, failed, panicked, postponed).", "kind", "outcome"),
		extractions: m.Durations("extraction_duration_seconds", "Extracted documents, by method and outcome (read, a failure's code, unavailable if the reader could not start, or error where reading could not take place).", "method", "outcome"),
		calls:       m.Durations("provider_call_duration_seconds", "Calls of providers of integrations, by outcome (answered, limited, failed).", "provider", "outcome"),
		waits:       m.Durations("provider_wait_seconds", "How long calls of providers waited for their budget, by outcome (admitted, refused).", "provider", "outcome"),
		tools:       m.Durations("tool_call_duration_seconds", "Calls of tools, by outcome (ok, refused, failed).", "tool", "outcome"),
	}
}

// outside is the operation label of requests that the specification does not define.
const outside = "none"

func (m *metrics) request(o edge.Observed) {
	operation := o.Operation
	if operation == "" {
		operation = outside
	}
	m.requests.Observe(o.Took, operation, strconv.Itoa(o.Status))
	telemetry.Describe(o.Context, operation, o.Status >= http.StatusInternalServerError,
		"request.id", o.RequestID.String(), "http.response.status_code", strconv.Itoa(o.Status))
}

func (m *metrics) job(kind, outcome string, took time.Duration) { m.jobs.Observe(took, kind, outcome) }

func (m *metrics) tool(ctx context.Context, tool, outcome string, took time.Duration) {
	m.tools.Observe(took, tool, outcome)
	telemetry.Describe(ctx, "tool "+tool, outcome == "failed", "outcome", outcome)
}

// measured is a reader with metrics.
type measured struct {
	extraction.Reader
	m *metrics
}

// Read implements extraction.Reader.
func (r measured) Read(ctx context.Context, s extraction.Source) (*extraction.Result, error) {
	began := time.Now()
	ctx, end := r.m.tracing.Start(ctx, "read document")
	result, err := r.Reader.Read(ctx, s)
	method, outcome := "none", "read"
	failure := new(extraction.Failure)
	defer func() { end(err, "method", method, "outcome", outcome) }()
	switch {
	case errors.As(err, &failure):
		outcome = failure.Code()
	case errors.Is(err, extraction.ErrUnavailable):
		outcome = "unavailable"
	case errors.Is(err, extraction.ErrNeedsOCR):
		outcome = "needs_ocr"
	case err != nil:
		outcome = "error"
	default:
		method = string(result.Method)
	}
	if !s.Readings { // reading again what was extracted is no extraction
		r.m.extractions.Observe(time.Since(began), method, outcome)
	}
	return result, err
}

// instrumentedLimiter counts the calls of a rate limiter and stores the limits of providers.
type instrumentedLimiter struct {
	integration.RateLimiter
	m *metrics

	mu     sync.Mutex
	limits map[integration.Provider]integration.Limits
}

// Enter implements integration.RateLimiter.
func (g *instrumentedLimiter) Enter(ctx context.Context, c integration.Call) (func(integration.Observation), error) {
	g.remember(c)
	provider, began := string(c.Provider), time.Now()
	leave, err := g.RateLimiter.Enter(ctx, c)
	if err != nil {
		g.m.waits.Observe(time.Since(began), provider, "refused")
		return nil, err
	}
	g.m.waits.Observe(time.Since(began), provider, "admitted")
	_, end := g.m.tracing.Call(ctx, "call "+provider, "provider", provider)
	called := time.Now()
	return func(o integration.Observation) {
		outcome := "answered"
		switch {
		case o.Limited:
			outcome = "limited"
		case o.Failed:
			outcome = "failed"
		}
		g.m.calls.Observe(time.Since(called), provider, outcome)
		var failed error
		if o.Failed {
			failed = errCallFailed
		}
		end(failed, "outcome", outcome)
		leave(o)
	}, nil
}

var errCallFailed = errors.New("the response was unusable")

func (g *instrumentedLimiter) remember(c integration.Call) {
	if c.Tenant == "" {
		return // limits of another kind
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.limits == nil {
		g.limits = map[integration.Provider]integration.Limits{}
	}
	g.limits[c.Provider] = c.Limits
}

func (g *instrumentedLimiter) limitsOf(p integration.Provider) integration.Limits {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.limits[p]
}

// workloadLife is how long one database read serves scrapes. workloadTime is its timeout.
const (
	workloadLife = 5 * time.Second
	workloadTime = 2 * time.Second
)

// workload provides gauges of the work that waits in the database.
type workload struct {
	read    func(context.Context) (store.Workload, error)
	count   func(context.Context) ([]queue.Count, error)
	limiter *instrumentedLimiter
	clock   usecase.Clock

	mu   sync.Mutex
	at   time.Time
	last store.Workload
	busy []queue.Count
	err  error

	answers, jobs, jobAge, watches, watchLag, integrations, grants, grantIdle, tokenExpiry, inbox, inboxAge, budget, held, waiting telemetry.Gauge
}

// watch adds the gauges to m.
func (w *workload) watch(m *telemetry.Metrics) {
	w.answers = m.Gauge("workload_readable", "1 if the waiting work could be read from the database, else 0.")
	w.jobs = m.Gauge("jobs", "Jobs that wait or run in the installation.", "kind", "state")
	w.jobAge = m.Gauge("job_oldest_due_seconds", "The time for which the oldest due job has waited.", "kind")
	w.watches = m.Gauge("watches", "Watched places of document stores.", "provider")
	w.watchLag = m.Gauge("watch_lag_seconds", "The time since the least current watched location was up to date.", "provider")
	w.integrations = m.Gauge("integrations", "Integrations that are not disconnected.", "provider", "status")
	w.grants = m.Gauge("grants", "Consents of provider accounts that live.", "provider")
	w.grantIdle = m.Gauge("grant_oldest_renewal_seconds", "The time since the oldest tokens were renewed; unused tokens expire.", "provider")
	w.tokenExpiry = m.Gauge("grant_access_expiry_seconds", "The time until the first access token of an active grant expires; negative if one has expired.", "provider")
	w.inbox = m.Gauge("inbox_events", "Events of other systems that wait (RECEIVED) or were given up (FAILED).", "sender", "state")
	w.inboxAge = m.Gauge("inbox_oldest_seconds", "The age of the oldest such event.", "sender", "state")
	w.budget = m.Gauge("provider_budget_used_ratio", "The part of a provider's window that the busiest tenant has used.", "provider", "window")
	w.held = m.Gauge("provider_tenants_held", "Tenants to which calls are delayed after refusals or failures of the provider.", "provider")
	w.waiting = m.Gauge("held_since_restore_seconds", "The time for which work has been paused after a restore; 0 if it is not paused.")
	m.Gauges(w.collect, w.answers, w.jobs, w.jobAge, w.watches, w.watchLag, w.integrations, w.grants, w.grantIdle, w.tokenExpiry,
		w.inbox, w.inboxAge, w.budget, w.held, w.waiting)
}

// look reads the database, at most once per workloadLife.
func (w *workload) look() (store.Workload, []queue.Count, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); now.Sub(w.at) > workloadLife {
		ctx, cancel := context.WithTimeout(context.Background(), workloadTime)
		defer cancel()
		if w.last, w.err = w.read(ctx); w.err == nil {
			w.busy, w.err = w.count(ctx)
		}
		w.at = now
	}
	return w.last, w.busy, w.err
}

func (w *workload) collect(set func(telemetry.Gauge, float64, ...string)) {
	found, jobs, err := w.look()
	if err != nil {
		set(w.answers, 0)
		return
	}
	set(w.answers, 1)
	set(w.waiting, found.Held)
	for _, j := range jobs {
		set(w.jobs, float64(j.Count), j.Kind, j.State)
		if j.State == "available" {
			set(w.jobAge, max(j.Age, 0), j.Kind)
		}
	}
	for _, x := range found.Watches {
		set(w.watches, float64(x.Count), x.Provider)
		set(w.watchLag, max(x.Lag, 0), x.Provider)
	}
	for _, x := range found.Integrations {
		set(w.integrations, float64(x.Count), x.Provider, x.Status)
	}
	for _, x := range found.Grants {
		set(w.grants, float64(x.Count), x.Provider)
		set(w.grantIdle, max(x.Idle, 0), x.Provider)
		set(w.tokenExpiry, x.Expires, x.Provider)
	}
	for _, x := range found.Inbox {
		set(w.inbox, float64(x.Count), x.Sender, x.State)
		set(w.inboxAge, max(x.Age, 0), x.Sender, x.State)
	}
	w.budgets(set, found)
}

func (w *workload) budgets(set func(telemetry.Gauge, float64, ...string), found store.Workload) {
	now := w.clock.Now()
	for provider, meters := range found.Meters {
		held, used := 0, map[time.Duration]float64{}
		for _, m := range meters {
			if !m.RetryAt(now).IsZero() {
				held++
			}
			for length, ratio := range m.UsedRatios(now, w.limiter.limitsOf(provider)) {
				used[length] = max(used[length], ratio)
			}
		}
		set(w.held, float64(held), string(provider))
		for length, ratio := range used {
			set(w.budget, ratio, string(provider), length.String())
		}
	}
}

// scraped is a process that serves its metrics at a separate address.
type scraped struct {
	metrics *metrics
	at      net.Listener // nil if metrics are off
}

// ListenMetrics opens the address at which Run serves the metrics.
func (s *scraped) ListenMetrics(address string) (net.Addr, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("METRICS_LISTEN: %w", err)
	}
	s.at = l
	return l.Addr(), nil
}

// Metrics describes the metrics of the process.
func (s *scraped) Metrics() []telemetry.Description { return s.metrics.Described() }

// serveMetrics serves scrapes until ctx ends.
func (s *scraped) serveMetrics(ctx context.Context, log *slog.Logger) {
	if s.at == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	if err := httpserver.Serve(ctx, s.at, mux, time.Second, log); err != nil {
		log.ErrorContext(ctx, "metrics server stopped", "error", err)
	}
}
