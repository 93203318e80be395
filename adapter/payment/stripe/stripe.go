// Package stripe speaks to the payment processor in its own language, on
// stripe-go. What that library calls things stays in this package.
package stripe

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	sdk "github.com/stripe/stripe-go/v79"
	"github.com/stripe/stripe-go/v79/client"
)

// APIVersion is the version of the processor's interface that this package
// speaks; it sends it with every request.
const APIVersion = sdk.APIVersion

// URL is where the processor answers.
const URL = sdk.APIURL

const (
	defaultTimeout = 10 * time.Second
	maxAnswer      = 16 << 20 // bytes of one answer; a page of 100 invoices stays below 2 MB
	pageSize       = 100      // the most that the processor gives at once
)

// Options say how the processor is reached.
type Options struct {
	URL            string // "" for URL
	SecretKey      string
	WebhookSecrets []string          // one, or two while they are rotated
	Timeout        time.Duration     // of one call; 0 for ten seconds
	Transport      http.RoundTripper // nil for http.DefaultTransport
}

// Client is the payment processor: each field is one port of domain/billing.
// It never repeats a call by itself: jobs do, and a person would not wait.
type Client struct {
	Customers     Customers
	Prices        Prices
	Subscriptions Subscriptions
	Sessions      Sessions
	Charges       Charges
	Events        Events
	Webhooks      Webhooks
}

// New returns a client with its own connections and no state outside itself.
func New(o Options) (*Client, error) {
	if o.SecretKey == "" {
		return nil, errors.New("the payment processor's secret key is missing")
	}
	if o.URL == "" {
		o.URL = URL
	}
	if u, err := url.Parse(o.URL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("the payment processor's address %q is not an http or https URL", o.URL)
	}
	webhooks, err := newWebhooks(o.WebhookSecrets)
	if err != nil {
		return nil, err
	}
	backend := sdk.GetBackendWithConfig(sdk.APIBackend, &sdk.BackendConfig{
		URL:               sdk.String(o.URL),
		HTTPClient:        httpClient(o),
		LeveledLogger:     &sdk.LeveledLogger{Level: sdk.LevelNull}, // it would print bodies
		MaxNetworkRetries: sdk.Int64(0),                             // its waits ignore the context
		EnableTelemetry:   sdk.Bool(false),
	})
	api := client.New(o.SecretKey, &sdk.Backends{API: backend, Connect: backend, Uploads: backend})
	return &Client{
		Customers:     Customers{api},
		Prices:        Prices{api},
		Subscriptions: Subscriptions{api},
		Sessions:      Sessions{api},
		Charges:       Charges{api},
		Events:        Events{api},
		Webhooks:      webhooks,
	}, nil
}

func httpClient(o Options) *http.Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return &http.Client{
		Timeout:   o.Timeout,
		Transport: redactingTransport{o.Transport},
		// The interface never redirects; following one would carry our key along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redactingTransport keeps the name of this machine, which the library reads from uname,
// out of requests, and bounds answers.
type redactingTransport struct{ next http.RoundTripper }

func (d redactingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("X-Stripe-Client-User-Agent")
	resp, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = bounded{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

type bounded struct {
	io.Reader
	io.Closer
}
