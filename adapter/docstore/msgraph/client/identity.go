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
	Refresh   secret.Text // empty where none was sent
	ExpiresAt time.Time   // of the access token
	Scopes    []string    // as granted, by their short names; nil where not told
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

func (c *Client) loginPath(name string) string {
	return c.o.LoginURL + "/" + url.PathEscape(c.o.Tenant) + "/oauth2/v2.0/" + name
}

// AuthorizationURL is the address of the consent page. The person is asked
// which account it shall be: connecting with another one must be possible.
func (c *Client) AuthorizationURL(state, redirectURI, challenge string, scopes []string) string {
	q := url.Values{
		"response_type": {"code"}, "response_mode": {"query"}, "client_id": {c.o.ClientID}, "redirect_uri": {redirectURI},
		"scope": {strings.Join(scopes, " ")}, "state": {state}, "prompt": {"select_account"},
	}
	if challenge != "" {
		q.Set("code_challenge", challenge)
		q.Set("code_challenge_method", "S256")
	}
	// Some parsers read + as itself.
	return c.loginPath("authorize") + "?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Exchange gives a code for a pair.
func (c *Client) Exchange(ctx context.Context, code, redirectURI, verifier string) (Pair, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}}
	if verifier != "" {
		form.Set("code_verifier", verifier)
	}
	return c.pair(ctx, "exchange code", form)
}

// Refresh gives a refresh token for another pair. The old token stays good.
func (c *Client) Refresh(ctx context.Context, refresh secret.Text) (Pair, error) {
	return c.pair(ctx, "refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

func (c *Client) pair(ctx context.Context, doing string, form url.Values) (Pair, error) {
	form.Set("client_id", c.o.ClientID)
	form.Set("client_secret", c.o.ClientSecret.Reveal())
	asked := c.o.Now()
	// The identity platform has no limits that it documents.
	a, err := c.send(ctx, call{
		doing: doing, method: http.MethodPost, url: c.loginPath("token"), body: form.Encode(),
		gate:   integration.Call{Provider: Provider},
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}},
	})
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
	const longest = 48 * 3600 // seconds; none of the provider's lives longer than 28 hours
	p := Pair{
		Access: secret.New(w.AccessToken), Refresh: secret.New(w.RefreshToken), Account: c.accountOf(w.IDToken),
		ExpiresAt: asked.Add(time.Duration(min(w.ExpiresIn, longest)) * time.Second),
	}
	for scope := range strings.FieldsSeq(w.Scope) {
		p.Scopes = append(p.Scopes, scope[strings.LastIndex(scope, "/")+1:])
	}
	return p, nil
}

// accountOf reads the account of an id token without verifying it: it comes
// from the provider's own endpoint (OpenID Connect Core, 3.1.3.7). One that
// cannot be read, or that is for another application, names none.
func (c *Client) accountOf(token string) string {
	const longest = 64 // characters; both are UUIDs
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Tenant   string `json:"tid"`
		Person   string `json:"oid"`
		Audience string `json:"aud"`
	}
	if err != nil || json.Unmarshal(raw, &claims) != nil || claims.Audience != c.o.ClientID {
		return ""
	}
	if !IsID(claims.Tenant) || !IsID(claims.Person) || len(claims.Tenant) > longest || len(claims.Person) > longest {
		return ""
	}
	return Account(claims.Tenant, claims.Person)
}
