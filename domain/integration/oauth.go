package integration

import (
	"context"
	"net/url"
	"time"

	"docledger/domain/secret"
)

// Tokens are what a provider gives for a consent.
type Tokens struct {
	Access           secret.Text
	AccessExpiresAt  time.Time
	Refresh          secret.Text
	RefreshExpiresAt time.Time // zero where the provider tells none
	Scopes           []string  // as granted; nil where the answer does not say
}

// Consent is what a person's consent led to.
type Consent struct {
	Tokens Tokens
	// Account is the provider account that consented, in the provider's own
	// words: the ledger user (ACCOUNTING_A), the company (ACCOUNTING_B), tenant
	// and user (DOCSTORE_A), the account (DOCSTORE_B). A second consent of the
	// same account takes the place of the first (domain D4).
	Account string
	// Event names this one consent where the provider can tell which tenants
	// were chosen in it; "" elsewhere.
	Event string
}

// AuthorizationRequest describes a consent to be asked for.
type AuthorizationRequest struct {
	State       string // comes back with the answer; 43 characters of [A-Za-z0-9_-]
	RedirectURI string // ours, exactly as registered
	// Challenge is the S256 challenge of RFC 7636. A provider that does not
	// take it is not sent it.
	Challenge string
}

// Callback is the answer that a browser brought back from the consent page.
type Callback struct {
	Code        string
	RedirectURI string // as in the request
	Verifier    string // of the challenge
	// Query is all that the browser brought: some providers tell there, and
	// only there, which company it was. A stranger may have written it.
	Query url.Values
}

// Authorizer asks a provider's users for their consent and keeps it alive. The
// faults are those described at ErrReconnect.
type Authorizer interface {
	// AuthorizationURL returns the address of the consent page. It asks for
	// the configured scopes and calls nobody.
	AuthorizationURL(r AuthorizationRequest) string
	// Exchange gives the code for tokens, in one call. A code that is wrong,
	// used, too old, or bound to another redirect address, and a callback
	// without what the provider must tell there, is fault.Invalid: the person
	// begins anew. After provider_unavailable the code may be used up; it is
	// not tried again.
	Exchange(ctx context.Context, c Callback) (Consent, error)
	// Refresh gives a refresh token for new tokens. Refresh is never empty in
	// the answer: where the provider does not send another one it is the same.
	// After provider_unavailable the provider may have spent the token and made
	// a new pair that was lost. The same token may then be tried again: within
	// the provider's grace, if it has one, that heals; else ErrReconnect says
	// so.
	Refresh(ctx context.Context, refresh secret.Text) (Tokens, error)
	// Revoke ends the consent at the provider, with all that the account ever
	// granted to us there. One that has ended already is no error. A provider
	// that knows no revocation does nothing.
	Revoke(ctx context.Context, t Tokens) error
}

// TenantDisconnector is an Authorizer whose provider connects tenants one by
// one, each of which can be taken off without ending the consent.
type TenantDisconnector interface {
	// DisconnectTenant takes one tenant off. One that is off is no error.
	DisconnectTenant(ctx context.Context, a Access) error
}

// RevocationReach says what ends with Revoke.
type RevocationReach interface {
	// RevokesAccount says that Revoke ends every consent that the account gave
	// to this application, so that other grants of the account die with it.
	RevokesAccount() bool
}

// Access is what one call to a provider needs.
type Access struct {
	Token   secret.Text
	Account string // of the grant
	Event   string // of the grant's latest consent
	Tenant  string // the chosen organization; "" before set-up and where there is none
	// Background marks work that nobody waits for. It yields to the rest.
	Background bool
}
