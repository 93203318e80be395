// Package gdrive simulates a document store. It implements the wire format of Google's OAuth
// servers and of the Drive API, version 3, sign-in and consent pages, and change notifications.
// The published client library works with it unchanged.
//
// One origin serves everything under the paths of the provider's hosts: /o/oauth2/v2/auth
// (consent), /token, /revoke, /oauth2/v3/certs and /drive/v3/. The same origin serves the control
// surface of sim/kit and the controls of control.go.
//
// The API only reads files; people change files with the controls. The query language is the part
// that query_parse.go lists. The only export format is PDF.
package gdrive

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
	UserMinute int // calls per minute of the clock, per application and user

	DefaultPage      int // default number of files or changes of a page
	MaxPage          int // maximum number per request
	DefaultDrivePage int // shared drives per page
	MaxDrivePage     int
	MaxQuery         int   // bytes of q
	ExportBytes      int64 // bytes of an exported document

	CodeLifetime    time.Duration
	TokenLifetime   time.Duration // of access tokens
	IdleLifetime    time.Duration // of an unused refresh token
	LiveTokens      int           // refresh tokens per user and application
	IDTokenLifetime time.Duration

	ChannelLifetime    time.Duration // default lifetime of a channel
	MaxFileChannel     time.Duration
	MaxChangesChannel  time.Duration
	MaxChannelToken    int // characters
	NotificationsQueue int // queued messages; more are dropped
}

// DefaultLimits are the documented limits, and the observed ones if the documentation has none.
func DefaultLimits() Limits {
	const day = 24 * time.Hour
	return Limits{
		UserMinute:  12_000,
		DefaultPage: 100, MaxPage: 1000, DefaultDrivePage: 10, MaxDrivePage: 100, MaxQuery: 16 << 10, ExportBytes: 10 << 20,
		CodeLifetime: 10 * time.Minute, TokenLifetime: 3599 * time.Second, IdleLifetime: 182 * day, LiveTokens: 100, IDTokenLifetime: time.Hour,
		ChannelLifetime: time.Hour, MaxFileChannel: day, MaxChangesChannel: 7 * day, MaxChannelToken: 256, NotificationsQueue: 10_000,
	}
}

// Settings can be changed while the simulator runs.
type Settings struct {
	// AutoApprove grants consents immediately, as the signed-in user or else the first user, for
	// all requested scopes.
	AutoApprove bool `json:"auto_approve"`
	// EmptyPages inserts an empty page with a nextPageToken before each page of a list. The
	// provider may do that.
	EmptyPages bool `json:"empty_pages,omitempty"`
	// Repeats repeats the last change of each page, and returns each file as often as it changed.
	Repeats bool `json:"repeats,omitempty"`
	// DropNotifications drops calls to channels; RepeatNotifications repeats each call.
	// VerifiedHosts are the https hosts that may receive notifications. The provider refuses addresses
	// of domains that are not verified (push.webhookUrlUnauthorized). Source: the vendor's guide "Push
	// notifications". Addresses of this machine are always accepted.
	VerifiedHosts       []string `json:"verified_hosts,omitempty"`
	DropNotifications   bool     `json:"drop_notifications,omitempty"`
	RepeatNotifications bool     `json:"repeat_notifications,omitempty"`
}

// Options configures the simulator.
type Options struct {
	Origin   string   // origin of the simulator: http://127.0.0.1:4040
	Clients  []Client // the known applications
	Users    []User   // nil for DefaultUsers
	Settings Settings
	Limits   *Limits   // nil for DefaultLimits
	Start    time.Time // of the clock, which is then fixed; see kit.Options
	// Transport sends notifications; nil for http.DefaultTransport.
	Transport http.RoundTripper
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key
	outbox  *outbox

	mu       sync.Mutex // guards the following fields
	limits   Limits
	settings Settings
	identity identity
	store    store
	channels map[string]*channel
	meters   map[string]*meter
	refusals []string // reasons of the next refusals
}

// signingKey is the key of every server of this process.
var signingKey = oidc.Lasting(rand.Text)

// New returns a running simulator. Close stops it.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: signingKey,
		channels: map[string]*channel{}, meters: map[string]*meter{},
	}
	if o.Limits != nil {
		s.limits = *o.Limits
	}
	s.outbox = newOutbox(o.Transport, s.limits.NotificationsQueue)
	s.Kit = kit.New(kit.Options{Start: o.Start, State: s.state, ErrorBody: faultBody})
	s.identity = newIdentity(o)
	s.store = newStore(s.identity.users, s.Kit.Clock.Now())
	mux := http.NewServeMux()
	s.identityRoutes(mux)
	s.driveRoutes(mux)
	s.handler = s.controls(s.Kit.Handler(mux))
	return s
}

// Close stops the calls to channels.
func (s *Server) Close() { s.outbox.close() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
