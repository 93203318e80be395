// Package clerk speaks to the identity provider in its own language: the
// tokens it signs, its backend API, and the webhooks it sends. What the
// provider calls things stays in this package.
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

// APIURL is where the provider's backend API answers.
const APIURL = "https://api.clerk.com"

const (
	defaultTimeout      = 10 * time.Second
	defaultFailureFloor = time.Second
)

// Options say how the provider is reached and what is accepted of it.
type Options struct {
	PublishableKey    string   // names the instance: its hosts and the issuer of its tokens
	SecretKey         string   // of the backend API
	WebhookSecrets    []string // one, or two while they are rotated
	ClientID          string   // the one OAuth client (interface 5.2); "" refuses every OAuth token
	AuthorizedParties []string // origins whose sessions are accepted; empty: those of every origin
	APIURL            string   // "" for APIURL

	// LoopbackHTTP lets the provider be on this machine and without TLS, as a
	// simulator is. Every other address must be https.
	LoopbackHTTP bool

	Timeout   time.Duration     // of one call; 0 for ten seconds
	Transport http.RoundTripper // nil for http.DefaultTransport
	Logger    *slog.Logger      // hears of keys that cannot be loaded; nil for none

	// FailureFloor is the least time that a refused password takes, so that the
	// reason cannot be told from it; 0 for one second.
	FailureFloor time.Duration
	// KeysInterval is the least time between two loads of the keys, whatever
	// is asked; 0 for ten seconds.
	KeysInterval time.Duration
	// KeysRefresh is the time between two loads in the background; 0 for
	// twenty seconds.
	KeysRefresh time.Duration
}

// Client is the identity provider: each field is one port of domain/identity.
// It never repeats a call by itself: jobs do, and a person would not wait.
type Client struct {
	Tokens        *Verifier
	Organizations Organizations
	Users         Users
	Passwords     Passwords
	Webhooks      Webhooks

	// Key is the publishable key, from which the hosts of /sign-in derive.
	Key PublishableKey
	// Issuer is what the provider's tokens state, and where its frontend API
	// answers.
	Issuer string
}

// New returns a client. It makes no call: Run loads the keys of tokens and
// keeps them fresh.
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

// Run keeps the keys of tokens fresh until the context ends.
func (c *Client) Run(ctx context.Context) { c.Tokens.keys.run(ctx) }

// Ready says whether tokens can be verified: the keys were loaded once.
func (c *Client) Ready() bool { return c.Tokens.keys.loaded() }

// Check asks the provider for its keys, and for something that only our secret
// key may read. The error says which of both failed.
func (c *Client) Check(ctx context.Context) error {
	if err := c.Tokens.keys.load(ctx); err != nil {
		return err
	}
	if !c.Ready() {
		return fmt.Errorf("read the keys of %s: %w", c.Issuer, c.Tokens.keys.lastError())
	}
	var any struct{}
	return c.Users.api.do(ctx, call{
		doing: "list organizations", what: "list",
		method: http.MethodGet, path: []string{"organizations"}, query: url.Values{"limit": {"1"}},
	}, &any)
}
