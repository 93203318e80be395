package xero

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

// refuseToken responds with an error of RFC 6749, 5.2. Every refusal has status 400.
func refuseToken(w http.ResponseWriter, code string) {
	w.Header().Set("Cache-Control", "no-store")
	plain(w, http.StatusBadRequest, map[string]string{"error": code})
}

// authenticate returns the application of a request, after it checked the secret if the
// application has one. It returns nil if it refused the request. The caller holds the lock.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) *Client {
	id, secret, basic := r.BasicAuth()
	if basic { // RFC 6749, 2.3.1: both are form-encoded first
		id, secret = unescape(id), unescape(secret)
	} else {
		id = r.PostForm.Get("client_id")
	}
	if id == "" {
		refuseToken(w, "unauthorized_client")
		return nil
	}
	client := s.identity.client(id)
	if client == nil || basic != (client.Secret != "") || subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		refuseToken(w, "invalid_client")
		return nil
	}
	return client
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuseToken(w, "invalid_request")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		s.exchange(w, client, r.PostForm)
	case "refresh_token":
		s.renew(w, client, r.PostForm.Get("refresh_token"))
	default:
		refuseToken(w, "unsupported_grant_type")
	}
}

func (s *Server) exchange(w http.ResponseWriter, client *Client, form url.Values) {
	c := s.identity.codes[form.Get("code")]
	if c == nil || c.grant.client != client.ID || c.used || !s.Kit.Clock.Now().Before(c.expires) ||
		form.Get("redirect_uri") != c.redirectURI || !verifies(c.challenge, form.Get("code_verifier")) {
		refuseToken(w, "invalid_grant")
		return
	}
	c.used = true
	s.give(w, c.grant, c.nonce)
}

// verifies checks a verifier against an S256 challenge (RFC 7636, 4.6).
func verifies(challenge, verifier string) bool {
	if challenge == "" {
		return verifier == ""
	}
	const shortest, longest = 43, 128
	sum := sha256.Sum256([]byte(verifier))
	return len(verifier) >= shortest && len(verifier) <= longest &&
		base64.RawURLEncoding.EncodeToString(sum[:]) == challenge
}

// renew rotates a refresh token. A used token works again within the grace period, for clients
// that did not receive the response.
func (s *Server) renew(w http.ResponseWriter, client *Client, value string) {
	now := s.Kit.Clock.Now()
	r := s.identity.refresh[value]
	switch {
	case r == nil || r.grant.client != client.ID:
		refuseToken(w, "invalid_grant")
		return
	case r.replaced.IsZero() && !now.Before(r.expires):
		refuseToken(w, "invalid_grant")
		return
	case !r.replaced.IsZero() && now.Sub(r.replaced) >= s.limits.RefreshGrace:
		refuseToken(w, "invalid_grant")
		return
	}
	if r.replaced.IsZero() {
		r.replaced = now
	}
	s.give(w, r.grant, "")
}

// give responds with tokens.
func (s *Server) give(w http.ResponseWriter, g *grant, nonce string) {
	token := s.accessToken(g)
	out := map[string]any{
		"access_token": token, "token_type": "Bearer", "expires_in": int(s.limits.TokenLifetime.Seconds()),
		"scope": strings.Join(g.scopes, " "),
	}
	if slices.Contains(g.scopes, "openid") {
		out["id_token"] = s.idToken(g, nonce, token)
	}
	if slices.Contains(g.scopes, "offline_access") {
		value := newSecret()
		s.identity.refresh[value] = &refresh{grant: g, expires: s.Kit.Clock.Now().Add(s.limits.RefreshLifetime)}
		out["refresh_token"] = value
	}
	w.Header().Set("Cache-Control", "no-store")
	plain(w, http.StatusOK, out)
}

func (s *Server) accessToken(g *grant) string {
	token := s.key().Sign(nil, s.claims(g, s.limits.TokenLifetime, map[string]any{
		"aud": s.options.Origin + "/resources", "client_id": g.client, "jti": uuid.NewString(),
		"authentication_event_id": g.event, "scope": g.scopes,
	}))
	s.identity.access[token] = &access{grant: g, expires: s.Kit.Clock.Now().Add(s.limits.TokenLifetime)}
	return token
}

func (s *Server) idToken(g *grant, nonce, token string) string {
	more := map[string]any{"aud": g.client, "at_hash": oidc.AccessHash(token)}
	if nonce != "" {
		more["nonce"] = nonce
	}
	if u := s.identity.user(g.user); u != nil {
		if slices.Contains(g.scopes, "email") {
			more["email"] = u.Email
		}
		if slices.Contains(g.scopes, "profile") {
			more["preferred_username"], more["given_name"], more["family_name"] = u.Email, u.FirstName, u.LastName
		}
	}
	return s.key().Sign(nil, s.claims(g, s.limits.IDTokenLifetime, more))
}

// claims are the common claims of both kinds of token, and more.
func (s *Server) claims(g *grant, lifetime time.Duration, more map[string]any) map[string]any {
	now := s.stamp()
	out := map[string]any{
		"iss": s.options.Origin, "sub": strings.ReplaceAll(g.user, "-", ""), "xero_userid": g.user,
		"nbf": now.Unix(), "iat": now.Unix(), "auth_time": now.Unix(), "exp": now.Add(lifetime).Unix(),
	}
	for name, value := range more {
		out[name] = value
	}
	return out
}

// revoke revokes a grant by its refresh token, and every connection of the user to the
// application. An unknown token is not an error (RFC 7009, 2.2).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuseToken(w, "invalid_request")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	if known := s.identity.refresh[r.PostForm.Get("token")]; known != nil && known.grant.client == client.ID {
		s.identity.forget(known.grant)
	}
	w.WriteHeader(http.StatusOK)
}
