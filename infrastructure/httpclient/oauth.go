package httpclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docledger/domain/secret"

	"golang.org/x/oauth2"
)

// OAuth makes the token requests of one OAuth client (RFC 6749). Every request uses
// Admit and Client, so that it has the same limits, timeouts and error handling as
// other calls.
type OAuth struct {
	Client       *Client
	Admit        Admit
	ClientID     string
	ClientSecret secret.Text // empty for a public client with PKCE
	AuthorizeURL string
	TokenURL     string
	// BasicAuth sends the secret in a header; otherwise it is sent in the body.
	BasicAuth bool
	// Unescaped sends id and secret in the header without form encoding, for
	// providers that deviate from RFC 6749, section 2.3.1.
	Unescaped bool
	// NewRefreshToken makes a response without a refresh token an error. It is for
	// providers that always send one.
	NewRefreshToken bool
	// RefreshExpiresIn is the field of the response with the lifetime of the
	// refresh token in seconds; "" for none.
	RefreshExpiresIn string
	Now              func() time.Time
}

// Token is the response of a token endpoint.
type Token struct {
	Access           secret.Text
	Refresh          secret.Text // the old one if a refresh returns none; may be empty after Exchange
	ExpiresAt        time.Time   // of Access; at most 48 hours ahead
	RefreshExpiresAt time.Time   // zero if unknown
	Scopes           []string    // as granted; nil if unknown
	IDToken          string
}

// Maximum accepted lifetimes, in seconds.
const (
	maxAccess  = 48 * 3600
	maxRefresh = 6 * 365 * 24 * 3600
)

// AuthorizationURL returns the address of the consent page. challenge is the
// S256 challenge of RFC 7636, or "".
func (o *OAuth) AuthorizationURL(state, redirectURI, challenge string, scopes []string, extra url.Values) string {
	params := []oauth2.AuthCodeOption{}
	for name := range extra {
		params = append(params, oauth2.SetAuthURLParam(name, extra.Get(name)))
	}
	if challenge != "" {
		params = append(params, oauth2.SetAuthURLParam("code_challenge", challenge), oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	}
	config := o.config(redirectURI)
	config.Scopes = scopes
	// Some parsers do not decode + as a space.
	return strings.ReplaceAll(config.AuthCodeURL(state, params...), "+", "%20")
}

// Exchange exchanges a code for tokens. verifier belongs to the challenge.
func (o *OAuth) Exchange(ctx context.Context, code, redirectURI, verifier string) (Token, error) {
	const operation = "exchange code"
	asked := o.Now()
	params := []oauth2.AuthCodeOption{}
	if verifier != "" {
		params = append(params, oauth2.VerifierOption(verifier))
	}
	t, err := o.config(redirectURI).Exchange(o.with(ctx, operation), code, params...)
	return o.token(operation, asked, t, err)
}

// Refresh exchanges a refresh token for new tokens.
func (o *OAuth) Refresh(ctx context.Context, refresh secret.Text) (Token, error) {
	const operation = "refresh token"
	asked := o.Now()
	t, err := o.config("").TokenSource(o.with(ctx, operation), &oauth2.Token{RefreshToken: refresh.Reveal()}).Token()
	return o.token(operation, asked, t, err)
}

// Revoke sends a token to the revocation endpoint (RFC 7009), as JSON where
// asJSON is set.
func (o *OAuth) Revoke(ctx context.Context, address string, token secret.Text, asJSON bool) error {
	r := Request{Operation: "revoke consent", Method: http.MethodPost, URL: address, Admit: o.Admit, Secrets: []string{token.Reveal(), o.ClientSecret.Reveal()}}
	form := url.Values{"token": {token.Reveal()}}
	switch {
	case o.BasicAuth && !o.ClientSecret.Empty():
		r.SetHeader("Authorization", o.basic())
	case o.BasicAuth:
		form.Set("client_id", o.ClientID)
	}
	if asJSON {
		r, err := r.WithJSON(map[string]string{"token": token.Reveal()})
		if err != nil {
			return err
		}
		return o.Client.JSON(ctx, r, nil)
	}
	r.SetHeader("Content-Type", "application/x-www-form-urlencoded")
	r.Body = strings.NewReader(form.Encode())
	return o.Client.JSON(ctx, r, nil)
}

// basic returns the Authorization header of the client.
func (o *OAuth) basic() string {
	id, password := url.QueryEscape(o.ClientID), url.QueryEscape(o.ClientSecret.Reveal())
	if o.Unescaped {
		id, password = o.ClientID, o.ClientSecret.Reveal()
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+password))
}

