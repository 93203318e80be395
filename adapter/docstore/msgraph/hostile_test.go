package msgraph_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/docstore/msgraph"
	sim "docledger/adapter/sim/msgraph"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// foreign starts a server with the given handler and returns a connector that uses it.
func foreign(t *testing.T, timeout time.Duration, serve http.HandlerFunc) *msgraph.Connector {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	return connected(t, msgraph.Options{URL: server.URL, Timeout: timeout})
}

func connected(t testing.TB, o msgraph.Options) *msgraph.Connector {
	t.Helper()
	o.ClientID, o.ClientSecret, o.LoopbackHTTP = clientID, secret.New(clientSecret), true
	c, err := msgraph.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	canary = integration.Access{Token: secret.New("canary-token"), Account: "organization:person"}
	where  = docstore.Location{Source: sim.DefaultSite, SubSource: sim.DefaultDrive}
)

const cursorOne = "1:drives/" + sim.DefaultDrive + "/root/delta?token=one"

func sayJSON(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

// wantMalformed checks the fault for a malformed response.
func wantMalformed(t *testing.T, name string, err error) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Code != fault.CodeProviderUnavailable || errors.Is(err, docstore.ErrCursorLost) || strings.Contains(err.Error(), "canary") {
		t.Errorf("%s: %.200v", name, err)
	}
}

// TestMalformedResponses covers malformed responses.
func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no JSON": "<html>canary-token", "other shape": `[1,2]`, "no list": `{"@odata.deltaLink":"BASEx"}`, "no link": `{"value":[]}`,
		"both links": `{"value":[],"@odata.nextLink":"BASEx","@odata.deltaLink":"BASEy"}`, "cut": `{"value":[`,
		"too long":      `{"value":[],"@odata.nextLink":"` + strings.Repeat("x", 17<<20) + `"}`,
		"too long link": `{"value":[],"@odata.nextLink":"BASEdrives?token=` + strings.Repeat("x", docstore.MaxCursor) + `"}`,
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			sayJSON(w, strings.ReplaceAll(body, "BASE", "http://"+r.Host+"/v1.0/"))
		})
		_, err := c.Next(context.Background(), canary, where, cursorOne)
		wantMalformed(t, name, err)
	}
}

// trap starts a server that fails the test on any request.
func trap(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was requested, with %q", r.URL, r.Header)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestForeignLinks checks that an address in a response is followed only below the API's
// base address.
func TestForeignLinks(t *testing.T) {
	t.Parallel()
	elsewhere := trap(t)
	for name, link := range map[string]string{
		"another host": elsewhere + "/v1.0/drives", "host in a user's place": "http://HOST@" + strings.TrimPrefix(elsewhere, "http://") + "/v1.0/drives",
		"longer host": "http://HOST.example/v1.0/drives", "without TLS": "https://HOST/v1.0/drives", "relative": "/v1.0/drives", "no scheme": "//HOST/v1.0/drives",
		"another version": "http://HOST/beta/drives", "dots": "http://HOST/v1.0/../me", "dots within": "http://HOST/v1.0/drives/../../me",
		"escaped dots": "http://HOST/v1.0/drives/%2e%2e/me", "escaped slash": "http://HOST/v1.0/drives/..%2Fme", "backslash": `http://HOST/v1.0/drives\..\me`,
		"fragment": "http://HOST/v1.0/drives#x", "escape that is none": "http://HOST/v1.0/drives/%zz", "line break": "http://HOST/v1.0/drives\\u000aHost: x",
		"nothing below": "http://HOST/v1.0/", "empty segment": "http://HOST/v1.0//drives", "no address": "none",
	} {
		asked := 0
		c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			asked++
			to := strings.ReplaceAll(link, "HOST", r.Host)
			if strings.Contains(r.URL.RawQuery, "token=lost") {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusGone)
				return
			}
			sayJSON(w, `{"value":[],"@odata.nextLink":"`+strings.ReplaceAll(to, `\.`, `\\.`)+`"}`)
		})
		_, err := c.Sources(context.Background(), canary)
		wantMalformed(t, name+" of sites", err)
		_, err = c.SubSources(context.Background(), canary, where.Source)
		wantMalformed(t, name+" of libraries", err)
		_, err = c.Next(context.Background(), canary, where, cursorOne)
		wantMalformed(t, name+" of changes", err)
		if _, err = c.Next(context.Background(), canary, where, "1:drives?token=lost"); !errors.Is(err, docstore.ErrCursorLost) || docstore.Restart(err) != "" {
			t.Errorf("%s after a lost cursor: %v, restarts at %q", name, err, docstore.Restart(err))
		}
		if asked != 4 {
			t.Errorf("%s: %d requests, want 4", name, asked)
		}
	}
}

