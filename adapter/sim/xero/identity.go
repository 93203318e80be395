package xero

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

// User is a person with an account at the provider. Empty fields get default values.
type User struct {
	ID            string
	Email         string
	Password      string
	FirstName     string
	LastName      string
	Organizations []string // ids of the organizations the user may connect; nil for all
}

// DefaultUsers is one user who may connect every organization.
func DefaultUsers() []User {
	return []User{{
		ID: "7d1f6a10-5e1c-4c6e-9c0e-2f6b7d0c1a01", Email: "owner@example.com", Password: "password",
		FirstName: "Olive", LastName: "Owner",
	}}
}

// Client is an application.
type Client struct {
	ID           string
	Name         string
	Secret       string   // "" for an application that uses PKCE instead
	RedirectURIs []string // compared exactly
	// LoopbackRedirects also accepts every http address of this machine. The provider accepts
	// only localhost, and no address such as 127.0.0.1.
	LoopbackRedirects bool
}

func (c *Client) accepts(redirectURI string) bool {
	if slices.Contains(c.RedirectURIs, redirectURI) {
		return true
	}
	u, err := url.Parse(redirectURI)
	if !c.LoopbackRedirects || err != nil || u.Scheme != "http" || u.Fragment != "" || u.User != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// grant is one consent of a user to an application.
type grant struct {
	client string
	user   string
	event  string // authentication_event_id
	scopes []string
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

// access is an access token.
type access struct {
	grant   *grant
	expires time.Time
}

// refresh is a refresh token.
type refresh struct {
	grant    *grant
	expires  time.Time // unless it is used
	replaced time.Time // time of the first use; zero if unused
}

// connection permits an application to act for a user in a tenant.
type connection struct {
	id               string
	client, user     string
	tenant           string
	event            string // authentication_event_id of the consent that created or renewed it
	created, updated time.Time
}

type identity struct {
	users       []*User
	clients     []*Client
	sessions    map[string]string // user by secret
	codes       map[string]*code
	access      map[string]*access
	refresh     map[string]*refresh
	connections []*connection
}

func newIdentity(o Options) identity {
	out := identity{
		sessions: map[string]string{}, codes: map[string]*code{}, access: map[string]*access{}, refresh: map[string]*refresh{},
	}
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

// connect creates or renews a connection.
func (i *identity) connect(g *grant, tenant string, now time.Time) {
	c := find(i.connections, func(c *connection) bool {
		return c.client == g.client && c.user == g.user && c.tenant == tenant
	})
	if c == nil {
		c = &connection{id: uuid.NewString(), client: g.client, user: g.user, tenant: tenant, created: now}
		i.connections = append(i.connections, c)
	}
	c.event, c.updated = g.event, now
}

// forget revokes the refresh tokens of a grant and every connection of the user to the
// application. Access tokens stay valid but have access to no tenant.
func (i *identity) forget(g *grant) {
	for value, r := range i.refresh {
		if r.grant == g {
			delete(i.refresh, value)
		}
	}
	i.connections = slices.DeleteFunc(i.connections, func(c *connection) bool {
		return c.client == g.client && c.user == g.user
	})
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
	mux.HandleFunc("GET /.well-known/openid-configuration", s.discovery)
	mux.HandleFunc("GET /.well-known/openid-configuration/jwks", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusOK, map[string]any{"keys": []any{s.key().JWK()}})
	})
	mux.HandleFunc("GET /identity/connect/authorize", s.authorize)
	mux.HandleFunc("POST /connect/token", s.token)
	mux.HandleFunc("POST /connect/revocation", s.revoke)
}

// discovery serves the OpenID Connect metadata.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	at := s.options.Origin
	plain(w, http.StatusOK, map[string]any{
		"issuer":                                at,
		"jwks_uri":                              at + "/.well-known/openid-configuration/jwks",
		"authorization_endpoint":                at + "/identity/connect/authorize",
		"token_endpoint":                        at + "/connect/token",
		"revocation_endpoint":                   at + "/connect/revocation",
		"scopes_supported":                      knownScopes(),
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
		"code_challenge_methods_supported":      []string{"S256"},
	})
}

// plain responds with JSON that is not part of the accounting API.
func plain(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(oidc.JSON(body)) // a caller that disconnected needs no response
}
