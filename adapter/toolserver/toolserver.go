// Package toolserver is the interface for assistants: an endpoint of the Model
// Context Protocol whose tools are operations of the API, and the OAuth facade
// in front of the identity provider (interface 1.6, 4.3 and 5). It has no
// state, no database and no permissions. The API authorizes every call with the
// token of the caller.
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

// Caller is the user of a token.
type Caller struct {
	Subject string // "" if the token names no organization; the token is still forwarded
}

// Verify verifies a bearer token with the keys of the identity provider, its
// issuer and the OAuth client. A fault of the kind Unavailable means that the
// keys are unreachable. Every other error means that the token is invalid.
type Verify func(ctx context.Context, bearer string) (Caller, error)

// Options are the dependencies of the tool server.
type Options struct {
	OAuth   oauth.Config
	Backend string // the origin that tools call
	Verify  Verify
	// Origins are the pages that may call, in addition to pages of this server
	// and this machine; "*" means all. Hosts are the accepted host names, in
	// addition to that of the base URL and those of this machine.
	Origins []string
	Hosts   []string
	Version string
	Log     *slog.Logger
	// Observe receives every tool call: the name and the outcome (ok, refused,
	// failed); nil: none.
	Observe func(ctx context.Context, tool, outcome string, took time.Duration)

	Rates Rates
	// Memory leases the memory for the message of a caller; nil: no limit.
	Memory func(caller string) Lease
	// TrustedProxies are the addresses whose X-Forwarded-For is trusted; none
	// by default.
	TrustedProxies []string

	MaxBytes int64 // of a message; 0 means DefaultMaxBytes
	// MaxFileBytes limits a message with a file in base64, which is received as a stream.
	MaxFileBytes int64         // 0 means DefaultMaxFileBytes
	TempDir      string        // of such files; "" for the system's
	ReadTimeout  time.Duration // within which a body arrives; 0 means DefaultReadTimeout
	Timeout      time.Duration // of a call of the API; 0 means DefaultTimeout
	// Client sends requests to the API; nil for a default client.
	Client *http.Client
	// Extension extends the protocol server. Tests of the protocol use it.
	Extension Extension
}

// Extension adds features other than the derived tools.
type Extension struct {
	Options  mcp.ServerOptions
	Register func(*mcp.Server)
	Families []string // method prefixes, such as "prompts/"
}

// Defaults.
const (
	DefaultMaxBytes     = 2 << 20
	DefaultMaxFileBytes = 32 << 20
	DefaultReadTimeout  = 30 * time.Second
	DefaultTimeout      = 90 * time.Second
)

// Server handles the routes of the tool server.
type Server struct {
	*oauth.Facade
	o       Options
	backend *url.URL
	tools   []catalog.Tool
	events  http.Handler  // answers with server-sent events
	json    http.Handler  // answers with JSON
	servers sync.Map      // the protocol server of each selection of tools
	turns   chan struct{} // of large messages; see turn
	handler http.Handler
}

var _ toolserver.ServerInterface = (*Server)(nil)

// derived are the tools of the embedded specifications. They are the same for
// every server and derived once.
var derived = sync.OnceValues(func() ([]catalog.Tool, error) {
	doc, err := openapi.Shared()
	if err != nil {
		return nil, err
	}
	return catalog.Derive(doc)
})

// New builds the server from the embedded specifications.
func New(o Options) (*Server, error) {
	tools, err := derived()
	if err != nil {
		return nil, fmt.Errorf("derive tools: %w", err)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = DefaultMaxFileBytes
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
		return nil, errors.New("the origin of the API is missing; set BACKEND_URL")
	}
	s := &Server{Facade: facade, o: o, backend: &url.URL{Scheme: backend.Scheme, Host: backend.Host}, turns: newTurns()}
	s.tools = tools
	s.events, s.json = s.transport(false), s.transport(true)
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
	// The library would also trust X-Real-IP, which proxies forward unchanged.
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

// HandlesPath reports whether a path belongs to the tool server, in a process
// that serves other routes too.
func HandlesPath(path string) bool {
	path = strings.TrimSuffix(path, "/")
	switch path {
	case oauth.ResourcePath, "/register", "/authorize", "/token", "/.well-known":
		return true
	}
	return strings.HasPrefix(path, "/.well-known/")
}

// ServeHTTP implements http.Handler. It handles HEAD like GET, except at the protocol endpoint, which
// has no GET; net/http discards the body.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead && strings.TrimSuffix(r.URL.Path, "/") != oauth.ResourcePath {
		get := r.Clone(r.Context())
		get.Method = http.MethodGet
		r = get
	}
	s.handler.ServeHTTP(w, r)
}

// CallTools implements the operation callTools and responds to the other
// methods of its path.
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
		return // the client no longer waits
	}
	defer end()
	s.serve(c.Writer, request)
}
