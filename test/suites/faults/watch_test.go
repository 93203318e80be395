package faults

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/domain/integration"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
	"docledger/usecase/entities"
	"docledger/usecase/integrations"

	"github.com/google/uuid"
)

const (
	// watchLongest is the maximum lifetime of the service between two kills.
	watchLongest = 4 * time.Second
	// caughtUp is the time after the last kill within which all files must be
	// ingested. Each file adds to it.
	caughtUp = time.Minute
	perFile  = 200 * time.Millisecond
)

// watchedFiles is the number of added files. DOCLEDGER_WATCHED sets another
// number.
func watchedFiles(t *testing.T) int {
	t.Helper()
	text, ok := os.LookupEnv("DOCLEDGER_WATCHED")
	if !ok {
		return 40
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("DOCLEDGER_WATCHED must be a number of files, not %q", text)
	}
	return n
}

// TestKilledServiceIngestsEachVersionOnce kills the service repeatedly while users
// change files in a watched location. The store loses cursors, refuses calls, expires
// tokens, and loses or repeats notifications. Then it counts the ingested versions.
func TestKilledServiceIngestsEachVersionOnce(t *testing.T) {
	for provider, open := range harness.StoresOf() {
		for _, database := range []string{"sqlite", "postgres"} {
			t.Run(provider+" "+database, func(t *testing.T) {
				at := ""
				if database == "postgres" {
					at = postgres.New(t)
				}
				killingWatch(t, at, open(t))
			})
		}
	}
}

func killingWatch(t *testing.T, databaseURL string, st *harness.Store) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newWatched(t, databaseURL, st, rand.New(rand.NewPCG(seed, 0)))
	files, rounds := watchedFiles(t), kills(t)
	for round := range rounds {
		r := w.start()
		w.reach(r)
		w.calls = 2
		life := time.NewTimer(time.Duration(w.draw.Int64N(int64(watchLongest))))
		for target := files * (round + 1) / rounds; len(w.files) < target; {
			w.act()
		}
		<-life.C
		r.kill()
	}
	st.Mishandle(false, false)
	st.Repair()
	r := w.start()
	w.reach(r)
	began := time.Now()
	status := w.settled(r, began, caughtUp+time.Duration(files)*perFile)
	t.Logf("%d kills, %d files, %d contents, %v of them ingested, all %s after the last kill",
		rounds, len(w.files), w.serial, status["files_ingested"], time.Since(began).Round(time.Millisecond))
	w.wantOnce(r, status)
	// A full scan must find nothing new.
	st.LoseCursors()
	again := w.settled(r, time.Now(), caughtUp+time.Duration(files)*perFile)
	if again["files_ingested"] != status["files_ingested"] {
		t.Errorf("after the full scan %v files are ingested, before it %v", again["files_ingested"], status["files_ingested"])
	}
	w.wantOnce(r, again)
}

// watched is an installation that watches a location with changing files.
type watched struct {
	expired time.Time // last expiry of the tokens
	*product
	st   *harness.Store
	draw *rand.Rand
	id   uuid.UUID
	to   atomic.Pointer[httputil.ReverseProxy] // the running service

	files   []*file
	folders []string
	serial  int // number of contents so far
	calls   int // number of calls that the store may still refuse in this round
}

// file is a file as its user knows it.
type file struct {
	id      string
	number  string // of its invoice
	deleted bool
}

func newWatched(t *testing.T, databaseURL string, st *harness.Store, draw *rand.Rand) *watched {
	t.Helper()
	w := &watched{st: st, draw: draw, folders: []string{""}}
	env := w.variables(t)
	w.product = newProductWith(t, databaseURL, env, func(s *service.Service, admin identity.Actor) { w.watch(t, s, admin) })
	return w
}

// variables returns those of a service that watches the store. The store calls one address.
// The service at that address is not always running.
func (w *watched) variables(t *testing.T) map[string]string {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if to := w.to.Load(); to != nil {
			to.ServeHTTP(rw, r)
			return
		}
		rw.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	env := map[string]string{"BASE_URL": "http://localhost:8080", "POLL_INTERVAL": "1s", "NOTIFICATIONS_URL": proxy.URL}
	maps.Copy(env, w.st.Env)
	return env
}

