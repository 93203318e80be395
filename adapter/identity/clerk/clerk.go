// Package clerk implements the ports of domain/identity for the identity provider: the tokens it
// signs, its backend API, and its webhooks. The provider's terms stay in this package.
package clerk

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// APIURL is the address of the provider's backend API.
const APIURL = "https://api.clerk.com"

const (
	defaultTimeout      = 10 * time.Second
	defaultFailureFloor = time.Second
)

// Options configure how the provider is reached and what is accepted from it.
type Options struct {
	PublishableKey    string   // names the instance: its hosts and the issuer of its tokens
	SecretKey         string   // of the backend API
	WebhookSecrets    []string // one, or two during a rotation
	ClientID          string   // the one OAuth client (interface 5.2); "" refuses every OAuth token
	AuthorizedParties []string // origins whose sessions are accepted; empty means every origin
	APIURL            string   // "" for APIURL

	// LoopbackHTTP permits the provider to be on this machine and without TLS, as a simulator is.
	// Every other address must use https.
	LoopbackHTTP bool

	Timeout   time.Duration     // of one call; 0 means ten seconds
	Transport http.RoundTripper // nil means http.DefaultTransport
	Logger    *slog.Logger      // logs failed loads of the keys; nil means none

	// FailureFloor is the minimum duration of a failed password check, so that its duration does
	// not show the reason. 0 means one second.
	FailureFloor time.Duration
	// KeysInterval is the minimum time between two loads of the keys. 0 means ten seconds.
	KeysInterval time.Duration
	// KeysRefresh is the time between two loads in the background. 0 means twenty seconds.
	KeysRefresh time.Duration
}

// Client is the identity provider: each field implements one port of domain/identity. It never
// retries a call: jobs retry, and an interactive caller would not wait.
type Client struct {
	Tokens        *Verifier
	Organizations Organizations
	Users         Users
	Passwords     Passwords
	Webhooks      Webhooks

	// Key is the publishable key, from which the hosts of /sign-in derive.
	Key PublishableKey
	// Issuer is the issuer of the provider's tokens and the address of its frontend API.
	Issuer string
}

// New returns a client. It makes no call: Run loads and refreshes the token keys.
func New(o Options) (*Client, error) {
	key, err := ParsePublishableKey(o.PublishableKey)
	if err != nil {
		return nil, err
	}
	if o.SecretKey == "" {
		return nil, errors.New("the identity provider's secret key is missing")
	}
	if o.APIURL == "" {
		o.APIURL = APIURL
	}
	if o.APIURL, _, err = httpclient.CheckAddress("the identity provider", o.APIURL, o.LoopbackHTTP); err != nil {
		return nil, err
	}
	webhooks, err := newWebhooks(o.WebhookSecrets)
	if err != nil {
		return nil, err
	}
	if o.FailureFloor <= 0 {
		o.FailureFloor = defaultFailureFloor
	}
	issuer := key.Origin(o.LoopbackHTTP)
	client := newHTTP(o)
	backend := api{client: client, url: o.APIURL, secret: secret.New(o.SecretKey)}
	users := Users{backend}
	return &Client{
		Tokens:        newVerifier(o, issuer, client),
		Organizations: Organizations{backend},
		Users:         users,
		Passwords:     Passwords{users: users, floor: o.FailureFloor},
		Webhooks:      webhooks,
		Key:           key,
		Issuer:        issuer,
	}, nil
}

// Run refreshes the token keys until the context ends.
func (c *Client) Run(ctx context.Context) { c.Tokens.keys.Run(ctx) }

// Ready reports whether tokens can be verified: the keys were loaded at least once.
func (c *Client) Ready() bool { return c.Tokens.keys.Loaded() }

// Check loads the provider's keys and makes a call that requires the secret key. The error states
// which of the two failed.
func (c *Client) Check(ctx context.Context) error {
	if err := c.Tokens.keys.Load(ctx); err != nil {
		return err
	}
	if !c.Ready() {
		return fmt.Errorf("read the keys of %s: %w", c.Issuer, c.Tokens.keys.LastError())
	}
	var any struct{}
	return c.Users.api.do(ctx, call{
		doing: "list organizations", what: "list",
		method: http.MethodGet, path: []string{"organizations"}, query: url.Values{"limit": {"1"}},
	}, &any)
}