func (o *OAuth) config(redirectURI string) *oauth2.Config {
	style := oauth2.AuthStyleInParams
	if o.BasicAuth && !o.ClientSecret.Empty() {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret.Reveal(), RedirectURL: redirectURI,
		Endpoint: oauth2.Endpoint{AuthURL: o.AuthorizeURL, TokenURL: o.TokenURL, AuthStyle: style},
	}
}

// token converts the result of the library. Errors of the library may contain a
// response body.
func (o *OAuth) token(operation string, asked time.Time, t *oauth2.Token, err error) (Token, error) {
	if err != nil {
		if f := FailureOf(err); f != nil {
			return Token{}, f
		}
		return Token{}, &Failure{Operation: operation, cause: errForeign}
	}
	text := func(name string) string {
		s, _ := t.Extra(name).(string)
		return s
	}
	if t.AccessToken == "" || t.ExpiresIn <= 0 || o.NewRefreshToken && text("refresh_token") == "" {
		return Token{}, Broken(operation, "the response has no tokens")
	}
	out := Token{
		Access: secret.New(t.AccessToken), Refresh: secret.New(t.RefreshToken), IDToken: text("id_token"),
		ExpiresAt: asked.Add(time.Duration(min(t.ExpiresIn, maxAccess)) * time.Second),
	}
	if scope := text("scope"); scope != "" {
		out.Scopes = strings.Fields(scope)
	}
	if seconds, ok := t.Extra(o.RefreshExpiresIn).(float64); ok && seconds > 0 {
		out.RefreshExpiresAt = asked.Add(time.Duration(min(seconds, maxRefresh)) * time.Second)
	}
	return out, nil
}

// with makes the library send its requests through the Client.
func (o *OAuth) with(ctx context.Context, operation string) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: tokenTransport{o, operation}})
}

// tokenTransport makes a request through the Client. It returns a refusal as its
// error.
type tokenTransport struct {
	o         *OAuth
	operation string
}

// RoundTrip implements http.RoundTripper.
func (t tokenTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	raw, err := readAll(req.Body, maxRefusal)
	if err != nil {
		return nil, err
	}
	form, err := url.ParseQuery(string(raw))
	if err != nil {
		return nil, err
	}
	header := req.Header.Clone()
	if header.Get("Authorization") != "" {
		header.Set("Authorization", t.o.basic())
	}
	resp, err := t.o.Client.Do(req.Context(), Request{
		Operation: t.operation, Method: req.Method, URL: req.URL.String(), Header: header, Body: bytes.NewReader(raw), Admit: t.o.Admit,
		Secrets: []string{form.Get("code"), form.Get("code_verifier"), form.Get("refresh_token"), t.o.ClientSecret.Reveal()},
	})
	if err != nil {
		return nil, err
	}
	// The library parses other media types as forms.
	if err := resp.Decode(t.operation, &struct{}{}); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: resp.Status, Status: http.StatusText(resp.Status), Header: resp.Header, Request: req,
		Body: io.NopCloser(bytes.NewReader(resp.Body)), ContentLength: int64(len(resp.Body)),
	}, nil
}

// Claims reads the claims of a JWT without verifying it. OpenID Connect Core, section
// 3.1.3.7, allows this for a token that came directly from the provider's endpoint
// over TLS. It returns false for an invalid token.
func Claims(token string, into any) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	return err == nil && json.Unmarshal(raw, into) == nil
}
