package quickbooks

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

// Issuer is the issuer in id tokens. Client libraries compare it with this constant,
// independently of the simulator's address.
const Issuer = "https://oauth.platform.intuit.com/op/v1"

// AccountingScope is the only scope of the accounting API.
const AccountingScope = "com.intuit.quickbooks.accounting"

func knownScopes() []string {
	return []string{AccountingScope, "openid", "profile", "email", "phone", "address"}
}

// User is a person with an account at the provider. Empty fields get default values.
type User struct {
	ID        string
	Email     string
	Password  string
	FirstName string
	LastName  string
	Companies []string // realm ids of the companies the user may connect; nil for all
}

// DefaultUsers is one user who may connect every company.
func DefaultUsers() []User {
	return []User{{
		ID: "5c8a1c1e-93c3-4f7e-9f0a-6d0f3a0e2b01", Email: "owner@example.com", Password: "password",
		FirstName: "Olive", LastName: "Owner",
	}}
}

// Client is an application.
type Client struct {
	ID           string
	Name         string
	Secret       string
	RedirectURIs []string // compared exactly
	// LoopbackRedirects also accepts every http address of this machine. The provider accepts
	// only localhost, and only for applications in development.
	LoopbackRedirects bool
	// Development marks an application with development keys. It works only in the sandbox, and every
	// other application only in production. Source: the vendor's guide "Get started: environments", and
	// the base addresses in CoreConstants.php of its PHP SDK.
	Development bool
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

// grant is one consent of a user to an application for one company. A company can have several.
type grant struct {
	client, user, realm string
	scopes              []string
	given               time.Time
	ended               bool // revoked, or disconnected in the company

	refresh string    // the valid value
	rotated time.Time // when it was made
	used    time.Time // when it was last issued
}

// code is an authorization code.
type code struct {
	redirectURI string
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

type identity struct {
	users    []*User
	clients  []*Client
	sessions map[string]string // user by secret
	codes    map[string]*code
	access   map[string]*access
	grants   []*grant
}

func newIdentity(o Options) identity {
	out := identity{sessions: map[string]string{}, codes: map[string]*code{}, access: map[string]*access{}}
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

// end revokes a grant and all its tokens.
func (i *identity) end(g *grant) {
	g.ended = true
	i.grants = slices.DeleteFunc(i.grants, func(x *grant) bool { return x == g })
}

// disconnect revokes every grant of a company, or all grants if it is "".
func (i *identity) disconnect(realm string) (ended int) {
	for _, g := range slices.Clone(i.grants) {
		if realm == "" || g.realm == realm {
			i.end(g)
			ended++
		}
	}
	return ended
}

func find[T any](all []*T, fits func(*T) bool) *T {
	if i := slices.IndexFunc(all, fits); i >= 0 {
		return all[i]
	}
	return nil
}

// newSecret returns an unpredictable value.
func newSecret(prefix string) string { return prefix + rand.Text() + rand.Text() }

func (s *Server) identityRoutes(mux *http.ServeMux) {
	for _, path := range []string{"openid_configuration", "openid_sandbox_configuration"} {
		mux.HandleFunc("GET /.well-known/"+path, s.discovery)
		mux.HandleFunc("GET /.well-known/"+path+"/{$}", s.discovery)
	}
	mux.HandleFunc("GET /op/v1/jwks", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusOK, map[string]any{"keys": []any{s.key().JWK()}})
	})
	mux.HandleFunc("GET /connect/oauth2", s.authorize)
	mux.HandleFunc("POST /oauth2/v1/tokens/bearer", s.token)
	mux.HandleFunc("POST /v2/oauth2/tokens/revoke", s.revoke)
	mux.HandleFunc("GET /v1/openid_connect/userinfo", s.userInfo)
}

// discovery serves the OpenID Connect metadata.
func (s *Server) discovery(w http.ResponseWriter, _ *http.Request) {
	at := s.options.Origin
	plain(w, http.StatusOK, map[string]any{
		"issuer":                                Issuer,
		"authorization_endpoint":                at + "/connect/oauth2",
		"token_endpoint":                        at + "/oauth2/v1/tokens/bearer",
		"userinfo_endpoint":                     at + "/v1/openid_connect/userinfo",
		"revocation_endpoint":                   at + "/v2/oauth2/tokens/revoke",
		"jwks_uri":                              at + "/op/v1/jwks",
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"scopes_supported":                      knownScopes()[1:],
		"token_endpoint_auth_methods_supported": []string{"client_secret_post", "client_secret_basic"},
		"claims_supported":                      []string{"aud", "exp", "iat", "iss", "realmid", "sub"},
	})
}

// plain responds with JSON that is not part of the accounting API.
func plain(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(oidc.JSON(body)) // a caller that disconnected needs no response
}

// bearer returns the access token of a request.
func bearer(r *http.Request) string {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return ""
	}
	return token
}
