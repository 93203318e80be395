// Package msgraph connects DOCSTORE_A: it asks for consents, reads sites and
// their document libraries, follows what changes in a library and reads files
// in Microsoft Graph's own language. The ports it implements, and what their
// errors mean, stand in domain/integration and domain/docstore.
//
// A source is a site, a sub-source one of its document libraries. A library's
// feed tells first all that there is in it. Shortcuts into other libraries and
// notebooks are told and never opened.
package msgraph

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Where the provider answers.
const (
	loginURL = "https://login.microsoftonline.com"
	apiURL   = "https://graph.microsoft.com"
	// contentHosts is what the hosts of contents end with: each organization
	// has some of its own.
	contentHosts = ".sharepoint.com"
)

const (
	defaultTimeout = time.Minute
	// anyOrganization takes work accounts of every organization. Others have no
	// sites.
	anyOrganization = "organizations"
)

// DefaultScopes read sites and files, name the account, and keep the consent
// alive.
func DefaultScopes() []string {
	return []string{"openid", "profile", "offline_access", "Sites.Read.All", "Files.Read.All"}
}

// Options say how the provider is reached.
type Options struct {
	ClientID     string
	ClientSecret secret.Text
	Tenant       string   // the one organization whose accounts may consent, by id or domain; "" for any
	Scopes       []string // nil for DefaultScopes
	URL          string   // one address in place of all of the provider's; "" for those
	// ContentHosts are where contents are read from, with their ports; one that
	// begins with a dot stands for all below it. nil for URL's, or the
	// provider's.
	ContentHosts []string

	// LoopbackHTTP lets URL and contents be on this machine and without TLS, as
	// a simulator is.
	LoopbackHTTP bool

	Gate      integration.Gate    // nil for one that is open
	Limits    *integration.Limits // of one organization; nil for client.TenantLimits
	Timeout   time.Duration       // of one answer, and of each silence within a content; 0 for a minute
	Transport http.RoundTripper   // nil for http.DefaultTransport
	Now       func() time.Time    // nil for time.Now
}

// Connector is the connector of DOCSTORE_A. It holds no state.
type Connector struct {
	client *client.Client
	scopes []string
	now    func() time.Time
}

// The capabilities.
var (
	_ integration.Authorizer   = (*Connector)(nil)
	_ integration.AccountMeter = (*Connector)(nil)
	_ docstore.Browser         = (*Connector)(nil)
	_ docstore.Changes         = (*Connector)(nil)
	_ docstore.Reader          = (*Connector)(nil)
	_ docstore.Notifier        = (*Connector)(nil)
)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	if o.ClientID == "" || o.ClientSecret.Empty() {
		return nil, errors.New("the client id or secret of DOCSTORE_A is missing")
	}
	c := client.Options{
		LoginURL: loginURL, APIURL: apiURL, Tenant: anyOrganization, ClientID: o.ClientID, ClientSecret: o.ClientSecret,
		ContentHosts: []string{contentHosts}, LoopbackHTTP: o.LoopbackHTTP, HTTP: httpClient(o.Transport),
		Gate: integration.OpenGate{}, Limits: client.TenantLimits(), Timeout: defaultTimeout, Now: time.Now,
	}
	if o.URL != "" {
		at := strings.TrimSuffix(o.URL, "/")
		host, err := checkAddress(at, o.LoopbackHTTP)
		if err != nil {
			return nil, err
		}
		c.LoginURL, c.APIURL, c.ContentHosts = at, at, []string{host}
	}
	if o.ContentHosts != nil {
		c.ContentHosts = o.ContentHosts
	}
	if o.Tenant != "" {
		c.Tenant = o.Tenant
	}
	if o.Gate != nil {
		c.Gate = o.Gate
	}
	if o.Limits != nil {
		c.Limits = *o.Limits
	}
	if o.Timeout > 0 {
		c.Timeout = o.Timeout
	}
	if o.Now != nil {
		c.Now = o.Now
	}
	if o.Scopes == nil {
		o.Scopes = DefaultScopes()
	}
	return &Connector{client: client.New(c), scopes: o.Scopes, now: c.Now}, nil
}

// checkAddress accepts what may carry tokens, and returns its host.
func checkAddress(address string, loopbackHTTP bool) (host string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of DOCSTORE_A is not a URL without query")
	}
	if u.Scheme == "https" || u.Scheme == "http" && loopbackHTTP && identity.IsLoopbackHost(u.Host) {
		return strings.ToLower(u.Host), nil
	}
	return "", fmt.Errorf("the address %q of DOCSTORE_A must be https", address)
}

// httpClient follows no redirect by itself, which would carry our token along.
// Its calls have time-outs of their own.
func httpClient(t http.RoundTripper) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// MeterTenant implements integration.AccountMeter: the limits are the
// organization's.
func (c *Connector) MeterTenant(account string) string { return client.TenantOf(account) }
