// Package xero connects ACCOUNTING_A: it asks for consents, reads books and
// books bills in Xero's own language. The ports it implements, and what their
// errors mean, stand in domain/integration and domain/accounting.
//
// A bill carries the id of our invoice in its link to the source document,
// which people cannot edit there; a credit note, which has no such link, in a
// line of text. Bills that are drafts can be deleted in the ledger, so nothing
// here relies on one being there for ever.
package xero

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Where the provider answers.
const (
	authorizeURL = "https://login.xero.com"
	identityURL  = "https://identity.xero.com"
	apiURL       = "https://api.xero.com"
	webURL       = "https://go.xero.com"
)

const defaultTimeout = 30 * time.Second

// DefaultScopes are what docledger needs: who consents, access while nobody is
// there, and the books. An application from before March 2026 asks for
// accounting.transactions in place of accounting.invoices.
func DefaultScopes() []string {
	return []string{
		"openid", "profile", "email", "offline_access", "accounting.settings.read", "accounting.contacts",
		"accounting.invoices", "accounting.attachments",
	}
}

// Options say how the provider is reached.
type Options struct {
	ClientID     string
	ClientSecret secret.Text // empty for an application that has PKCE in its place
	Scopes       []string    // none for DefaultScopes
	URL          string      // one address in place of all of the provider's; "" for those

	// LoopbackHTTP lets URL be on this machine and without TLS, as a simulator
	// is.
	LoopbackHTTP bool

	Gate      integration.Gate    // nil for one that is open
	Limits    *integration.Limits // of one tenant; nil for those of the provider
	Timeout   time.Duration       // of one request; 0 for thirty seconds
	Transport http.RoundTripper   // nil for http.DefaultTransport
	Now       func() time.Time    // nil for time.Now
}

// Connector is the connector of ACCOUNTING_A. It holds no state.
type Connector struct {
	client *client.Client
	scopes []string
	web    string // where people see the ledger; "" where they cannot
}

// The capabilities.
var (
	_ integration.Authorizer         = (*Connector)(nil)
	_ integration.TenantDisconnector = (*Connector)(nil)
	_ integration.RevocationReach    = (*Connector)(nil)
	_ accounting.OrganizationReader  = (*Connector)(nil)
	_ accounting.AccountReader       = (*Connector)(nil)
	_ accounting.ContactReader       = (*Connector)(nil)
	_ accounting.TaxRateReader       = (*Connector)(nil)
	_ accounting.CurrencyReader      = (*Connector)(nil)
	_ accounting.Booker              = (*Connector)(nil)
	_ accounting.ContactCreator      = (*Connector)(nil)
	_ accounting.Attacher            = (*Connector)(nil)
)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	if o.ClientID == "" {
		return nil, errors.New("the client id of ACCOUNTING_A is missing")
	}
	c := client.Options{
		AuthorizeURL: authorizeURL, IdentityURL: identityURL, APIURL: apiURL,
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, HTTP: httpClient(o), Gate: o.Gate, Limits: client.TenantLimits(), Now: o.Now,
	}
	web := webURL
	if o.URL != "" {
		at := strings.TrimSuffix(o.URL, "/")
		if err := checkAddress(at, o.LoopbackHTTP); err != nil {
			return nil, err
		}
		c.AuthorizeURL, c.IdentityURL, c.APIURL, web = at, at, at, ""
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
	if len(o.Scopes) == 0 {
		o.Scopes = DefaultScopes()
	}
	return &Connector{client: client.New(c), scopes: o.Scopes, web: web}, nil
}

// checkAddress accepts what may carry tokens.
func checkAddress(address string, loopbackHTTP bool) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("the address %q of ACCOUNTING_A is not a URL without query", address)
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopbackHTTP && identity.IsLoopbackHost(u.Host) {
		return nil
	}
	return fmt.Errorf("the address %q of ACCOUNTING_A must be https", address)
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

// tenant is the access to a tenant's books; what is no tenant's id reaches
// none, and is not sent.
func tenant(a integration.Access) (client.Access, error) {
	if !client.IsID(a.Tenant) {
		return client.Access{}, integration.TenantGone(client.Provider, errors.New("the tenant's id is none"))
	}
	return client.Access{Token: a.Token, Tenant: a.Tenant, Background: a.Background}, nil
}
