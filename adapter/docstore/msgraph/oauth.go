package msgraph

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// AuthorizationURL implements integration.Authorizer.
func (c *Connector) AuthorizationURL(r integration.AuthorizationRequest) string {
	return c.client.AuthorizationURL(r.State, r.RedirectURI, r.Challenge, c.scopes)
}

// Exchange implements integration.Authorizer. An organization's rules may leave
// permissions out, so that what was granted is checked.
func (c *Connector) Exchange(ctx context.Context, cb integration.Callback) (integration.Consent, error) {
	if cb.Code == "" {
		return integration.Consent{}, beginAnew(errors.New("there is no code"))
	}
	p, err := c.client.Exchange(ctx, cb.Code, cb.RedirectURI, cb.Verifier)
	if needsPerson(err) {
		return integration.Consent{}, beginAnew(err)
	}
	if err != nil {
		return integration.Consent{}, ofClient(err)
	}
	if p.Scopes != nil && !slices.ContainsFunc(p.Scopes, readsSites) {
		return integration.Consent{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The permission to read sites was not granted at %s. Have an administrator grant it there, then connect the integration again.", client.Provider)
	}
	if p.Account == "" || p.Refresh.Empty() {
		return integration.Consent{}, beginAnew(errors.New("the answer names no account, or has nothing to refresh with"))
	}
	return integration.Consent{Tokens: tokens(p), Account: p.Account}, nil
}

// readsSites says whether a scope reads sites. Those that may do more hold it.
func readsSites(scope string) bool { return strings.HasPrefix(strings.ToLower(scope), "sites.") }

// Refresh implements integration.Authorizer. Each refresh token is followed by
// another one, but stays good, so that a lost answer does no harm.
func (c *Connector) Refresh(ctx context.Context, refresh secret.Text) (integration.Tokens, error) {
	p, err := c.client.Refresh(ctx, refresh)
	if needsPerson(err) {
		return integration.Tokens{}, integration.NeedsReconnect(client.Provider, err)
	}
	if err != nil {
		return integration.Tokens{}, ofClient(err)
	}
	if p.Refresh.Empty() {
		p.Refresh = refresh
	}
	return tokens(p), nil
}

// Revoke implements integration.Authorizer. The provider knows no revocation by
// applications: its people take the consent back.
func (*Connector) Revoke(context.Context, integration.Tokens) error { return nil }

func tokens(p client.Pair) integration.Tokens {
	return integration.Tokens{Access: p.Access, AccessExpiresAt: p.ExpiresAt, Refresh: p.Refresh, Scopes: p.Scopes}
}

// needsPerson says that nothing but a person's consent helps: the grant has
// ended or was never one, or the organization's rules ask for more.
func needsPerson(err error) bool {
	f := (*client.Failure)(nil)
	return errors.As(err, &f) && f.Status == http.StatusBadRequest && f.Has("invalid_grant", "interaction_required", "consent_required", "login_required")
}

func beginAnew(cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"%s does not accept the consent: it is used, too old, or meant for another address. Connect the integration again.", client.Provider).
		Because(cause)
}

// ofClient says what a refusal of the application itself means: nobody can
// consent until the operator mends it.
func ofClient(err error) error {
	f := (*client.Failure)(nil)
	if !errors.As(err, &f) || f.Has("temporarily_unavailable", "server_error") {
		return translate("consent", err)
	}
	if f.Status == http.StatusUnauthorized || f.Status == http.StatusBadRequest && len(f.Codes) > 0 {
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"%s refuses this service's client id or secret. The operator must set valid ones.", client.Provider).
			Because(fmt.Errorf("token endpoint: %w", err))
	}
	return translate("consent", err)
}
