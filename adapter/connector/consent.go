package connector

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// Consents implements integration.Authorizer over OAuth.
type Consents struct {
	Link  *Link
	OAuth httpclient.OAuth
	// Parameters are further ones of the consent page.
	Parameters url.Values
	// NoChallenge is set for a provider that does not support PKCE.
	NoChallenge bool
	// Ended are the codes after which only a new consent helps.
	Ended []string
	// Check checks a callback before its code is used; nil checks nothing.
	Check func(cb integration.Callback) error
	// Identify names the account of a new consent and checks what was granted.
	// An error that is no fault means that the person must consent again.
	Identify func(cb integration.Callback, t httpclient.Token) (integration.Consent, error)
	// Scopes returns the granted scopes by the names that are stored; nil keeps
	// them.
	ScopeName func(string) string
	// RevokeURL is the revocation endpoint; "" for a provider without one.
	RevokeURL  string
	RevokeJSON bool // the endpoint reads JSON
	// Revoked reports whether a refusal means that the consent had ended; nil for
	// status 400.
	Revoked func(f *httpclient.Failure) bool
}

// AuthorizationURL implements integration.Authorizer.
func (c *Consents) AuthorizationURL(r integration.AuthorizationRequest) string {
	if c.NoChallenge {
		r.Challenge = ""
	}
	return c.OAuth.AuthorizationURL(r.State, r.RedirectURI, r.Challenge, c.Link.Scopes, c.Parameters)
}

// Exchange implements integration.Authorizer.
func (c *Consents) Exchange(ctx context.Context, cb integration.Callback) (integration.Consent, error) {
	if cb.Code == "" {
		return integration.Consent{}, c.errRestartConsent(errors.New("the callback has no code"))
	}
	if c.Check != nil {
		if err := c.Check(cb); err != nil {
			return integration.Consent{}, c.errRestartConsent(err)
		}
	}
	verifier := cb.Verifier
	if c.NoChallenge {
		verifier = ""
	}
	t, err := c.OAuth.Exchange(ctx, cb.Code, cb.RedirectURI, verifier)
	if c.ended(err) || httpclient.StatusOf(err) == http.StatusBadRequest && httpclient.FailureOf(err).Has("redirect_uri_mismatch") {
		return integration.Consent{}, c.errRestartConsent(err)
	}
	if err != nil {
		return integration.Consent{}, c.applicationFault(err)
	}
	consent, err := c.Identify(cb, t)
	if _, isFault := fault.As(err); err != nil && !isFault {
		return integration.Consent{}, c.errRestartConsent(err)
	}
	consent.Tokens = c.tokens(t)
	return consent, err
}

// Refresh implements integration.Authorizer.
func (c *Consents) Refresh(ctx context.Context, refresh secret.Text) (integration.Tokens, error) {
	t, err := c.OAuth.Refresh(ctx, refresh)
	if c.ended(err) {
		return integration.Tokens{}, Annotate(integration.NeedsReconnect(c.Link.Provider, err), httpclient.FailureOf(err))
	}
	if err != nil {
		return integration.Tokens{}, c.applicationFault(err)
	}
	return c.tokens(t), nil
}

// Revoke implements integration.Authorizer.
func (c *Consents) Revoke(ctx context.Context, t integration.Tokens) error {
	if c.RevokeURL == "" {
		return nil
	}
	err := c.OAuth.Revoke(ctx, c.RevokeURL, t.Refresh, c.RevokeJSON)
	if f := httpclient.FailureOf(err); f != nil && f.Status == http.StatusBadRequest && (c.Revoked == nil || c.Revoked(f)) {
		return nil
	}
	return c.applicationFault(err)
}

func (c *Consents) tokens(t httpclient.Token) integration.Tokens {
	out := integration.Tokens{
		Access: t.Access, AccessExpiresAt: t.ExpiresAt, Refresh: t.Refresh, RefreshExpiresAt: t.RefreshExpiresAt, Scopes: t.Scopes,
	}
	if c.ScopeName != nil {
		for i, scope := range out.Scopes {
			out.Scopes[i] = c.ScopeName(scope)
		}
	}
	return out
}

// ended reports whether only a new consent helps.
func (c *Consents) ended(err error) bool {
	f := httpclient.FailureOf(err)
	return f != nil && f.Status == http.StatusBadRequest && f.Has(c.Ended...)
}

// errRestartConsent returns the fault for a consent that the provider or the
// connector does not accept.
func (c *Consents) errRestartConsent(cause error) error {
	return Refuse(fault.Invalid, fault.CodeInvalidRequest, cause,
		"%s does not accept the consent: it was used, is too old, or belongs to another address or company. Connect the integration again.", c.Link.Provider)
}

// applicationFault returns the fault for a refusal of docledger's own OAuth
// client. No user can consent until the operator corrects it.
func (c *Consents) applicationFault(err error) error {
	f := httpclient.FailureOf(err)
	passing := []string{"temporarily_unavailable", "server_error"}
	if f == nil || f.Status != http.StatusUnauthorized && f.Status != http.StatusBadRequest || f.Status == http.StatusBadRequest && len(f.Codes) == 0 ||
		slices.ContainsFunc(passing, func(code string) bool { return f.Has(code) }) {
		return Translate(c.Link.Provider, err)
	}
	return Refuse(fault.Upstream, fault.CodeProviderSetup, err,
		"%s refuses this service's client id or secret. The operator must set valid ones.", c.Link.Provider)
}
