// Package gdrive connects DOCSTORE_B: it asks for consents, reads folders,
// follows their changes and reads files in Google Drive's own language. The
// ports it implements, and what their errors mean, stand in domain/integration
// and domain/docstore.
//
// A source is a folder at the top of the account's own files, one that was
// shared with it, or a shared drive; a sub-source is a folder directly in it.
// The feed tells what happens anywhere in the account, or in the shared drive,
// so that what lies in folders is listed. Shortcuts are told and never
// followed. Documents of the provider's own types are read as PDF.
package gdrive

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Where the provider answers.
const (
	authorizeURL = "https://accounts.google.com"
	tokenURL     = "https://oauth2.googleapis.com"
	apiURL       = "https://www.googleapis.com"
)

const defaultTimeout = time.Minute

// DefaultScopes read files, and name the account.
func DefaultScopes() []string { return []string{"openid", client.ReadScope} }

// Options say how the provider is reached.
type Options struct {
	ClientID     string
	ClientSecret secret.Text
	Scopes       []string // nil for DefaultScopes
	URL          string   // one address in place of all of the provider's; "" for those

	// LoopbackHTTP lets URL be on this machine and without TLS, as a simulator
	// is.
	LoopbackHTTP bool

	Gate      integration.Gate  // nil for one that is open
	Timeout   time.Duration     // of one answer, and of each silence within a content; 0 for a minute
	Transport http.RoundTripper // nil for http.DefaultTransport
	Now       func() time.Time  // nil for time.Now
}

// Connector is the connector of DOCSTORE_B. It holds no state.
type Connector struct {
	client *client.Client
	scopes []string
	now    func() time.Time
}

// The capabilities.
var (
	_ integration.Authorizer      = (*Connector)(nil)
	_ integration.RevocationReach = (*Connector)(nil)
	_ integration.AccountMeter    = (*Connector)(nil)
	_ docstore.Browser            = (*Connector)(nil)
	_ docstore.Changes            = (*Connector)(nil)
	_ docstore.Lister             = (*Connector)(nil)
	_ docstore.Reader             = (*Connector)(nil)
	_ docstore.Notifier           = (*Connector)(nil)
)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	if o.ClientID == "" || o.ClientSecret.Empty() {
		return nil, errors.New("the client id or secret of DOCSTORE_B is missing")
	}
	c := client.Options{
		AuthorizeURL: authorizeURL, TokenURL: tokenURL, APIURL: apiURL, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		HTTP: httpClient(o.Transport), Gate: o.Gate, Timeout: o.Timeout, Now: o.Now,
	}
	if o.URL != "" {
		at := strings.TrimSuffix(o.URL, "/")
		if err := checkAddress(at, o.LoopbackHTTP); err != nil {
			return nil, err
		}
		c.AuthorizeURL, c.TokenURL, c.APIURL = at, at, at
	}
	if c.Gate == nil {
		c.Gate = integration.OpenGate{}
	}
	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if o.Scopes == nil {
		o.Scopes = DefaultScopes()
	}
	return &Connector{client: client.New(c), scopes: o.Scopes, now: c.Now}, nil
}

// checkAddress accepts what may carry tokens.
func checkAddress(address string, loopbackHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the address of DOCSTORE_B is not a URL without query")
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopbackHTTP && identity.IsLoopbackHost(u.Host) {
		return nil
	}
	return fmt.Errorf("the address %q of DOCSTORE_B must be https", address)
}

// httpClient follows no redirect, which would carry our token along; the
// interface makes none. Its calls have time-outs of their own.
func httpClient(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// MeterTenant implements integration.AccountMeter: the limits are the person's.
func (c *Connector) MeterTenant(account string) string { return account }
