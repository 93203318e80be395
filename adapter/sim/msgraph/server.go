// Package msgraph simulates a document store. It implements the wire format of Microsoft's
// identity platform and of the sites, drives and subscriptions of Microsoft Graph, sign-in and
// consent pages, and a separate content host. The published client library works with it
// unchanged.
//
// One origin serves everything: /{tenant}/oauth2/v2.0/ is the identity platform, /v1.0/ the API,
// and /_layouts/15/ the content hosts. Options.ContentOrigin can move the latter to another
// origin. The same origin serves the control surface of sim/kit and the controls of control.go.
//
// The simulated account is of the business kind: deletions have no names, drives are document
// libraries of sites, and only their roots accept subscriptions. The API can write only
// subscriptions; people change files with the controls.
package msgraph

import (
	"context"
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
	// MinuteUnits are the resource units of an application per minute of the clock. An item, a
	// content and a delta with a token cost one unit; lists and a delta without a token cost two.
	MinuteUnits int

	FileBytes    int64 // of one file that a control adds
	RequestBytes int64 // of any other request

	CodeLifetime     time.Duration
	TokenLifetime    time.Duration // of access tokens and id tokens
	RefreshLifetime  time.Duration // of a refresh token
	DownloadLifetime time.Duration // of an address that contents are read from

	SubscriptionLifetime time.Duration   // the longest
	ValidationTimeout    time.Duration   // in which an address must return the validation token
	NotificationTimeout  time.Duration   // in which a notification must be accepted
	NotificationRetries  []time.Duration // delays after a notification that was not accepted
}

// DefaultLimits are the documented limits. The provider documents "minutes" for the address of a
// content; the simulator uses ten.
func DefaultLimits() Limits {
	return Limits{
		MinuteUnits: 1200, FileBytes: 256 << 20, RequestBytes: 4 << 20,
		CodeLifetime: 10 * time.Minute, TokenLifetime: 3599 * time.Second, RefreshLifetime: 90 * 24 * time.Hour,
		DownloadLifetime: 10 * time.Minute, SubscriptionLifetime: 42300 * time.Minute, ValidationTimeout: 10 * time.Second,
		NotificationTimeout: 3 * time.Second,
		NotificationRetries: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour},
	}
}

// Settings can be changed while the simulator runs.
type Settings struct {
	// AutoApprove grants consents immediately, as the signed-in user or else the first user.
	AutoApprove bool `json:"auto_approve"`
	// PageSize is the number of entries of a page unless the request asks for fewer; 0 for the
	// provider's 200.
	PageSize int `json:"page_size"`
	// RepeatItems starts each page of a delta with the last entry of the page before, and adds
	// the parent folders of changed items.
	RepeatItems bool `json:"repeat_items"`
	// TellDescendants adds the content of a deleted folder to the delta.
	TellDescendants bool `json:"tell_descendants"`
	// ContentTags returns the cTag of files in a delta. Business libraries omit it. Source: the
	// vendor's reference "driveItem: delta", remarks.
	ContentTags bool `json:"content_tags"`
	// DropNotifications loses every notification; RepeatNotifications sends
	// each twice.
	DropNotifications   bool `json:"drop_notifications"`
	RepeatNotifications bool `json:"repeat_notifications"`
	// ReadOnlySubscriptions accepts subscriptions without a scope for writing files. Business
	// libraries refuse them. Source: the vendor's reference "Create subscription", permissions.
	ReadOnlySubscriptions bool `json:"read_only_subscriptions"`
}

// Options configures the simulator.
type Options struct {
	Origin        string   // origin of the simulator: http://127.0.0.1:4040
	ContentOrigin string   // origin of contents; "" for Origin
	Tenant        string   // id of the organization; "" for DefaultTenant
	Clients       []Client // the known applications
	Users         []User   // nil for DefaultUsers
	Settings      Settings
	// LoopbackNotifications also accepts http addresses of this machine for notifications; the
	// provider accepts only https.
	LoopbackNotifications bool
	Limits                *Limits      // nil for DefaultLimits
	Start                 time.Time    // of the clock, which is then fixed; see kit.Options
	HTTPClient            *http.Client // for notifications; nil for the default
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key
	out     *outbox

	mu       sync.Mutex // guards the following fields
	limits   Limits
	settings Settings
	identity identity
	store    store
	meters   map[string]*meter
	leaked   bool // the content host received a token
}

// signingKey is the key of every server of this process.
var signingKey = oidc.Lasting(rand.Text)

// New returns a running simulator. It has a site with an empty library; see DefaultSite and
// DefaultDrive.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.ContentOrigin = strings.TrimSuffix(o.ContentOrigin, "/"); o.ContentOrigin == "" {
		o.ContentOrigin = o.Origin
	}
	if o.Tenant == "" {
		o.Tenant = DefaultTenant
	}
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, meters: map[string]*meter{},
		key: signingKey,
	}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.Kit = kit.New(kit.Options{Start: o.Start, State: s.state, ErrorBody: faultBody})
	s.identity = newIdentity(o)
	s.store = newStore(s.Kit.Clock.Now())
	s.out = newOutbox(s)
	mux := http.NewServeMux()
	s.identityRoutes(mux)
	s.pageRoutes(mux)
	mux.HandleFunc("GET "+contentPath, s.serveContent)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { notFound("Resource").send(w) })
	s.handler = s.controls(s.Kit.Handler(s.api(mux)))
	return s
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	most := max(s.limits.RequestBytes, s.limits.FileBytes) + 1
	s.mu.Unlock()
	r.Body = http.MaxBytesReader(w, r.Body, most)
	s.handler.ServeHTTP(w, r)
}

// Close cancels the notifications that are being sent.
func (s *Server) Close() { s.out.close() }

// Origin is the address of the simulator.
func (s *Server) Origin() string { return s.options.Origin }

// Drain waits until no notification is due or being sent.
func (s *Server) Drain(ctx context.Context) error { return s.out.drain(ctx) }

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

// Leaked reports whether the content host received an access token.
func (s *Server) Leaked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaked
}

// stamp is the time in tokens. The application that verifies tokens uses the machine's clock,
// which an advance of the simulator's clock does not change. Therefore tokens carry the machine's
// time, unless the simulator's clock is fixed.
func (s *Server) stamp() time.Time {
	if !s.options.Start.IsZero() {
		return s.Kit.Clock.Now()
	}
	return time.Now().UTC()
}
