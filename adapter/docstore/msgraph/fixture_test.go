package msgraph_test

import (
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/msgraph"
	"docledger/adapter/sim/definition/definitiontest"
	"docledger/adapter/sim/kit"
	sim "docledger/adapter/sim/msgraph"
	"docledger/domain/docstore"
	"docledger/domain/docstore/docstoretest"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

const (
	clientID     = "canary-client-51ab"
	clientSecret = "canary-secret-77f0 +/="
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// fixture controls the simulator directly.
type fixture struct {
	t       testing.TB
	sim     *sim.Server
	url     string
	outside string // a library outside the location
}

// open starts a simulator without rate limits, which serves contents from another address than the
// API, and a connector that uses it.
func open(t testing.TB, change func(*msgraph.Options)) (*msgraph.Connector, *fixture) {
	t.Helper()
	listener, contents := httptest.NewUnstartedServer(nil), httptest.NewUnstartedServer(nil)
	limits := sim.DefaultLimits()
	limits.MinuteUnits = 0
	w := &fixture{t: t, url: "http://" + listener.Listener.Addr().String()}
	w.sim = sim.New(sim.Options{
		Origin: w.url, ContentOrigin: "http://" + contents.Listener.Addr().String(), Start: start, Limits: &limits, LoopbackNotifications: true,
		Settings: sim.Settings{ReadOnlySubscriptions: true},
		Clients:  []sim.Client{{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{docstoretest.RedirectURI}}},
	})
	for _, l := range []*httptest.Server{listener, contents} {
		l.Config.Handler = definitiontest.Handler(t, "msgraph", w.sim)
		l.Start()
		t.Cleanup(l.Close)
	}
	t.Cleanup(w.sim.Close)
	w.outside = w.id(w.sim.AddDrive(sim.DefaultSite, "Elsewhere"))
	o := msgraph.Options{
		ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: w.url + "/", LoopbackHTTP: true, Now: w.sim.Kit.Clock.Now,
		ContentHosts: []string{contents.Listener.Addr().String()},
	}
	if change != nil {
		change(&o)
	}
	c, err := msgraph.New(o)
	w.must(err)
	return c, w
}

func TestContract(t *testing.T) {
	t.Parallel()
	for name, omit := range map[string]bool{"content tags": false, "no content tags": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docstoretest.Run(t, func(t testing.TB) (docstoretest.Connector, docstoretest.World) {
				c, w := open(t, nil)
				w.sim.Configure(func(s *sim.Settings) { s.ContentTags = !omit })
				return docstoretest.Of(t, integration.DocstoreA, c), w
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
func (w *fixture) Repair()                  { w.sim.Kit.ClearFaults() }
func (w *fixture) Leaked() bool             { return w.sim.Leaked() }

func (w *fixture) Place() docstore.Location {
	return docstore.Location{Source: sim.DefaultSite, SubSource: sim.DefaultDrive}
}

func (w *fixture) brought(to string, err error) url.Values {
	w.t.Helper()
	w.must(err)
	u, err := url.Parse(to)
	w.must(err)
	return u.Query()
}

func (w *fixture) Consent(authorizationURL string) url.Values {
	w.t.Helper()
	if !strings.HasPrefix(authorizationURL, w.url+"/organizations/oauth2/v2.0/authorize?") {
		w.t.Fatalf("the consent page is at %s", authorizationURL)
	}
	return w.brought(w.sim.Consent(authorizationURL, true))
}

func (w *fixture) Decline(authorizationURL string) url.Values {
	w.t.Helper()
	return w.brought(w.sim.Consent(authorizationURL, false))
}

func (w *fixture) SeedSources(count int) { w.sim.AddSites(count) }

func (w *fixture) SeedSubSources(count int) {
	w.t.Helper()
	w.must(w.sim.AddDrives(sim.DefaultSite, count))
}

func (w *fixture) Add(at string, content []byte) string {
	w.t.Helper()
	return w.id(w.sim.Put("", at, content, 0, ""))
}

func (w *fixture) AddFolder(at string) string {
	w.t.Helper()
	return w.id(w.sim.MakeFolder("", at))
}

func (w *fixture) Change(id string, content []byte) { w.must(w.sim.Change("", id, content)) }
func (w *fixture) Rename(id, name string)           { w.must(w.sim.Rename("", id, name)) }
func (w *fixture) Move(id, folder string)           { w.must(w.sim.Move("", id, folder)) }
func (w *fixture) MoveOut(id string)                { w.id(w.sim.MoveOut("", id, w.outside, "")) }
func (w *fixture) Delete(id string)                 { w.must(w.sim.Delete("", id)) }
func (w *fixture) Restore(id string)                { w.must(w.sim.Restore("", id)) }
func (w *fixture) Lock(id string, on bool)          { w.must(w.sim.Hold("", id, sim.Hold{Locked: on})) }
func (w *fixture) ExpireCursors()                   { w.must(w.sim.ExpireCursors("")) }
func (w *fixture) Deny(on bool)                     { w.must(w.sim.Deny(sim.DefaultSite, on)) }

func (w *fixture) MoveIn(name, file string, content []byte) (folder, inside string) {
	w.id(w.sim.Put(w.outside, name+"/"+file, content, 0, ""))
	folder = w.id(w.sim.MoveOut(w.outside, w.id(w.sim.Find(w.outside, name)), sim.DefaultDrive, ""))
	return folder, w.id(w.sim.Find("", name+"/"+file))
}

func (w *fixture) PageSize(n int) { w.sim.Configure(func(s *sim.Settings) { s.PageSize = n }) }

// Repeat makes the provider report all former contents of a deleted folder, too.
func (w *fixture) Repeat(on bool) {
	w.sim.Configure(func(s *sim.Settings) { s.RepeatItems, s.TellDescendants = on, on })
}

var calls = map[docstoretest.Call]string{
	docstoretest.CallToken: "POST /organizations/oauth2/v2.0/token", docstoretest.CallSources: "GET /v1.0/sites",
	docstoretest.CallFeed: "GET /v1.0/drives/*/root/delta", docstoretest.CallContent: "GET /v1.0/drives/*/items/*/content",
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
