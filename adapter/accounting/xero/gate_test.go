package xero_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/accounting/xero"
	sim "docledger/adapter/sim/xero"
	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// recordingLimiter is a rate limiter that records the admitted calls and their outcomes.
type recordingLimiter struct {
	mu       sync.Mutex
	calls    []integration.Call
	observed []integration.Observation
	closed   error
}

func (d *recordingLimiter) Enter(_ context.Context, c integration.Call) (func(integration.Observation), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed != nil {
		return nil, d.closed
	}
	d.calls = append(d.calls, c)
	return func(o integration.Observation) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.observed = append(d.observed, o)
	}, nil
}

func (d *recordingLimiter) last(t *testing.T) (integration.Call, integration.Observation) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) == 0 || len(d.calls) != len(d.observed) {
		t.Fatalf("%d entered, %d left", len(d.calls), len(d.observed))
	}
	return d.calls[len(d.calls)-1], d.observed[len(d.observed)-1]
}

// entered consents to both organizations.
func (w *fixture) entered(c *xero.Connector) integration.Access {
	w.t.Helper()
	const redirect = "http://localhost:8080/api/v1/integrations/oauth/callback"
	q := w.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: redirect}), w.Tenants()...)
	consent, err := c.Exchange(context.Background(), integration.Callback{Code: q.Get("code"), RedirectURI: redirect, Query: q})
	w.must(err)
	return integration.Access{Token: consent.Tokens.Access, Account: consent.Account, Event: consent.Event, Tenant: sim.TaxedOrganization}
}

func TestEveryRequestPassesTheGate(t *testing.T) {
	t.Parallel()
	gate := &recordingLimiter{}
	c, w := open(t, func(o *xero.Options) { o.RateLimiter = gate })
	w.sim.SetLimits(func(l *sim.Limits) { l.Minute, l.Day, l.AppMinute = 60, 5000, 10000 })
	a := w.entered(c)
	if call, observed := gate.last(t); call.Tenant != "" || call.Provider != integration.AccountingA || len(observed.Remaining) != 0 {
		t.Errorf("the code: %+v %+v", call, observed)
	}
	w.must(w.sim.AddContacts(a.Tenant, 2500))
	before := len(gate.calls)
	a.Background = true
	if list, err := c.Contacts(context.Background(), a); err != nil || len(list) != 2505 {
		t.Fatalf("%d contacts, %v", len(list), err)
	}
	if pages := len(gate.calls) - before; pages != 3 {
		t.Errorf("%d requests were admitted, want one for each of three pages", pages)
	}
	call, observed := gate.last(t)
	limits := fmt.Sprint(call.Limits)
	if call.Tenant != a.Tenant || !call.Background || limits != "{5 [{1m0s 60} {24h0m0s 5000}]}" {
		t.Errorf("admitted as %+v", call)
	}
	if observed.Limited || observed.Failed || observed.Remaining[time.Minute] != 57 || observed.Remaining[24*time.Hour] != 4997 {
		t.Errorf("observed %+v", observed)
	}
	if _, err := c.Organizations(context.Background(), a); err != nil {
		t.Fatal(err)
	}
	if call, observed := gate.last(t); call.Tenant != "" || observed.Remaining[time.Minute] == 0 || len(observed.Remaining) != 1 {
		t.Errorf("without a tenant: %+v %+v", call, observed)
	}
	w.sim.SetLimits(func(l *sim.Limits) { l.Minute = 3 })
	_, err := c.Currencies(context.Background(), a)
	if f, ok := fault.As(err); !ok || !errors.Is(err, integration.ErrRateLimited) || f.RetryAfter != time.Minute {
		t.Errorf("one call above the limit: %v", err)
	}
	if _, observed := gate.last(t); !observed.Limited || observed.RetryAfter != time.Minute || observed.Remaining[time.Minute] != 0 {
		t.Errorf("observed %+v", observed)
	}
	w.Break("currencies", "drop", 1)
	if _, err := c.Currencies(context.Background(), a); err == nil {
		t.Error("a dropped connection returns no error")
	}
	if _, observed := gate.last(t); !observed.Failed {
		t.Errorf("observed %+v", observed)
	}
}

