// Package xero is an accounting provider on this machine: it speaks the wire
// format of Xero's identity server, connections and accounting API, shows
// pages to sign in, consent and choose organizations, and signs tokens with a
// key of its own. The published client library works against it unchanged.
//
// All of it answers at one origin: /.well-known/, /identity/ and /connect/ as
// the two identity hosts do, /connections and /api.xro/2.0/ as the API host.
// Beside them stand the control surface of sim/kit and some controls of its
// own; see control.go.
//
// Bodies of requests are read as JSON alone. Bills and credit notes are those
// of suppliers; what a customer owes is no part of it.
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

// Limits are the provider's numbers. Of counts, 0 is no limit.
type Limits struct {
	Concurrent int // calls under way, per application and tenant
	Minute     int // calls in a minute of the clock, per application and tenant
	Day        int // calls in a UTC day, per application and tenant
	AppMinute  int // calls in a minute of the clock, per application

	Attachments     int   // files of one bill
	AttachmentBytes int64 // of one file
	RequestBytes    int64 // of any other request

	CodeLifetime      time.Duration
	TokenLifetime     time.Duration // of access tokens
	IDTokenLifetime   time.Duration
	RefreshLifetime   time.Duration // of a refresh token that is not used
	RefreshGrace      time.Duration // for which a refresh token that was used works again
	IdempotencyWindow time.Duration // for which the answer to a key is kept
}

// DefaultLimits are what the provider documents. Its pages disagree on the
// size of attachments; the smaller number stands here.
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
	// AutoApprove has consents given at once, by whoever is signed in or the
	// first person, for all organizations of theirs or those named below.
	AutoApprove       bool     `json:"auto_approve"`
	AutoOrganizations []string `json:"auto_organizations,omitempty"` // ids
}

// Options describe what is simulated.
type Options struct {
	Origin        string         // where the simulator answers: http://127.0.0.1:4020
	Clients       []Client       // the applications that are known
	Users         []User         // nil for DefaultUsers
	Organizations []Organization // nil for DefaultOrganizations
	Settings      Settings
	Limits        *Limits   // nil for DefaultLimits
	Start         time.Time // of the clock, which then stands still; see kit.Options
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
	books    map[string]*book // by tenant
	order    []string         // tenants as they were given
	meters   map[string]*meter
	replays  map[string]*replay // by application and key
}

// New returns a running provider.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	if o.Organizations == nil {
		o.Organizations = DefaultOrganizations()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: sync.OnceValue(func() *oidc.Key { return oidc.NewKey(strings.ToUpper(rand.Text())) }),
		books: map[string]*book{}, meters: map[string]*meter{}, replays: map[string]*replay{},
	}
	go s.key() // takes longer than all the rest of starting
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

// SetLimits changes the provider's numbers.
func (s *Server) SetLimits(change func(*Limits)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.limits)
}

// stamp is the time that tokens state. Whoever checks them has a clock of
// their own, which does not follow when the simulator's is advanced; so they
// state the machine's, unless the simulator's stands still.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}
