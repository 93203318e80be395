package quickbooks

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"docledger/adapter/sim/kit/oidc"
)

// refuseToken responds with an error of RFC 6749, 5.2.
func refuseToken(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Cache-Control", "no-store")
	plain(w, status, map[string]string{"error": code})
}

// authenticate returns the authenticated application of a request. It returns nil if it refused
// the request. The caller holds the lock.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) *Client {
	id, secret, basic := r.BasicAuth()
	client := s.identity.client(id)
	if !basic || client == nil || subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		refuseToken(w, http.StatusUnauthorized, "invalid_client")
		return nil
	}
	return client
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		refuseToken(w, http.StatusBadRequest, "invalid_request")
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
		s.exchange(w, r, client, r.PostForm)
	case "refresh_token":
		s.renew(w, r, client, r.PostForm.Get("refresh_token"))
	case "":
		refuseToken(w, http.StatusBadRequest, "invalid_request")
	default:
		refuseToken(w, http.StatusBadRequest, "unsupported_grant_type")
	}
}

func (s *Server) exchange(w http.ResponseWriter, r *http.Request, client *Client, form url.Values) {
	c := s.identity.codes[form.Get("code")]
	if c == nil || c.grant.client != client.ID || c.used || !s.Kit.Clock.Now().Before(c.expires) || form.Get("redirect_uri") != c.redirectURI {
		refuseToken(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	c.used = true
	g := c.grant
	s.identity.grants = append(s.identity.grants, g)
	s.give(w, r, g, c.nonce)
}

// renew returns the same refresh token until its rotation is due. The rotation invalidates the
// old value.
func (s *Server) renew(w http.ResponseWriter, r *http.Request, client *Client, value string) {
	now := s.Kit.Clock.Now()
	g := find(s.identity.grants, func(g *grant) bool { return value != "" && g.refresh == value && g.client == client.ID })
	if g == nil || !now.Before(g.used.Add(s.limits.RefreshLifetime)) || !now.Before(g.given.Add(s.limits.ConsentLifetime)) {
		refuseToken(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	s.give(w, r, g, "")
}

// give responds with tokens.
func (s *Server) give(w http.ResponseWriter, r *http.Request, g *grant, nonce string) {
	now := s.Kit.Clock.Now()
	if g.refresh == "" || now.Sub(g.rotated) >= s.limits.RefreshRotation {
		g.refresh, g.rotated = newSecret("RT1-"), now
	}
	g.used = now
	token := newSecret("eyJhbGciOiJkaXIi.")
	s.identity.access[token] = &access{grant: g, expires: now.Add(s.limits.TokenLifetime)}
	out := map[string]any{
		"token_type": "bearer", "access_token": token, "expires_in": int(s.limits.TokenLifetime.Seconds()),
		"refresh_token": g.refresh, "x_refresh_token_expires_in": int(s.limits.RefreshLifetime.Seconds()),
	}
	if r.Header.Get("x-include-refresh-token-hard-expires-in") == "true" {
		out["x_refresh_token_hard_expires_in"] = int(g.given.Add(s.limits.ConsentLifetime).Sub(now).Seconds())
	}
	if slices.Contains(g.scopes, "openid") {
		out["id_token"] = s.idToken(g, nonce, token)
	}
	w.Header().Set("Cache-Control", "no-store")
	plain(w, http.StatusOK, out)
}

func (s *Server) idToken(g *grant, nonce, token string) string {
	now := s.stamp()
	claims := map[string]any{
		"iss": Issuer, "sub": g.user, "aud": []string{g.client}, "realmid": g.realm, "at_hash": oidc.AccessHash(token),
		"iat": now.Unix(), "auth_time": now.Unix(), "exp": now.Add(s.limits.IDTokenLifetime).Unix(),
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	return s.key().Sign(nil, claims)
}

// revoke revokes a grant by either of its tokens. An unknown token returns 400.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	value, ok := revoked(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	g := find(s.identity.grants, func(g *grant) bool { return value != "" && g.refresh == value })
	if a := s.identity.access[value]; g == nil && a != nil && !a.grant.ended {
		g = a.grant
	}
	if !ok || g == nil || g.client != client.ID {
		refuseToken(w, http.StatusBadRequest, "invalid_request")
		return
	}
	s.identity.end(g)
	w.WriteHeader(http.StatusOK)
}

// revoked reads the token of a revocation request from JSON or a form.
func revoked(r *http.Request) (token string, ok bool) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil && media == "application/x-www-form-urlencoded" {
		err = r.ParseForm()
		return r.PostForm.Get("token"), err == nil
	}
	var in struct {
		Token string `json:"token"`
	}
	err = json.NewDecoder(io.LimitReader(r.Body, 64<<10)).Decode(&in)
	return in.Token, err == nil
}

// userInfo is the OpenID Connect endpoint for the user who consented.
func (s *Server) userInfo(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.identity.access[bearer(r)]
	if a == nil || a.grant.ended || !s.Kit.Clock.Now().Before(a.expires) || !slices.Contains(a.grant.scopes, "openid") {
		plain(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	u := s.identity.user(a.grant.user)
	out := map[string]any{"sub": u.ID}
	if slices.Contains(a.grant.scopes, "email") {
		out["email"], out["emailVerified"] = strings.ToLower(u.Email), true
	}
	if slices.Contains(a.grant.scopes, "profile") {
		out["givenName"], out["familyName"] = u.FirstName, u.LastName
	}
	plain(w, http.StatusOK, out)
}
