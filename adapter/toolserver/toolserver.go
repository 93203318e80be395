// Package toolserver is how assistants reach the service: an endpoint of the
// Model Context Protocol whose tools are operations of the API, and the OAuth
// façade before the identity provider (interface 1.6, 4.3 and 5). It keeps no
// state, reads no database and has no right of its own: every call is the API's
// to allow, with the caller's own token.
package toolserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"docledger/adapter/toolserver/catalog"
	"docledger/adapter/toolserver/oauth"
	"docledger/gen/toolserver"
	"docledger/openapi"

	"github.com/gin-gonic/gin"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Caller is who a token stands for.
type Caller struct {
	Subject string // "" where the token names no organization and is passed on all the same
}

// Verify holds a bearer token against the identity provider's keys, its issuer
// and the one OAuth client. A fault of the kind Unavailable says that the keys
// are out of reach; every other error refuses the token.
type Verify func(ctx context.Context, bearer string) (Caller, error)

// Options are what the tool server needs.
type Options struct {
	OAuth   oauth.Config
	Backend string // the origin that tools call
	Verify  Verify
	// Origins are the pages that may call, besides those of this server and this
	// machine; "*" is all. Hosts are the names it is called by besides that of its
	// base URL and those of this machine.
	Origins []string
	Hosts   []string
	Version string
	Log     *slog.Logger
	// Observe is told of every call of a tool: its name and how it ended (ok,
	// refused, failed); nil: nobody.
	Observe func(ctx context.Context, tool, outcome string, took time.Duration)

	Rates Rates
	// Memory leases what the message of a caller takes; nil: any amount.
	Memory func(caller string) Lease
	// TrustedProxies are the addresses whose X-Forwarded-For is believed; none by
	// default.
	TrustedProxies []string

	MaxBytes    int64         // of a message; 0 means DefaultMaxBytes
	ReadTimeout time.Duration // within which a body arrives; 0 means DefaultReadTimeout
	Timeout     time.Duration // of a call of the API; 0 means DefaultTimeout
	// Client reaches the API; nil for a client of its own.
	Client *http.Client
	// Extension adds to the protocol server; tests of the protocol need it.
	Extension Extension
}

// Extension is what a server can do besides calling the derived tools.
type Extension struct {
	Options  mcp.ServerOptions
	Register func(*mcp.Server)
	Families []string // of methods, such as "prompts/"
}

// Defaults.
const (
	DefaultMaxBytes    = 2 << 20
	DefaultReadTimeout = 30 * time.Second
	DefaultTimeout     = 90 * time.Second
)

// Server answers the tool server's routes.
type Server struct {
	*oauth.Facade
	o       Options
	backend *url.URL
	mcp     http.Handler
	turns   chan struct{} // of large messages; see turn
	handler http.Handler
}

var _ toolserver.ServerInterface = (*Server)(nil)

// derived are the tools of the embedded specifications, made once: they are the
// same for every server.
var derived = sync.OnceValues(func() ([]catalog.Tool, error) {
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	return catalog.Derive(doc)
})

// New builds the server from the embedded specifications.
func New(o Options) (*Server, error) {
	tools, err := derived()
	if err != nil {
		return nil, fmt.Errorf("derive the tools: %w", err)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.ReadTimeout <= 0 {
		o.ReadTimeout = DefaultReadTimeout
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Client == nil {
		o.Client = oauth.NewClient(0)
	}
	o.OAuth.Log = o.Log
	facade, err := oauth.New(o.OAuth)
	if err != nil {
		return nil, err
	}
	backend, err := url.Parse(o.Backend)
	if err != nil || backend.Host == "" || strings.Trim(backend.Path, "/") != "" {
		return nil, errors.New("the tool server needs the origin of the API as BACKEND_URL")
	}
	s := &Server{Facade: facade, o: o, backend: &url.URL{Scheme: backend.Scheme, Host: backend.Host}, turns: newTurns()}
	protocol := s.protocol(tools)
	s.mcp = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return protocol }, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: o.MaxBytes, PropagateRequestCancellation: true,
		// guard holds the host against the names of this server, wherever a request
		// arrives.
		DisableLocalhostProtection: true,
	})
	routes, err := s.routes()
	if err != nil {
		return nil, err
	}
	s.handler = s.guard(routes)
	return s, nil
}

func (s *Server) routes() (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := engine.SetTrustedProxies(s.o.TrustedProxies); err != nil {
		return nil, fmt.Errorf("trusted proxies: %w", err)
	}
	// The library would also believe X-Real-IP, which proxies pass on as it came.
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	engine.Use(s.recovered, s.limitAddress)
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.NoRoute(oauth.NotFound)
	engine.NoMethod(oauth.MethodNotAllowed)
	toolserver.RegisterHandlers(engine, s)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodDelete, http.MethodPut, http.MethodPatch} {
		engine.Handle(method, oauth.ResourcePath, s.CallTools)
	}
	return engine, nil
}

// HandlesPath says that a path is the tool server's, in a process that serves more.
func HandlesPath(path string) bool {
	path = strings.TrimSuffix(path, "/")
	switch path {
	case oauth.ResourcePath, "/register", "/authorize", "/token", "/.well-known":
		return true
	}
	return strings.HasPrefix(path, "/.well-known/")
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// CallTools implements the operation callTools, and answers the other methods
// of its path.
func (s *Server) CallTools(c *gin.Context) {
	ctx, ok := s.authenticate(c)
	if !ok {
		return
	}
	request := c.Request.WithContext(ctx)
	read, release := s.message(c.Writer, request)
	defer release()
	if !read {
		return
	}
	c.Header("X-Accel-Buffering", "no")
	c.Header("Cache-Control", "no-store")
	request, end, err := s.turn(request)
	if err != nil {
		return // nobody waits any more
	}
	defer end()
	s.mcp.ServeHTTP(c.Writer, request)
}
