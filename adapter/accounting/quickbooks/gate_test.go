package quickbooks_test

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

	"docledger/adapter/accounting/quickbooks"
	sim "docledger/adapter/sim/quickbooks"
	"docledger/domain/accounting"
	"docledger/domain/accounting/accountingtest"
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

// entered consents to a company.
func (w *fixture) entered(c *quickbooks.Connector, company string) integration.Access {
	w.t.Helper()
	q := w.Consent(c.AuthorizationURL(integration.AuthorizationRequest{State: "s", RedirectURI: accountingtest.RedirectURI}), company)
	consent, err := c.Exchange(context.Background(), integration.Callback{Code: q.Get("code"), RedirectURI: accountingtest.RedirectURI, Query: q})
	w.must(err)
	return integration.Access{Token: consent.Tokens.Access, Account: consent.Account, Event: consent.Event, Tenant: company}
}

func TestEveryRequestPassesTheGate(t *testing.T) {
	t.Parallel()
	gate := &recordingLimiter{}
	c, w := open(t, func(o *quickbooks.Options) { o.RateLimiter = gate })
	a := w.entered(c, sim.VATCompany)
	if call, _ := gate.last(t); call.Tenant != "" || call.Provider != integration.AccountingB {
		t.Errorf("the code: %+v", call)
	}
	w.must(w.sim.Seed(a.Tenant, "Vendor", 2500))
	before := len(gate.calls)
	a.Background = true
	if list, err := c.Contacts(context.Background(), a); err != nil || len(list) != 2505 {
		t.Fatalf("%d contacts, %v", len(list), err)
	}
	if pages := len(gate.calls) - before; pages != 3 {
		t.Errorf("%d requests were admitted, want one for each of three pages", pages)
	}
	call, observed := gate.last(t)
	if limits := fmt.Sprint(call.Limits); call.Tenant != a.Tenant || !call.Background || limits != "{0 [{1s 10} {1m0s 500}]}" {
		t.Errorf("admitted as %+v", call)
	}
	if observed.Limited || observed.Failed {
		t.Errorf("observed %+v", observed)
	}
	w.sim.SetLimits(func(l *sim.Limits) { l.Minute = 3 })
	_, err := c.Currencies(context.Background(), a)
	if f, ok := fault.As(err); !ok || !errors.Is(err, integration.ErrRateLimited) || f.RetryAfter != time.Minute {
		t.Errorf("one call above the limit: %v", err)
	}
	if _, observed := gate.last(t); !observed.Limited || observed.RetryAfter != time.Minute {
		t.Errorf("observed %+v", observed)
	}
	w.Break(accountingtest.ListCurrencies, accountingtest.Dropped, 1)
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
	c, w := open(t, func(o *quickbooks.Options) { o.RateLimiter = gate })
	a := w.entered(c, sim.VATCompany)
	requests := len(w.sim.Kit.Requests())
	mixed := plainBill()
	mixed.Lines = append(mixed.Lines, mixed.Lines[0])
	mixed.Lines[0].TaxRate = "2"
	for _, closed := range []error{
		integration.RateLimited(integration.AccountingB, 40*time.Second, nil),
		integration.Unavailable(integration.AccountingB, 40*time.Second, errors.New("the provider failed repeatedly")),
	} {
		gate.closed = closed
		for _, b := range []accounting.Bill{plainBill(), mixed} {
			_, err := c.CreateBill(context.Background(), a, b, "key")
			f, ok := fault.As(err)
			if !ok || f.RetryAfter != 40*time.Second || accounting.Uncertain(err) || !errors.Is(err, accounting.ErrNotSent) {
				t.Errorf("%v becomes %v", closed, err)
			}
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
	a := integration.Access{Token: secret.New("canary-token"), Tenant: sim.VATCompany}
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

func connector(t testing.TB, at string, timeout time.Duration) *quickbooks.Connector {
	t.Helper()
	return limited(t, at, timeout, 0)
}

// limited is connector with a limit of the bytes of one response; 0 for the connector's own.
func limited(t testing.TB, at string, timeout time.Duration, most int64) *quickbooks.Connector {
	t.Helper()
	c, err := quickbooks.New(quickbooks.Options{
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
		id, url  string
		loopback bool
		good     bool
	}{
		"the provider itself":       {"x", "", false, true},
		"no client":                 {"", "", false, false},
		"another address":           {"x", "https://ledger.example", false, true},
		"no TLS":                    {"x", "http://ledger.example", true, false},
		"this machine":              {"x", "http://127.0.0.1:4020", true, true},
		"this machine, not allowed": {"x", "http://127.0.0.1:4020", false, false},
		"an address with query":     {"x", "https://ledger.example/?a=b", false, false},
		"an address with user":      {"x", "https://a:canary@ledger.example", false, false},
	} {
		c, err := quickbooks.New(quickbooks.Options{ClientID: tc.id, ClientSecret: secret.New("s"), URL: tc.url, LoopbackHTTP: tc.loopback})
		if (err == nil) != tc.good || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && tc.url == "" && !strings.HasPrefix(c.AuthorizationURL(integration.AuthorizationRequest{}), "https://appcenter.intuit.com/connect/oauth2?") {
			t.Errorf("%s: consents at %s", name, c.AuthorizationURL(integration.AuthorizationRequest{}))
		}
	}
	if _, err := quickbooks.New(quickbooks.Options{ClientID: "x"}); err == nil {
		t.Error("New accepts options without a secret")
	}
}
