package gdrive

import (
	"cmp"
	"crypto/rand"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Issuer is the issuer in id tokens. Client libraries compare it with this constant,
// independently of the simulator's address.
const Issuer = "https://accounts.google.com"

const scopePrefix = "https://www.googleapis.com/auth/"

// ReadScope is the scope that reads all files of an account.
const ReadScope = scopePrefix + "drive.readonly"

// readScopes are the scopes of which one suffices to read files; metadataScopes suffice to list
// them.
func readScopes() []string { return []string{ReadScope, scopePrefix + "drive"} }

func metadataScopes() []string { return append(readScopes(), scopePrefix+"drive.metadata.readonly") }

func knownScopes() []string {
	return append(metadataScopes(), scopePrefix+"drive.file", "openid", "email", "profile",
		scopePrefix+"userinfo.email", scopePrefix+"userinfo.profile")
}

// User is a person with files.
type User struct {
	ID       string // digits
	Email    string
	Password string
	Name     string
}

// DefaultUsers is one user.
func DefaultUsers() []User {
	return []User{{ID: "108204268033311374519", Email: "owner@example.com", Password: "password", Name: "Olive Owner"}}
}

// Client is an application.
type Client struct {
	ID           string
	Name         string
	Secret       string
	RedirectURIs []string // compared exactly
	// LoopbackRedirects also accepts every http address of this machine, as the provider does for
	// desktop applications.
	LoopbackRedirects bool
}

func (c *Client) accepts(redirectURI string) bool {
	return slices.Contains(c.RedirectURIs, redirectURI) || c.LoopbackRedirects && isLoopback(redirectURI)
}

// isLoopback reports whether an address is on this machine and without TLS.
func isLoopback(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Fragment != "" || u.User != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// consent is the permission that a user gives an application. There is one per user and
// application, independently of the number of tokens.
type consent struct {
	client, user string
	scopes       []string
}

// grant is the authorization behind a token.
type grant struct {
	consent *consent
	scopes  []string
	refresh string // "" if none was given
	used    time.Time
	ended   bool
}

func (g *grant) allows(some []string) bool {
	return slices.ContainsFunc(some, func(scope string) bool { return slices.Contains(g.scopes, scope) })
}

// code is an authorization code.
type code struct {
	client, user      string
	redirectURI       string
	challenge, method string
	nonce             string
	scopes            []string
	offline           bool // the response contains a refresh token
	expires           time.Time
	used              bool
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
	consents []*consent
	grants   []*grant
}

func newIdentity(o Options) identity {
	out := identity{sessions: map[string]string{}, codes: map[string]*code{}, access: map[string]*access{}}
	for _, u := range o.Users {
		u.Name = cmp.Or(u.Name, u.Email)
		out.users = append(out.users, &u)
	}
	for _, c := range o.Clients {
		c.Name = cmp.Or(c.Name, c.ID)
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

// consented returns the consent of a user for an application; nil for none.
func (i *identity) consented(client, user string) *consent {
	return find(i.consents, func(c *consent) bool { return c.client == client && c.user == user })
}

// end revokes a consent and all its tokens.
func (i *identity) end(c *consent) {
	i.consents = slices.DeleteFunc(i.consents, func(x *consent) bool { return x == c })
	i.grants = slices.DeleteFunc(i.grants, func(g *grant) bool {
		g.ended = g.ended || g.consent == c
		return g.consent == c
	})
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
	mux.HandleFunc("GET /o/oauth2/v2/auth", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /revoke", s.revoke)
	mux.HandleFunc("GET /oauth2/v3/certs", func(w http.ResponseWriter, _ *http.Request) {
		plain(w, http.StatusOK, object{"keys": []any{s.key().JWK()}})
	})
	mux.HandleFunc("GET /signin", s.signInPage)
	mux.HandleFunc("POST /signin", s.signIn)
	mux.HandleFunc("GET /consent", s.consentPage)
	mux.HandleFunc("POST /consent", s.answerConsent)
}

// bearer returns the access token of a request.
func bearer(r *http.Request) string {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return r.URL.Query().Get("access_token")
	}
	return token
}

// Withdraw revokes every consent, as people can in their account.
func (s *Server) Withdraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.identity.consents) > 0 {
		s.identity.end(s.identity.consents[0])
	}
}