func TestClosedGate(t *testing.T) {
	t.Parallel()
	gate := &recordingLimiter{}
	c, w := open(t, func(o *xero.Options) { o.RateLimiter = gate })
	a := w.entered(c)
	requests := len(w.sim.Kit.Requests())
	for _, closed := range []error{
		integration.RateLimited(integration.AccountingA, 40*time.Second, nil),
		integration.Unavailable(integration.AccountingA, 40*time.Second, errors.New("the provider failed repeatedly")),
	} {
		gate.closed = closed
		_, err := c.CreateBill(context.Background(), a, plainBill(), "key")
		f, ok := fault.As(err)
		if !ok || f.RetryAfter != 40*time.Second || accounting.Uncertain(err) || !errors.Is(err, accounting.ErrNotSent) {
			t.Errorf("%v becomes %v", closed, err)
		}
	}
	if n := len(w.sim.Kit.Requests()); n != requests {
		t.Errorf("%d requests were sent although the limiter refused them", n-requests)
	}
}

// TestProviderUnreachable creates a bill while the provider refuses connections, whose outcome is certain,
// and while the response times out, whose outcome is unknown.
func TestProviderUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	a := integration.Access{Token: secret.New("canary-token"), Tenant: sim.TaxedOrganization}
	c := connector(t, gone.URL, time.Minute)
	if _, err := c.CreateBill(context.Background(), a, plainBill(), "key"); accounting.Uncertain(err) || fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("connection refused: %v", err)
	}
	silent := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(slow.Close)
	t.Cleanup(func() { close(silent) })
	c = connector(t, slow.URL, 50*time.Millisecond)
	_, err := c.CreateBill(context.Background(), a, plainBill(), "key")
	if !accounting.Uncertain(err) || fault.CodeOf(err) != fault.CodeProviderUnavailable || strings.Contains(err.Error(), "canary") {
		t.Errorf("response timeout: %v", err)
	}
	c = connector(t, slow.URL, time.Minute)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.CreateBill(ctx, a, plainBill(), "key"); !accounting.Uncertain(err) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("caller's deadline exceeded: %v", err)
	}
}

func connector(t testing.TB, at string, timeout time.Duration) *xero.Connector {
	t.Helper()
	return limited(t, at, timeout, 0)
}

// limited is connector with a limit of the bytes of one response; 0 for the connector's own.
func limited(t testing.TB, at string, timeout time.Duration, most int64) *xero.Connector {
	t.Helper()
	c, err := xero.New(xero.Options{
		ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: at, LoopbackHTTP: true, Timeout: timeout, MaxBody: most,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		options xero.Options
		good    bool
	}{
		"the provider itself":       {xero.Options{ClientID: "x"}, true},
		"no client":                 {xero.Options{}, false},
		"another address":           {xero.Options{ClientID: "x", URL: "https://ledger.example"}, true},
		"no TLS":                    {xero.Options{ClientID: "x", URL: "http://ledger.example", LoopbackHTTP: true}, false},
		"this machine":              {xero.Options{ClientID: "x", URL: "http://127.0.0.1:4020", LoopbackHTTP: true}, true},
		"this machine, not allowed": {xero.Options{ClientID: "x", URL: "http://127.0.0.1:4020"}, false},
		"an address with query":     {xero.Options{ClientID: "x", URL: "https://ledger.example/?a=b"}, false},
		"an address with user":      {xero.Options{ClientID: "x", URL: "https://a:b@ledger.example"}, false},
	} {
		c, err := xero.New(tc.options)
		if (err == nil) != tc.good {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && tc.options.URL == "" && !strings.HasPrefix(c.AuthorizationURL(integration.AuthorizationRequest{}), "https://login.xero.com/identity/connect/authorize?") {
			t.Errorf("%s: consents at %s", name, c.AuthorizationURL(integration.AuthorizationRequest{}))
		}
	}
}
