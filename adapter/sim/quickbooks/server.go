// Package quickbooks simulates an accounting provider. It implements the wire format of Intuit's
// OAuth servers and of the QuickBooks Online accounting API, and the pages for sign-in, consent
// and the choice of a company. It signs id tokens with its own key. The published client
// libraries work with it unchanged.
//
// One origin serves everything under the paths of the provider's hosts: /connect/oauth2
// (consent), /oauth2/v1/tokens/bearer, /op/v1/jwks, /v2/oauth2/tokens/revoke,
// /v1/openid_connect/userinfo, /.well-known/ and /v3/company/. The same origin serves the control
// surface of sim/kit and the controls of control.go.
//
// Request bodies must be JSON. The API can write bills, vendor credits, vendors and attachments.
// Sales are not simulated.
package quickbooks

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"docledger/adapter/sim/kit"
	"docledger/adapter/sim/kit/oidc"
)

// Limits are the provider's limits. A count of calls of 0 means unlimited.
type Limits struct {
	Minute int // calls per minute of the clock, per company
	Second int // calls per second of the clock, per application and company

	DefaultRows  int   // default MAXRESULTS of a query
	MaxRows      int   // maximum MAXRESULTS of a query
	RequestBytes int64 // of a request that is not an upload
	UploadBytes  int64

	CodeLifetime     time.Duration
	TokenLifetime    time.Duration // of access tokens
	RefreshLifetime  time.Duration // of an unused refresh token
	ConsentLifetime  time.Duration // after which a refresh is impossible
	RefreshRotation  time.Duration // for which a refresh returns the same value
	IDTokenLifetime  time.Duration
	RequestIDMaxSize int // maximum length of requestid
}

// DefaultLimits are the documented limits.
func DefaultLimits() Limits {
	const day = 24 * time.Hour
	return Limits{
		Minute: 500, Second: 10,
		DefaultRows: 100, MaxRows: 1000, RequestBytes: 2 << 20, UploadBytes: 100 << 20,
		CodeLifetime: 10 * time.Minute, TokenLifetime: time.Hour, RefreshLifetime: 100 * day, ConsentLifetime: 5 * 365 * day,
		RefreshRotation: day, IDTokenLifetime: time.Hour, RequestIDMaxSize: 50,
	}
}

// Settings can be changed while the simulator runs.
type Settings struct {
	// AutoApprove grants consents immediately, as the signed-in user or else the first user, for
	// AutoCompany or else the user's first company.
	AutoApprove bool   `json:"auto_approve"`
	AutoCompany string `json:"auto_company,omitempty"` // realm id
	// Sandbox makes the simulator's own address that of the sandbox instead of production. Requests to
	// the vendor's hosts always use the environment of the host.
	Sandbox bool `json:"sandbox"`
}

// Options configures the simulator.
type Options struct {
	Origin    string    // origin of the simulator: http://127.0.0.1:4030
	Clients   []Client  // the known applications
	Users     []User    // nil for DefaultUsers
	Companies []Company // nil for DefaultCompanies
	Settings  Settings
	Limits    *Limits   // nil for DefaultLimits
	Start     time.Time // of the clock, which is then fixed; see kit.Options
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key

	mu       sync.Mutex // guards the following fields
	limits   Limits
	settings Settings
	identity identity
	books    map[string]*book // by realm
	order    []string         // realms in the given order
	meters   map[string]*meter
}

// signingKey is the key of every server of this process.
var signingKey = oidc.Lasting(func() string { return strings.ToUpper(rand.Text()) })

// New returns a running simulator.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	if o.Companies == nil {
		o.Companies = DefaultCompanies()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: signingKey,
		books: map[string]*book{}, meters: map[string]*meter{},
	}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.Kit = kit.New(kit.Options{Start: o.Start, State: s.state, ErrorBody: faultBody})
	s.identity = newIdentity(o)
	for _, c := range o.Companies {
		s.books[c.RealmID] = newBook(c, s.Kit.Clock.Now())
		s.order = append(s.order, c.RealmID)
	}
	mux := http.NewServeMux()
	s.identityRoutes(mux)
	s.pageRoutes(mux)
	s.companyRoutes(mux)
	s.handler = s.controls(s.Kit.Handler(mux))
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	most := max(s.limits.RequestBytes, s.limits.UploadBytes) + 1
	s.mu.Unlock()
	r.Body = http.MaxBytesReader(w, r.Body, most)
	s.handler.ServeHTTP(w, r)
}

// Origin is the address of the simulator.
func (s *Server) Origin() string { return s.options.Origin }

// Configure changes the settings.
func (s *Server) Configure(change func(*Settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.settings)
}

// SetLimits changes the limits.
func (s *Server) SetLimits(change func(*Limits)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.limits)
}

// stamp is the time in id tokens. The application that verifies them uses the machine's clock,
// which an advance of the simulator's clock does not change. Therefore they carry the machine's
// time, unless the simulator's clock is fixed.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}
