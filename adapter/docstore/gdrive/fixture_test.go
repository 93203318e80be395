package gdrive_test

import (
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/gdrive"
	sim "docledger/adapter/sim/gdrive"
	"docledger/adapter/sim/kit"
	"docledger/domain/docstore"
	"docledger/domain/docstore/docstoretest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

const (
	clientID     = "canary-client-93cd"
	clientSecret = "canary-secret-8e2a +/="
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// world is the simulator seen from its own side.
type world struct {
	t       testing.TB
	sim     *sim.Server
	url     string
	place   docstore.Location
	outside string // a folder that is not in the place
}

// open starts a simulator without limits of calls, and the connector over it.
// The place lies in the account's own files, or in a shared drive.
func open(t testing.TB, shared bool, change func(*gdrive.Options)) (*gdrive.Connector, *world) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	limits := sim.DefaultLimits()
	limits.UserMinute = 0
	w := &world{t: t, url: "http://" + listener.Listener.Addr().String()}
	w.sim = sim.New(sim.Options{
		Origin: w.url, Start: start, Limits: &limits,
		Clients: []sim.Client{{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{docstoretest.RedirectURI}}},
	})
	listener.Config.Handler = w.sim
	listener.Start()
	t.Cleanup(w.sim.Close)
	t.Cleanup(listener.Close)
	if shared {
		w.place.Source = w.id(w.sim.AddDrive("Team"))
	} else {
		w.place.Source = w.id(w.sim.AddFolder("", "Books"))
	}
	w.place.SubSource = w.id(w.sim.AddFolder(w.place.Source, "Invoices"))
	w.outside = w.id(w.sim.AddFolder(w.place.Source, "Elsewhere"))
	o := gdrive.Options{
		ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: w.url + "/", LoopbackHTTP: true, Now: w.sim.Kit.Clock.Now,
	}
	if change != nil {
		change(&o)
	}
	c, err := gdrive.New(o)
	w.must(err)
	return c, w
}

func TestContract(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"own files": false, "shared drive": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docstoretest.Run(t, func(t testing.TB) (docstoretest.Connector, docstoretest.World) {
				c, w := open(t, shared, nil)
				return docstoretest.Of(t, integration.DocstoreB, c), w
			})
		})
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) id(id string, err error) string {
	w.t.Helper()
	w.must(err)
	return id
}

func (w *world) Now() time.Time           { return w.sim.Kit.Clock.Now() }
func (w *world) Advance(by time.Duration) { w.sim.Kit.Clock.Advance(by) }
func (w *world) Withdraw()                { w.sim.Withdraw() }
func (w *world) Place() docstore.Location { return w.place }
func (w *world) ExpireCursors()           { w.sim.InvalidateTokens() }
func (w *world) Mend()                    { w.sim.Kit.ClearFaults() }

// Leaked is never so: contents come from the API's own host.
func (w *world) Leaked() bool { return false }

func (w *world) brought(to string, err error) url.Values {
	w.t.Helper()
	w.must(err)
	u, err := url.Parse(to)
	w.must(err)
	return u.Query()
}

func (w *world) Consent(authorizationURL string) url.Values {
	w.t.Helper()
	if !strings.HasPrefix(authorizationURL, w.url+"/o/oauth2/v2/auth?") {
		w.t.Fatalf("the consent page is at %s", authorizationURL)
	}
	return w.brought(w.sim.Consent(authorizationURL))
}

func (w *world) Decline(authorizationURL string) url.Values {
	w.t.Helper()
	return w.brought(w.sim.Decline(authorizationURL))
}

func (w *world) SeedSources(count int) {
	w.t.Helper()
	w.must(w.sim.SeedFolders("", count))
}

func (w *world) SeedSubSources(count int) {
	w.t.Helper()
	w.must(w.sim.SeedFolders(w.place.Source, count))
}

// dir makes the folders of a path and returns the last one.
func (w *world) dir(names []string) string {
	w.t.Helper()
	at := w.place.SubSource
	for _, name := range names {
		next := w.sim.Find(at, name)
		if next == "" {
			next = w.id(w.sim.AddFolder(at, name))
		}
		at = next
	}
	return at
}

func (w *world) Add(at string, content []byte) string {
	w.t.Helper()
	names := strings.Split(at, "/")
	last := len(names) - 1
	return w.id(w.sim.Add(sim.File{Name: names[last], Parent: w.dir(names[:last]), Content: content}))
}

func (w *world) AddFolder(at string) string {
	w.t.Helper()
	return w.dir(strings.Split(at, "/"))
}

func (w *world) Change(id string, content []byte) { w.must(w.sim.Change(id, content)) }
func (w *world) Rename(id, name string)           { w.must(w.sim.Rename(id, name)) }
func (w *world) MoveOut(id string)                { w.must(w.sim.Move(id, w.outside)) }
func (w *world) Delete(id string)                 { w.must(w.sim.Trash(id)) }
func (w *world) Restore(id string)                { w.must(w.sim.Restore(id)) }
func (w *world) Lock(id string, on bool)          { w.must(w.sim.Lock(id, on)) }

func (w *world) Move(id, folder string) {
	if folder == "" {
		folder = w.place.SubSource
	}
	w.must(w.sim.Move(id, folder))
}

func (w *world) MoveIn(name, file string, content []byte) (folder, inside string) {
	folder = w.id(w.sim.AddFolder(w.outside, name))
	inside = w.id(w.sim.Add(sim.File{Name: file, Parent: folder, Content: content}))
	w.must(w.sim.Move(folder, w.place.SubSource))
	return folder, inside
}

func (w *world) PageSize(n int) { w.sim.SetLimits(func(l *sim.Limits) { l.MaxPage = n }) }

// Repeat has empty pages come too, which connectors must get past.
func (w *world) Repeat(on bool) {
	w.sim.Configure(func(s *sim.Settings) { s.Repeats, s.EmptyPages = on, on })
}

func (w *world) Deny(on bool) {
	status := 0
	if on {
		status = 403
	}
	w.must(w.sim.Deny(w.place.Source, status))
}

var calls = map[docstoretest.Call]string{
	docstoretest.CallToken: "POST /token", docstoretest.CallSources: "GET /drive/v3/files",
	docstoretest.CallFeed: "GET /drive/v3/changes", docstoretest.CallContent: "GET /drive/v3/files/*",
}

func (w *world) Break(c docstoretest.Call, f docstoretest.Failure, times int) {
	w.t.Helper()
	w.must(w.sim.Kit.Inject(kit.Fault{Match: calls[c], Times: times, Action: string(f)}))
}

func (w *world) Count(c docstoretest.Call) (n int) {
	for _, r := range w.sim.Kit.Requests() {
		if ok, err := path.Match(calls[c], r.Method+" "+r.Path); ok && err == nil {
			n++
		}
	}
	return n
}
