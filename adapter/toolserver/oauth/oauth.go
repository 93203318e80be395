// Package oauth is the facade between OAuth clients and the identity provider
// (interface 4.3 and 5.6 to 5.8): metadata documents, the one registered
// client, and two routes that forward to the identity provider. It has no state
// and knows no secret.
package oauth

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"docledger/domain/oauthclient"
	"docledger/gen/toolserver"

	"github.com/gin-gonic/gin"
)

// ResourcePath is the path of the protected resource.
const ResourcePath = "/mcp"

// Config is the configuration of the facade.
type Config struct {
	BaseURL string // the external origin, without a trailing slash
	Issuer  string // of the identity provider's tokens
	// Server selects the advertised authorization server; "" for Facade.
	Server            Server
	ClientID          string
	AuthMethod        string // none or client_secret_post
	Scopes            []string
	Redirects         []string // allowed redirect URIs; empty: all except dangerous ones
	LoopbackRedirects bool     // allows every loopback address; without a list, nothing else

	// Local reports that this installation is its own authorization server (domain
	// D16): the issuer is BaseURL and the metadata are complete.
	Local bool
	// Token answers token requests in this process; nil forwards them.
	Token http.HandlerFunc
	// TokenOrigin receives forwarded token requests with the address of the caller,
	// which the API counts; "" for the issuer, without the address.
	TokenOrigin string

	// Provider sends requests to the token endpoint; nil for a default client.
	Provider *http.Client
	Now      func() time.Time
	Log      *slog.Logger
}

// Server is the authorization server that the metadata of the resource names. It
// changes nothing else.
type Server string

// The authorization servers. Clients compare the issuer of an authorization
// response (RFC 9207) with the advertised one, so an identity provider that states
// its issuer must be advertised itself.
const (
	FacadeServer Server = "facade" // this server
	DirectServer Server = "direct" // the identity provider
	// AutoServer is DirectServer if the metadata of the identity provider announces
	// that it states its issuer, and FacadeServer otherwise and until Check has read
	// the metadata.
	AutoServer Server = "auto"
)

// firstCheck limits how long the first requests wait for Check in the mode
// AutoServer.
const firstCheck = 3 * time.Second

// Facade handles the OAuth routes.
type Facade struct {
	Config
	direct       atomic.Bool   // the identity provider is advertised
	checked      chan struct{} // closed after the first Check in the mode AutoServer
	once         sync.Once
	authorizeURL string
	tokenURL     string
	redirects    oauthclient.Redirects
}

// The endpoints of the identity provider under its issuer.
const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
	revokePath    = "/oauth/revoke" // of our own authorization server
)

// New returns the facade.
func New(c Config) (*Facade, error) {
	if err := checkOrigin(c.BaseURL); err != nil {
		return nil, err
	}
	if err := checkOrigin(c.Issuer); err != nil {
		return nil, err
	}
	allowed, err := oauthclient.NewRedirects(c.Redirects, c.LoopbackRedirects)
	if err != nil {
		return nil, err
	}
	if c.Provider == nil {
		c.Provider = NewClient(tokenTimeout)
	}
	f := &Facade{
		Config: c, authorizeURL: c.Issuer + authorizePath, tokenURL: cmp.Or(c.TokenOrigin, c.Issuer) + tokenPath, redirects: allowed, checked: make(chan struct{}),
	}
	f.direct.Store(c.Server == DirectServer)
	if c.Server != AutoServer || c.Local {
		close(f.checked)
		f.once.Do(func() {})
	}
	return f, nil
}

