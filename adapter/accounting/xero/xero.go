// Package xero is the connector of ACCOUNTING_A. It asks for consents, reads the
// ledger and creates bills in Xero's own language. domain/integration and
// domain/accounting define the ports and the meaning of their errors.
//
// A bill carries the id of docledger's invoice in its link to the source
// document, which people cannot edit there. A credit note has no such link and
// carries the id in a line of text. People can delete drafts in the ledger, so
// the connector never relies on a bill to exist.
package xero

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"docledger/adapter/accounting/xero/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Provider is the neutral code of the provider.
const Provider = integration.AccountingA

// These are the provider's addresses.
const (
	authorizeURL = "https://login.xero.com"
	identityURL  = "https://identity.xero.com"
	apiURL       = "https://api.xero.com"
	webURL       = "https://go.xero.com"
)

// Descriptor describes the provider. An application that was registered before
// March 2026 needs the scope accounting.transactions instead of
// accounting.invoices.
func Descriptor() integration.Descriptor {
	return integration.Descriptor{
		Code: Provider, PublicClient: true, AttachmentScope: "accounting.attachments",
		Scopes: []string{
			"openid", "profile", "email", "offline_access", "accounting.settings.read", "accounting.contacts",
			"accounting.invoices", "accounting.attachments",
		},
		Limits: integration.Limits{
			Concurrent: 5,
			Windows:    []integration.Window{{Length: time.Minute, Max: 60}, {Length: 24 * time.Hour, Max: 5000}},
		},
		AccountTypes: accounting.TypesA(),
		AccountClass: func(accountType string) (string, bool) {
			class, known := accounting.ClassOfA(accountType)
			return string(class), known
		},
	}
}

// Options configure how the connector reaches the provider.
type Options = connector.Options

// Connector is the connector of ACCOUNTING_A. It holds no state.
type Connector struct {
	*connector.Consents
	client *client.Client
	web    string // the address of the ledger for people; "" for a simulator
}

// These are the implemented capabilities.
var (
	_ connector.Ledger               = (*Connector)(nil)
	_ integration.TenantDisconnector = (*Connector)(nil)
)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	l, err := connector.Open(Descriptor(), o, client.HTTP())
	if err != nil {
		return nil, err
	}
	c := &Connector{client: client.New(l, l.At(apiURL)), web: webURL}
	if l.Overridden {
		c.web = ""
	}
	identity := l.At(identityURL)
	c.Consents = &connector.Consents{
		Link: l, OAuth: l.OAuth(l.At(authorizeURL)+"/identity/connect/authorize", identity+"/connect/token"),
		// The provider documents code challenges only for applications without a
		// secret.
		NoChallenge: !l.ClientSecret.Empty(),
		Ended:       []string{"invalid_grant"}, Identify: identify,
		RevokeURL: identity + "/connect/revocation",
		Revoked:   func(f *httpclient.Failure) bool { return f.Has("invalid_grant") },
	}
	// A used refresh token works again for half an hour, which repairs a lost
	// response.
	c.OAuth.BasicAuth, c.OAuth.NewRefreshToken = true, true
	return c, nil
}

// identify returns the person who consented: one grant covers every tenant that this person has
// connected.
func identify(_ integration.Callback, t httpclient.Token) (integration.Consent, error) {
	var claims struct {
		User  string `json:"xero_userid"`
		Event string `json:"authentication_event_id"`
	}
	if !httpclient.Claims(t.Access.Reveal(), &claims) || claims.User == "" {
		return integration.Consent{}, connector.Unusable(Provider, errors.New("the access token names no user"))
	}
	return integration.Consent{Account: claims.User, Event: claims.Event}, nil
}

// RevokesAccount implements integration.RevocationReach: a revocation removes
// all connections that the person made to this application.
func (*Connector) RevokesAccount() bool { return true }

// DisconnectTenant implements integration.TenantDisconnector.
func (c *Connector) DisconnectTenant(ctx context.Context, a integration.Access) error {
	at := client.Access{Token: a.Token, Background: a.Background}
	list, err := c.client.Connections(ctx, at)
	if err != nil {
		return translate(err)
	}
	for _, connection := range list {
		if !strings.EqualFold(connection.TenantID, a.Tenant) {
			continue
		}
		if err := c.client.Disconnect(ctx, at, connection.ID); err != nil {
			return translate(err)
		}
	}
	return nil
}

// tenant returns the access to a tenant's ledger. A text that is no tenant's id
// is never sent.
func tenant(a integration.Access) (client.Access, error) {
	if !client.IsID(a.Tenant) {
		return client.Access{}, integration.TenantGone(Provider, connector.ErrNoSuchID)
	}
	return client.Access{Token: a.Token, Tenant: a.Tenant, Background: a.Background}, nil
}

// translate returns the fault of the ports for a failed call.
func translate(err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil || !f.Recognized():
	case f.Status == http.StatusForbidden:
		return connector.Annotate(integration.TenantGone(Provider, f), f)
	}
	return connector.Translate(Provider, err)
}

// missing returns a NotFound fault for an id that the provider does not know.
func missing(what string, err error) error {
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return notFound(what, err)
	}
	return translate(err)
}

func notFound(what string, cause error) error { return connector.NotFound(Provider, what, cause) }
