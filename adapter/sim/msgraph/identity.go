package msgraph

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"docledger/adapter/sim/kit/oidc"
)

// DefaultTenant is the id of the simulated organization.
const DefaultTenant = "5ca1ab1e-0000-4000-8000-00000000a001"

// User is a person of the organization. Empty fields get default values.
type User struct {
	ID       string
	Email    string
	Password string
	Name     string
}

// DefaultUsers is one user.
func DefaultUsers() []User {
	return []User{{ID: "0b1ec7ed-0000-4000-8000-00000000b001", Email: "owner@example.com", Password: "password", Name: "Olive Owner"}}
}

// Client is an application.
type Client struct {
	ID           string
	Name         string
	Secret       string   // "" for a public one
	RedirectURIs []string // compared exactly
	// LoopbackRedirects also accepts every http address of this machine. The provider accepts
	// them only for public applications and localhost.
	LoopbackRedirects bool
}

func (c *Client) accepts(redirectURI string) bool {
	if slices.Contains(c.RedirectURIs, redirectURI) {
		return true
	}
	u, err := url.Parse(redirectURI)
	return c.LoopbackRedirects && err == nil && u.Fragment == "" && u.User == nil && onLoopback(u)
}

// onLoopback reports whether an address is plain http on this machine.
func onLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && address.IsLoopback())
}

// grant is one consent of a person to an application.
type grant struct {
	client  string
	user    string
	scopes  []string
	revoked bool
}

func (g *grant) allows(scopes ...string) bool {
	return slices.ContainsFunc(scopes, func(s string) bool { return slices.Contains(g.scopes, s) })
}

// code is an authorization code.
type code struct {
	redirectURI string
	challenge   string // S256; "" for none
	nonce       string
	expires     time.Time
	grant       *grant
	used        bool
}

// token is an access token or a refresh token.
type token struct {
	grant   *grant
	expires time.Time
}

type identity struct {
	users     []*User
	clients   []*Client
	sessions  map[string]string // user by secret
	codes     map[string]*code
	access    map[string]*token
	refresh   map[string]*token
	downloads map[string]*download // by the secret in the address
}

func newIdentity(o Options) identity {
	out := identity{sessions: map[string]string{}, codes: map[string]*code{}, access: map[string]*token{}, refresh: map[string]*token{}, downloads: map[string]*download{}}
	for _, u := range o.Users {
		u.ID = cmp.Or(u.ID, uuid.NewString())
		out.users = append(out.users, &u)
	}
	for _, c := range o.Clients {
		out.clients = append(out.clients, &c)
	}
	return out
}

func (i *identity) user(id string) *User {
	return find(i.users, func(u *User) bool { return u.ID == id })
}

func (i *identity) client(id string) *Client {
	return find(i.clients, func(c *Client) bool { return c.ID == id })
}

// Withdraw ends all consents, as an administrator can: refresh tokens and access tokens become
// invalid.
func (s *Server) Withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, all := range []map[string]*token{s.identity.access, s.identity.refresh} {
		for _, t := range all {
			t.grant.revoked = true
		}
	}
}

func find[T any](all []*T, fits func(*T) bool) *T {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		return all[i]
	}
	return nil
}

// newSecret returns an unpredictable value.
func newSecret() string { return strings.ToLower(rand.Text() + rand.Text()) }

func (s *Server) identityRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /{tenant}/v2.0/.well-known/openid-configuration", s.discovery)
	mux.HandleFunc("GET /{tenant}/discovery/v2.0/keys", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusOK, map[string]any{"keys": []any{s.key().JWK()}})
	})
	mux.HandleFunc("GET /{tenant}/oauth2/v2.0/authorize", s.authorize)
	mux.HandleFunc("POST /{tenant}/oauth2/v2.0/token", s.token)
}

// issuer is the issuer of id tokens. It does not depend on the tenant in the address.
func (s *Server) issuer() string { return s.options.Origin + "/" + s.options.Tenant + "/v2.0" }

// knows reports whether the tenant in an address is this organization, or the alias for any
// organization with work accounts.
func (s *Server) knows(tenant string) bool {
	return tenant == "organizations" || tenant == "common" || strings.EqualFold(tenant, s.options.Tenant)
}

// discovery serves the OpenID Connect metadata.
func (s *Server) discovery(w http.ResponseWriter, r *http.Request) {
	tenant := r.PathValue("tenant")
	if !s.knows(tenant) {
		s.refuseToken(w, http.StatusBadRequest, "invalid_tenant", 90002, "Tenant '"+tenant+"' not found.")
		return
	}
	at := s.options.Origin + "/" + tenant
	plain(w, http.StatusOK, map[string]any{
		"issuer":                                s.issuer(),
		"authorization_endpoint":                at + "/oauth2/v2.0/authorize",
		"token_endpoint":                        at + "/oauth2/v2.0/token",
		"jwks_uri":                              at + "/discovery/v2.0/keys",
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"scopes_supported":                      []string{"openid", "profile", "email", "offline_access"},
		"subject_types_supported":               []string{"pairwise"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
	})
}

// plain responds with JSON that is not part of the API.
func plain(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(oidc.JSON(body)) // a caller that disconnected needs no response
}