// NewClient returns a client that follows no redirect and uses no proxy.
func NewClient(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 64
	return &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Advertised returns the issuer of the metadata documents.
func (f *Facade) Advertised() string {
	if f.direct.Load() {
		return f.Issuer
	}
	return f.BaseURL
}

// MetadataURL returns the document that challenges link to.
func (f *Facade) MetadataURL() string {
	return f.BaseURL + "/.well-known/oauth-protected-resource" + ResourcePath
}

// GetProtectedResource implements the operation getProtectedResource.
func (f *Facade) GetProtectedResource(c *gin.Context) { f.resource(c, f.BaseURL) }

// GetToolsProtectedResource implements the operation getToolsProtectedResource.
// A client whose address selects tools asks with the same query, and refuses
// metadata of a resource without it (RFC 9728, sections 3.1 and 3.3).
func (f *Facade) GetToolsProtectedResource(c *gin.Context) {
	id := f.BaseURL + ResourcePath
	if query := c.Request.URL.RawQuery; query != "" && len(query) <= maxResourceQuery {
		id += "?" + query
	}
	f.resource(c, id)
}

// maxResourceQuery is the maximum length of the query of a resource. The query
// that selects all toolsets by name has about 60 bytes.
const maxResourceQuery = 500

func (f *Facade) resource(c *gin.Context, id string) {
	timer := time.NewTimer(firstCheck)
	defer timer.Stop()
	select {
	case <-f.checked:
	case <-c.Request.Context().Done():
	case <-timer.C:
	}
	c.JSON(http.StatusOK, toolserver.ProtectedResourceMetadata{
		Resource: id, AuthorizationServers: []string{f.Advertised()}, ScopesSupported: f.Scopes,
		BearerMethodsSupported: []string{"header"}, ResourceName: "docledger", ResourceDocumentation: f.BaseURL + "/docs",
	})
}

// GetAuthorizationServer implements the operation getAuthorizationServer. It
// names the endpoints of this server even if the identity provider is
// advertised, because older clients use them without reading the authorization
// server.
func (f *Facade) GetAuthorizationServer(c *gin.Context) {
	metadata := toolserver.AuthorizationServerMetadata{
		Issuer: f.BaseURL, AuthorizationEndpoint: f.BaseURL + "/authorize", TokenEndpoint: f.BaseURL + "/token",
		RegistrationEndpoint: f.BaseURL + "/register", ResponseTypesSupported: []string{"code"}, GrantTypesSupported: grantTypes(),
		CodeChallengeMethodsSupported: []string{"S256"}, TokenEndpointAuthMethodsSupported: []string{f.AuthMethod},
		ScopesSupported: f.Scopes,
	}
	if f.Local {
		revocation, methods, stated := f.BaseURL+revokePath, []string{f.AuthMethod}, true
		metadata.RevocationEndpoint, metadata.RevocationEndpointAuthMethodsSupported = &revocation, &methods
		metadata.AuthorizationResponseIssParameterSupported = &stated
	}
	c.JSON(http.StatusOK, metadata)
}

// GetToolsAuthorizationServer implements the operation
// getToolsAuthorizationServer.
func (f *Facade) GetToolsAuthorizationServer(c *gin.Context) { f.GetAuthorizationServer(c) }

func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }

const maxQuery = 16 << 10

// Authorize implements the operation authorize. It forwards the query. A query
// without scope gets the scopes that carry the organization, because the identity
// provider's own default has none of them. The caller cannot choose the host.
func (f *Facade) Authorize(c *gin.Context) {
	if len(c.Request.URL.RawQuery) > maxQuery {
		refuse(c, http.StatusBadRequest, "invalid_request", "The query exceeds the length limit. Shorten it.")
		return
	}
	target := f.authorizeURL
	query := c.Request.URL.RawQuery
	if given := c.Request.URL.Query(); given.Has("client_id") && given.Get("scope") == "" && len(f.Scopes) > 0 {
		parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool { return part == "scope" || part == "scope=" })
		query = strings.Join(append(parts, url.Values{"scope": {strings.Join(f.Scopes, " ")}}.Encode()), "&")
	}
	if query != "" {
		target += "?" + query
	}
	c.Header("Cache-Control", "no-store")
	c.Header("Referrer-Policy", "no-referrer")
	c.Writer.Header()["Location"] = []string{target}
	c.Status(http.StatusFound)
	c.Writer.WriteHeaderNow()
}

// refuse writes an OAuth error.
func refuse(c *gin.Context, status int, code, description string) {
	c.Header("Cache-Control", "no-store")
	c.Header("Pragma", "no-cache")
	c.JSON(status, toolserver.OAuthError{Error: code, ErrorDescription: description})
}

// NotFound responds to an unknown route as JSON, because clients request
// documents that not every server has and parse every response.
func NotFound(c *gin.Context) {
	refuse(c, http.StatusNotFound, "not_found", "The path does not exist.")
}

// MethodNotAllowed responds to a method that a route does not support. gin has set Allow. GET
// includes HEAD.
func MethodNotAllowed(c *gin.Context) {
	if c.Writer.Header().Get("Allow") == http.MethodGet {
		c.Header("Allow", http.MethodGet+", "+http.MethodHead)
	}
	refuse(c, http.StatusMethodNotAllowed, "invalid_request", "The path does not support this method.")
}

func checkOrigin(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || s != u.Scheme+"://"+u.Host {
		return &originError{}
	}
	return nil
}

type originError struct{}

func (*originError) Error() string {
	return "the tool server requires an origin such as https://docs.example.com, without a path and without a trailing slash, " +
		"as BASE_URL and as the issuer of the identity provider: clients compare them exactly"
}