// TestForeignContentAddresses checks that contents are read from allowed hosts, with one redirect,
// and without the token.
func TestForeignContentAddresses(t *testing.T) {
	t.Parallel()
	elsewhere := trap(t)
	for name, location := range map[string]string{
		"another host": elsewhere + "/x", "host in a user's place": "http://HOST@" + strings.TrimPrefix(elsewhere, "http://"),
		"none": "", "relative": "/_layouts/x", "a file": "file:///etc/passwd", "other scheme": "ftp://HOST/x", "longer host": "http://HOST.example/x",
		"two hops": "http://HOST/hop",
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			to := strings.ReplaceAll(location, "HOST", r.Host)
			if r.URL.Path == "/hop" {
				if r.Header.Get("Authorization") != "" || r.Header.Get("Referer") != "" {
					t.Errorf("sent with %q", r.Header)
				}
				to = "http://" + r.Host + "/trap"
			}
			if r.URL.Path == "/trap" {
				t.Error("a second hop was followed")
			}
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		})
		_, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
		wantMalformed(t, name, err)
	}
}

// transport responds without a network and records the requests.
type transport struct {
	asked  []*http.Request
	answer func(*http.Request) *http.Response
}

func (s *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r)
	return s.answer(r), nil
}

func respond(status int, body string, header ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for n := 0; n+1 < len(header); n += 2 {
		h.Set(header[n], header[n+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// TestHostsOfContents checks that contents are read only from the provider's hosts and only with
// TLS.
func TestHostsOfContents(t *testing.T) {
	t.Parallel()
	for location, good := range map[string]bool{
		"https://contoso.sharepoint.com/_layouts/15/download.aspx?tempauth=1": true, "https://Contoso-my.SharePoint.com/x": true,
		"http://contoso.sharepoint.com/x": false, "https://contoso.sharepoint.com:8443/x": false, "https://sharepoint.com/x": false,
		"https://evilsharepoint.com/x": false, "https://contoso.sharepoint.com.evil.example/x": false, "https://169.254.169.254/x": false,
		"https://contoso.sharepoint.com@evil.example/x": false, "https://evil.example/.sharepoint.com": false, "https://evil.example#.sharepoint.com": false,
		"http://127.0.0.1/x": false, "https://evil.example\\.sharepoint.com": false,
	} {
		s := &transport{answer: func(r *http.Request) *http.Response {
			if r.URL.Host == "graph.microsoft.com" {
				return respond(http.StatusFound, "", "Location", location)
			}
			return respond(http.StatusOK, "<a/>")
		}}
		c := connected(t, msgraph.Options{Transport: s})
		content, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
		if good != (err == nil) || good != (len(s.asked) == 2) {
			t.Errorf("%s: %v after %d requests", location, err, len(s.asked))
		}
		if err == nil {
			_ = content.Body.Close() // it is read from memory
			if got := s.asked[1].Header.Get("Authorization"); got != "" || s.asked[0].Header.Get("Authorization") != "Bearer canary-token" {
				t.Errorf("%s was sent %q", location, got)
			}
		}
	}
}

// TestNamesReachNoOtherPath checks that an id or path is sent exactly as given, or not at all.
func TestNamesReachNoOtherPath(t *testing.T) {
	t.Parallel()
	s := &transport{answer: func(*http.Request) *http.Response { return respond(http.StatusOK, `{"id":"x","value":[]}`) }}
	c := connected(t, msgraph.Options{Transport: s})
	ctx := context.Background()
	for _, id := range []string{
		"", "root", "ROOT", ".", "..", "../me", "a/b", "a%2Fb", "a?b", "a#b", "a b", "a,b", "a:b", "a\\b", "a\x00", "ü", "a'b", "a(b)", strings.Repeat("x", 401),
		"host.example,1,2", "host.example," + strings.Repeat("a", 36) + "," + strings.Repeat("/", 36), strings.Repeat("a", 36) + "," + strings.Repeat("b", 36), "a/b," + sim.DefaultSite[strings.Index(sim.DefaultSite, ",")+1:],
	} {
		inside := docstore.Location{Source: sim.DefaultSite, SubSource: id}
		_, errs := c.SubSources(ctx, canary, id)
		_, errPlace := c.SubSource(ctx, canary, inside)
		_, errOpen := c.Open(ctx, canary, where, docstore.Item{ID: id})
		_, errIn := c.Open(ctx, canary, inside, docstore.Item{ID: "file"})
		_, errPath := c.Directories(ctx, canary, inside, "a")
		_, errStart := c.Start(ctx, canary, inside)
		_, errTell := c.Subscribe(ctx, canary, inside, "", "https://here.example", secret.New("proof"))
		_, errRenew := c.Renew(ctx, canary, where, docstore.Subscription{ID: id}, "", "", secret.Text{})
		for n, err := range []error{errs, errPlace, errOpen, errIn, errPath, errStart, errTell, errRenew} {
			if fault.CodeOf(err) != fault.CodeNotFound {
				t.Errorf("%q, call %d: %v", id, n, err)
			}
		}
		if err := c.Unsubscribe(ctx, canary, docstore.Subscription{ID: id}); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{"..", "a/..", "a//b", "a:", ":/children", "a/b:/content", `a\b`, "a?", "a*"} {
		if found, err := c.Directories(ctx, canary, where, path); err != nil || len(found) != 0 || found == nil {
			t.Errorf("%q: %v, %v", path, found, err)
		}
	}
	if len(s.asked) != 0 {
		t.Fatalf("%s was requested", s.asked[0].URL)
	}
	for path, want := range map[string]string{
		"a b/c%2Fd": "a%20b/c%252Fd", "#1/%": "%231/%25", "ü&=+;,": "%C3%BC&=+%3B%2C",
	} {
		s.asked = nil
		if _, err := c.Directories(ctx, canary, where, path); err != nil {
			t.Error(err)
		}
		if got := s.asked[0].URL; got.EscapedPath() != "/v1.0/drives/b%21"+sim.DefaultDrive[2:]+"/root:/"+want && got.EscapedPath() != "/v1.0/drives/"+sim.DefaultDrive+"/root:/"+want || got.RawQuery != "" {
			t.Errorf("%q is requested as %s", path, got)
		}
	}
}

func TestListsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		sayJSON(w, `{"value":[],"@odata.nextLink":"http://`+r.Host+`/v1.0/sites?same"}`)
	})
	list, err := c.Sources(context.Background(), canary)
	if wantMalformed(t, "endless", err); list != nil {
		t.Errorf("listed %v", list)
	}
}

// TestRefusedAnswers checks the fault for each status and code.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		code   string
		is     error
		want   fault.Code
	}{
		"token":            {401, "InvalidAuthenticationToken", integration.ErrAccessRefused, fault.CodeProviderUnauthorized},
		"no access":        {403, "accessDenied", docstore.ErrDenied, fault.CodeProviderUnauthorized},
		"limits":           {429, "activityLimitReached", integration.ErrRateLimited, fault.CodeProviderUnavailable},
		"bandwidth":        {509, "", integration.ErrRateLimited, fault.CodeProviderUnavailable},
		"cursor":           {410, "resyncRequired", docstore.ErrCursorLost, fault.CodeProviderUnavailable},
		"cursor, newer":    {409, "resyncRequired", docstore.ErrCursorLost, fault.CodeProviderUnavailable},
		"malformed cursor": {400, "invalidRequest", docstore.ErrCursorLost, fault.CodeProviderUnavailable},
		"library":          {404, "itemNotFound", nil, fault.CodeNotFound},
		"a redirect":       {302, "", nil, fault.CodeProviderUnavailable},
		"internal error":   {500, "generalException", nil, fault.CodeProviderUnavailable},
		"unavailable":      {503, "serviceNotAvailable", nil, fault.CodeProviderUnavailable},
		"storage full":     {507, "insufficientStorage", nil, fault.CodeProviderUnavailable},
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Errorf("%s: the token was sent to another host", name)
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "2.128")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, `{"error":{"code":"outer","message":"canary-token","innererror":{"code":"`+test.code+`","innerError":{}}}}`)
		})
		_, err := c.Next(context.Background(), canary, where, cursorOne)
		f, ok := fault.As(err)
		if !ok || f.Code != test.want || test.is != nil && !errors.Is(err, test.is) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (test.status >= 500 || test.status == 429) && f.RetryAfter != 3*time.Second {
			t.Errorf("%s: retry after %s", name, f.RetryAfter)
		}
	}
}

// TestRetryAfter covers valid and malformed Retry-After headers.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "0.2": time.Second, "": time.Second, "-5": time.Second, "NaN": time.Second, "+Inf": time.Second, "1e300": 24 * time.Hour, "soon": time.Second,
	} {
		s := &transport{answer: func(*http.Request) *http.Response {
			return respond(http.StatusTooManyRequests, "", "Retry-After", value)
		}}
		_, err := connected(t, msgraph.Options{Transport: s}).Sources(context.Background(), canary)
		if f, ok := fault.As(err); !ok || f.RetryAfter != want {
			t.Errorf("%q: %v, want %s", value, err, want)
		}
	}
}

func TestCursorsThatAreNone(t *testing.T) {
	t.Parallel()
	c := connected(t, msgraph.Options{URL: trap(t)})
	for _, cursor := range []string{"", "1", "1:", "2:drives", "1:../me", "1:drives/../../me", "1:/drives", "1:drives\nx", "1:drives#", "1:@elsewhere.example/%zz"} {
		if _, err := c.Next(context.Background(), canary, where, cursor); !errors.Is(err, docstore.ErrCursorLost) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}
