// Package quickbooks is an accounting provider on this machine: it speaks the
// wire format of Intuit's OAuth servers and of the QuickBooks Online accounting
// API, shows pages to sign in, consent and choose a company, and signs id
// tokens with a key of its own. The published client libraries work against it
// unchanged.
//
// All of it answers at one origin, the paths being those of the provider's
// hosts: /connect/oauth2 (consent), /oauth2/v1/tokens/bearer, /op/v1/jwks,
// /v2/oauth2/tokens/revoke, /v1/openid_connect/userinfo, /.well-known/ and
// /v3/company/. Beside them stand the control surface of sim/kit and some
// controls of its own; see control.go.
//
// Bodies of requests are read as JSON. Bills and vendor credits are what can be
// written, with vendors and attachments; sales are no part of it.
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

// Limits are the provider's numbers. Of calls, 0 is no limit.
type Limits struct {
	Minute int // calls in a minute of the clock, per company
	Second int // calls in a second of the clock, per application and company

	DefaultRows  int   // of a query that names no MAXRESULTS
	MaxRows      int   // that a query may ask for
	RequestBytes int64 // of a request that is no upload
	UploadBytes  int64

	CodeLifetime     time.Duration
	TokenLifetime    time.Duration // of access tokens
	RefreshLifetime  time.Duration // of a refresh token that is not used
	ConsentLifetime  time.Duration // after which no refresh helps
	RefreshRotation  time.Duration // for which a refresh answers with the same value
	IDTokenLifetime  time.Duration
	RequestIDMaxSize int // characters of requestid
}

// DefaultLimits are what the provider documents.
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
	// AutoApprove has consents given at once, by whoever is signed in or the
	// first person, for AutoCompany or else the first company of theirs.
	AutoApprove bool   `json:"auto_approve"`
	AutoCompany string `json:"auto_company,omitempty"` // realm id
}

// Options describe what is simulated.
type Options struct {
	Origin    string    // where the simulator answers: http://127.0.0.1:4030
	Clients   []Client  // the applications that are known
	Users     []User    // nil for DefaultUsers
	Companies []Company // nil for DefaultCompanies
	Settings  Settings
	Limits    *Limits   // nil for DefaultLimits
	Start     time.Time // of the clock, which then stands still; see kit.Options
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key

	mu       sync.Mutex // guards what follows
	limits   Limits
	settings Settings
	identity identity
	books    map[string]*book // by realm
	order    []string         // realms as they were given
	meters   map[string]*meter
}

// New returns a running provider.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	if o.Companies == nil {
		o.Companies = DefaultCompanies()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: sync.OnceValue(func() *oidc.Key { return oidc.NewKey(strings.ToUpper(rand.Text())) }),
		books: map[string]*book{}, meters: map[string]*meter{},
	}
	go s.key() // takes longer than all the rest of starting
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

// SetLimits changes the provider's numbers.
func (s *Server) SetLimits(change func(*Limits)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.limits)
}

// stamp is the time that id tokens state. Whoever checks them has a clock of
// their own, which does not follow when the simulator's is advanced; so they
// state the machine's, unless the simulator's stands still.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}
