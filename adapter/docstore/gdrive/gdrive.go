// Package gdrive is the connector of DOCSTORE_B. It asks for consents, lists
// folders, reads their changes and reads files in Google Drive's own language.
// domain/integration and domain/docstore define the ports and the meaning of
// their errors.
//
// A source is a top folder of the account's own files, a folder that was shared
// with it, or a shared drive. A sub-source is a folder directly in a source. The
// feed reports changes anywhere in the account or in the shared drive, so the
// connector lists what lies in folders. It reports shortcuts and never follows
// them. It reads documents of the provider's own types as PDF.
package gdrive

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"docledger/adapter/connector"
	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Provider is the neutral code of the provider.
const Provider = integration.DocstoreB

// The provider's addresses.
const (
	authorizeURL = "https://accounts.google.com"
	tokenURL     = "https://oauth2.googleapis.com"
	apiURL       = "https://www.googleapis.com"
)

// Descriptor describes the provider. It counts units, at most 325,000 in a
// minute. The most expensive call, a download, costs 200.
func Descriptor() integration.Descriptor {
	return integration.Descriptor{
		Code: Provider, Scopes: []string{"openid", client.ReadScope},
		ReconnectHint:       "If this happens 7 days after each consent, the application is in testing mode at the provider; the operator must publish it there.",
		NotificationsRemedy: "The operator verifies the domain of the notification address for the project at the provider. Nothing has to be done if polling is fast enough.",
		Limits:              integration.Limits{Windows: []integration.Window{{Length: time.Minute, Max: 1500}}},
	}
}

// Options configure how the connector reaches the provider.
type Options = connector.Options

// Connector is the connector of DOCSTORE_B. It holds no state.
type Connector struct {
	*connector.Consents
	client *client.Client
}

// These are the implemented capabilities.
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
	l, err := connector.Open(Descriptor(), o, client.HTTP())
	if err != nil {
		return nil, err
	}
	tokens := l.At(tokenURL)
	return &Connector{client: client.New(l, l.At(apiURL)), Consents: &connector.Consents{
		Link: l, OAuth: l.OAuth(l.At(authorizeURL)+"/o/oauth2/v2/auth", tokens+"/token"), Ended: []string{"invalid_grant"},
		// Without both parameters the provider issues no refresh token.
		Parameters: url.Values{"access_type": {"offline"}, "prompt": {"consent"}},
		Identify: func(_ integration.Callback, t httpclient.Token) (integration.Consent, error) {
			return identify(l.ClientID, t)
		},
		// The provider refuses an expired token in the same way as an unknown one.
		RevokeURL: tokens + "/revoke",
	}}, nil
}

// identify names the account, which the id token for this application states.
// People can deselect scopes on the consent page, so what was granted is checked.
func identify(clientID string, t httpclient.Token) (integration.Consent, error) {
	const longest = 255 // characters of the id token's sub
	if t.Scopes != nil && !slices.Contains(t.Scopes, client.ReadScope) && !slices.Contains(t.Scopes, client.FullScope) {
		return integration.Consent{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The permission to read files was not granted at %s. Connect the integration again and leave every permission ticked.", Provider)
	}
	var claims struct {
		Subject  string `json:"sub"`
		Audience string `json:"aud"`
	}
	if !httpclient.Claims(t.IDToken, &claims) || claims.Audience != clientID || claims.Subject == "" || len(claims.Subject) > longest || t.Refresh.Empty() {
		return integration.Consent{}, errors.New("the response names no account or has no refresh token")
	}
	return integration.Consent{Account: claims.Subject}, nil
}

// RevokesAccount implements integration.RevocationReach.
func (*Connector) RevokesAccount() bool { return true }

// MeterTenant implements integration.AccountMeter: the limits are the person's.
func (*Connector) MeterTenant(account string) string { return account }

// translate returns the fault of the ports for a failed call; what names the
// requested thing.
func translate(what string, err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil || f.Limited:
	case f.Status == http.StatusForbidden && f.Has(client.ReasonNotConfigured):
		return connector.Refuse(fault.Upstream, fault.CodeProviderSetup, f,
			"%s is not enabled for this service's client id. The operator must enable its file interface there.", Provider)
	case f.Status == http.StatusForbidden:
		return connector.Annotate(docstore.Denied(Provider, f), f)
	case f.Status == http.StatusNotFound:
		return notFound(what, f)
	}
	return connector.Translate(Provider, err)
}

func notFound(what string, cause error) error { return connector.NotFound(Provider, what, cause) }
