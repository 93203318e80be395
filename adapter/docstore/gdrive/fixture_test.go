package gdrive_test

import (
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/gdrive"
	"docledger/adapter/sim/definition/definitiontest"
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

// fixture controls the simulator directly.
type fixture struct {
	t       testing.TB
	sim     *sim.Server
	url     string
	place   docstore.Location
	outside string // a folder outside the location
}

// open starts a simulator without rate limits and a connector that uses it. The location is in the
// account's own files or in a shared drive.
func open(t testing.TB, shared bool, change func(*gdrive.Options)) (*gdrive.Connector, *fixture) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	limits := sim.DefaultLimits()
	limits.UserMinute = 0
	w := &fixture{t: t, url: "http://" + listener.Listener.Addr().String()}
	w.sim = sim.New(sim.Options{
		Origin: w.url, Start: start, Limits: &limits,
		Clients: []sim.Client{{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{docstoretest.RedirectURI}}},
	})
	listener.Config.Handler = definitiontest.Handler(t, "gdrive", w.sim)
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

func (w *fixture) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *fixture) id(id string, err error) string {
	w.t.Helper()
	w.must(err)
	return id
}

func (w *fixture) Now() time.Time           { return w.sim.Kit.Clock.Now() }
func (w *fixture) Advance(by time.Duration) { w.sim.Kit.Clock.Advance(by) }
func (w *fixture) Withdraw()                { w.sim.Withdraw() }
func (w *fixture) Place() docstore.Location { return w.place }
func (w *fixture) ExpireCursors()           { w.sim.InvalidateTokens() }
func (w *fixture) Repair()                  { w.sim.Kit.ClearFaults() }

// Leaked reports whether another host received the token. It is always false: contents come from
// the API's host.
func (w *fixture) Leaked() bool { return false }

func (w *fixture) brought(to string, err error) url.Values {
	w.t.Helper()
	w.must(err)
	u, err := url.Parse(to)
	w.must(err)
	return u.Query()
}

func (w *fixture) Consent(authorizationURL string) url.Values {
	w.t.Helper()
	if !strings.HasPrefix(authorizationURL, w.url+"/o/oauth2/v2/auth?") {
		w.t.Fatalf("the consent page is at %s", authorizationURL)
	}
	return w.brought(w.sim.Consent(authorizationURL))
}

func (w *fixture) Decline(authorizationURL string) url.Values {
	w.t.Helper()
	return w.brought(w.sim.Decline(authorizationURL))
}

func (w *fixture) SeedSources(count int) {
	w.t.Helper()
	w.must(w.sim.SeedFolders("", count))
}

func (w *fixture) SeedSubSources(count int) {
	w.t.Helper()
	w.must(w.sim.SeedFolders(w.place.Source, count))
}

// dir creates the folders of a path and returns the last one.
func (w *fixture) dir(names []string) string {
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

func (w *fixture) Add(at string, content []byte) string {
	w.t.Helper()
	names := strings.Split(at, "/")
	last := len(names) - 1
	return w.id(w.sim.Add(sim.File{Name: names[last], Parent: w.dir(names[:last]), Content: content}))
}

func (w *fixture) AddFolder(at string) string {
	w.t.Helper()
	return w.dir(strings.Split(at, "/"))
}

func (w *fixture) Change(id string, content []byte) { w.must(w.sim.Change(id, content)) }
func (w *fixture) Rename(id, name string)           { w.must(w.sim.Rename(id, name)) }
func (w *fixture) MoveOut(id string)                { w.must(w.sim.Move(id, w.outside)) }
func (w *fixture) Delete(id string)                 { w.must(w.sim.Trash(id)) }
func (w *fixture) Restore(id string)                { w.must(w.sim.Restore(id)) }
func (w *fixture) Lock(id string, on bool)          { w.must(w.sim.Lock(id, on)) }

func (w *fixture) Move(id, folder string) {
	if folder == "" {
		folder = w.place.SubSource
	}
	w.must(w.sim.Move(id, folder))
}

func (w *fixture) MoveIn(name, file string, content []byte) (folder, inside string) {
	folder = w.id(w.sim.AddFolder(w.outside, name))
	inside = w.id(w.sim.Add(sim.File{Name: file, Parent: folder, Content: content}))
	w.must(w.sim.Move(folder, w.place.SubSource))
	return folder, inside
}

func (w *fixture) PageSize(n int) { w.sim.SetLimits(func(l *sim.Limits) { l.MaxPage = n }) }

// Repeat makes the provider return empty pages, too, which connectors must skip.
func (w *fixture) Repeat(on bool) {
	w.sim.Configure(func(s *sim.Settings) { s.Repeats, s.EmptyPages = on, on })
}

func (w *fixture) Deny(on bool) {
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

func (w *fixture) Break(c docstoretest.Call, f docstoretest.Failure, times int) {
	w.t.Helper()
	w.must(w.sim.Kit.Inject(kit.Fault{Match: calls[c], Times: times, Action: string(f)}))
}

func (w *fixture) Count(c docstoretest.Call) (n int) {
	for _, r := range w.sim.Kit.Requests() {
		if ok, err := path.Match(calls[c], r.Method+" "+r.Path); ok && err == nil {
			n++
		}
	}
	return n
}
