package xero_test

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

	"docledger/adapter/sim/xero"
)

const (
	clientID     = "AA11BB22CC33"
	clientSecret = "s3cret+/="
	redirect     = "https://books.example/callback"
	allScopes    = "openid profile email offline_access accounting.settings.read accounting.contacts accounting.invoices accounting.attachments"
)

var start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

// world is a simulator with a browser and an application.
type world struct {
	t       testing.TB
	sim     *xero.Server
	url     string
	browser *http.Client
	tokens  tokens
}

type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	ID      string `json:"id_token"`
	Scope   string `json:"scope"`
	Expires int    `json:"expires_in"`
	Error   string `json:"error"`
}

func open(t testing.TB, change func(*xero.Options)) *world {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	o := xero.Options{
		Origin: "http://" + listener.Listener.Addr().String(), Start: start,
		Clients: []xero.Client{
			{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{redirect}},
			{ID: "NATIVE", RedirectURIs: []string{redirect}},
		},
	}
	if change != nil {
		change(&o)
	}
	w := &world{t: t, sim: xero.New(o), url: o.Origin}
	listener.Config.Handler = w.sim
	listener.Start()
	t.Cleanup(listener.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return w
}

// connected returns a world with consent for both organizations.
func connected(t testing.TB, change func(*xero.Options)) *world {
	t.Helper()
	w := open(t, func(o *xero.Options) {
		o.Settings.AutoApprove = true
		if change != nil {
			change(o)
		}
	})
	w.tokens = w.exchange(w.authorize(nil).Get("code"), nil)
	if w.tokens.Access == "" {
		t.Fatalf("no tokens: %+v", w.tokens)
	}
	return w
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

// authorize requests a consent that is granted immediately, and returns the response for the
// application.
func (w *world) authorize(extra map[string]string) url.Values {
	w.t.Helper()
	status, location, body := w.get("/identity/connect/authorize?" + query(extra).Encode())
	if status != http.StatusFound || !strings.HasPrefix(location, redirect) {
		w.t.Fatalf("authorize: %d %q %s", status, location, body)
	}
	return parsed(w.t, location)
}

func parsed(t testing.TB, location string) url.Values {
	t.Helper()
	u, err := url.Parse(location)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func (w *world) get(path string) (status int, location, body string) {
	w.t.Helper()
	resp, err := w.browser.Get(w.url + path)
	return w.read(resp, err)
}

func (w *world) post(path string, form url.Values) (status int, location, body string) {
	w.t.Helper()
	resp, err := w.browser.PostForm(w.url+path, form)
	return w.read(resp, err)
}

func (w *world) read(resp *http.Response, err error) (status int, location, body string) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header.Get("Location"), string(raw)
}

// exchange exchanges a code for tokens; extra changes the form.
func (w *world) exchange(code string, extra map[string]string) tokens {
	w.t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}}
	for name, value := range extra {
		form.Set(name, value)
	}
	return w.token(form)
}

func (w *world) refresh(value string) tokens {
	w.t.Helper()
	return w.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {value}})
}

func (w *world) token(form url.Values) (out tokens) {
	w.t.Helper()
	req := w.request(http.MethodPost, "/connect/token", strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if form.Get("client_id") == "" {
		req.SetBasicAuth(url.QueryEscape(clientID), url.QueryEscape(clientSecret))
	}
	status, _, body := w.read(http.DefaultClient.Do(req))
	if err := json.Unmarshal([]byte(body), &out); err != nil || (status == http.StatusOK) != (out.Error == "") {
		w.t.Fatalf("token: %d %s", status, body)
	}
	return out
}

func (w *world) request(method, path string, body io.Reader) *http.Request {
	w.t.Helper()
	req, err := http.NewRequest(method, w.url+path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	return req
}

// reply is a response of the accounting API.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// at returns the value at a path of names and indices in the body.
func (r reply) at(path ...any) any {
	var v any = r.body
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[s]
		case int:
			l, _ := v.([]any)
			if s >= len(l) {
				return nil
			}
			v = l[s]
		}
	}
	return v
}

func (r reply) list(name string) []any {
	l, _ := r.body[name].([]any)
	return l
}

// call calls the accounting API as the application, in the taxed organization; header is pairs of
// name and value.
func (w *world) call(method, path string, body any, header ...string) reply {
	w.t.Helper()
	var raw []byte
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case []byte:
		raw, kind = b, "application/pdf"
	case string:
		raw = []byte(b)
	default:
		var err error
		if raw, err = json.Marshal(body); err != nil {
			w.t.Fatal(err)
		}
	}
	req := w.request(method, path, bytes.NewReader(raw))
	if strings.HasPrefix(path, "/Invoices") || !strings.HasPrefix(path, "/connections") {
		req.URL.Path = "/api.xro/2.0" + req.URL.Path
		if req.URL.RawPath != "" {
			req.URL.RawPath = "/api.xro/2.0" + req.URL.RawPath
		}
		req.Header.Set("xero-tenant-id", xero.TaxedOrganization)
	}
	req.Header.Set("Authorization", "Bearer "+w.tokens.Access)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", kind)
	for i := 0; i+1 < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i+1] == "" {
			req.Header.Del(header[i])
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	status, _, text := w.read(resp, nil)
	out := reply{status: status, header: resp.Header, raw: text}
	if strings.Contains(resp.Header.Get("Content-Type"), "json") && strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), &out.body); err != nil {
			w.t.Fatalf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return out
}

// do is call with an expected status.
func (w *world) do(status int, method, path string, body any, header ...string) reply {
	w.t.Helper()
	r := w.call(method, path, body, header...)
	if r.status != status {
		w.t.Fatalf("%s %s: %d, want %d: %s", method, path, r.status, status, r.raw)
	}
	return r
}

type m = map[string]any

func bill(number string, change m) m {
	b := m{
		"Type": "ACCPAY", "Contact": m{"ContactID": musterID}, "InvoiceNumber": number, "Date": "2026-03-01", "DueDate": "2026-03-31",
		"LineAmountTypes": "Exclusive",
		"LineItems":       []any{m{"Description": "Paper", "Quantity": "2", "UnitAmount": "10.50", "AccountCode": "453", "TaxType": "INPUT2"}},
	}
	for name, value := range change {
		if b[name] = value; value == nil {
			delete(b, name)
		}
	}
	return m{"Invoices": []any{b}}
}

const musterID = "c0de0000-0000-4000-80b1-000000000001"
