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
	Refresh   secret.Text
	ExpiresAt time.Time // of the access token
	Scopes    []string  // nil where the answer does not say
	User      string    // who consented
	Event     string    // of the consent
}

type wirePair struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int64  `json:"expires_in"`
	Scope        string `json:"scope"`
}

// claims are those of an access token that matter here.
type claims struct {
	User  string `json:"xero_userid"`
	Event string `json:"authentication_event_id"`
}

// AuthorizationURL is the address of the consent page. An application with a
// secret has no code challenge: the provider documents that for the others.
func (c *Client) AuthorizationURL(state, redirectURI, challenge string, scopes []string) string {
	q := url.Values{
		"response_type": {"code"}, "client_id": {c.o.ClientID}, "redirect_uri": {redirectURI},
		"scope": {strings.Join(scopes, " ")}, "state": {state},
	}
	if c.o.ClientSecret.Empty() {
		q.Set("code_challenge", challenge)
		q.Set("code_challenge_method", "S256")
	}
	// Some parsers of this host read + as itself.
	return c.o.AuthorizeURL + "/identity/connect/authorize?" + strings.ReplaceAll(q.Encode(), "+", "%20")
}

// Exchange gives a code for a pair.
func (c *Client) Exchange(ctx context.Context, code, redirectURI, verifier string) (Pair, error) {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}}
	if c.o.ClientSecret.Empty() {
		form.Set("code_verifier", verifier)
	}
	return c.pair(ctx, "exchange code", form)
}

// Refresh gives a refresh token for a new pair.
func (c *Client) Refresh(ctx context.Context, refresh secret.Text) (Pair, error) {
	return c.pair(ctx, "refresh token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh.Reveal()}})
}

// Revoke ends a consent, and all connections of its person.
func (c *Client) Revoke(ctx context.Context, refresh secret.Text) error {
	const doing = "revoke consent"
	a, err := c.send(ctx, c.identity(doing, "/connect/revocation", url.Values{"token": {refresh.Reveal()}}))
	if err == nil && a.status != http.StatusOK {
		err = a.tokenFailure(doing)
	}
	return err
}

// identity makes a call of the identity server, which has no limits that it
// documents.
func (c *Client) identity(doing, path string, form url.Values) call {
	header := http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	if c.o.ClientSecret.Empty() {
		form.Set("client_id", c.o.ClientID)
	} else { // RFC 6749, 2.3.1: both are form-encoded first
		both := url.QueryEscape(c.o.ClientID) + ":" + url.QueryEscape(c.o.ClientSecret.Reveal())
		header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(both)))
	}
	return call{
		doing: doing, method: http.MethodPost, url: c.o.IdentityURL + path, header: header,
		body: strings.NewReader(form.Encode()), gate: integration.Call{Provider: Provider},
	}
}

func (c *Client) pair(ctx context.Context, doing string, form url.Values) (Pair, error) {
	asked := c.o.Now()
	a, err := c.send(ctx, c.identity(doing, "/connect/token", form))
	if err != nil {
		return Pair{}, err
	}
	if a.status != http.StatusOK {
		return Pair{}, a.tokenFailure(doing)
	}
	var w wirePair
	if err := a.decode(doing, &w); err != nil {
		return Pair{}, err
	}
	if w.AccessToken == "" || w.RefreshToken == "" || w.ExpiresIn <= 0 {
		return Pair{}, &Failure{Doing: doing, cause: errors.New("the answer has no pair of tokens")}
	}
	const longest = 24 * 3600 // seconds; no access token of the provider lives as long
	p := Pair{
		Access: secret.New(w.AccessToken), Refresh: secret.New(w.RefreshToken),
		ExpiresAt: asked.Add(time.Duration(min(w.ExpiresIn, longest)) * time.Second),
	}
	if w.Scope != "" {
		p.Scopes = strings.Fields(w.Scope)
	}
	who := readClaims(w.AccessToken)
	p.User, p.Event = who.User, who.Event
	return p, nil
}

// readClaims reads an access token without verifying it: it comes from the
// provider's own endpoint. One that cannot be read states nothing.
func readClaims(token string) (out claims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return claims{}
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return claims{}
	}
	return out
}

// tokenFailure reads a refusal of the identity server (RFC 6749, 5.2).
func (a answer) tokenFailure(doing string) *Failure {
	f := &Failure{Doing: doing, Status: a.status, RetryAfter: retryAfter(a.header)}
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(a.body, &said) == nil {
		f.Kind = clip(said.Error)
	}
	return f
}
