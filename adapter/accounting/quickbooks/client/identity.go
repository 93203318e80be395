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
	Access         secret.Text
	Refresh        secret.Text
	ExpiresAt      time.Time // of the access token
	RefreshExpires time.Time // of the refresh token; zero where not told
	// Realm is the company that the id token names; "" where there is none.
	Realm string
}

type wirePair struct {
	AccessToken    string `json:"access_token"`
	RefreshToken   string `json:"refresh_token"`
	ExpiresIn      int64  `json:"expires_in"`
	RefreshExpires int64  `json:"x_refresh_token_expires_in"`
	IDToken        string `json:"id_token"`
}

// AuthorizationURL is the address of the consent page. The provider has no
// code challenges.
func (c *Client) AuthorizationURL(state, redirectURI string, scopes []string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.o.ClientID}, "redirect_uri": {redirectURI},
		"scope": {strings.Join(scopes, " ")}, "state": {state},
	}
	// Some parsers read + as itself.
	return c.o.AuthorizeURL + "/connect/oauth2?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Exchange gives a code for a pair.
func (c *Client) Exchange(ctx context.Context, code, redirectURI string) (Pair, error) {
	return c.pair(ctx, "exchange code", url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}})
}

// Refresh gives a refresh token for a new pair.
func (c *Client) Refresh(ctx context.Context, refresh secret.Text) (Pair, error) {
	return c.pair(ctx, "refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

// Revoke ends a consent.
func (c *Client) Revoke(ctx context.Context, refresh secret.Text) error {
	const doing = "revoke consent"
	body, err := json.Marshal(map[string]string{"token": refresh.Reveal()})
	if err != nil {
		return err
	}
	a, err := c.send(ctx, c.identity(doing, c.o.RevokeURL+"/v2/oauth2/tokens/revoke", "application/json", string(body)))
	if err == nil && a.status != http.StatusOK {
		err = a.failure(doing)
	}
	return err
}

// identity makes a call of an OAuth server, which has no limits that it
// documents.
func (c *Client) identity(doing, address, mediaType, body string) call {
	both := c.o.ClientID + ":" + c.o.ClientSecret.Reveal()
	return call{
		doing: doing, method: http.MethodPost, url: address, body: strings.NewReader(body), gate: integration.Call{Provider: Provider},
		header: http.Header{
			"Content-Type":  {mediaType},
			"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(both))},
		},
	}
}

func (c *Client) pair(ctx context.Context, doing string, form url.Values) (Pair, error) {
	asked := c.o.Now()
	a, err := c.send(ctx, c.identity(doing, c.o.TokenURL+"/oauth2/v1/tokens/bearer", "application/x-www-form-urlencoded", form.Encode()))
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
	if w.AccessToken == "" || w.RefreshToken == "" || w.ExpiresIn <= 0 {
		return Pair{}, &Failure{Doing: doing, cause: errors.New("the answer has no pair of tokens")}
	}
	const longest, longestRefresh = 24 * 3600, 6 * 365 * 24 * 3600 // seconds; nothing of the provider lives as long
	p := Pair{
		Access: secret.New(w.AccessToken), Refresh: secret.New(w.RefreshToken), Realm: realmOf(w.IDToken),
		ExpiresAt: asked.Add(time.Duration(min(w.ExpiresIn, longest)) * time.Second),
	}
	if w.RefreshExpires > 0 {
		p.RefreshExpires = asked.Add(time.Duration(min(w.RefreshExpires, longestRefresh)) * time.Second)
	}
	return p, nil
}

// realmOf reads the company of an id token without verifying it: it comes from
// the provider's own endpoint (OpenID Connect Core, 3.1.3.7). One that cannot
// be read names none.
func realmOf(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Realm string `json:"realmid"`
	}
	if err != nil || json.Unmarshal(raw, &claims) != nil {
		return ""
	}
	return claims.Realm
}
