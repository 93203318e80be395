// Package stripe implements the ports of domain/billing for the payment processor with stripe-go.
// The library's types and terms stay in this package.
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

// APIVersion is the API version that this package sends with every request.
const APIVersion = sdk.APIVersion

// URL is the address of the processor's API.
const URL = sdk.APIURL

const (
	defaultTimeout = 10 * time.Second
	maxAnswer      = 16 << 20 // bytes of one response; a page of 100 invoices stays below 2 MB
	pageSize       = 100      // the processor's maximum per page
)

// Options configure how the processor is reached.
type Options struct {
	URL            string // "" for URL
	SecretKey      string
	WebhookSecrets []string          // one, or two during a rotation
	Timeout        time.Duration     // of one call; 0 means ten seconds
	Transport      http.RoundTripper // nil means http.DefaultTransport
}

// Client is the payment processor: each field implements one port of domain/billing. It never
// retries a call: jobs retry, and an interactive caller would not wait.
type Client struct {
	Customers     Customers
	Prices        Prices
	Subscriptions Subscriptions
	Sessions      Sessions
	Charges       Charges
	Events        Events
	Webhooks      Webhooks
}

// New returns a client with its own connections and no other state.
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
		LeveledLogger:     &sdk.LeveledLogger{Level: sdk.LevelNull}, // its logs would contain bodies
		MaxNetworkRetries: sdk.Int64(0),                             // its delays ignore the context
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
		// The API never redirects. Following a redirect would send the secret key along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redactingTransport removes the machine name, which the library reads from uname, from requests,
// and limits the size of responses.
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
