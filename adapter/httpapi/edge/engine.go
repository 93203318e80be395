package edge

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"docledger/domain/identity"
	"docledger/openapi"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
)

// Authenticator returns the caller of a bearer token. An invalid token is an
// Unauthenticated fault. Unreachable keys are an Unavailable fault.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (identity.Actor, error)
}

// RefreshAuthenticator authenticates the operation that refreshes a token. A
// superseded token has another effect there than in other operations.
type RefreshAuthenticator interface {
	AuthenticateRefresh(ctx context.Context, bearer string) (identity.Actor, error)
}

// refreshOperation is the operation that RefreshAuthenticator authenticates.
const refreshOperation = "refreshToken"

// Limits bound the cost of one request. Zero values mean the defaults.
type Limits struct {
	JSONBytes     int64         // of a JSON body; 1 MiB
	FileJSONBytes int64         // of a JSON body with a file in base64; 32 MiB
	OpenBytes     int64         // of a body without a verified credential; 16 kB
	UploadBytes   int64         // of a file sent as multipart; 256 MiB
	Timeout       time.Duration // of a request; 60 s
	UploadTimeout time.Duration // of a multipart request; 15 min
}

// multipartOverhead is the size that a multipart body may have in addition to
// its file.
const multipartOverhead = 1 << 20

func (l Limits) orDefaults() Limits {
	return Limits{
		JSONBytes:     orDefault(l.JSONBytes, 1<<20),
		FileJSONBytes: orDefault(l.FileJSONBytes, 32<<20),
		OpenBytes:     orDefault(l.OpenBytes, 16<<10),
		UploadBytes:   orDefault(l.UploadBytes, 256<<20),
		Timeout:       orDefault(l.Timeout, time.Minute),
		UploadTimeout: orDefault(l.UploadTimeout, 15*time.Minute),
	}
}

func orDefault[T int64 | time.Duration](value, preset T) T {
	if value > 0 {
		return value
	}
	return preset
}

// Options configure an engine.
type Options struct {
	Authenticator  Authenticator
	Logger         *slog.Logger // nil: slog's default
	Limits         Limits
	Rates          Rates
	Memory         func(Origin) Lease // leases memory for bodies; nil: no limit
	TempDir        string             // of files in bodies; "" for the system's
	Secure         bool               // clients reach the service only by https
	PagesURL       string             // the URL of the web application, without a trailing slash
	AllowedOrigins []string           // of browsers (CORS), such as https://app.example.com
	TrustedProxies []string           // addresses of proxies, which set X-Forwarded-For; none by default
	// Transfers are the routes outside the specification that move files, by their pattern.
	Transfers    map[string]Transfer
	Observe      func(Observed)            // receives every request; nil: none
	NewRequestID func() (uuid.UUID, error) // nil: UUID version 7
}

// Observed is a finished request.
type Observed struct {
	Context   context.Context // of the request
	RequestID uuid.UUID
	Operation string // of the specification; "" for an unknown route
	Status    int
	Took      time.Duration
}

// edge is the middleware of one engine.
type edge struct {
	Options
	operations Operations
	turns      turns
}

// NewEngine returns a gin engine with all middleware of this package. Register
// the generated handlers on it with the hooks of this package (see
// ParameterError and StrictHooks).
func NewEngine(options Options) (*gin.Engine, error) {
	doc, err := openapi.Shared()
	if err != nil {
		return nil, err
	}
	operations, err := NewOperations(doc)
	if err != nil {
		return nil, fmt.Errorf("read specification: %w", err)
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if options.NewRequestID == nil {
		options.NewRequestID = uuid.NewV7
	}
	options.Limits = options.Limits.orDefaults()
	e := &edge{Options: options, operations: operations, turns: newTurns()}

	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	if err := engine.SetTrustedProxies(options.TrustedProxies); err != nil {
		return nil, fmt.Errorf("trusted proxies: %w", err)
	}
	// Proxies forward other headers unchanged, so that callers can forge them.
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	// Handlers receive the gin context. Without the fallback, it has neither
	// the values nor the cancellation of the request.
	engine.ContextWithFallback = true
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.Use(plainJSON, e.identify, e.logAccess, e.recoverPanics, e.securityHeaders, e.cors, e.bound, e.authenticate, e.authorize, e.atOnce, e.validate)
	engine.NoRoute(noRoute)
	engine.NoMethod(noRoute)
	return engine, nil
}

// headKey is the key of the context of a HEAD request.
type headKey struct{}

// IsHead reports whether a request that is handled like GET is HEAD. Its caller gets no body.
func IsHead(ctx context.Context) bool {
	head, _ := ctx.Value(headKey{}).(bool)
	return head
}

// Handler serves an engine and handles HEAD like GET; net/http discards the
// body.
func Handler(engine http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := r.Clone(context.WithValue(r.Context(), headKey{}, true))
			get.Method = http.MethodGet
			r = get
		}
		engine.ServeHTTP(w, r)
	})
}
