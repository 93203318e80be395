// Package stripe implements the ports of domain/billing for the payment processor with stripe-go.
// The library's types and terms stay in this package.
package stripe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/infrastructure/httpclient"

	sdk "github.com/stripe/stripe-go/v79"
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
	Log            *slog.Logger      // of refused calls; nil means none
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
	Setup         Setup
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
	api := newResources(backend, o.SecretKey)
	go prepare()
	return &Client{
		Customers:     Customers{api},
		Prices:        Prices{api},
		Subscriptions: Subscriptions{api},
		Sessions:      Sessions{api},
		Charges:       Charges{api},
		Events:        Events{api},
		Webhooks:      webhooks,
		Setup:         Setup{api},
	}, nil
}

func httpClient(o Options) *http.Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	return &http.Client{
		Timeout:   o.Timeout,
		Transport: redactingTransport{o.Transport, o.Log},
		// The API never redirects. Following a redirect would send the secret key along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// redactingTransport removes the machine name, which the library reads from uname, from requests,
// and limits the size of responses.
type redactingTransport struct {
	next http.RoundTripper
	log  *slog.Logger
}

func (d redactingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("X-Stripe-Client-User-Agent")
	resp, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = bounded{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	if resp.StatusCode >= http.StatusBadRequest {
		d.logRefusal(r, resp)
	}
	return resp, nil
}

// logRefusal logs the processor's code, message and request id. The message of a refused key is not
// logged, because it contains a part of the key.
func (d redactingTransport) logRefusal(r *http.Request, resp *http.Response) {
	body, err := io.ReadAll(resp.Body)
	rest := io.Reader(bytes.NewReader(body))
	if err != nil {
		rest = io.MultiReader(rest, failing{err})
	}
	resp.Body = bounded{rest, resp.Body}
	var refused struct {
		Error struct{ Type, Code, Message string }
	}
	_ = json.Unmarshal(body, &refused) // another format has no message
	f := &httpclient.Failure{Operation: r.Method + " " + operation(r.URL.Path), Status: resp.StatusCode, Kind: refused.Error.Type}
	f.AddCode(refused.Error.Code)
	if resp.StatusCode != http.StatusUnauthorized {
		f.AddMessage(refused.Error.Message)
	}
	f.SetRequestID(resp.Header.Get("Request-Id"))
	httpclient.LogRefusal(r.Context(), d.log, "payments", f)
}

// operation returns a path without the ids of objects.
func operation(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if prefix, _, isID := strings.Cut(part, "_"); isID && strings.ContainsAny(part, "0123456789") {
			parts[i] = prefix
		}
	}
	return strings.Join(parts, "/")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type bounded struct {
	io.Reader
	io.Closer
}
