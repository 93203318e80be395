package integration

import (
	"context"
	"net/url"
	"time"

	"docledger/domain/fault"
	"docledger/domain/secret"
)

// Tokens are the tokens that a provider issues for a consent.
type Tokens struct {
	Access           secret.Text
	AccessExpiresAt  time.Time
	Refresh          secret.Text
	RefreshExpiresAt time.Time // zero if the provider does not state it
	Scopes           []string  // as granted; nil if the response does not list them
}

// Consent is the result of a person's consent.
type Consent struct {
	Tokens Tokens
	// Account identifies the provider account that consented: the ledger user (ACCOUNTING_A), the
	// company (ACCOUNTING_B), tenant and user (DOCSTORE_A), or the account (DOCSTORE_B). Another
	// consent of the same account replaces the first one (domain D4).
	Account string
	// Event identifies this consent if the provider can report which tenants were chosen in it; ""
	// otherwise.
	Event string
}

// AuthorizationRequest describes a consent to request.
type AuthorizationRequest struct {
	State       string // returned with the response; 43 characters of [A-Za-z0-9_-]
	RedirectURI string // docledger's, exactly as registered
	// Challenge is the S256 challenge of RFC 7636. It is omitted for providers that do not support
	// it.
	Challenge string
}

// Callback is the response that a browser delivered from the consent page.
type Callback struct {
	Code        string
	RedirectURI string // as in the request
	Verifier    string // the verifier of the challenge
	// Query is the full query of the callback. Some providers identify the company only there. It
	// is untrusted input.
	Query url.Values
}

// Authorizer requests consents from a provider's users and renews their tokens. Its faults are
// described at ErrReconnect.
type Authorizer interface {
	// AuthorizationURL returns the URL of the consent page for the configured OAuth scopes. It
	// makes no external call.
	AuthorizationURL(r AuthorizationRequest) string
	// Exchange exchanges the code for tokens, in one call. It returns fault.Invalid if the code is
	// wrong, used, expired or bound to another redirect URI, or if the callback lacks required
	// data; the person must start again. After provider_unavailable the code may be used up, so it
	// is not tried again.
	Exchange(ctx context.Context, c Callback) (Consent, error)
	// Refresh exchanges a refresh token for new tokens. The returned refresh token is never empty;
	// it is the old one if the provider sends none. After provider_unavailable the provider may
	// have used up the token and issued a pair that was lost. The same token may be tried again: it
	// succeeds within the provider's grace period, if there is one, and otherwise fails with
	// ErrReconnect.
	Refresh(ctx context.Context, refresh secret.Text) (Tokens, error)
	// Revoke ends the consent at the provider, including everything the account granted to
	// docledger. A consent that has already ended is not an error. Revoke does nothing if the
	// provider does not support revocation.
	Revoke(ctx context.Context, t Tokens) error
}

// ConsentRefusal is a provider's explanation of a consent that was not given. Its texts are cleaned
// and limited in length.
type ConsentRefusal struct {
	Reason   string // one of the Consent constants
	Provider fault.Provider
}

// These are the reasons of a refused consent, for the page that the browser returns to.
const (
	ConsentDeclined      = "access_denied"
	ConsentNeedsAdmin    = "admin_consent_required" // an administrator at the provider must consent
	ConsentFailed        = "consent_failed"
	ConsentUnavailable   = "provider_unavailable"
	ConsentSetupRequired = "provider_setup_incomplete" // the operator must correct the application at the provider
)

// ConsentExplainer is an Authorizer that reads the refusal in a callback.
type ConsentExplainer interface {
	ConsentRefusal(query url.Values) ConsentRefusal
}

// TenantDisconnector is an Authorizer whose provider connects tenants individually. Each tenant can
// be disconnected without ending the consent.
type TenantDisconnector interface {
	// DisconnectTenant disconnects one tenant. A disconnected tenant is not an error.
	DisconnectTenant(ctx context.Context, a Access) error
}

// RevocationReach reports what Revoke ends.
type RevocationReach interface {
	// RevokesAccount reports whether Revoke ends every consent that the account gave to this
	// application, including other grants of the account.
	RevokesAccount() bool
}

// Access contains what one call to a provider needs.
type Access struct {
	Token   secret.Text
	Account string // the account of the grant
	Event   string // the event of the grant's latest consent
	Tenant  string // the chosen organization; "" before set-up and where there is none
	// Background marks calls for which no user waits. They yield to interactive calls.
	Background bool
}
