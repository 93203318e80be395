package clerk

import (
	"net/http"
	"slices"
	"strings"
)

// frontend adds the part of the provider's frontend API that needs no user.
func (s *Server) frontend(mux *http.ServeMux) {
	mux.HandleFunc("GET /.well-known/jwks.json", open(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=15")
		answer(w, http.StatusOK, s.keys.published())
	}))
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", open(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, s.metadata())
	}))
	mux.HandleFunc("GET /.well-known/openid-configuration", open(func(w http.ResponseWriter, _ *http.Request) {
		m := s.metadata()
		m["userinfo_endpoint"] = s.options.Origin + "/oauth/userinfo"
		m["introspection_endpoint"] = s.options.Origin + "/oauth/token_info"
		m["response_modes_supported"] = []string{"query", "form_post"}
		answer(w, http.StatusOK, m)
	}))
	mux.HandleFunc("POST /oauth/token", open(s.token))
	mux.HandleFunc("POST /oauth/token_info", open(s.tokenInfo))
	mux.HandleFunc("POST /oauth/token/revoke", open(s.revoke))
	mux.HandleFunc("GET /oauth/userinfo", open(s.userinfo))
	mux.HandleFunc("POST /oauth/userinfo", open(s.userinfo))
	mux.HandleFunc("POST /oauth/register", open(func(w http.ResponseWriter, _ *http.Request) {
		f := failed(http.StatusUnprocessableEntity, "dynamic_client_registration_disabled", "Clients cannot be registered here.")
		answer(w, f.status, f.body())
	}))
	for _, pattern := range []string{"OPTIONS /oauth/", "OPTIONS /.well-known/"} {
		mux.HandleFunc(pattern, open(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	}
}

// open allows calls from pages of every origin.
func open(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization, Content-Type, MCP-Protocol-Version")
		next(w, r)
	}
}

// metadata is the document of RFC 8414 as the provider writes it. Its list of client
// authentication methods omits client_secret_post, which the endpoint accepts.
func (s *Server) metadata() map[string]any {
	s.mu.Lock()
	stamped := !s.settings.OmitIssuer
	s.mu.Unlock()
	at := func(path string) string { return s.options.Origin + path }
	return map[string]any{
		"issuer":                                         s.options.Origin,
		"authorization_endpoint":                         at("/oauth/authorize"),
		"token_endpoint":                                 at("/oauth/token"),
		"revocation_endpoint":                            at("/oauth/token/revoke"),
		"jwks_uri":                                       at("/.well-known/jwks.json"),
		"response_types_supported":                       []string{"code"},
		"grant_types_supported":                          []string{"authorization_code", "refresh_token"},
		"token_endpoint_auth_methods_supported":          []string{"client_secret_basic", "none"},
		"scopes_supported":                               knownScopes,
		"subject_types_supported":                        []string{"public"},
		"id_token_signing_alg_values_supported":          []string{"RS256"},
		"claims_supported":                               []string{"sub", "iss", "aud", "exp", "iat", "email", "name", "org_id"},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": stamped,
	}
}

// grantOf returns the grant of an access token; nil for an invalid token. The caller holds the
// lock.
func (s *Server) grantOf(token string) *grant {
	if o := s.store.opaque[token]; o != nil {
		if o.revoked || !s.stamp().Before(o.expires) {
			return nil
		}
		return o.grant
	}
	claims, err := s.keys.read(token)
	if err != nil || claims["client_id"] == nil {
		return nil
	}
	if expires, _ := claims["exp"].(float64); float64(s.stamp().Unix()) >= expires {
		return nil
	}
	text := func(name string) string { t, _ := claims[name].(string); return t }
	g := &grant{client: text("client_id"), user: text("sub"), organization: text("org_id"), scopes: strings.Fields(text("scope"))}
	if list, isList := claims["scp"].([]any); isList {
		for _, scope := range list {
			if name, isText := scope.(string); isText {
				g.scopes = append(g.scopes, name)
			}
		}
	}
	return g
}

func (s *Server) userinfo(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.grantOf(token)
	if g == nil || s.store.user(g.user) == nil {
		oauthError(w, http.StatusUnauthorized, "invalid_token", "The access token is not valid.")
		return
	}
	user := s.store.user(g.user)
	info := map[string]any{"sub": user.ID, "user_id": user.ID, "instance_id": "ins_simulated"}
	if slices.Contains(g.scopes, "email") {
		info["email"], info["email_verified"] = user.Email, !user.Unconfirmed
	}
	if slices.Contains(g.scopes, "profile") {
		info["name"] = strings.TrimSpace(user.FirstName + " " + user.LastName)
		info["given_name"], info["family_name"] = user.FirstName, user.LastName
	}
	if o := s.store.organization(s.grantedOrganization(g)); o != nil {
		info["org_id"], info["org_name"], info["org_slug"] = o.ID, o.Name, o.Slug
	}
	answer(w, http.StatusOK, info)
}
