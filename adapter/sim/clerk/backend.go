package clerk

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	defaultLimit = 10
	mostLimit    = 500

	// noPlainMetadata is the first version in which PATCH of an organization
	// refuses metadata.
	noPlainMetadata = "2026-05-12"
)

// operation is one call of the backend API. The caller holds the lock.
type operation func(r *http.Request) (any, *failure)

// backend adds the API for servers, which authenticate with the secret key.
func (s *Server) backend(mux *http.ServeMux) {
	for pattern, do := range map[string]operation{
		"GET /v1/jwks": func(*http.Request) (any, *failure) { return s.keys.published(), nil },

		"GET /v1/organizations":                  s.listOrganizations,
		"POST /v1/organizations":                 s.createOrganization,
		"GET /v1/organizations/{id}":             s.getOrganization,
		"PATCH /v1/organizations/{id}":           s.updateOrganization,
		"DELETE /v1/organizations/{id}":          s.deleteOrganization,
		"PATCH /v1/organizations/{id}/metadata":  s.mergeMetadata,
		"PUT /v1/organizations/{id}/metadata":    s.replaceMetadata,
		"GET /v1/organizations/{id}/memberships": s.listMembers,

		"POST /v1/organizations/{id}/memberships":          s.createMembership,
		"PATCH /v1/organizations/{id}/memberships/{user}":  s.updateMembership,
		"DELETE /v1/organizations/{id}/memberships/{user}": s.deleteMembership,

		"GET /v1/users":                               s.listUsers,
		"POST /v1/users":                              s.createUser,
		"GET /v1/users/count":                         s.countUsers,
		"GET /v1/users/{id}":                          s.getUser,
		"POST /v1/users/{id}/ban":                     s.ban(true),
		"POST /v1/users/{id}/unban":                   s.ban(false),
		"POST /v1/users/{id}/verify_password":         s.verifyPassword,
		"GET /v1/users/{id}/organization_memberships": s.listPlaces,

		"POST /v1/sessions":             s.createSession,
		"GET /v1/sessions/{id}":         s.getSession,
		"POST /v1/sessions/{id}/tokens": s.createSessionToken,

		"POST /v1/oauth_applications/access_tokens/verify": s.verifyAccessToken,
		"POST /oauth_applications/access_tokens/verify":    s.verifyAccessToken, // the form in which the vendor's libraries call it
	} {
		mux.HandleFunc(pattern, s.call(do))
	}
	mux.HandleFunc("/v1/", s.call(func(*http.Request) (any, *failure) { return nil, notFound("route") }))
}

// call checks the key and the rate limit, then performs an operation.
func (s *Server) call(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		f := s.checkKey(r)
		if wait := s.admit("backend", s.limits.BackendRequests); f == nil && wait > 0 && r.URL.Path != "/v1/jwks" {
			f = tooMany(wait)
		}
		var body any
		if f == nil {
			body, f = do(r)
		}
		if f == nil {
			answer(w, http.StatusOK, body)
			return
		}
		if f.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.retryAfter))
		}
		answer(w, f.status, f.body())
	}
}

func tooMany(wait time.Duration) *failure {
	f := failed(http.StatusTooManyRequests, "too_many_requests", "Too many requests. Please try again later.")
	f.retryAfter = int((wait + time.Second - 1) / time.Second)
	return f
}

func (s *Server) checkKey(r *http.Request) *failure {
	key, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !found:
		return failed(http.StatusUnauthorized, "authorization_header_missing", "The Authorization header is missing.")
	case s.options.SecretKey == "" && strings.HasPrefix(key, "sk_"), s.options.SecretKey != "" && key == s.options.SecretKey:
		return nil
	}
	return failed(http.StatusUnauthorized, "clerk_key_invalid", "The provided secret key is invalid.")
}

// paged returns the part of a list that limit and offset select.
func paged(r *http.Request, all []any) map[string]any {
	limit, offset := window(r)
	total := len(all)
	from := min(offset, total)
	return map[string]any{"data": all[from:min(from+limit, total)], "total_count": total}
}

func window(r *http.Request) (limit, offset int) {
	limit = defaultLimit
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && n > 0 {
		limit = min(n, mostLimit)
	}
	if n, err := strconv.Atoi(r.URL.Query().Get("offset")); err == nil && n > 0 {
		offset = n
	}
	return limit, offset
}

func (s *Server) createSession(r *http.Request) (any, *failure) {
	var in struct {
		UserID       string `json:"user_id"`
		Organization string `json:"active_organization_id"`
	}
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	if s.store.user(in.UserID) == nil {
		return nil, notFound("user")
	}
	if in.Organization != "" && s.store.membership(in.UserID, in.Organization) == nil {
		return nil, notFound("organization membership")
	}
	opened := &session{id: newID("sess"), user: in.UserID, organization: in.Organization}
	s.store.sessions[opened.id] = opened
	return s.renderSession(opened), nil
}

func (s *Server) getSession(r *http.Request) (any, *failure) {
	if found := s.store.sessions[r.PathValue("id")]; found != nil {
		return s.renderSession(found), nil
	}
	return nil, notFound("session")
}

func (s *Server) createSessionToken(r *http.Request) (any, *failure) {
	var in struct {
		Seconds int `json:"expires_in_seconds"`
	}
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	found := s.store.sessions[r.PathValue("id")]
	if found == nil {
		return nil, notFound("session")
	}
	token := s.sessionToken(found, TokenOptions{Lifetime: time.Duration(in.Seconds) * time.Second})
	return map[string]any{"object": "token", "jwt": token}, nil
}

func (s *Server) verifyAccessToken(r *http.Request) (any, *failure) {
	var in struct {
		Token string `json:"access_token"`
	}
	if f := readJSON(r, &in); f != nil {
		return nil, f
	}
	o := s.store.opaque[in.Token]
	if o == nil {
		return nil, notFound("access token")
	}
	expired := !s.stamp().Before(o.expires)
	return map[string]any{
		"object": "clerk_idp_oauth_access_token", "id": o.id, "client_id": o.grant.client, "subject": o.grant.user,
		"scopes": o.grant.scopes, "revoked": o.revoked, "revocation_reason": nil, "expired": expired,
		"expiration": o.expires.UnixMilli(), "created_at": o.created.UnixMilli(), "updated_at": o.created.UnixMilli(),
	}, nil
}
