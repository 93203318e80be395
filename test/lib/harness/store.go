package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	simgdrive "docledger/adapter/sim/gdrive"

	"github.com/google/uuid"
)

// Store is a simulated document store with a location that a service can watch.
type Store struct {
	Files
	Provider          string // its neutral code
	URL               string
	Source, SubSource string // the place
	// Env is what the service is configured with.
	Env map[string]string
	// Consent accepts the consent page and returns the redirect URL of the
	// browser.
	Consent func(authorizationURL string) (string, error)
	// Withdraw ends all consents on the side of the document store.
	Withdraw func()
}

// Files are the changes that users make to the files of the location. They use
// the controls of the simulator. Ids identify folders and files; the folder ""
// is the root.
type Files interface {
	Add(folder, name string, content []byte) (id string)
	AddFolder(folder, name string) (id string)
	Change(id string, content []byte)
	Rename(id, name string)
	Move(id, folder string)
	// Delete moves an item to the recycle bin. Restore restores it.
	Delete(id string)
	Restore(id string)

	// Requests are the latest requests that the store got, as METHOD /path.
	Requests() []string
	// Throttle makes the store refuse the next calls with a rate limit for one
	// second.
	Throttle(calls int)
	// Repair ends all refusals of calls.
	Repair()
	// LoseCursors invalidates every cursor.
	LoseCursors()
	// ExpireTokens advances the time of the store by hours, so that it refuses
	// all issued access tokens.
	ExpireTokens()
	// Mishandle makes the store drop or repeat notifications.
	Mishandle(dropped, repeated bool)
	// Addresses are the notification URLs of the store.
	Addresses() []string
}

// StoresOf starts each document store, by provider code.
func StoresOf() map[string]func(testing.TB) *Store {
	return map[string]func(testing.TB) *Store{
		"DOCSTORE_A": func(t testing.TB) *Store { s, _ := NewStoreA(t); return s },
		"DOCSTORE_B": func(t testing.TB) *Store { s, _ := NewStoreB(t); return s },
	}
}

// NewStoreB starts DOCSTORE_B with limits that no test reaches.
func NewStoreB(t testing.TB) (*Store, *simgdrive.Server) {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	origin := "http://" + listener.Listener.Addr().String()
	limits := simgdrive.DefaultLimits()
	limits.UserMinute = 0
	sim := simgdrive.New(simgdrive.Options{
		Origin: origin, Limits: &limits,
		Clients: []simgdrive.Client{{ID: "docledger", Name: "docledger", Secret: "secret of B", LoopbackRedirects: true}},
	})
	listener.Config.Handler = sim
	listener.Start()
	t.Cleanup(sim.Close)
	t.Cleanup(listener.Close)
	source, err := sim.AddFolder("", "Company")
	must(t, err)
	place, err := sim.AddFolder(source, "Invoices")
	must(t, err)
	return &Store{
		Files:    &filesB{controls{t: t, url: origin + "/_sim/"}, place},
		Provider: "DOCSTORE_B", URL: origin, Source: source, SubSource: place, Env: providerEnv("DOCSTORE_B", origin, "secret of B"),
		Consent:  func(authorizationURL string) (string, error) { return sim.Consent(authorizationURL) },
		Withdraw: sim.Withdraw,
	}, sim
}

// controls calls the controls of a simulator.
type controls struct {
	t   testing.TB
	url string
}

