package gdrive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"docledger/adapter/docstore/gdrive/client"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// AuthorizationURL implements integration.Authorizer.
func (c *Connector) AuthorizationURL(r integration.AuthorizationRequest) string {
	return c.client.AuthorizationURL(r.State, r.RedirectURI, r.Challenge, c.scopes)
}

// Exchange implements integration.Authorizer. People can untick scopes on the
// consent page, so that what was granted is checked.
func (c *Connector) Exchange(ctx context.Context, cb integration.Callback) (integration.Consent, error) {
	if cb.Code == "" {
		return integration.Consent{}, beginAnew(errors.New("there is no code"))
	}
	p, err := c.client.Exchange(ctx, cb.Code, cb.RedirectURI, cb.Verifier)
	if slices.Contains([]string{"invalid_grant", "redirect_uri_mismatch"}, word(err)) {
		return integration.Consent{}, beginAnew(err)
	}
	if err != nil {
		return integration.Consent{}, ofClient(err)
	}
	if p.Scopes != nil && !slices.Contains(p.Scopes, client.ReadScope) && !slices.Contains(p.Scopes, client.FullScope) {
		return integration.Consent{}, fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The permission to read files was not granted at %s. Connect the integration again and leave every permission ticked.", client.Provider)
	}
	if p.Account == "" || p.Refresh.Empty() {
		return integration.Consent{}, beginAnew(errors.New("the answer names no account, or has nothing to refresh with"))
	}
	return integration.Consent{Tokens: tokens(p), Account: p.Account}, nil
}

// Refresh implements integration.Authorizer. The refresh token stays the same,
// so that a lost answer does no harm.
func (c *Connector) Refresh(ctx context.Context, refresh secret.Text) (integration.Tokens, error) {
	p, err := c.client.Refresh(ctx, refresh)
	if word(err) == "invalid_grant" {
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

// Revoke implements integration.Authorizer. The provider refuses a token that
// has ended as it does one that it never knew.
func (c *Connector) Revoke(ctx context.Context, t integration.Tokens) error {
	err := c.client.Revoke(ctx, t.Refresh)
	if status(err) == http.StatusBadRequest {
		return nil
	}
	return ofClient(err)
}

// RevokesAccount implements integration.RevocationReach.
func (*Connector) RevokesAccount() bool { return true }

func tokens(p client.Pair) integration.Tokens {
	return integration.Tokens{Access: p.Access, AccessExpiresAt: p.ExpiresAt, Refresh: p.Refresh, Scopes: p.Scopes}
}

// word is the token endpoint's word for a refusal; "" for everything else.
func word(err error) string {
	if f := (*client.Failure)(nil); errors.As(err, &f) && f.Status == http.StatusBadRequest {
		return f.Reason
	}
	return ""
}

func beginAnew(cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"%s does not accept the consent: it is used, too old, or meant for another address. Connect the integration again.", client.Provider).
		Because(cause)
}

// ofClient says what a refusal of the application itself means: nobody can
// consent until the operator mends it.
func ofClient(err error) error {
	if s := status(err); s == http.StatusUnauthorized || s == http.StatusBadRequest && word(err) != "" {
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"%s refuses this service's client id or secret. The operator must set valid ones.", client.Provider).
			Because(fmt.Errorf("token endpoint: %w", err))
	}
	return translate("consent", err)
}
