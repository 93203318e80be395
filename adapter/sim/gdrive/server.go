// Package gdrive is a document store on this machine: it speaks the wire format
// of Google's OAuth servers and of the Drive API, version 3, shows pages to sign
// in and consent, and calls the addresses that watch for changes. The published
// client library works against it unchanged.
//
// All of it answers at one origin, the paths being those of the provider's
// hosts: /o/oauth2/v2/auth (consent), /token, /revoke, /oauth2/v3/certs and
// /drive/v3/. Beside them stand the control surface of sim/kit and some controls
// of its own; see control.go.
//
// Files are read, not written: people's doings are controls. Of the query
// language it has what query_parse.go lists, of the exports PDF alone.
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

// Limits are the provider's numbers. Of calls, 0 is no limit.
type Limits struct {
	UserMinute int // calls in a minute of the clock, per application and person

	DefaultPage      int // files or changes of a page that names no pageSize
	MaxPage          int // that a request gets at most
	DefaultDrivePage int // shared drives of a page
	MaxDrivePage     int
	MaxQuery         int   // bytes of q
	ExportBytes      int64 // of a document that is exported

	CodeLifetime    time.Duration
	TokenLifetime   time.Duration // of access tokens
	IdleLifetime    time.Duration // of a refresh token that is not used
	LiveTokens      int           // refresh tokens of one person and application
	IDTokenLifetime time.Duration

	ChannelLifetime    time.Duration // of a channel that names none
	MaxFileChannel     time.Duration
	MaxChangesChannel  time.Duration
	MaxChannelToken    int // characters
	NotificationsQueue int // that wait to be sent; more are lost
}

// DefaultLimits are what the provider documents, and where it is silent what it
// is known to do.
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
	// AutoApprove has consents given at once, by whoever is signed in or the
	// first person, for all that is asked for.
	AutoApprove bool `json:"auto_approve"`
	// EmptyPages puts an empty page with a nextPageToken before each page of a
	// list, which is legal.
	EmptyPages bool `json:"empty_pages,omitempty"`
	// Repeats has pages of changes tell their last one twice, and files as often
	// as they changed.
	Repeats bool `json:"repeats,omitempty"`
	// DropNotifications has calls to channels lost, RepeatNotifications made
	// twice.
	DropNotifications   bool `json:"drop_notifications,omitempty"`
	RepeatNotifications bool `json:"repeat_notifications,omitempty"`
}

// Options describe what is simulated.
type Options struct {
	Origin   string   // where the simulator answers: http://127.0.0.1:4040
	Clients  []Client // the applications that are known
	Users    []User   // nil for DefaultUsers
	Settings Settings
	Limits   *Limits   // nil for DefaultLimits
	Start    time.Time // of the clock, which then stands still; see kit.Options
	// Transport carries notifications; nil for http.DefaultTransport.
	Transport http.RoundTripper
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key
	outbox  *outbox

	mu       sync.Mutex // guards what follows
	limits   Limits
	settings Settings
	identity identity
	store    store
	channels map[string]*channel
	meters   map[string]*meter
	refusals []string // reasons with which the next calls are refused
}

// New returns a running provider. Close ends it.
func New(o Options) *Server {
	o.Origin = strings.TrimSuffix(o.Origin, "/")
	if o.Users == nil {
		o.Users = DefaultUsers()
	}
	s := &Server{
		options: o, limits: DefaultLimits(), settings: o.Settings, key: sync.OnceValue(func() *oidc.Key { return oidc.NewKey(rand.Text()) }),
		channels: map[string]*channel{}, meters: map[string]*meter{},
	}
	go s.key() // takes longer than all the rest of starting
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

// SetLimits changes the provider's numbers.
func (s *Server) SetLimits(change func(*Limits)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.limits)
}
