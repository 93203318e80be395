// Package oauth is the façade between OAuth clients and the identity provider
// (interface 4.3 and 5.6 to 5.8): documents that say where to sign in, the one
// registered client, and two routes that lead to the provider. It keeps no
// state and knows no secret.
package oauth

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"docledger/gen/toolserver"

	"github.com/gin-gonic/gin"
)

// ResourcePath is the path of the protected resource.
const ResourcePath = "/mcp"

// Config is what the façade states and where it leads.
type Config struct {
	BaseURL string // the external origin, without a slash at the end
	Issuer  string // of the identity provider's tokens
	// Direct advertises the identity provider itself as the authorization server,
	// for providers that state their own issuer in authorization answers (RFC
	// 9207), which clients hold against what was advertised.
	Direct            bool
	ClientID          string
	AuthMethod        string // none or client_secret_post
	Scopes            []string
	Redirects         []string // that are allowed; empty: all but dangerous ones
	LoopbackRedirects bool     // lets every address of this machine be one, and without a list nothing else

	// Provider carries requests to the token endpoint; nil for a client of its own.
	Provider *http.Client
	Now      func() time.Time
	Log      *slog.Logger
}

// Facade answers the OAuth routes.
type Facade struct {
	Config
	authorizeURL string
	tokenURL     string
	redirects    redirects
}

// The provider's endpoints under its issuer.
const (
	authorizePath = "/oauth/authorize"
	tokenPath     = "/oauth/token"
)

// New returns the façade.
func New(c Config) (*Facade, error) {
	if err := checkOrigin(c.BaseURL); err != nil {
		return nil, err
	}
	if err := checkOrigin(c.Issuer); err != nil {
		return nil, err
	}
	allowed, err := newRedirects(c.Redirects, c.LoopbackRedirects)
	if err != nil {
		return nil, err
	}
	if c.Provider == nil {
		c.Provider = NewClient(tokenTimeout)
	}
	return &Facade{Config: c, authorizeURL: c.Issuer + authorizePath, tokenURL: c.Issuer + tokenPath, redirects: allowed}, nil
}

// NewClient returns a client that goes where it is sent and no further: it
// follows no redirect and asks no proxy.
func NewClient(timeout time.Duration) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.MaxIdleConnsPerHost = 64
	return &http.Client{
		Transport: transport, Timeout: timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Advertised is the issuer that the documents name.
func (f *Facade) Advertised() string {
	if f.Direct {
		return f.Issuer
	}
	return f.BaseURL
}

// MetadataURL is the document that challenges point at.
func (f *Facade) MetadataURL() string {
	return f.BaseURL + "/.well-known/oauth-protected-resource" + ResourcePath
}

// GetProtectedResource implements the operation getProtectedResource.
func (f *Facade) GetProtectedResource(c *gin.Context) { f.resource(c, f.BaseURL) }

// GetToolsProtectedResource implements the operation getToolsProtectedResource.
func (f *Facade) GetToolsProtectedResource(c *gin.Context) { f.resource(c, f.BaseURL+ResourcePath) }

func (f *Facade) resource(c *gin.Context, id string) {
	c.JSON(http.StatusOK, toolserver.ProtectedResourceMetadata{
		Resource: id, AuthorizationServers: []string{f.Advertised()}, ScopesSupported: f.Scopes,
		BearerMethodsSupported: []string{"header"}, ResourceName: "docledger", ResourceDocumentation: f.BaseURL + "/docs",
	})
}

// GetAuthorizationServer implements the operation getAuthorizationServer. It
// names our own endpoints where the provider is advertised too: older clients
// look for them here without reading which server is meant.
func (f *Facade) GetAuthorizationServer(c *gin.Context) {
	c.JSON(http.StatusOK, toolserver.AuthorizationServerMetadata{
		Issuer: f.BaseURL, AuthorizationEndpoint: f.BaseURL + "/authorize", TokenEndpoint: f.BaseURL + "/token",
		RegistrationEndpoint: f.BaseURL + "/register", ResponseTypesSupported: []string{"code"}, GrantTypesSupported: grantTypes(),
		CodeChallengeMethodsSupported: []string{"S256"}, TokenEndpointAuthMethodsSupported: []string{f.AuthMethod},
		ScopesSupported: f.Scopes,
	})
}

// GetToolsAuthorizationServer implements the operation
// getToolsAuthorizationServer.
func (f *Facade) GetToolsAuthorizationServer(c *gin.Context) { f.GetAuthorizationServer(c) }

func grantTypes() []string { return []string{"authorization_code", "refresh_token"} }

const maxQuery = 16 << 10

// Authorize implements the operation authorize. The query goes on byte for
// byte, and the host is never the caller's choice.
func (f *Facade) Authorize(c *gin.Context) {
	if len(c.Request.URL.RawQuery) > maxQuery {
		refuse(c, http.StatusBadRequest, "invalid_request", "The query is too long.")
		return
	}
	target := f.authorizeURL
	if c.Request.URL.RawQuery != "" {
		target += "?" + c.Request.URL.RawQuery
	}
	c.Header("Cache-Control", "no-store")
	c.Header("Referrer-Policy", "no-referrer")
	c.Writer.Header()["Location"] = []string{target}
	c.Status(http.StatusFound)
	c.Writer.WriteHeaderNow()
}

// refuse answers an error as OAuth clients read them.
func refuse(c *gin.Context, status int, code, description string) {
	c.Header("Cache-Control", "no-store")
	c.Header("Pragma", "no-cache")
	c.JSON(status, toolserver.OAuthError{Error: code, ErrorDescription: description})
}

// NotFound answers a route that is not there, as JSON: clients look for
// documents that not every server has, and read whatever they get.
func NotFound(c *gin.Context) {
	refuse(c, http.StatusNotFound, "not_found", "There is nothing here.")
}

// MethodNotAllowed answers a method that a route does not take.
func MethodNotAllowed(c *gin.Context) {
	refuse(c, http.StatusMethodNotAllowed, "invalid_request", "The route does not take this method.")
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
	return "the tool server needs an origin such as https://docs.example.com, without path and without a slash at the end, " +
		"as BASE_URL and as the issuer of the identity provider: clients compare them letter by letter"
}
