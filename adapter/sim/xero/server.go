// Package xero simulates an accounting provider. It implements the wire format of Xero's identity
// server, connections and accounting API, and the pages for sign-in, consent and the choice of
// organizations. It signs tokens with its own key. The published client library works with it
// unchanged.
//
// One origin serves everything: /.well-known/, /identity/ and /connect/ are the two identity
// hosts, /connections and /api.xro/2.0/ the API host. The same origin serves the control surface
// of sim/kit and the controls of control.go.
//
// Request bodies must be JSON. Bills and credit notes are those of suppliers. Sales are not
// simulated.
package xero

import (
	"crypto/rand"
	"net/http"
	"strings"
	"sync"
	"time"

	"docledger/adapter/sim/kit"
	"docledger/adapter/sim/kit/oidc"
)

// Limits are the provider's limits. A count of 0 means unlimited.
type Limits struct {
	Concurrent int // concurrent calls, per application and tenant
	Minute     int // calls per minute of the clock, per application and tenant
	Day        int // calls per UTC day, per application and tenant
	AppMinute  int // calls per minute of the clock, per application

	Attachments     int   // files of one bill
	AttachmentBytes int64 // of one file
	RequestBytes    int64 // of any other request

	CodeLifetime      time.Duration
	TokenLifetime     time.Duration // of access tokens
	IDTokenLifetime   time.Duration
	RefreshLifetime   time.Duration // of an unused refresh token
	RefreshGrace      time.Duration // for which a used refresh token works again
	IdempotencyWindow time.Duration // for which the response of a key is stored
}

// DefaultLimits are the documented limits. The documentation has two values for the size of
// attachments; the smaller one is used.
func DefaultLimits() Limits {
	return Limits{
		Concurrent: 5, Minute: 60, Day: 5000, AppMinute: 10000,
		Attachments: 10, AttachmentBytes: 10 << 20, RequestBytes: 10 << 20,
		CodeLifetime: 5 * time.Minute, TokenLifetime: 30 * time.Minute, IDTokenLifetime: 5 * time.Minute,
		RefreshLifetime: 60 * 24 * time.Hour, RefreshGrace: 30 * time.Minute, IdempotencyWindow: 6 * time.Minute,
	}
}

// Settings can be changed while the simulator runs.
type Settings struct {
	// AutoApprove grants consents immediately, as the signed-in user or else the first user, for
	// all of the user's organizations or the ones named below.
	AutoApprove       bool     `json:"auto_approve"`
	AutoOrganizations []string `json:"auto_organizations,omitempty"` // ids
}

// Options configures the simulator.
type Options struct {
	Origin        string         // origin of the simulator: http://127.0.0.1:4020
	Clients       []Client       // the known applications
	Users         []User         // nil for DefaultUsers
	Organizations []Organization // nil for DefaultOrganizations
	Settings      Settings
	Limits        *Limits   // nil for DefaultLimits
	Start         time.Time // of the clock, which is then fixed; see kit.Options
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
	books    map[string]*book // by tenant
	order    []string         // tenants in the given order
	meters   map[string]*meter
	replays  map[string]*replay // by application and key
}

// signingKey is the key of every server of this process.
var signingKey = oidc.Lasting(func() string { return strings.ToUpper(rand.Text()) })

// New returns a running simulator.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	if o.Organizations == nil {
		o.Organizations = DefaultOrganizations()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: signingKey,
		books: map[string]*book{}, meters: map[string]*meter{}, replays: map[string]*replay{},
	}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.Kit = kit.New(kit.Options{Start: o.Start, State: s.state, ErrorBody: faultBody})
	s.identity = newIdentity(o)
	for _, organization := range o.Organizations {
		b := newBook(organization, s.Kit.Clock.Now())
		s.books[b.organization.ID] = b
		s.order = append(s.order, b.organization.ID)
	}
	mux := http.NewServeMux()
	s.identityRoutes(mux)
	s.pageRoutes(mux)
	s.connectionRoutes(mux)
	s.accountingRoutes(mux)
	s.handler = s.controls(s.counted(s.Kit.Handler(mux)))
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	most := max(s.limits.RequestBytes, s.limits.AttachmentBytes) + 1
	s.mu.Unlock()
	r.Body = http.MaxBytesReader(w, r.Body, most)
	s.handler.ServeHTTP(w, r)
}

// Origin is the address of the simulator and the issuer of its tokens.
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

// stamp is the time in tokens. The application that verifies them uses the machine's clock, which
// an advance of the simulator's clock does not change. Therefore they carry the machine's time,
// unless the simulator's clock is fixed.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}
