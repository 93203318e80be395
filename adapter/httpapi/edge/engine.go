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

// Authenticator turns a bearer token into the caller it stands for. A token
// that is not good is an Unauthenticated fault; keys that cannot be reached are
// an Unavailable one.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string) (identity.Actor, error)
}

// RefreshAuthenticator authenticates the operation that refreshes a token, where
// a superseded token means more than elsewhere.
type RefreshAuthenticator interface {
	AuthenticateRefresh(ctx context.Context, bearer string) (identity.Actor, error)
}

// refreshOperation is the operation that RefreshAuthenticator is asked for.
const refreshOperation = "refreshToken"

// Limits bound what one request may cost. Zero values mean the defaults.
type Limits struct {
	JSONBytes     int64         // of a JSON body; 1 MiB
	OpenBytes     int64         // of a body without a verified credential; 16 kB
	UploadBytes   int64         // of a file sent as multipart; 256 MiB
	Timeout       time.Duration // of a request; 60 s
	UploadTimeout time.Duration // of a multipart request; 15 min
}

// multipartOverhead is what a multipart body may hold beside its file.
const multipartOverhead = 1 << 20

func (l Limits) orDefaults() Limits {
	return Limits{
		JSONBytes:     orDefault(l.JSONBytes, 1<<20),
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
	Memory         func(Origin) Lease        // what bodies may hold; nil: any amount
	Secure         bool                      // the outside reaches the service by https alone
	PagesURL       string                    // the address of the web application, for people; without a final slash
	AllowedOrigins []string                  // of browsers (CORS), such as https://app.example.com
	TrustedProxies []string                  // addresses whose X-Forwarded-For is believed; none by default
	Observe        func(Observed)            // is told of every request; nil: nobody
	NewRequestID   func() (uuid.UUID, error) // nil: UUID version 7
}

// Observed is a request that was answered.
type Observed struct {
	Context   context.Context // of the request
	RequestID uuid.UUID
	Operation string // of the specification; "" for what it does not know
	Status    int
	Took      time.Duration
}

// edge is the middleware of one engine.
type edge struct {
	Options
	operations Operations
	turns      turns
}

// NewEngine returns a gin engine with everything of this package in place; the
// generated handlers are registered on it with the hooks of this package (see
// ParameterError and StrictHooks).
func NewEngine(options Options) (*gin.Engine, error) {
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	operations, err := NewOperations(doc)
	if err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
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
	// Proxies pass on other headers as callers made them up.
	engine.RemoteIPHeaders = []string{"X-Forwarded-For"}
	// Handlers get gin's context as theirs; without the fallback it knows
	// neither the request's values nor its cancellation.
	engine.ContextWithFallback = true
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.Use(e.identify, e.logAccess, e.recoverPanics, e.securityHeaders, e.cors, e.bound, e.authenticate, e.authorize, e.atOnce, e.validate)
	engine.NoRoute(noRoute)
	engine.NoMethod(noRoute)
	return engine, nil
}

// Handler serves an engine and lets HEAD ask what GET would answer: net/http
// drops the body.
func Handler(engine http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := r.Clone(r.Context())
			get.Method = http.MethodGet
			r = get
		}
		engine.ServeHTTP(w, r)
	})
}
