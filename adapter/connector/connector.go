// Package connector is what the connectors of all providers share: the options
// that they take, the way from a call to the HTTP client and the rate limiter,
// consents over OAuth, and the meaning of refusals that every provider has.
package connector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// Options say how a connector reaches its provider.
type Options struct {
	ClientID     string
	ClientSecret secret.Text
	Scopes       []string          // nil for those of the descriptor
	Settings     map[string]string // those of the descriptor, by name; a missing one is ""
	URL          string            // one address instead of all of the provider's; "" for those

	// LoopbackHTTP allows URL to be on this machine and without TLS, as a
	// simulator is.
	LoopbackHTTP bool
	// ContentHosts are the hosts that contents are read from, with their ports;
	// one that begins with a dot includes all hosts below it. nil for URL's, or
	// the provider's.
	ContentHosts []string

	RateLimiter integration.RateLimiter // nil for none
	Limits      *integration.Limits     // of one tenant; nil for those of the descriptor
	Timeout     time.Duration           // 0 for the connector's own; see httpclient.Options
	MaxBody     int64                   // bytes of one response; 0 for the connector's own
	Transport   http.RoundTripper       // nil for http.DefaultTransport
	Now         func() time.Time        // nil for time.Now
	Log         *slog.Logger            // nil for none
}

// Registration is one provider with its connector.
type Registration struct {
	integration.Descriptor
	New func(Options) (integration.Authorizer, error)
}

// Link is the way from a connector to its provider.
type Link struct {
	*httpclient.Client
	Options
	Provider integration.Provider
	// Overridden reports whether URL takes the place of the provider's addresses.
	Overridden bool
	// Host is the host of URL; "" where it is not overridden.
	Host string
}

// Open checks the options against the descriptor and completes them. It makes no
// call. own configures the HTTP client; the options complete it.
func Open(d integration.Descriptor, o Options, own httpclient.Options) (*Link, error) {
	if o.ClientID == "" || o.ClientSecret.Empty() && !d.PublicClient {
		return nil, fmt.Errorf("the client id or secret of %s is missing", d.Code)
	}
	l := &Link{Provider: d.Code}
	if o.URL != "" {
		var err error
		if o.URL, l.Host, err = httpclient.CheckAddress(string(d.Code), o.URL, o.LoopbackHTTP); err != nil {
			return nil, err
		}
		l.Overridden = true
	}
	if len(o.Scopes) == 0 {
		o.Scopes = d.Scopes
	}
	if o.RateLimiter == nil {
		o.RateLimiter = integration.Unlimited{}
	}
	if o.Limits == nil {
		o.Limits = &d.Limits
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Timeout > 0 {
		own.Timeout = o.Timeout
	}
	if o.MaxBody > 0 {
		own.MaxBody = o.MaxBody
	}
	own.Name, own.Transport, own.Log = string(d.Code), o.Transport, o.Log
	l.Client, l.Options = httpclient.New(own), o
	return l, nil
}

// At returns the address that takes the place of one of the provider's own.
func (l *Link) At(own string) string {
	if l.Overridden {
		return l.URL
	}
	return own
}

// Admit asks the rate limiter before a call. Limits are those of the tenant
// unless the call has others.
func (l *Link) Admit(tenant string, background bool, limits integration.Limits) httpclient.Admit {
	return func(ctx context.Context) (func(httpclient.Outcome), error) {
		leave, err := l.RateLimiter.Enter(ctx, integration.Call{Provider: l.Provider, Tenant: tenant, Background: background, Limits: limits})
		if err != nil {
			return nil, err
		}
		return func(o httpclient.Outcome) { leave(integration.Observation(o)) }, nil
	}
}

// OAuth returns the OAuth client of the link. Token endpoints have no documented
// limits.
func (l *Link) OAuth(authorizeURL, tokenURL string) httpclient.OAuth {
	return httpclient.OAuth{
		Client: l.Client, Admit: l.Admit("", false, integration.Limits{}), ClientID: l.ClientID, ClientSecret: l.ClientSecret,
		AuthorizeURL: authorizeURL, TokenURL: tokenURL, Now: l.Now,
	}
}

// ErrNoSuchID is the cause of a fault for an id that the provider cannot have.
var ErrNoSuchID = errors.New("the id does not have the form of the provider's ids")

// Register joins a descriptor with the function that makes its connector.
func Register[C integration.Authorizer](d integration.Descriptor, create func(Options) (C, error)) Registration {
	return Registration{Descriptor: d, New: func(o Options) (integration.Authorizer, error) {
		c, err := create(o)
		if err != nil {
			return nil, err // not a typed nil
		}
		return c, nil
	}}
}

// Distinct removes elements without an id, and those with an id of an earlier element, which occur if elements move
// between pages.
func Distinct[T any](list []T, id func(T) string) []T {
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(list, func(x T) bool {
		again := seen[id(x)]
		seen[id(x)] = true
		return again
	})
}
