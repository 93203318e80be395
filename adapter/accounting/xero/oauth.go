package xero

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// AuthorizationURL implements integration.Authorizer.
func (c *Connector) AuthorizationURL(r integration.AuthorizationRequest) string {
	return c.client.AuthorizationURL(r.State, r.RedirectURI, r.Challenge, c.scopes)
}

// Exchange implements integration.Authorizer. The account is the person who
// consented: one grant reaches every tenant that they ever connected.
func (c *Connector) Exchange(ctx context.Context, cb integration.Callback) (integration.Consent, error) {
	if cb.Code == "" {
		return integration.Consent{}, beginAnew(errors.New("there is no code"))
	}
	p, err := c.client.Exchange(ctx, cb.Code, cb.RedirectURI, cb.Verifier)
	if kind(err) == "invalid_grant" {
		return integration.Consent{}, beginAnew(err)
	}
	if err != nil {
		return integration.Consent{}, ofClient(err)
	}
	if p.User == "" {
		return integration.Consent{}, integration.Unavailable(client.Provider, 0, errors.New("the access token names nobody"))
	}
	return integration.Consent{Tokens: tokens(p), Account: p.User, Event: p.Event}, nil
}

// Refresh implements integration.Authorizer. A token that was used works again
// for half an hour, which heals a lost answer.
func (c *Connector) Refresh(ctx context.Context, refresh secret.Text) (integration.Tokens, error) {
	p, err := c.client.Refresh(ctx, refresh)
	if kind(err) == "invalid_grant" {
		return integration.Tokens{}, integration.NeedsReconnect(client.Provider, err)
	}
	if err != nil {
		return integration.Tokens{}, ofClient(err)
	}
	return tokens(p), nil
}

// Revoke implements integration.Authorizer.
func (c *Connector) Revoke(ctx context.Context, t integration.Tokens) error {
	err := c.client.Revoke(ctx, t.Refresh)
	if kind(err) == "invalid_grant" {
		return nil
	}
	return ofClient(err)
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

func tokens(p client.Pair) integration.Tokens {
	return integration.Tokens{Access: p.Access, AccessExpiresAt: p.ExpiresAt, Refresh: p.Refresh, Scopes: p.Scopes}
}

// kind is the identity server's word for a refusal; "" for everything else.
func kind(err error) string {
	if f := (*client.Failure)(nil); errors.As(err, &f) && f.Status == http.StatusBadRequest {
		return f.Kind
	}
	return ""
}

func beginAnew(cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"%s does not accept the consent: it is used, too old, or meant for another address. Connect the integration again.",
		client.Provider).Because(cause)
}

// ofClient says what a refusal of the application itself means: nobody can
// consent until the operator mends it.
func ofClient(err error) error {
	if f := (*client.Failure)(nil); errors.As(err, &f) && !f.NotSent &&
		(f.Status == http.StatusUnauthorized || f.Status == http.StatusBadRequest && f.Kind != "") {
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"%s refuses this service's client id or secret. The operator must set valid ones.", client.Provider).
			Because(fmt.Errorf("%w (%s)", f, f.Kind))
	}
	return translate(err)
}