// watch connects the store and sets up the location.
func (w *watched) watch(t *testing.T, s *service.Service, admin identity.Actor) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	e, err := s.Entities.Create(ctx, admin, entities.CreateInput{Values: entities.Values{Name: "Watched"}})
	must(err)
	asked, err := s.Integrations.Authorize(ctx, admin, integrations.AuthorizeInput{
		EntityID: e.ID, Provider: integration.Provider(w.st.Provider), RedirectURL: harness.RedirectURL,
	})
	must(err)
	to, err := w.st.Consent(asked.URL)
	must(err)
	back, err := url.Parse(to)
	must(err)
	_, err = s.Integrations.Callback(ctx, back.Query())
	must(err)
	_, err = s.Integrations.SetUp(ctx, admin, asked.IntegrationID, e.ID, 0, integrations.Setup{
		Status: "PENDING", Provider: w.st.Provider, SourceID: &w.st.Source, SubSourceID: &w.st.SubSource,
	})
	must(err)
	w.id = asked.IntegrationID
}

// reach forwards the calls of the store to a process.
func (w *watched) reach(r *running) {
	to, err := url.Parse(r.url)
	w.must(err)
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorHandler = func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) }
	w.to.Store(proxy)
}

// content returns the content of a new invoice.
func (w *watched) content() (number string, content []byte) {
	w.serial++
	number = fmt.Sprintf("W-%d", w.serial)
	return number, harness.UBL(number)
}

func (w *watched) folder() string { return w.folders[w.draw.IntN(len(w.folders))] }

// act performs a random action of users or of the store.
func (w *watched) act() {
	var f *file
	if len(w.files) > 0 {
		f = w.files[w.draw.IntN(len(w.files))]
	}
	switch n := w.draw.IntN(20); {
	case f == nil || n < 8:
		number, content := w.content()
		id := w.st.Add(w.folder(), fmt.Sprintf("f%d.xml", w.serial), content)
		w.files = append(w.files, &file{id: id, number: number})
	case n < 11 && !f.deleted:
		number, content := w.content()
		w.st.Change(f.id, content)
		f.number = number
	case n == 11 && !f.deleted:
		w.st.Rename(f.id, fmt.Sprintf("renamed%d-%d.xml", w.serial, w.draw.IntN(1_000_000)))
	case n == 12 && !f.deleted:
		w.st.Move(f.id, w.folder())
	case n == 13 && !f.deleted:
		w.st.Delete(f.id)
		f.deleted = true
	case n == 14 && f.deleted:
		w.st.Restore(f.id)
		f.deleted = false
	case n == 15:
		w.folders = append(w.folders, w.st.AddFolder(w.folder(), fmt.Sprintf("d%d-%d", w.serial, w.draw.IntN(1_000_000))))
	case n == 16:
		w.st.Mishandle(w.draw.IntN(2) == 0, w.draw.IntN(2) == 0)
	case n == 17 && w.calls > 0:
		w.calls--
		w.st.Throttle(1)
	case n == 18:
		w.st.LoseCursors()
	case n == 19 && time.Since(w.expired) > fresh:
		w.st.ExpireTokens()
		w.expired = time.Now()
	}
}

// fresh is the minimum lifetime of a token. A consent ends if its new token is
// refused too.
const fresh = 5 * time.Second

// settled waits until everything that existed at a time is ingested and
// extracted.
func (w *watched) settled(r *running, since time.Time, timeout time.Duration) (status map[string]any) {
	w.t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		asked := time.Now()
		status = w.get(r, "/api/integrations/"+w.id.String()+"/status")
		lag, known := status["lag"].(float64)
		// The lag is in whole seconds.
		if known && asked.Add(-time.Duration(lag+1)*time.Second).After(since) && w.extracted(r) {
			return status
		}
		if time.Since(began) > timeout {
			w.t.Fatalf("not settled after %s: %v", timeout, status)
		}
	}
}

// extracted reports whether every document is extracted.
func (w *watched) extracted(r *running) bool {
	for _, d := range w.all(r, "/api/documents") {
		if text(d, "status") != "EXTRACTED" {
			return false
		}
	}
	return true
}

// wantOnce compares the ingested documents with the store: each version has
// exactly one invoice.
func (w *watched) wantOnce(r *running, status map[string]any) {
	w.t.Helper()
	invoices := map[string]int{}
	for _, inv := range w.all(r, "/api/invoices") {
		number := text(inv, "invoice_number")
		if invoices[number]++; invoices[number] > 1 {
			w.t.Errorf("invoice %s exists %d times", number, invoices[number])
		}
	}
	for _, f := range w.files {
		if !f.deleted && invoices[f.number] != 1 {
			w.t.Errorf("%s, which is in the store, has %d invoices", f.number, invoices[f.number])
		}
	}
	if ingested, _ := status["files_ingested"].(float64); int(ingested) != len(invoices) {
		w.t.Errorf("%v versions were ingested, but %d invoices exist", ingested, len(invoices))
	}
}
