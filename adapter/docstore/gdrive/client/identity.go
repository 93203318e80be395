package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/domain/integration"
	"docledger/domain/secret"
)

// Pair is what the token endpoint gives.
type Pair struct {
	Access    secret.Text
	Refresh   secret.Text // empty where none was sent, as in every refresh
	ExpiresAt time.Time   // of the access token
	Scopes    []string    // as granted; nil where not told
	// Account is whom the id token names; "" where there is none.
	Account string
}

type wirePair struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Scope        string `json:"scope"`
	IDToken      string `json:"id_token"`
}

// AuthorizationURL is the address of the consent page. Access is asked for
// offline, and consent anew: without either there is no refresh token.
func (c *Client) AuthorizationURL(state, redirectURI, challenge string, scopes []string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.o.ClientID}, "redirect_uri": {redirectURI}, "scope": {strings.Join(scopes, " ")},
		"state": {state}, "access_type": {"offline"}, "prompt": {"consent"},
	}
	if challenge != "" {
		q.Set("code_challenge", challenge)
		q.Set("code_challenge_method", "S256")
	}
	// Some parsers read + as itself.
	return c.o.AuthorizeURL + "/o/oauth2/v2/auth?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Exchange gives a code for a pair.
func (c *Client) Exchange(ctx context.Context, code, redirectURI, verifier string) (Pair, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}}
	if verifier != "" {
		form.Set("code_verifier", verifier)
	}
	return c.pair(ctx, "exchange code", form)
}

// Refresh gives a refresh token for another access token.
func (c *Client) Refresh(ctx context.Context, refresh secret.Text) (Pair, error) {
	return c.pair(ctx, "refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

// Revoke ends the account's whole consent to the application.
func (c *Client) Revoke(ctx context.Context, token secret.Text) error {
	const doing = "revoke consent"
	a, err := c.send(ctx, c.form(doing, "/revoke", url.Values{"token": {token.Reveal()}}))
	if err == nil && a.status != http.StatusOK {
		err = a.failure(doing)
	}
	return err
}

// form makes a call of the OAuth server, which has no limits that it documents.
func (c *Client) form(doing, path string, form url.Values) call {
	return call{
		doing: doing, method: http.MethodPost, url: c.o.TokenURL + path, body: form.Encode(), gate: integration.Call{Provider: Provider},
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	}
}

func (c *Client) pair(ctx context.Context, doing string, form url.Values) (Pair, error) {
	form.Set("client_id", c.o.ClientID)
	form.Set("client_secret", c.o.ClientSecret.Reveal())
	asked := c.o.Now()
	a, err := c.send(ctx, c.form(doing, "/token", form))
	if err != nil {
		return Pair{}, err
	}
	if a.status != http.StatusOK {
		return Pair{}, a.failure(doing)
	}
	var w wirePair
	if err := a.decode(doing, &w); err != nil {
		return Pair{}, err
	}
	if w.AccessToken == "" || w.ExpiresIn <= 0 {
		return Pair{}, &Failure{Doing: doing, cause: errors.New("the answer has no token")}
	}
	const longest = 24 * 3600 // seconds; none of the provider's lives as long
	p := Pair{
		Access: secret.New(w.AccessToken), Refresh: secret.New(w.RefreshToken), Account: c.accountOf(w.IDToken),
		ExpiresAt: asked.Add(time.Duration(min(w.ExpiresIn, longest)) * time.Second),
	}
	if w.Scope != "" {
		p.Scopes = strings.Fields(w.Scope)
	}
	return p, nil
}

// accountOf reads the account of an id token without verifying it: it comes
// from the provider's own endpoint (OpenID Connect Core, 3.1.3.7). One that
// cannot be read, or that is for another application, names none.
func (c *Client) accountOf(token string) string {
	const longest = 255 // characters of sub
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Subject  string `json:"sub"`
		Audience string `json:"aud"`
	}
	if err != nil || json.Unmarshal(raw, &claims) != nil || claims.Audience != c.o.ClientID || len(claims.Subject) > longest {
		return ""
	}
	return claims.Subject
}
