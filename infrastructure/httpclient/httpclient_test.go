package httpclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"docledger/domain/secret"
	"docledger/infrastructure/httpclient"
)

// serve starts a server and a client that logs into a buffer.
func serve(t *testing.T, o httpclient.Options, handle http.HandlerFunc) (string, *httpclient.Client, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	log := &bytes.Buffer{}
	o.Name, o.Log = "SIDE", slog.New(slog.NewTextHandler(log, nil))
	return server.URL, httpclient.New(o), log
}

// TestRefusalIsRecorded checks that code, message and request id appear in the
// failure and the log, limited, on one line, and without tokens and queries.
func TestRefusalIsRecorded(t *testing.T) {
	t.Parallel()
	message := "no\u202e\n\x00 access canary-token eyJhbGciOi.eyJzdWIi.sig at https://x.example/a?email=anna@example.com " + strings.Repeat("ä", 1000)
	read := func(f *httpclient.Failure, body []byte) {
		f.AddCode("invalidScope")
		f.AddMessage(string(body))
	}
	at, c, log := serve(t, httpclient.Options{RequestIDs: []string{"X-Absent", "intuit_tid"}, ReadRefusal: read}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("intuit_tid", "1-abc"+strings.Repeat("x", 500))
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, message)
	})
	_, err := c.Do(t.Context(), httpclient.Request{Operation: "list things", Method: http.MethodGet, URL: at, Token: secret.New("canary-token")})
	f := httpclient.FailureOf(err)
	if f == nil || f.Status != http.StatusForbidden || f.RetryAfter != 7*time.Second || httpclient.StatusOf(err) != http.StatusForbidden {
		t.Fatalf("failure %+v", f)
	}
	refused := f.Refusal()
	if refused.Code != "invalidScope" || !strings.HasPrefix(refused.RequestID, "1-abc") || !strings.HasPrefix(refused.Message, "no access *** *** at https://x.example/a ää") {
		t.Errorf("refusal %+v", refused)
	}
	if utf8.RuneCountInString(refused.Message) > 400 || utf8.RuneCountInString(refused.RequestID) > 100 {
		t.Errorf("%d and %d characters", len(refused.Message), len(refused.RequestID))
	}
	for _, want := range []string{"provider=SIDE", `operation="list things"`, "status=403", "code=invalidScope", "request_id=", "no access"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
	for _, text := range []string{log.String(), fmt.Sprintf("%+v %v", refused, err)} {
		if strings.Contains(text, "canary") || strings.Contains(text, "anna@") || strings.Contains(text, "eyJ") || strings.ContainsRune(text, '\u202e') {
			t.Errorf("a secret or a control character appears in %.300s", text)
		}
	}
	if strings.Contains(err.Error(), "access") {
		t.Errorf("the error contains the message: %v", err)
	}
}

