package quickbooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"docledger/adapter/accounting/quickbooks/client"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// AuthorizationURL implements integration.Authorizer. The provider takes no
// challenge.
func (c *Connector) AuthorizationURL(r integration.AuthorizationRequest) string {
	return c.client.AuthorizationURL(r.State, r.RedirectURI, c.scopes)
}

// Exchange implements integration.Authorizer. The account is the company, which
// the browser names; where an id token names it too, both must be the same.
func (c *Connector) Exchange(ctx context.Context, cb integration.Callback) (integration.Consent, error) {
	realm := cb.Query.Get("realmId")
	if cb.Code == "" || !client.IsID(realm) {
		return integration.Consent{}, beginAnew(errors.New("there is no code or no company"))
	}
	p, err := c.client.Exchange(ctx, cb.Code, cb.RedirectURI)
	if kind(err) == "invalid_grant" {
		return integration.Consent{}, beginAnew(err)
	}
	if err != nil {
		return integration.Consent{}, ofClient(err)
	}
	if p.Realm != "" && p.Realm != realm {
		return integration.Consent{}, beginAnew(errors.New("the consent is for another company than the browser says"))
	}
	return integration.Consent{Tokens: tokens(p), Account: realm}, nil
}

// Refresh implements integration.Authorizer. The provider answers with the same
// refresh token for a day, which heals a lost answer then.
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

// Revoke implements integration.Authorizer. The provider refuses a token that
// has ended as it does one that it never knew.
func (c *Connector) Revoke(ctx context.Context, t integration.Tokens) error {
	err := c.client.Revoke(ctx, t.Refresh)
	if f := (*client.Failure)(nil); errors.As(err, &f) && f.Status == http.StatusBadRequest {
		return nil
	}
	return ofClient(err)
}

// RevokesAccount implements integration.RevocationReach: a revocation ends the
// consent of one company. Other consents of the same company are the same
// account, and it is taken to end those with it.
func (*Connector) RevokesAccount() bool { return true }

func tokens(p client.Pair) integration.Tokens {
	return integration.Tokens{Access: p.Access, AccessExpiresAt: p.ExpiresAt, Refresh: p.Refresh, RefreshExpiresAt: p.RefreshExpires}
}

// kind is the token endpoint's word for a refusal; "" for everything else.
func kind(err error) string {
	if f := (*client.Failure)(nil); errors.As(err, &f) && f.Status == http.StatusBadRequest {
		return f.Kind
	}
	return ""
}

func beginAnew(cause error) error {
	return fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"%s does not accept the consent: it is used, too old, or meant for another address or company. Connect the integration again.",
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
