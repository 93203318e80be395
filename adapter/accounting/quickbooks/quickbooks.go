// Package quickbooks is the connector of ACCOUNTING_B. It asks for consents,
// reads the ledger and creates bills in QuickBooks Online's own language.
// domain/integration and domain/accounting define the ports and the meaning of
// their errors.
//
// A consent is for one company. A bill carries the id of docledger's invoice in
// its note. The ledger has no drafts and computes tax itself. It does not find
// what people deleted there.
package quickbooks

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/adapter/connector"
	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Provider is the neutral code of the provider.
const Provider = integration.AccountingB

// These are the provider's addresses.
const (
	authorizeURL = "https://appcenter.intuit.com"
	tokenURL     = "https://oauth.platform.intuit.com"
	revokeURL    = "https://developer.api.intuit.com"
	apiURL       = "https://quickbooks.api.intuit.com"
	webURL       = "https://qbo.intuit.com"

	sandboxAPIURL = "https://sandbox-quickbooks.api.intuit.com"
	sandboxWebURL = "https://sandbox.qbo.intuit.com"
)

// SettingEnvironment is the setting of the environment that the client id belongs to. The provider
// accepts a development key only at the host of the sandbox, and a production key only at the other
// one. Consents and tokens have the same hosts in both.
const SettingEnvironment = "ENVIRONMENT"

// These are the environments.
const (
	Production = "production"
	Sandbox    = "sandbox"
)

// Descriptor describes the provider. The scope openid gives an id token, which
// proves the company that a browser names.
func Descriptor() integration.Descriptor {
	return integration.Descriptor{
		Code: Provider, Scopes: []string{client.AccountingScope, "openid"},
		Limits: integration.Limits{
			Windows: []integration.Window{{Length: time.Second, Max: 10}, {Length: time.Minute, Max: 500}},
		},
		Settings: []integration.Setting{{
			Name: SettingEnvironment, Meaning: "the environment of the client id: `production`, or `sandbox` for development keys",
			Values: []string{Production, Sandbox},
		}},
		ClassesAreTypes: true, AccountTypes: accounting.TypesB(nil),
		AccountClass: func(accountType string) (string, bool) {
			class, known := accounting.ClassOfB(accountType)
			return string(class), known
		},
	}
}

// Options configure how the connector reaches the provider.
type Options = connector.Options

// Connector is the connector of ACCOUNTING_B. It holds no state.
type Connector struct {
	*connector.Consents
	client *client.Client
	web    string // the address of the ledger for people; "" for a simulator
}

var _ connector.Ledger = (*Connector)(nil)

// New returns a connector. It makes no call.
func New(o Options) (*Connector, error) {
	l, err := connector.Open(Descriptor(), o, client.HTTP())
	if err != nil {
		return nil, err
	}
	api, web := apiURL, webURL
	switch l.Settings[SettingEnvironment] {
	case "", Production:
	case Sandbox:
		api, web = sandboxAPIURL, sandboxWebURL
	default:
		return nil, fmt.Errorf("%s_%s is %s or %s", Provider, SettingEnvironment, Production, Sandbox)
	}
	c := &Connector{client: client.New(l, l.At(api)), web: web}
	if l.Overridden {
		c.web = ""
	}
	c.Consents = &connector.Consents{
		Link: l, OAuth: l.OAuth(l.At(authorizeURL)+"/connect/oauth2", l.At(tokenURL)+"/oauth2/v1/tokens/bearer"),
		NoChallenge: true, Ended: []string{"invalid_grant"}, Check: check, Identify: identify,
		// The provider refuses an expired token in the same way as an unknown one.
		RevokeURL: l.At(revokeURL) + "/v2/oauth2/tokens/revoke", RevokeJSON: true,
	}
	// The provider returns the same refresh token for a day, which repairs a lost
	// response then.
	c.OAuth.BasicAuth, c.OAuth.Unescaped, c.OAuth.NewRefreshToken = true, true, true
	c.OAuth.RefreshExpiresIn = "x_refresh_token_expires_in"
	return c, nil
}

// check refuses a callback without a company.
func check(cb integration.Callback) error {
	if !client.IsID(cb.Query.Get("realmId")) {
		return errors.New("the callback has no company")
	}
	return nil
}

// identify names the company. The browser states it; an id token that states it
// too must agree.
func identify(cb integration.Callback, t httpclient.Token) (integration.Consent, error) {
	realm := cb.Query.Get("realmId")
	var claims struct {
		Realm string `json:"realmid"`
	}
	if httpclient.Claims(t.IDToken, &claims) && claims.Realm != "" && claims.Realm != realm {
		return integration.Consent{}, errors.New("the consent is for another company than the browser states")
	}
	return integration.Consent{Account: realm}, nil
}

// RevokesAccount implements integration.RevocationReach: a revocation ends the
// consent of one company. It is expected to end all consents of that company.
func (*Connector) RevokesAccount() bool { return true }

// company returns the access to a company's ledger. A text that is no company's
// id is never sent.
func company(a integration.Access) (client.Access, error) {
	if !client.IsID(a.Tenant) {
		return client.Access{}, integration.TenantGone(Provider, connector.ErrNoSuchID)
	}
	return client.Access{Token: a.Token, Realm: a.Tenant, Background: a.Background}, nil
}

// translate returns the fault of the ports for a failed call.
func translate(err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil:
	case f.Status == http.StatusForbidden && f.Recognized():
		return connector.Annotate(wrongCompany(f), f)
	case client.IsRefusal(f) && f.Code() == client.CodeLapsed:
		return connector.Refuse(fault.Invalid, fault.CodeInvalidRequest, f,
			"The company's subscription at %s has ended. Renew it there, then try again.", Provider)
	case client.IsRefusal(f) && f.Code() == client.CodeNoPermission:
		return connector.Refuse(fault.Invalid, fault.CodeInvalidRequest, f,
			"The person who connected %s lacks the permission for this there. Connect the integration again as an administrator of the company.", Provider)
	case client.IsRefusal(f):
		return connector.Refused(Provider, f) // the status can be 200
	case f.Status == http.StatusBadRequest && !f.NotSent && f.Recognized():
		return connector.Annotate(integration.Unavailable(Provider, f.RetryAfter, f), f) // its own failure
	}
	return connector.Translate(Provider, err)
}

// wrongCompany returns the fault for a company that the provider does not open. It refuses a company
// that is no longer connected and a client id of the other environment in the same way.
func wrongCompany(f *httpclient.Failure) error {
	gone := integration.TenantGone(Provider, f)
	if known, ok := fault.As(gone); ok {
		known.Message += fmt.Sprintf(" If it was never connected, the operator must check %s_%s: keys of one environment do not work in the other.",
			Provider, SettingEnvironment)
	}
	return gone
}

// beforehand wraps the error of a call made before the bill is created: the ledger created nothing.
func beforehand(err error) error { return fmt.Errorf("%w: %w", accounting.ErrNotSent, translate(err)) }

// missing returns a NotFound fault for an id that the provider does not know.
func missing(what string, err error) error {
	f := httpclient.FailureOf(err)
	if f != nil && (f.Status == http.StatusNotFound || client.IsRefusal(f) && isMissing(f.Code())) {
		return notFound(what, f)
	}
	return translate(err)
}

func isMissing(code string) bool {
	return slices.Contains([]string{client.CodeNotFound, client.CodeBadID, client.CodeBadReference}, code)
}

func notFound(what string, cause error) error { return connector.NotFound(Provider, what, cause) }