// do returns the id of the response, or "".
func (c controls) do(method, path string, body io.Reader) string {
	c.t.Helper()
	req, err := http.NewRequest(method, c.url+path, body)
	must(c.t, err)
	resp, err := http.DefaultClient.Do(req)
	must(c.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(c.t, err)
	var out struct {
		ID string `json:"id"`
	}
	if resp.StatusCode != http.StatusOK || !json.Valid(raw) {
		c.t.Fatalf("%s %s: %d %s", method, path, resp.StatusCode, raw)
	}
	_ = json.Unmarshal(raw, &out) // a list has no id
	return out.ID
}

// Requests are the latest requests that the store got, as METHOD /path.
func (c controls) Requests() (out []string) {
	c.t.Helper()
	resp, err := http.Get(c.url + "requests")
	must(c.t, err)
	defer resp.Body.Close()
	var list []struct{ Method, Path string }
	must(c.t, json.NewDecoder(resp.Body).Decode(&list))
	for _, r := range list {
		out = append(out, r.Method+" "+r.Path)
	}
	return out
}

// post is do with a JSON object.
func (c controls) post(path string, body map[string]any) string {
	c.t.Helper()
	raw, err := json.Marshal(body)
	must(c.t, err)
	return c.do(http.MethodPost, path, bytes.NewReader(raw))
}

// ExpireTokens implements Files.
func (c controls) ExpireTokens() {
	c.t.Helper()
	c.post("clock", map[string]any{"advance": "2h"})
}

// Repair implements Files.
func (c controls) Repair() {
	c.t.Helper()
	c.do(http.MethodDelete, "faults", nil)
}

// addresses returns the notification URLs of the subscriptions in the state.
func (c controls) addresses(list string) (found []string) {
	c.t.Helper()
	resp, err := http.Get(c.url + "state")
	must(c.t, err)
	defer resp.Body.Close()
	var state map[string]json.RawMessage
	must(c.t, json.NewDecoder(resp.Body).Decode(&state))
	var all []struct {
		Address string `json:"address"`
	}
	must(c.t, json.Unmarshal(state[list], &all))
	for _, s := range all {
		found = append(found, s.Address)
	}
	return found
}

// filesB implements Files for DOCSTORE_B.
type filesB struct {
	controls
	top string
}

func (f *filesB) act(action string, with map[string]any) string {
	f.t.Helper()
	body := map[string]any{"action": action}
	maps.Copy(body, with)
	if body["parent"] == "" {
		body["parent"] = f.top
	}
	return f.post("files", body)
}

func (f *filesB) Addresses() []string { return f.addresses("channels") }

func (f *filesB) Add(folder, name string, content []byte) string {
	f.t.Helper()
	return f.act("add", map[string]any{"parent": folder, "name": name, "content": content})
}

func (f *filesB) AddFolder(folder, name string) string {
	f.t.Helper()
	return f.act("folder", map[string]any{"parent": folder, "name": name})
}

func (f *filesB) Change(id string, content []byte) {
	f.t.Helper()
	f.act("change", map[string]any{"id": id, "content": content})
}

func (f *filesB) Rename(id, name string) {
	f.t.Helper()
	f.act("rename", map[string]any{"id": id, "name": name})
}

func (f *filesB) Move(id, folder string) {
	f.t.Helper()
	f.act("move", map[string]any{"id": id, "parent": folder})
}

func (f *filesB) Delete(id string) {
	f.t.Helper()
	f.act("trash", map[string]any{"id": id})
}

func (f *filesB) Restore(id string) {
	f.t.Helper()
	f.act("restore", map[string]any{"id": id})
}

func (f *filesB) Throttle(calls int) {
	f.t.Helper()
	f.post("faults", map[string]any{"match": "GET /drive/**", "times": calls, "action": "status:429"})
}

func (f *filesB) LoseCursors() {
	f.t.Helper()
	f.post("invalidate", map[string]any{})
}

func (f *filesB) Mishandle(dropped, repeated bool) {
	f.t.Helper()
	f.post("settings", map[string]any{"drop_notifications": dropped, "repeat_notifications": repeated})
}

// WithStore adds the configuration of a document store to the options.
func (o Options) WithStore(st *Store) Options {
	return o.With(st.ledger())
}

// ledger returns the store as a Ledger, so that it can be connected like one.
func (st *Store) ledger() *Ledger {
	return &Ledger{Provider: st.Provider, Env: st.Env, Consent: func(to string, _ ...string) (string, error) { return st.Consent(to) }}
}

// ConnectStore grants a consent for an entity. It returns the integration,
// which is not set up.
func (s *Server) ConnectStore(o Organization, entity uuid.UUID, st *Store) (integration string) {
	s.t.Helper()
	return s.Connect(o, entity, st.ledger())
}

// AgreeStore is Agree for a store.
func (s *Server) AgreeStore(st *Store, authorizationURL string) url.Values {
	s.t.Helper()
	return s.Agree(st.ledger(), authorizationURL)
}

// Watch connects a document store and sets it up with its location, or some of
// its directories.
func (s *Server) Watch(o Organization, entity uuid.UUID, st *Store, directories ...string) (integration string) {
	s.t.Helper()
	id := s.ConnectStore(o, entity, st)
	if set := s.SetUpStore(o, entity, st, id, directories...).OK(); set.Text("status") != "ACTIVE" {
		s.t.Fatalf("the integration is %s", set.Raw)
	}
	return id
}

// SetUpStore sets up an integration with the location of the document store.
func (s *Server) SetUpStore(o Organization, entity uuid.UUID, st *Store, integration string, directories ...string) Response {
	s.t.Helper()
	metadata := map[string]any{"provider": st.Provider, "source_id": st.Source, "sub_source_id": st.SubSource}
	if len(directories) > 0 {
		metadata["directories"] = directories
	}
	return s.Do(http.MethodPut, fmt.Sprintf("/api/v1/integrations/%s?entity_id=%s", integration, entity), o.Admin.Token, map[string]any{
		"status": "PENDING", "public_metadata": metadata,
	})
}
