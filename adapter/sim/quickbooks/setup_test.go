package quickbooks_test

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/quickbooks"
)

const (
	clientID     = "ABcd1234"
	clientSecret = "s3cret+/="
	redirect     = "https://books.example/callback"
	tokenPath    = "/oauth2/v1/tokens/bearer"
	revokePath   = "/v2/oauth2/tokens/revoke"
)

var start = time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC)

type m = map[string]any

// world is a simulator with a browser and an application.
type world struct {
	t       testing.TB
	sim     *quickbooks.Server
	url     string
	realm   string
	browser *http.Client
	tokens  tokens
}

type tokens struct {
	Access      string `json:"access_token"`
	Refresh     string `json:"refresh_token"`
	ID          string `json:"id_token"`
	Expires     int    `json:"expires_in"`
	HardExpires int    `json:"x_refresh_token_hard_expires_in"`
	Error       string `json:"error"`
}

func open(t testing.TB, change func(*quickbooks.Options)) *world {
	t.Helper()
	listener := httptest.NewUnstartedServer(nil)
	limits := quickbooks.DefaultLimits()
	limits.Minute, limits.Second = 0, 0
	o := quickbooks.Options{
		Origin: "http://" + listener.Listener.Addr().String(), Start: start, Limits: &limits,
		Clients: []quickbooks.Client{
			{ID: clientID, Name: "docledger", Secret: clientSecret, RedirectURIs: []string{redirect}},
			{ID: "other", Secret: "other", RedirectURIs: []string{redirect}},
		},
	}
	if change != nil {
		change(&o)
	}
	w := &world{t: t, sim: quickbooks.New(o), url: o.Origin, realm: quickbooks.VATCompany}
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

// connected returns a world with a consented application.
func connected(t testing.TB, realm string, change func(*quickbooks.Options)) *world {
	t.Helper()
	w := open(t, func(o *quickbooks.Options) {
		o.Settings = quickbooks.Settings{AutoApprove: true, AutoCompany: realm}
		if change != nil {
			change(o)
		}
	})
	w.realm = realm
	w.tokens = w.exchange(w.authorize(nil).Get("code"), redirect)
	if w.tokens.Access == "" {
		t.Fatalf("no tokens: %+v", w.tokens)
	}
	return w
}

func query(extra map[string]string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {clientID}, "redirect_uri": {redirect}, "state": {"state-1"},
		"scope": {quickbooks.AccountingScope + " openid profile email"},
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
	status, location, body := w.get("/connect/oauth2?" + query(extra).Encode())
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

func (w *world) exchange(code, to string) tokens {
	w.t.Helper()
	return w.token(url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {to}})
}

func (w *world) refresh(value string) tokens {
	w.t.Helper()
	return w.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {value}})
}

func (w *world) token(form url.Values) (out tokens) {
	w.t.Helper()
	status, body := w.form(tokenPath, form, clientID, clientSecret)
	if err := json.Unmarshal([]byte(body), &out); err != nil || (status == http.StatusOK) != (out.Error == "") {
		w.t.Fatalf("token: %d %s", status, body)
	}
	return out
}

func (w *world) form(path string, form url.Values, id, secret string) (status int, body string) {
	w.t.Helper()
	req, err := http.NewRequest(http.MethodPost, w.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("x-include-refresh-token-hard-expires-in", "true")
	req.SetBasicAuth(id, secret)
	status, _, body = w.read(http.DefaultClient.Do(req))
	return status, body
}

// reply is a response of the accounting API.
type reply struct {
	status int
	header http.Header
	raw    string
	body   m
}

// at returns the value at a path of names and indices in the body.
func (r reply) at(path ...any) any {
	var v any = r.body
	for _, step := range path {
		switch s := step.(type) {
		case string:
			inner, _ := v.(m)
			v = inner[s]
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
	l, _ := r.at("QueryResponse", name).([]any)
	return l
}

// code is the code of the first error.
func (r reply) code() any { return r.at("Fault", "Error", 0, "code") }

// call calls the accounting API as the application; header is pairs of name and value.
func (w *world) call(method, path string, body any, header ...string) reply {
	w.t.Helper()
	raw, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		raw = string(encoded)
	}
	req, err := http.NewRequest(method, w.url+"/v3/company/"+w.realm+"/"+path, bytes.NewReader([]byte(raw)))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.tokens.Access)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
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
	if strings.Contains(resp.Header.Get("Content-Type"), "json") {
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

func (w *world) query(status int, statement string) reply {
	w.t.Helper()
	return w.do(status, "GET", "query?query="+url.QueryEscape(statement), nil)
}

// id returns the id of the only record that a statement selects.
func (w *world) id(statement string) string {
	w.t.Helper()
	r := w.query(200, statement)
	for _, name := range []string{"Account", "Vendor", "TaxCode"} {
		if list := r.list(name); len(list) == 1 {
			return list[0].(m)["Id"].(string)
		}
	}
	w.t.Fatalf("%s: %s", statement, r.raw)
	return ""
}

func line(account, code, amount string) m {
	detail := m{"AccountRef": m{"value": account}}
	if code != "" {
		detail["TaxCodeRef"] = m{"value": code}
	}
	return m{"DetailType": "AccountBasedExpenseLineDetail", "Amount": json.Number(amount), "Description": "Paper", "AccountBasedExpenseLineDetail": detail}
}

// bill is a bill of 21.00 with a tax of 20 %.
func (w *world) bill(number string, change m) m {
	w.t.Helper()
	b := m{
		"VendorRef": m{"value": w.id("select * from Vendor where DisplayName = 'Books by Bessie'")}, "DocNumber": number, "TxnDate": "2026-03-01",
		"GlobalTaxCalculation": "TaxExcluded",
		"Line": []any{line(w.id("select * from Account where Name = 'Office Expenses'"),
			w.id("select * from TaxCode where Name = '20.0% S'"), "21.00")},
	}
	maps.Copy(b, change)
	return b
}
