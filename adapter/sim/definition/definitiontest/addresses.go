package definitiontest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"docledger/adapter/sim/definition"
)

// Offline is a transport that sends nothing and validates every address.
type Offline struct {
	definition *definition.Definition

	mu       sync.Mutex
	origins  []string
	findings []string
}

// NewOffline returns a transport for the vendor's own addresses.
func NewOffline(t testing.TB, vendor string) *Offline {
	t.Helper()
	d, err := definition.Of(vendor)
	if err != nil {
		t.Fatal(err)
	}
	return &Offline{definition: d}
}

var errOffline = errors.New("the transport sends nothing")

// RoundTrip implements http.RoundTripper.
func (o *Offline) RoundTrip(r *http.Request) (*http.Response, error) {
	o.visit(r.Method, r.URL)
	if r.Body != nil {
		_ = r.Body.Close() // nothing reads it
	}
	return nil, errOffline
}

func (o *Offline) visit(method string, address *url.URL) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.origins = append(o.origins, address.Scheme+"://"+address.Host)
	if why := o.definition.Address(method, address); why != "" {
		o.findings = append(o.findings, why)
	}
}

// Check fails the test for an address that the definition does not have, and if
// no request was made to one of the wanted origins.
func (o *Offline) Check(t testing.TB, want ...string) {
	t.Helper()
	for _, finding := range o.findings {
		t.Error(finding)
	}
	for _, origin := range want {
		if !slices.Contains(o.origins, origin) {
			t.Errorf("no request to %s, only to %v", origin, o.origins)
		}
	}
}

// Addresses visits the address of a consent and makes calls at the vendor's own
// addresses, without sending them. The test fails for an address, a parameter or
// a scope that the vendor's definition does not have.
func Addresses(t testing.TB, o *Offline, consent string, want []string, calls ...func(context.Context) error) {
	t.Helper()
	page, err := url.Parse(consent)
	if err != nil {
		t.Fatal(err)
	}
	o.visit(http.MethodGet, page)
	w, err := definition.New(o.definition.Vendor, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Check(definition.Exchange{Method: http.MethodGet, Path: page.EscapedPath(), Query: page.Query(), Status: http.StatusFound})
	for _, finding := range w.Findings() {
		t.Error(finding)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for n, call := range calls {
		if call(ctx) == nil {
			t.Errorf("call %d succeeds without being sent", n)
		}
	}
	o.Check(t, want...)
}
