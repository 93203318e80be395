package msgraph

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// refuseToken responds with an error of RFC 6749, 5.2, and the provider's error number.
func (s *Server) refuseToken(w http.ResponseWriter, status int, kind string, number int, message string) {
	trace, correlation := uuid.NewString(), uuid.NewString()
	stamp := s.Kit.Clock.Now().Format("2006-01-02 15:04:05Z")
	w.Header().Set("Cache-Control", "no-store")
	plain(w, status, map[string]any{
		"error": kind, "error_codes": []int{number}, "timestamp": stamp, "trace_id": trace, "correlation_id": correlation,
		"error_description": fmt.Sprintf("AADSTS%d: %s Trace ID: %s Correlation ID: %s Timestamp: %s", number, message, trace, correlation, stamp),
		"error_uri":         fmt.Sprintf("%s/error?code=%d", s.options.Origin, number),
	})
}

func (s *Server) refuseGrant(w http.ResponseWriter, number int, message string) {
	s.refuseToken(w, http.StatusBadRequest, "invalid_grant", number, message)
}

// authenticate returns the application of a request, after it checked the secret if the
// application has one. It returns nil if it refused the request. The caller holds the lock.
func (s *Server) authenticate(w http.ResponseWriter, r *http.Request) *Client {
	id, secret, basic := r.BasicAuth()
	if basic { // RFC 6749, 2.3.1: both are form-encoded first
		id, secret = unescape(id), unescape(secret)
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	client := s.identity.client(id)
	switch {
	case id == "":
		s.refuseToken(w, http.StatusBadRequest, "invalid_request", 900144, "The request body must contain the following parameter: 'client_id'.")
	case client == nil:
		s.refuseToken(w, http.StatusBadRequest, "unauthorized_client", 700016, "Application was not found in the directory.")
	case client.Secret != "" && secret == "":
		s.refuseToken(w, http.StatusUnauthorized, "invalid_client", 7000218, "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.")
	case client.Secret == "" && secret != "":
		s.refuseToken(w, http.StatusUnauthorized, "invalid_client", 700025, "Client is public so neither 'client_assertion' nor 'client_secret' should be presented.")
	case subtle.ConstantTimeCompare([]byte(client.Secret), []byte(secret)) != 1:
		s.refuseToken(w, http.StatusUnauthorized, "invalid_client", 7000215, "Invalid client secret provided.")
	default:
		return client
	}
	return nil
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
		s.refuseToken(w, http.StatusBadRequest, "invalid_request", 900144, "The request body cannot be read.")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if tenant := r.PathValue("tenant"); !s.knows(tenant) {
		s.refuseToken(w, http.StatusBadRequest, "invalid_request", 90002, "Tenant '"+tenant+"' not found.")
		return
	}
	client := s.authenticate(w, r)
	if client == nil {
		return
	}
	switch r.PostForm.Get("grant_type") {
	case "authorization_code":
		s.exchange(w, client, r.PostForm)
	case "refresh_token":
		s.renew(w, client, r.PostForm)
	default:
		s.refuseToken(w, http.StatusBadRequest, "unsupported_grant_type", 70003, "The app requested an unsupported grant type.")
	}
}

func (s *Server) exchange(w http.ResponseWriter, client *Client, form url.Values) {
	c := s.identity.codes[form.Get("code")]
	switch {
	case c == nil || c.grant.client != client.ID:
		s.refuseGrant(w, 9002313, "Invalid request. Request is malformed or invalid.")
	case c.used:
		s.refuseGrant(w, 54005, "OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing refresh token.")
	case !s.Kit.Clock.Now().Before(c.expires):
		s.refuseGrant(w, 70008, "The provided authorization code or refresh token has expired due to inactivity.")
	case form.Get("redirect_uri") != c.redirectURI:
		s.refuseGrant(w, 50011, "The redirect URI specified in the request does not match the one of the authorization.")
	case !verifies(c.challenge, form.Get("code_verifier")):
		s.refuseGrant(w, 501481, "The Code_Verifier does not match the code_challenge supplied in the authorization request.")
	default:
		c.used = true
		s.give(w, c.grant, c.nonce)
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

// renew issues a new pair. The used refresh token stays valid until its own expiry.
func (s *Server) renew(w http.ResponseWriter, client *Client, form url.Values) {
	r := s.identity.refresh[form.Get("refresh_token")]
	scopes, known := readScopes(form.Get("scope"))
	switch {
	case r == nil || r.grant.client != client.ID:
		s.refuseGrant(w, 9002313, "Invalid request. Request is malformed or invalid.")
	case r.grant.revoked:
		s.refuseGrant(w, 50173, "The provided grant has expired due to it being revoked, a fresh auth token is needed.")
	case !s.Kit.Clock.Now().Before(r.expires):
		s.refuseGrant(w, 700082, "The refresh token has expired due to inactivity.")
	case form.Get("scope") != "" && !known:
		s.refuseToken(w, http.StatusBadRequest, "invalid_scope", 70011, "The provided value for the input parameter 'scope' is not valid.")
	case slices.ContainsFunc(scopes, func(name string) bool { return !slices.Contains(r.grant.scopes, name) }):
		s.refuseGrant(w, 65001, "The user or administrator has not consented to use the application.")
	default:
		s.give(w, r.grant, "")
	}
}

// give responds with tokens.
func (s *Server) give(w http.ResponseWriter, g *grant, nonce string) {
	now := s.Kit.Clock.Now()
	access, seconds := newSecret(), int(s.limits.TokenLifetime.Seconds())
	s.identity.access[access] = &token{grant: g, expires: now.Add(s.limits.TokenLifetime)}
	out := map[string]any{
		"token_type": "Bearer", "scope": strings.Join(g.resourceScopes(), " "), "expires_in": seconds, "ext_expires_in": seconds,
		"access_token": access,
	}
	if g.allows("offline_access") {
		value := newSecret()
		s.identity.refresh[value] = &token{grant: g, expires: now.Add(s.limits.RefreshLifetime)}
		out["refresh_token"] = value
	}
	if g.allows("openid") {
		out["id_token"] = s.idToken(g, nonce)
	}
	w.Header().Set("Cache-Control", "no-store")
	plain(w, http.StatusOK, out)
}

// resourceScopes are the scopes in the response. offline_access is not one of the API's.
func (g *grant) resourceScopes() []string {
	return slices.DeleteFunc(slices.Clone(g.scopes), func(name string) bool { return name == "offline_access" })
}

func (s *Server) idToken(g *grant, nonce string) string {
	now := s.stamp()
	claims := map[string]any{
		"iss": s.issuer(), "aud": g.client, "tid": s.options.Tenant, "oid": g.user, "sub": g.client + "-" + g.user, "ver": "2.0",
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(s.limits.TokenLifetime).Unix(),
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if u := s.identity.user(g.user); u != nil && g.allows("profile") {
		claims["name"], claims["preferred_username"] = u.Name, u.Email
	}
	return s.key().Sign(nil, claims)
}
