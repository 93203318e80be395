// Package quickbooks connects ACCOUNTING_B: it asks for consents, reads books
// and books bills in QuickBooks Online's own language. The ports it implements,
// and what their errors mean, stand in domain/integration and
// domain/accounting.
//
// A consent is for one company. A bill carries the id of our invoice in its
// note; the ledger has no drafts, computes tax itself, and forgets what is
// deleted there, which then reads as something that it does not know.
package quickbooks

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/accounting"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Where the provider answers.
const (
	authorizeURL = "https://appcenter.intuit.com"
	tokenURL     = "https://oauth.platform.intuit.com"
	revokeURL    = "https://developer.api.intuit.com"
	apiURL       = "https://quickbooks.api.intuit.com"
	webURL       = "https://qbo.intuit.com"
)

const defaultTimeout = 60 * time.Second // the provider itself gives up after 120

// DefaultScopes are the books, and an id token, which proves the company that
// a browser names.
func DefaultScopes() []string { return []string{client.AccountingScope, "openid"} }

// Options say how the provider is reached.
type Options struct {
	ClientID     string
	ClientSecret secret.Text
	Scopes       []string // nil for DefaultScopes
	URL          string   // one address in place of all of the provider's; "" for those

	// LoopbackHTTP lets URL be on this machine and without TLS, as a simulator
	// is.
	LoopbackHTTP bool

	Gate      integration.Gate    // nil for one that is open
	Limits    *integration.Limits // of one company; nil for those of the provider
	Timeout   time.Duration       // of one request; 0 for a minute
	Transport http.RoundTripper   // nil for http.DefaultTransport
	Now       func() time.Time    // nil for time.Now
}

// Connector is the connector of ACCOUNTING_B. It holds no state.
type Connector struct {
	client *client.Client
	scopes []string
	web    string // where people see the ledger; "" where they cannot
}

// The capabilities.
var (
	_ integration.Authorizer        = (*Connector)(nil)
	_ integration.RevocationReach   = (*Connector)(nil)
	_ accounting.OrganizationReader = (*Connector)(nil)
	_ accounting.AccountReader      = (*Connector)(nil)
	_ accounting.ContactReader      = (*Connector)(nil)
	_ accounting.TaxRateReader      = (*Connector)(nil)
	_ accounting.CurrencyReader     = (*Connector)(nil)
	_ accounting.Booker             = (*Connector)(nil)
	_ accounting.ContactCreator     = (*Connector)(nil)
	_ accounting.Attacher           = (*Connector)(nil)
)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	if o.ClientID == "" || o.ClientSecret.Empty() {
		return nil, errors.New("the client id or secret of ACCOUNTING_B is missing")
	}
	c := client.Options{
		AuthorizeURL: authorizeURL, TokenURL: tokenURL, RevokeURL: revokeURL, APIURL: apiURL,
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, HTTP: httpClient(o), Gate: o.Gate, Limits: client.CompanyLimits(), Now: o.Now,
	}
	web := webURL
	if o.URL != "" {
		at := strings.TrimSuffix(o.URL, "/")
		if err := checkAddress(at, o.LoopbackHTTP); err != nil {
			return nil, err
		}
		c.AuthorizeURL, c.TokenURL, c.RevokeURL, c.APIURL, web = at, at, at, at, ""
	}
	if o.Limits != nil {
		c.Limits = *o.Limits
	}
	if c.Gate == nil {
		c.Gate = integration.OpenGate{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if o.Scopes == nil {
		o.Scopes = DefaultScopes()
	}
	return &Connector{client: client.New(c), scopes: o.Scopes, web: web}, nil
}

// checkAddress accepts what may carry tokens.
func checkAddress(address string, loopbackHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the address of ACCOUNTING_B is not a URL without query")
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopbackHTTP && identity.IsLoopbackHost(u.Host) {
		return nil
	}
	return fmt.Errorf("the address %q of ACCOUNTING_B must be https", address)
}

func httpClient(o Options) *http.Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &http.Client{
		Timeout:   o.Timeout,
		Transport: o.Transport,
		// The interface never redirects; following one would carry our token along.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// company is the access to a company's books; what is no company's id reaches
// none, and is not sent.
func company(a integration.Access) (client.Access, error) {
	if !client.IsID(a.Tenant) {
		return client.Access{}, integration.TenantGone(client.Provider, errors.New("the company's id is none"))
	}
	return client.Access{Token: a.Token, Realm: a.Tenant, Background: a.Background}, nil
}
