package msgraph_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/msgraph"
)

const (
	clientID     = "c11e47aa-0000-4000-8000-00000000c001"
	clientSecret = "s3cret+/="
	redirect     = "https://books.example/callback"
	allScopes    = "openid profile offline_access User.Read Sites.Read.All Files.Read.All"
	drivePath    = "/v1.0/drives/" + msgraph.DefaultDrive
)

var start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// world is a simulator with a browser and an application.
type world struct {
	t       testing.TB
	sim     *msgraph.Server
	url     string
	browser *http.Client
	access  string
	refresh string
}

func open(t testing.TB, change func(*msgraph.Options)) *world {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	o := msgraph.Options{
		Origin: "http://" + listener.Listener.Addr().String(), Start: start,
		Settings: msgraph.Settings{ContentTags: true, ReadOnlySubscriptions: true},
		Clients: []msgraph.Client{
			{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{redirect}},
			{ID: "public", RedirectURIs: []string{redirect}, LoopbackRedirects: true},
		},
	}
	if change != nil {
		change(&o)
	}
	w := &world{t: t, sim: msgraph.New(o), url: o.Origin}
	listener.Config.Handler = w.sim
	listener.Start()
	t.Cleanup(listener.Close)
	t.Cleanup(w.sim.Close)
	jar, err := cookiejar.New(nil)
	w.must(err)
	w.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return w
}

// connected returns a world with a consented application.
func connected(t testing.TB, change func(*msgraph.Options)) *world {
	t.Helper()
	w := open(t, func(o *msgraph.Options) {
		o.Settings.AutoApprove = true
		if change != nil {
			change(o)
		}
	})
	pair := w.token(url.Values{"grant_type": {"authorization_code"}, "code": {w.code(nil)}, "redirect_uri": {redirect}}, http.StatusOK)
	w.access, _ = pair["access_token"].(string)
	w.refresh, _ = pair["refresh_token"].(string)
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func query(extra map[string]string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirect}, "scope": {allScopes}, "state": {"state-1"},
	}
	for name, value := range extra {
		if q.Set(name, value); value == "" {
			q.Del(name)
		}
	}
	return q
}

const authorizePath = "/organizations/oauth2/v2.0/authorize?"

// code requests a consent that is granted immediately.
func (w *world) code(extra map[string]string) string {
	w.t.Helper()
	_, location, body := w.page(http.MethodGet, authorizePath+query(extra).Encode(), nil)
	u, err := url.Parse(location)
	if err != nil || u.Query().Get("code") == "" || u.Query().Get("state") != "state-1" {
		w.t.Fatalf("authorize: %q %s", location, body)
	}
	return u.Query().Get("code")
}

// page returns the page that the browser receives.
func (w *world) page(method, path string, form url.Values) (status int, location, body string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, strings.NewReader(form.Encode()))
	w.must(err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := w.browser.Do(req)
	w.must(err)
	raw := w.read(resp)
	return resp.StatusCode, resp.Header.Get("Location"), string(raw)
}

func (w *world) read(resp *http.Response) []byte {
	w.t.Helper()
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return raw
}

// token calls the token endpoint and expects a status.
func (w *world) token(form url.Values, status int) (out map[string]any) {
	w.t.Helper()
	if form.Get("client_id") == "" {
		form.Set("client_id", clientID)
		form.Set("client_secret", clientSecret)
	}
	got, _, body := w.page(http.MethodPost, "/organizations/oauth2/v2.0/token", form)
	if err := json.Unmarshal([]byte(body), &out); err != nil || got != status {
		w.t.Fatalf("token: %d, want %d: %s", got, status, body)
	}
	return out
}

// reply is a response of the API.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (r reply) list() (out []map[string]any) {
	values, _ := r.body["value"].([]any)
	for _, v := range values {
		entry, _ := v.(map[string]any)
		out = append(out, entry)
	}
	return out
}

func (r reply) text(name string) string {
	text, _ := r.body[name].(string)
	return text
}

func (r reply) code() string {
	e, _ := r.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// call calls the API, or a full address, as the application.
func (w *world) call(method, path string, body any, header ...string) reply {
	w.t.Helper()
	raw, err := json.Marshal(body)
	w.must(err)
	if !strings.HasPrefix(path, "http") {
		path = w.url + path
	}
	req, err := http.NewRequest(method, path, strings.NewReader(string(raw)))
	w.must(err)
	req.Header.Set("Authorization", "Bearer "+w.access)
	for i := 0; i+1 < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			req.Header.Del(header[i])
		}
	}
	resp, err := w.browser.Do(req)
	w.must(err)
	out := reply{status: resp.StatusCode, header: resp.Header, raw: string(w.read(resp))}
	if strings.HasPrefix(out.raw, "{") {
		w.must(json.Unmarshal([]byte(out.raw), &out.body))
	}
	return out
}

// get is a GET request with an expected status.
func (w *world) get(status int, path string) reply {
	w.t.Helper()
	r := w.call(http.MethodGet, path, nil)
	if r.status != status {
		w.t.Fatalf("%s: %d, want %d: %s", path, r.status, status, r.raw)
	}
	return r
}

// all reads all pages of a list and returns the entries and the last page.
func (w *world) all(path string) (out []map[string]any, last reply) {
	w.t.Helper()
	for range 10_000 {
		last = w.get(http.StatusOK, path)
		out = append(out, last.list()...)
		if path = last.text("@odata.nextLink"); path == "" {
			return out, last
		}
	}
	w.t.Fatal("the list does not end")
	return nil, reply{}
}

func (w *world) put(path, content string) string {
	w.t.Helper()
	id, err := w.sim.Put("", path, []byte(content), 0, "")
	w.must(err)
	return id
}