// TestBounds checks that a response is read up to its limit and that redirects are
// not followed.
func TestBounds(t *testing.T) {
	t.Parallel()
	at, c, _ := serve(t, httpclient.Options{MaxBody: 100}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/elsewhere":
			t.Error("the redirect was followed")
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 101))
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, `{}`)
		default:
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, `{"a":1}`)
		}
	})
	get := func(path string) error {
		return c.JSON(t.Context(), httpclient.Request{Operation: "read", Method: http.MethodGet, URL: at + path}, &struct{ A int }{})
	}
	if err := get("/"); err != nil {
		t.Error(err)
	}
	for path, status := range map[string]int{"/redirect": http.StatusFound, "/long": 0, "/page": 0} {
		if f := httpclient.FailureOf(get(path)); f == nil || f.Status != status || f.NotSent || status != 0 && f.Location != "/elsewhere" {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

// TestAdmission checks that each call is admitted and completed exactly once, for
// every outcome.
func TestAdmission(t *testing.T) {
	t.Parallel()
	at, c, _ := serve(t, httpclient.Options{Timeout: 50 * time.Millisecond}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/limited":
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
		case "/silent":
			<-r.Context().Done()
		}
	})
	for path, want := range map[string]string{
		"/": "{map[] false 0s false}", "/limited": "{map[] true 3s false}", "/broken": "{map[] false 0s true}", "/silent": "{map[] false 0s true}",
	} {
		var got []string
		r := httpclient.Request{Operation: "read", Method: http.MethodGet, URL: at + path, Admit: func(context.Context) (func(httpclient.Outcome), error) {
			return func(o httpclient.Outcome) { got = append(got, fmt.Sprint(o)) }, nil
		}}
		_, _ = c.Do(t.Context(), r) // only the outcome matters
		if len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
	closed := errors.New("closed")
	_, err := c.Do(t.Context(), httpclient.Request{Operation: "read", URL: at, Admit: func(context.Context) (func(httpclient.Outcome), error) { return nil, closed }})
	if f := httpclient.FailureOf(err); f == nil || !f.NotSent || !errors.Is(err, closed) {
		t.Errorf("past a closed limiter: %v", err)
	}
	stopped := httptest.NewServer(nil)
	stopped.Close()
	_, err = c.Do(t.Context(), httpclient.Request{Operation: "read", URL: stopped.URL + "/?email=canary"})
	if f := httpclient.FailureOf(err); f == nil || !f.NotSent || strings.Contains(err.Error(), "canary") {
		t.Errorf("no connection: %v", err)
	}
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://side.example": true, "https://side.example/": true, "http://127.0.0.1:1": true, "http://localhost:1": true, "http://[::1]:1": true,
		"http://side.example": false, "https://u:canary@side.example": false, "https://side.example?canary": false, "https://side.example#x": false,
		"side.example": false, "ftp://side.example": false, "": false, "http://127.0.0.1.example": false, "http://localhost.example": false,
	} {
		clean, _, err := httpclient.CheckAddress("SIDE", address, true)
		if (err == nil) != ok || err == nil && strings.HasSuffix(clean, "/") || err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %q, %v", address, clean, err)
		}
		if _, _, err := httpclient.CheckAddress("SIDE", address, false); err == nil && strings.HasPrefix(address, "http:") {
			t.Errorf("%s is accepted without TLS", address)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0.2": time.Second, "": 0, "0": 0, "-5": 0, "NaN": 0, "+Inf": 0, "1e300": 24 * time.Hour, "soon": 0,
	} {
		if got := httpclient.RetryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	if got := httpclient.RetryAfter(http.Header{"Ratelimit-Reset": {"4"}}); got != 4*time.Second {
		t.Errorf("RateLimit-Reset: %s", got)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	const payload = "eyJ1c2VyIjoidSJ9" // {"user":"u"}
	var claims struct{ User string }
	if !httpclient.Claims("h."+payload+".s", &claims) || claims.User != "u" {
		t.Errorf("claims %+v", claims)
	}
	for _, token := range []string{"", "opaque", "a.b", "a." + payload, "a.!!.c", "a.bm90IGpzb24.c", strings.Repeat(".", 100)} {
		if httpclient.Claims(token, &struct{ User string }{}) {
			t.Errorf("%q is read", token)
		}
	}
}

// TestOAuth checks how the client authenticates token requests, which fields a
// response must have, and that a refusal contains no secret.
func TestOAuth(t *testing.T) {
	t.Parallel()
	var form url.Values
	var authorization, answer, media string
	status := http.StatusOK
	at, c, log := serve(t, httpclient.Options{}, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		form, authorization = r.PostForm, r.Header.Get("Authorization")
		w.Header().Set("Content-Type", media)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	})
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	o := &httpclient.OAuth{
		Client: c, ClientID: "id +", ClientSecret: secret.New("canary-secret"), AuthorizeURL: at + "/authorize", TokenURL: at + "/token",
		Now: func() time.Time { return now },
	}
	if to := o.AuthorizationURL("s", "https://a.example/c", "ch", []string{"one", "two"}, url.Values{"prompt": {"consent"}}); !strings.Contains(to, "scope=one%20two") ||
		!strings.Contains(to, "code_challenge=ch&code_challenge_method=S256") || !strings.Contains(to, "prompt=consent") || strings.Contains(to, "canary") {
		t.Errorf("the consent page is at %s", to)
	}
	media, answer = "application/json", `{"access_token":"a","expires_in":1000000000,"scope":"one two","id_token":"i"}`
	got, err := o.Refresh(t.Context(), secret.New("canary-refresh"))
	if err != nil || got.Access.Reveal() != "a" || got.Refresh.Reveal() != "canary-refresh" || !got.ExpiresAt.Equal(now.Add(48*time.Hour)) || len(got.Scopes) != 2 {
		t.Errorf("refreshed %+v, %v", got, err)
	}
	if form.Get("client_secret") != "canary-secret" || form.Get("client_id") != "id +" || authorization != "" {
		t.Errorf("authenticated with %v and %q", form, authorization)
	}
	o.BasicAuth, o.NewRefreshToken = true, true
	if _, err := o.Refresh(t.Context(), secret.New("canary-refresh")); err == nil || authorization != "Basic aWQrJTJCOmNhbmFyeS1zZWNyZXQ=" || form.Get("client_secret") != "" {
		t.Errorf("without a new refresh token: %v, authenticated with %v and %q", err, form, authorization)
	}
	for name, bad := range map[string][2]string{
		"a page": {"text/html", "canary-refresh"}, "a form": {"application/x-www-form-urlencoded", "access_token=canary-refresh"},
		"nothing": {"application/json", ""}, "no token": {"application/json", `{"expires_in":5}`},
		"no end": {"application/json", `{"access_token":"canary-refresh","refresh_token":"r"}`},
	} {
		media, answer = bad[0], bad[1]
		if _, err := o.Exchange(t.Context(), "code", "https://a.example/c", "verifier"); httpclient.FailureOf(err) == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if form.Get("code_verifier") != "verifier" || form.Get("redirect_uri") != "https://a.example/c" {
		t.Errorf("exchanged with %v", form)
	}
	status, media = http.StatusBadRequest, "application/json"
	answer = `{"error":"invalid_grant","error_description":"AADSTS70000: canary-refresh has ended for canary-secret","trace_id":"tr-1"}`
	_, err = o.Refresh(t.Context(), secret.New("canary-refresh"))
	f := httpclient.FailureOf(err)
	if f == nil || f.Refusal() != (httpclient.Refusal{Code: "invalid_grant", Message: "AADSTS70000: *** has ended for ***", RequestID: "tr-1"}) {
		t.Errorf("refused %+v", f)
	}
	if strings.Contains(log.String(), "canary") || !strings.Contains(log.String(), "AADSTS70000") {
		t.Errorf("the log is %s", log)
	}
}
