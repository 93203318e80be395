// Package msgraph is a document store on this machine: it speaks the wire
// format of Microsoft's identity platform and of the sites, drives and
// subscriptions of Microsoft Graph, shows pages to sign in and consent, and
// hands contents out at another place than the API. The published client
// library works against it unchanged.
//
// All of it answers at one origin: /{tenant}/oauth2/v2.0/ as the identity
// platform does, /v1.0/ as the API host, and /_layouts/15/ as the hosts that
// serve contents, which Options.ContentOrigin can put elsewhere. Beside them
// stand the control surface of sim/kit and some controls of its own; see
// control.go.
//
// It is of the business kind: deletions come without names, drives are document
// libraries of sites, and only their roots are subscribed to. Nothing can be
// written through the API but subscriptions; people change files by the
// controls.
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

// Limits are the provider's numbers. Of counts, 0 is no limit.
type Limits struct {
	// MinuteUnits are the resource units of an application in a minute of the
	// clock: one for an item, a content or a delta with token, two for lists and
	// a delta without.
	MinuteUnits int

	FileBytes    int64 // of one file that a control adds
	RequestBytes int64 // of any other request

	CodeLifetime     time.Duration
	TokenLifetime    time.Duration // of access tokens and id tokens
	RefreshLifetime  time.Duration // of a refresh token
	DownloadLifetime time.Duration // of an address that contents are read from

	SubscriptionLifetime time.Duration   // the longest
	ValidationTimeout    time.Duration   // in which an address must prove itself
	NotificationTimeout  time.Duration   // in which a notification must be taken
	NotificationRetries  []time.Duration // after a notification that was not taken
}

// DefaultLimits are what the provider documents; where it says minutes for the
// address of a content, ten stand here.
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
	// AutoApprove has consents given at once, by whoever is signed in or the
	// first person.
	AutoApprove bool `json:"auto_approve"`
	// PageSize is how many entries a page has where the request does not ask
	// for fewer; 0 for the provider's 200.
	PageSize int `json:"page_size"`
	// RepeatItems has pages of a delta begin with the last entry of the page
	// before, and tell the folders above what changed.
	RepeatItems bool `json:"repeat_items"`
	// TellDescendants has a delta tell of a deleted folder with all that was in
	// it.
	TellDescendants bool `json:"tell_descendants"`
	// OmitContentTags has a delta tell no cTag of files, as most business
	// libraries do.
	OmitContentTags bool `json:"omit_content_tags"`
	// DropNotifications loses every notification; RepeatNotifications sends
	// each twice.
	DropNotifications   bool `json:"drop_notifications"`
	RepeatNotifications bool `json:"repeat_notifications"`
	// WriteToSubscribe refuses subscriptions without a scope to write files.
	WriteToSubscribe bool `json:"write_to_subscribe"`
}

// Options describe what is simulated.
type Options struct {
	Origin        string   // where the simulator answers: http://127.0.0.1:4040
	ContentOrigin string   // where contents are read from; "" for Origin
	Tenant        string   // id of the organization; "" for DefaultTenant
	Clients       []Client // the applications that are known
	Users         []User   // nil for DefaultUsers
	Settings      Settings
	// LoopbackNotifications accepts http addresses of this machine for
	// notifications too; the provider takes https alone.
	LoopbackNotifications bool
	Limits                *Limits      // nil for DefaultLimits
	Start                 time.Time    // of the clock, which then stands still; see kit.Options
	HTTPClient            *http.Client // that notifications are sent with; nil for a plain one
}

// Server is the simulated provider. It is an http.Handler.
type Server struct {
	Kit *kit.Kit

	options Options
	handler http.Handler
	key     func() *oidc.Key
	out     *outbox

	mu       sync.Mutex // guards what follows
	limits   Limits
	settings Settings
	identity identity
	store    store
	meters   map[string]*meter
	leaked   bool // a token came to where contents are read from
}

// New returns a running provider. It holds a site with a library that is empty;
// see DefaultSite and DefaultDrive.
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
		key: sync.OnceValue(func() *oidc.Key { return oidc.NewKey(rand.Text()) }),
	}
	go s.key() // takes longer than all the rest of starting
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

// Close ends the notifications that are on their way.
func (s *Server) Close() { s.out.close() }

// Origin is the address of the simulator.
func (s *Server) Origin() string { return s.options.Origin }

// Drain waits until no notification is due or on its way.
func (s *Server) Drain(ctx context.Context) error { return s.out.drain(ctx) }

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

// Leaked says whether an access token came to where contents are read from.
func (s *Server) Leaked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leaked
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
