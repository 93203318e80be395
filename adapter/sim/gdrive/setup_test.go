package gdrive_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/gdrive"
)

const (
	clientID     = "1234-abc.apps.example"
	clientSecret = "s3cret+/="
	redirect     = "https://books.example/callback"
	bothScopes   = "openid " + gdrive.ReadScope
)

var start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

type object = map[string]any

// world is a simulator with a browser and an application.
type world struct {
	t       testing.TB
	sim     *gdrive.Server
	url     string
	browser *http.Client
	token   string
}

func open(t testing.TB, change func(*gdrive.Options)) *world {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	o := gdrive.Options{
		Origin: "http://" + listener.Listener.Addr().String(), Start: start, Settings: gdrive.Settings{AutoApprove: true},
		Clients: []gdrive.Client{{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{redirect}}},
	}
	if change != nil {
		change(&o)
	}
	w := &world{t: t, sim: gdrive.New(o), url: o.Origin}
	listener.Config.Handler = w.sim
	listener.Start()
	t.Cleanup(w.sim.Close)
	t.Cleanup(listener.Close)
	jar, err := cookiejar.New(nil)
	w.must(err)
	w.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return w
}

// connected returns a world with a consented application.
func connected(t testing.TB, change func(*gdrive.Options)) *world {
	t.Helper()
	w := open(t, change)
	w.token = w.exchange(w.authorize(nil).Get("code"), nil)["access_token"].(string)
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
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirect}, "scope": {bothScopes}, "state": {"state-1"},
		"access_type": {"offline"}, "prompt": {"consent"},
	}
	for name, value := range extra {
		if q.Set(name, value); value == "" {
			q.Del(name)
		}
	}
	return q
}

// authorize requests a consent that is granted immediately, and returns the response for the
// application.
func (w *world) authorize(extra map[string]string) url.Values {
	w.t.Helper()
	status, location, body := w.get("/o/oauth2/v2/auth?" + query(extra).Encode())
	if status != http.StatusFound || !strings.HasPrefix(location, redirect) {
		w.t.Fatalf("authorize: %d %q %s", status, location, body)
	}
	return w.parsed(location)
}

func (w *world) parsed(location string) url.Values {
	w.t.Helper()
	u, err := url.Parse(location)
	w.must(err)
	return u.Query()
}

func (w *world) get(path string) (status int, location, body string) {
	w.t.Helper()
	resp, err := w.browser.Get(w.url + path)
	w.must(err)
	return w.read(resp)
}

func (w *world) post(path string, form url.Values) (status int, location, body string) {
	w.t.Helper()
	resp, err := w.browser.PostForm(w.url+path, form)
	w.must(err)
	return w.read(resp)
}

func (w *world) read(resp *http.Response) (status int, location, body string) {
	w.t.Helper()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	w.must(resp.Body.Close())
	return resp.StatusCode, resp.Header.Get("Location"), string(raw)
}

// exchange exchanges a code for tokens; extra changes the form.
func (w *world) exchange(code string, extra map[string]string) object {
	w.t.Helper()
	form := map[string]string{"grant_type": "authorization_code", "code": code, "redirect_uri": redirect}
	for name, value := range extra {
		form[name] = value
	}
	return w.tokens(form)
}

// tokens calls the token endpoint.
func (w *world) tokens(form map[string]string) (out object) {
	w.t.Helper()
	values := url.Values{"client_id": {clientID}, "client_secret": {clientSecret}}
	for name, value := range form {
		values.Set(name, value)
	}
	_, _, body := w.post("/token", values)
	w.must(json.Unmarshal([]byte(body), &out))
	return out
}

// api calls the API with the token.
func (w *world) api(method, path string, q url.Values, body any) (int, object) {
	w.t.Helper()
	status, _, raw := w.raw(method, path, q, body, nil)
	var out object
	if raw != "" {
		w.must(json.Unmarshal([]byte(raw), &out))
	}
	return status, out
}

func (w *world) raw(method, path string, q url.Values, body any, header http.Header) (int, http.Header, string) {
	w.t.Helper()
	sent, err := json.Marshal(body)
	w.must(err)
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+"/drive/v3/"+path+"?"+q.Encode(), bytes.NewReader(sent))
	w.must(err)
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	resp, err := http.DefaultClient.Do(req)
	w.must(err)
	status, _, raw := w.read(resp)
	return status, resp.Header, raw
}

// ok calls the API and expects success.
func (w *world) ok(path string, q url.Values) object {
	w.t.Helper()
	status, out := w.api(http.MethodGet, path, q, nil)
	if status != http.StatusOK {
		w.t.Fatalf("%s?%s: %d %v", path, q.Encode(), status, out)
	}
	return out
}

// refused calls the API and expects a refusal.
func (w *world) refused(path string, q url.Values, status int, reason string) {
	w.t.Helper()
	got, out := w.api(http.MethodGet, path, q, nil)
	if got != status || reasonOf(out) != reason {
		w.t.Errorf("%s?%s: %d %v, want %d %s", path, q.Encode(), got, out, status, reason)
	}
}

func reasonOf(out object) string {
	e, _ := out["error"].(object)
	list, _ := e["errors"].([]any)
	if len(list) != 1 {
		return ""
	}
	reason, _ := list[0].(object)["reason"].(string)
	return reason
}

// added adds a file.
func (w *world) added(f gdrive.File) string {
	w.t.Helper()
	id, err := w.sim.Add(f)
	w.must(err)
	return id
}

// ids reads all pages of a list.
func (w *world) ids(path, of, id string, q url.Values) (out []string, pages int) {
	w.t.Helper()
	for range 1000 {
		p := w.ok(path, q)
		pages++
		for _, one := range p[of].([]any) {
			out = append(out, one.(object)[id].(string))
		}
		next, more := p["nextPageToken"].(string)
		if !more {
			return out, pages
		}
		q.Set("pageToken", next)
	}
	w.t.Fatal("the list does not end")
	return nil, 0
}
