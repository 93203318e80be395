// Package msgraph is the connector of DOCSTORE_A. It asks for consents, lists
// sites and their document libraries, reads the changes of a library and reads
// files in Microsoft Graph's own language. domain/integration and domain/docstore
// define the ports and the meaning of their errors.
//
// A source is a site, a sub-source one of its document libraries. The feed of a
// library first reports everything in it. The connector reports shortcuts into
// other libraries and notebooks, and never opens them.
package msgraph

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Provider is the neutral code of the provider.
const Provider = integration.DocstoreA

// The provider's addresses.
const (
	loginURL = "https://login.microsoftonline.com"
	apiURL   = "https://graph.microsoft.com"
	// contentHosts is the suffix of the hosts that serve contents: each organization has its own
	// host.
	contentHosts = ".sharepoint.com"
)

// SettingTenant is the setting of the only organization whose accounts may consent.
const SettingTenant = "TENANT"

// anyOrganization accepts work accounts of every organization. Other accounts
// have no sites.
const anyOrganization = "organizations"

// Descriptor describes the provider. It allows one application 1,200 units in a
// minute in one organization; most calls cost one unit, lists two.
func Descriptor() integration.Descriptor {
	return integration.Descriptor{
		Code: Provider, Scopes: []string{"openid", "profile", "offline_access", "Sites.Read.All", "Files.Read.All"},
		Settings: []integration.Setting{{
			Name: SettingTenant, Meaning: "the one organization whose accounts may consent, by its id or domain; empty: any",
		}},
		NotificationsRemedy: "Nothing has to be done if polling is fast enough. Otherwise the operator configures the scope Files.ReadWrite.All, " +
			"an administrator grants it, and a person connects the integration again. docledger still only reads.",
		Limits:          integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: 1000}}},
		CaseInsensitive: true,
	}
}

// Options configure how the connector reaches the provider.
type Options = connector.Options

// Connector is the connector of DOCSTORE_A. It holds no state.
type Connector struct {
	*connector.Consents
	client *client.Client
}

// These are the implemented capabilities.
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
	l, err := connector.Open(Descriptor(), o, client.HTTP())
	if err != nil {
		return nil, err
	}
	hosts := l.ContentHosts
	switch {
	case hosts == nil && l.Overridden:
		hosts = []string{l.Host}
	case hosts == nil:
		hosts = []string{contentHosts}
	}
	tenant := l.Settings[SettingTenant]
	if tenant == "" {
		tenant = anyOrganization
	}
	login := httpclient.Join(l.At(loginURL), tenant, "oauth2", "v2.0")
	return &Connector{client: client.New(l, l.At(apiURL), hosts), Consents: &connector.Consents{
		Link: l, OAuth: l.OAuth(login+"/authorize", login+"/token"),
		// The person selects the account, so that connecting with another one is
		// possible.
		Parameters: url.Values{"response_mode": {"query"}, "prompt": {"select_account"}},
		Ended:      []string{"invalid_grant", "interaction_required", "consent_required", "login_required"},
		ScopeName:  func(scope string) string { return scope[strings.LastIndex(scope, "/")+1:] },
		Identify: func(_ integration.Callback, t httpclient.Token) (integration.Consent, error) {
			return identify(l.ClientID, t)
		},
		// The provider has no revocation by applications: people withdraw the
		// consent there.
	}}, nil
}

// identify names the account, which the id token for this application states. An
// organization's rules may leave permissions out, so what was granted is checked.
func identify(clientID string, t httpclient.Token) (integration.Consent, error) {
	const longest = 64 // characters; both are UUIDs
	if t.Scopes != nil && !slices.ContainsFunc(t.Scopes, readsSites) {
		return integration.Consent{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The permission to read sites was not granted at %s. Have an administrator grant it there, then connect the integration again.", Provider).
			WithCause(integration.ErrAdminRequired)
	}
	var claims struct {
		Tenant   string `json:"tid"`
		Person   string `json:"oid"`
		Audience string `json:"aud"`
	}
	if !httpclient.Claims(t.IDToken, &claims) || claims.Audience != clientID || t.Refresh.Empty() ||
		!client.IsID(claims.Tenant) || !client.IsID(claims.Person) || len(claims.Tenant) > longest || len(claims.Person) > longest {
		return integration.Consent{}, errors.New("the response names no account or has no refresh token")
	}
	return integration.Consent{Account: client.Account(claims.Tenant, claims.Person)}, nil
}

// readsSites reports whether a scope permits reading sites. Scopes that permit
// more include it.
func readsSites(scope string) bool {
	return strings.HasPrefix(strings.ToLower(scope[strings.LastIndex(scope, "/")+1:]), "sites.")
}

// MeterTenant implements integration.AccountMeter: the limits are the
// organization's.
func (*Connector) MeterTenant(account string) string { return client.TenantOf(account) }

// translate returns the fault of the ports for a failed call; what names the
// requested thing.
func translate(what string, err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil || f.Limited:
	case f.Status == http.StatusForbidden:
		return connector.Annotate(docstore.Denied(Provider, f), f)
	case f.Status == http.StatusNotFound, f.Status == http.StatusGone:
		return notFound(what, f)
	}
	return connector.Translate(Provider, err)
}

func notFound(what string, cause error) error { return connector.NotFound(Provider, what, cause) }
