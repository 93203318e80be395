package gdrive

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// refuseToken responds with an error of RFC 6749, 5.2.
func refuseToken(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Cache-Control", "no-store")
	plain(w, status, object{"error": code, "error_description": description})
}

// authenticate returns the authenticated application of a request. It returns nil if it refused
// the request. The caller holds the lock.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) *Client {
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	client := s.identity.client(id)
	if client == nil {
		refuseToken(w, http.StatusUnauthorized, "invalid_client", "The OAuth client was not found.")
		return nil
	}
	if subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1 {
		refuseToken(w, http.StatusUnauthorized, "invalid_client", "Unauthorized")
		return nil
	}
	return client
}

// token is the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	if err := r.ParseForm(); err != nil {
		refuseToken(w, http.StatusBadRequest, "invalid_request", "Bad Request")
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
		refuseToken(w, http.StatusBadRequest, "unsupported_grant_type", "Invalid grant_type: "+r.PostForm.Get("grant_type"))
	}
}

func (s *Server) exchange(w http.ResponseWriter, client *Client, form url.Values) {
	c := s.identity.codes[form.Get("code")]
	switch {
	case c == nil || c.client != client.ID || c.used || !s.Kit.Clock.Now().Before(c.expires):
		refuseToken(w, http.StatusBadRequest, "invalid_grant", "Malformed auth code.")
		return
	case form.Get("redirect_uri") != c.redirectURI:
		refuseToken(w, http.StatusBadRequest, "redirect_uri_mismatch", "Bad Request")
		return
	case !c.verified(form.Get("code_verifier")):
		refuseToken(w, http.StatusBadRequest, "invalid_grant", "Invalid code verifier.")
		return
	}
	consented := s.identity.consented(c.client, c.user)
	if consented == nil {
		refuseToken(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
		return
	}
	c.used = true
	g := &grant{consent: consented, scopes: c.scopes}
	if c.offline {
		g.refresh = newSecret("1//0")
		s.crowdOut(consented)
	}
	s.identity.grants = append(s.identity.grants, g)
	s.give(w, g, g.refresh, c.nonce)
}

// verified checks the verifier of RFC 7636.
func (c *code) verified(verifier string) bool {
	if c.challenge == "" {
		return true
	}
	if c.method == "S256" {
		sum := sha256.Sum256([]byte(verifier))
		verifier = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	return verifier != "" && verifier == c.challenge
}

// crowdOut revokes the oldest refresh tokens of a consent that has reached the maximum.
func (s *Server) crowdOut(c *consent) {
	theirs := 0
	for _, g := range slices.Backward(s.identity.grants) {
		if g.consent == c && g.refresh != "" {
			if theirs++; theirs >= s.limits.LiveTokens {
				g.refresh = ""
			}
		}
	}
}

// renew returns another access token. The refresh token stays valid, and the response does not
// repeat it.
func (s *Server) renew(w http.ResponseWriter, client *Client, value string) {
	g := find(s.identity.grants, func(g *grant) bool { return value != "" && g.refresh == value && g.consent.client == client.ID })
	if g == nil || !s.Kit.Clock.Now().Before(g.used.Add(s.limits.IdleLifetime)) {
		refuseToken(w, http.StatusBadRequest, "invalid_grant", "Token has been expired or revoked.")
		return
	}
	s.give(w, g, "", "")
}

// give responds with tokens.
func (s *Server) give(w http.ResponseWriter, g *grant, refresh, nonce string) {
	g.used = s.Kit.Clock.Now()
	token := newSecret("ya29.")
	s.identity.access[token] = &access{grant: g, expires: g.used.Add(s.limits.TokenLifetime)}
	out := object{
		"access_token": token, "expires_in": int(s.limits.TokenLifetime.Seconds()), "scope": strings.Join(g.scopes, " "), "token_type": "Bearer",
	}
	if refresh != "" {
		out["refresh_token"] = refresh
	}
	if slices.Contains(g.scopes, "openid") {
		out["id_token"] = s.idToken(g, nonce)
	}
	w.Header().Set("Cache-Control", "no-store")
	plain(w, http.StatusOK, out)
}

func (s *Server) idToken(g *grant, nonce string) string {
	now := time.Now() // the application verifies it with the machine's clock
	if !s.options.Start.IsZero() {
		now = s.Kit.Clock.Now()
	}
	claims := object{
		"iss": Issuer, "azp": g.consent.client, "aud": g.consent.client, "sub": g.consent.user,
		"iat": now.Unix(), "exp": now.Add(s.limits.IDTokenLifetime).Unix(),
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if g.allows([]string{"email", scopePrefix + "userinfo.email"}) {
		claims["email"], claims["email_verified"] = s.identity.user(g.consent.user).Email, true
	}
	return s.key().Sign(nil, claims)
}

// revoke revokes a user's whole consent for an application by any of its tokens. It does not
// authenticate the application.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	value := r.FormValue("token")
	s.mu.Lock()
	defer s.mu.Unlock()
	g := find(s.identity.grants, func(g *grant) bool { return value != "" && g.refresh == value })
	if a := s.identity.access[value]; g == nil && a != nil && !a.grant.ended {
		g = a.grant
	}
	if g == nil {
		refuseToken(w, http.StatusBadRequest, "invalid_token", "Token expired or revoked")
		return
	}
	s.identity.end(g.consent)
	plain(w, http.StatusOK, object{})
}
