package clerk

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// oauthError responds with an error of RFC 6749, 5.2.
func oauthError(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Cache-Control", "no-store")
	answer(w, status, map[string]any{"error": code, "error_description": description})
}

// authenticate returns the authenticated client of a request to the token endpoint. It returns
// nil if it refused the request. The caller holds the lock.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) *Client {
	id, secret, basic := r.BasicAuth()
	if basic { // RFC 6749, 2.3.1: both are form-encoded first
		id, secret = unescape(id), unescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	client := s.store.client(id)
	if client == nil || subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		oauthError(w, http.StatusUnauthorized, "invalid_client", "The client is not known, or its secret is wrong.")
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
		oauthError(w, http.StatusBadRequest, "invalid_request", "The body is not a form.")
		return
	}
	for name, values := range r.PostForm {
		if len(values) > 1 {
			oauthError(w, http.StatusBadRequest, "invalid_request", "The parameter "+name+" is there twice.")
			return
		}
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
		s.refresh(w, client, r.PostForm)
	default:
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "The grant type is not supported.")
	}
}

func (s *Server) exchange(w http.ResponseWriter, client *Client, form url.Values) {
	c := s.store.codes[form.Get("code")]
	refuse := func(why string) { oauthError(w, http.StatusBadRequest, "invalid_grant", why) }
	switch {
	case c == nil || c.grant.client != client.ID:
		refuse("The code is not known.")
		return
	case c.used:
		s.withdraw(c)
		refuse("The code was used before; what it gave is withdrawn.")
		return
	case !s.Kit.Clock.Now().Before(c.expires):
		refuse("The code is expired.")
		return
	case form.Get("redirect_uri") != c.redirectURI:
		refuse("The redirect_uri is not that of the authorization request.")
		return
	case !verifies(c.challenge, form.Get("code_verifier")):
		refuse("The code_verifier does not fit the code_challenge.")
		return
	}
	c.used = true
	c.grant.refresh = newID("ort")
	s.store.grants[c.grant.refresh] = c.grant
	s.give(w, c.grant, c.nonce)
}

// withdraw revokes the tokens of a code that was used twice, because another party may have them
// (RFC 6749, 4.1.2).
func (s *Server) withdraw(c *code) {
	delete(s.store.grants, c.grant.refresh)
	for _, o := range s.store.opaque {
		if o.grant == c.grant {
			o.revoked = true
		}
	}
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

func (s *Server) refresh(w http.ResponseWriter, client *Client, form url.Values) {
	g := s.store.grants[form.Get("refresh_token")]
	if g == nil || g.client != client.ID {
		oauthError(w, http.StatusBadRequest, "invalid_grant", "The refresh token is not known.")
		return
	}
	narrowed := *g
	if wanted := strings.Fields(form.Get("scope")); len(wanted) > 0 {
		for _, scope := range wanted {
			if !slices.Contains(g.scopes, scope) {
				oauthError(w, http.StatusBadRequest, "invalid_scope", "The scope was not granted.")
				return
			}
		}
		narrowed.scopes = wanted
	}
	s.give(w, &narrowed, "")
}

// give responds with tokens.
func (s *Server) give(w http.ResponseWriter, g *grant, nonce string) {
	out := map[string]any{
		"access_token": s.accessToken(g, TokenOptions{}), "token_type": "Bearer",
		"expires_in": int(s.limits.TokenLifetime.Seconds()), "refresh_token": g.refresh,
		"scope": strings.Join(g.scopes, " "),
	}
	if slices.Contains(g.scopes, "openid") {
		out["id_token"] = s.idToken(g, nonce)
	}
	w.Header().Set("Cache-Control", "no-store")
	answer(w, http.StatusOK, out)
}

func (s *Server) tokenInfo(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The body is not a form.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	token := r.PostForm.Get("token")
	g := s.grantOf(token)
	if known := s.store.grants[token]; known != nil {
		g = known
	}
	if g == nil || g.client != client.ID {
		answer(w, http.StatusOK, map[string]any{"active": false})
		return
	}
	info := map[string]any{
		"active": true, "client_id": g.client, "sub": g.user, "scope": strings.Join(g.scopes, " "), "iat": s.stamp().Unix(),
	}
	if organization := s.grantedOrganization(g); organization != "" {
		info["org_id"] = organization
	}
	answer(w, http.StatusOK, info)
}

// revoke revokes refresh tokens and opaque access tokens. A JWT cannot be revoked.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "The body is not a form.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	token := r.PostForm.Get("token")
	if strings.Count(token, ".") == 2 {
		oauthError(w, http.StatusBadRequest, "unsupported_token_type", "JWT access tokens cannot be revoked.")
		return
	}
	if g := s.store.grants[token]; g != nil && g.client == client.ID {
		delete(s.store.grants, token)
	}
	if o := s.store.opaque[token]; o != nil && o.grant.client == client.ID {
		o.revoked = true
	}
	w.WriteHeader(http.StatusOK)
}
