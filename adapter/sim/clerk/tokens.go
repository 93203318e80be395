package clerk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// scopes are the scopes that a client may receive.
var knownScopes = []string{
	"openid", "profile", "email", "public_metadata", "private_metadata", "offline_access", readOrganization,
}

const (
	defaultScopes    = "profile email" // if a request names none
	readOrganization = "user:org:read"
	sessionCategory  = "cl_B7d4PD111AAA"
)

// TokenOptions varies a token.
type TokenOptions struct {
	Version         int           // of session claims; 0 for that of the settings
	Lifetime        time.Duration // 0 for that of the limits
	AuthorizedParty string        // azp of a session; "" for none
	Scopes          []string      // of an access token; nil for profile, email and user:org:read
	Claims          map[string]any
}

// SessionToken issues the token of a user's session with an active organization, or with none.
func (s *Server) SessionToken(user, organization string, o TokenOptions) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.user(user) == nil {
		return "", fmt.Errorf("user %q does not exist", user)
	}
	if organization != "" && s.store.membership(user, organization) == nil {
		return "", fmt.Errorf("user %q is no member of organization %q", user, organization)
	}
	opened := &session{id: newID("sess"), user: user, organization: organization}
	s.store.sessions[opened.id] = opened
	return s.sessionToken(opened, o), nil
}

// sessionToken issues the token of a session. The caller holds the lock.
func (s *Server) sessionToken(of *session, o TokenOptions) string {
	now := s.stamp()
	claims := map[string]any{
		"iss": s.options.Origin, "sub": of.user, "sid": of.id,
		"iat": now.Unix(), "nbf": now.Add(-10 * time.Second).Unix(),
		"exp": now.Add(cmp.Or(o.Lifetime, s.limits.SessionLifetime)).Unix(),
		"jti": strings.ToLower(newID("")[1:21]), "fva": []int{0, -1}, "sts": "active",
	}
	if o.AuthorizedParty != "" {
		claims["azp"] = o.AuthorizedParty
	}
	if version := cmp.Or(o.Version, s.settings.SessionVersion, 2); version == 2 {
		claims["v"] = 2
	}
	s.stateOrganization(claims, of)
	return s.keys.signer().Sign(map[string]any{"cat": sessionCategory}, merge(claims, o.Claims))
}

// stateOrganization adds the active organization in the format of the version.
func (s *Server) stateOrganization(claims map[string]any, of *session) {
	organization, member := s.store.organization(of.organization), s.store.membership(of.user, of.organization)
	if organization == nil || member == nil {
		return
	}
	if claims["v"] == 2 {
		claims["o"] = map[string]any{
			"id": organization.ID, "slg": organization.Slug, "rol": strings.TrimPrefix(member.Role, "org:"),
		}
		return
	}
	claims["org_id"], claims["org_slug"], claims["org_role"] = organization.ID, organization.Slug, member.Role
	claims["org_permissions"] = []string{}
}

// AccessToken issues an OAuth access token as if a user had granted a client access to an
// organization, or to none.
func (s *Server) AccessToken(user, organization, client string, o TokenOptions) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store.user(user) == nil {
		return "", fmt.Errorf("user %q does not exist", user)
	}
	if s.store.client(client) == nil {
		return "", fmt.Errorf("OAuth client %q does not exist", client)
	}
	if o.Scopes == nil {
		o.Scopes = []string{"profile", "email", readOrganization}
	}
	return s.accessToken(&grant{client: client, user: user, organization: organization, scopes: o.Scopes}, o), nil
}

// accessToken issues the access token of a grant. The caller holds the lock.
func (s *Server) accessToken(g *grant, o TokenOptions) string {
	now := s.stamp()
	expires := now.Add(cmp.Or(o.Lifetime, s.limits.TokenLifetime))
	id := newID("oat")
	if s.settings.OpaqueTokens {
		s.store.opaque[id] = &opaque{id: newID("oat"), grant: g, created: now, expires: expires}
		return id
	}
	claims := map[string]any{
		"iss": s.options.Origin, "sub": g.user, "client_id": g.client, "jti": id,
		"iat": now.Unix(), "nbf": now.Unix(), "exp": expires.Unix(),
	}
	if s.settings.ScopeList {
		claims["scp"] = g.scopes
	} else {
		claims["scope"] = strings.Join(g.scopes, " ")
	}
	if organization := s.grantedOrganization(g); organization != "" {
		claims["org_id"] = organization
	}
	return s.keys.signer().Sign(map[string]any{"typ": "at+jwt"}, merge(claims, o.Claims))
}

// grantedOrganization is the organization that a client may see: selected at consent, requested
// by scope, and with the user still a member.
func (s *Server) grantedOrganization(g *grant) string {
	if slices.Contains(g.scopes, readOrganization) && s.store.membership(g.user, g.organization) != nil {
		return g.organization
	}
	return ""
}

// idToken issues an OpenID Connect id token. The caller holds the lock.
func (s *Server) idToken(g *grant, nonce string) string {
	now, user := s.stamp(), s.store.user(g.user)
	claims := map[string]any{
		"iss": s.options.Origin, "sub": g.user, "aud": g.client, "azp": g.client,
		"iat": now.Unix(), "exp": now.Add(s.limits.TokenLifetime).Unix(), "jti": newID("jti"),
	}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if user != nil && slices.Contains(g.scopes, "email") {
		claims["email"], claims["email_verified"] = user.Email, !user.Unconfirmed
	}
	return s.keys.signer().Sign(nil, claims)
}
