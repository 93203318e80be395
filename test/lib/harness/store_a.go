package harness

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	simmsgraph "docledger/adapter/sim/msgraph"
)

// NewStoreA starts DOCSTORE_A with limits that no test reaches.
func NewStoreA(t testing.TB) (*Store, *simmsgraph.Server) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	limits := simmsgraph.DefaultLimits()
	limits.MinuteUnits = 0
	sim := simmsgraph.New(simmsgraph.Options{
		Origin: origin, Limits: &limits, LoopbackNotifications: true,
		Settings: simmsgraph.Settings{ReadOnlySubscriptions: true},
		Clients:  []simmsgraph.Client{{ID: "docledger", Name: "docledger", Secret: "secret of A", LoopbackRedirects: true}},
	})
	listener.Config.Handler = sim
	listener.Start()
	t.Cleanup(sim.Close)
	t.Cleanup(listener.Close)
	return &Store{
		Files:    &filesA{controls{t: t, url: origin + "/_sim/"}},
		Provider: "DOCSTORE_A", URL: origin, Source: simmsgraph.DefaultSite, SubSource: simmsgraph.DefaultDrive,
		Env:      providerEnv("DOCSTORE_A", origin, "secret of A"),
		Consent:  func(authorizationURL string) (string, error) { return sim.Consent(authorizationURL, true) },
		Withdraw: sim.Withdraw,
	}, sim
}

// filesA implements Files for DOCSTORE_A.
type filesA struct{ controls }

func (f *filesA) put(to url.Values, content []byte) string {
	f.t.Helper()
	return f.do(http.MethodPut, "files?"+to.Encode(), bytes.NewReader(content))
}

func (f *filesA) Addresses() []string { return f.addresses("subscriptions") }

func (f *filesA) Add(folder, name string, content []byte) string {
	f.t.Helper()
	return f.put(url.Values{"folder": {folder}, "path": {name}}, content)
}

func (f *filesA) AddFolder(folder, name string) string {
	f.t.Helper()
	return f.post("folders", map[string]any{"folder": folder, "path": name})
}

func (f *filesA) Change(id string, content []byte) {
	f.t.Helper()
	f.put(url.Values{"id": {id}}, content)
}

func (f *filesA) Rename(id, name string) {
	f.t.Helper()
	f.post("rename", map[string]any{"id": id, "name": name})
}

func (f *filesA) Move(id, folder string) {
	f.t.Helper()
	f.post("move", map[string]any{"id": id, "folder": folder})
}

func (f *filesA) Delete(id string) {
	f.t.Helper()
	f.post("delete", map[string]any{"id": id})
}

func (f *filesA) Restore(id string) {
	f.t.Helper()
	f.post("restore", map[string]any{"id": id})
}

func (f *filesA) Throttle(calls int) {
	f.t.Helper()
	f.post("faults", map[string]any{"match": "GET /v1.0/**", "times": calls, "action": "status:429"})
}

func (f *filesA) LoseCursors() {
	f.t.Helper()
	f.post("cursors", map[string]any{})
}

func (f *filesA) Mishandle(dropped, repeated bool) {
	f.t.Helper()
	f.post("settings", map[string]any{"drop_notifications": dropped, "repeat_notifications": repeated})
}
