package gdrive_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/adapter/docstore/gdrive"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// foreign starts a server with the given handler and returns a connector that uses it.
func foreign(t *testing.T, timeout time.Duration, serve http.HandlerFunc) *gdrive.Connector {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	c, err := gdrive.New(gdrive.Options{ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: server.URL, LoopbackHTTP: true, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var (
	canary = integration.Access{Token: secret.New("canary-token"), Account: "1"}
	where  = docstore.Location{Source: "source", SubSource: "place"}
)

const cursorOne = "1::100"

// TestMalformedResponses covers malformed responses.
func TestMalformedResponses(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no JSON": "<html>canary-token", "other shape": `[1,2]`, "no tokens": `{"changes":[]}`,
		"both tokens": `{"changes":[],"nextPageToken":"1","newStartPageToken":"2"}`, "cut": `{"changes":[`,
		"too long":       `{"newStartPageToken":"` + strings.Repeat("x", 17<<20) + `"}`,
		"too long token": `{"newStartPageToken":"` + strings.Repeat("x", docstore.MaxCursor) + `"}`,
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
		_, err := c.Next(context.Background(), canary, where, cursorOne)
		if f, ok := fault.As(err); !ok || f.Code != fault.CodeProviderUnavailable || errors.Is(err, docstore.ErrCursorLost) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

// TestIncompleteLists checks that an incomplete list is an error.
func TestIncompleteLists(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"endless":    `{"files":[],"nextPageToken":"same"}`,
		"incomplete": `{"files":[],"incompleteSearch":true}`,
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
		if list, err := c.Sources(context.Background(), canary); fault.CodeOf(err) != fault.CodeProviderUnavailable {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
}

// TestRefusedAnswers checks the fault for each status and reason.
func TestRefusedAnswers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		reason string
		is     error
		code   fault.Code
	}{
		"scope":          {403, "insufficientPermissions", docstore.ErrDenied, fault.CodeProviderUnauthorized},
		"not enabled":    {403, "accessNotConfigured", nil, fault.CodeProviderSetup},
		"policy":         {403, "domainPolicy", docstore.ErrDenied, fault.CodeProviderUnauthorized},
		"quota":          {403, "quotaExceeded", integration.ErrRateLimited, fault.CodeProviderUnavailable},
		"cursor":         {400, "invalid", docstore.ErrCursorLost, fault.CodeProviderUnavailable},
		"cursor is gone": {410, "gone", docstore.ErrCursorLost, fault.CodeProviderUnavailable},
		"drive is gone":  {404, "notFound", nil, fault.CodeNotFound},
		"a redirect":     {302, "", nil, fault.CodeProviderUnavailable},
		"token":          {401, "authError", integration.ErrAccessRefused, fault.CodeProviderUnauthorized},
		"internal error": {500, "backendError", nil, fault.CodeProviderUnavailable},
		"unavailable":    {503, "", nil, fault.CodeProviderUnavailable},
	} {
		c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Errorf("%s: the token was sent to another host", name)
			}
			w.Header().Set("Location", "/elsewhere")
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, `{"error":{"code":1,"message":"canary-token","errors":[{"reason":"`+test.reason+`"}]}}`)
		})
		_, err := c.Next(context.Background(), canary, where, cursorOne)
		f, ok := fault.As(err)
		if !ok || f.Code != test.code || test.is != nil && !errors.Is(err, test.is) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.status >= 500 && f.RetryAfter != 7*time.Second {
			t.Errorf("%s: retry after %s", name, f.RetryAfter)
		}
	}
}

func TestCursorsThatAreNone(t *testing.T) {
	t.Parallel()
	c := foreign(t, time.Minute, func(http.ResponseWriter, *http.Request) { t.Error("a malformed cursor was sent") })
	for _, cursor := range []string{"", "1", "1:", "1::", "2::5", "1:a/b:5", "1:root:5", "::"} {
		if _, err := c.Next(context.Background(), canary, where, cursor); !errors.Is(err, docstore.ErrCursorLost) {
			t.Errorf("%q: %v", cursor, err)
		}
	}
}

// TestSilence checks that the connector waits neither for a response nor for content without limit,
// and that content that keeps arriving may take longer than one timeout.
func TestSilence(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	silent := foreign(t, 50*time.Millisecond, func(http.ResponseWriter, *http.Request) { <-over })
	if _, err := silent.Next(context.Background(), canary, where, cursorOne); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("no response: %v", err)
	}
	stalls := foreign(t, 200*time.Millisecond, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.RawQuery, "alt=media") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"file","mimeType":"text/xml"}`)
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-over
	})
	got, err := stalls.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(got.Body)
	if string(raw) != "begun" || fault.CodeOf(err) != fault.CodeProviderUnavailable || got.Size != 100 {
		t.Errorf("it stalls: %q of %d, %v", raw, got.Size, err)
	}
	if err := got.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestCutContent checks that truncated content is not treated as complete.
func TestCutContent(t *testing.T) {
	t.Parallel()
	c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.URL.RawQuery, "alt=media") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"id":"file","mimeType":"text/xml"}`)
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	got, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(got.Body); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("cut: %v", err)
	}
	_ = got.Body.Close() // the connection is already closed
}

// recordingLimiter is a rate limiter that records the admitted calls and their outcomes.
type recordingLimiter struct {
	mu       sync.Mutex
	calls    []integration.Call
	observed []integration.Observation
	closed   error
}

func (d *recordingLimiter) Enter(_ context.Context, c integration.Call) (func(integration.Observation), error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed != nil {
		return nil, d.closed
	}
	d.calls = append(d.calls, c)
	return func(o integration.Observation) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.observed = append(d.observed, o)
	}, nil
}

func TestEveryRequestPassesTheGate(t *testing.T) {
	t.Parallel()
	gate := &recordingLimiter{}
	c, w := open(t, false, func(o *gdrive.Options) { o.RateLimiter = gate })
	a := w.entered(c)
	a.Background = true
	w.must(w.sim.SeedFolders(w.place.Source, 2500))
	file := w.Add("a.xml", []byte("<a/>"))
	before := len(gate.calls)
	list, err := c.SubSources(context.Background(), a, w.place.Source)
	w.must(err)
	if n := len(gate.calls) - before; n != 4 || len(list) != 2502 {
		t.Errorf("%d folders by %d requests, want one for the folder and each of three pages", len(list), n)
	}
	got, err := c.Open(context.Background(), a, w.place, docstore.Item{ID: file})
	w.must(err)
	w.must(got.Body.Close())
	w.must(w.sim.Refuse("userRateLimitExceeded", 1))
	if _, err := c.Sources(context.Background(), a); !errors.Is(err, integration.ErrRateLimited) {
		t.Error(err)
	}
	if len(gate.calls) != len(gate.observed) || len(gate.calls) != len(w.sim.Kit.Requests()) {
		t.Errorf("%d entered, %d left, %d requests", len(gate.calls), len(gate.observed), len(w.sim.Kit.Requests()))
	}
	call, observed := gate.calls[len(gate.calls)-1], gate.observed[len(gate.observed)-1]
	if call.Provider != integration.DocstoreB || call.Tenant != a.Account || !call.Background || len(call.Limits.Windows) != 1 {
		t.Errorf("admitted as %+v", call)
	}
	if !observed.Limited || observed.RetryAfter != time.Minute {
		t.Errorf("observed %+v", observed)
	}
	gate.closed = integration.RateLimited(integration.DocstoreB, 40*time.Second, nil)
	requests := len(w.sim.Kit.Requests())
	if _, err := c.Open(context.Background(), a, w.place, docstore.Item{ID: file}); !errors.Is(err, integration.ErrRateLimited) || len(w.sim.Kit.Requests()) != requests {
		t.Errorf("sent although the limiter refused: %v", err)
	}
}

func TestAddressesAndSecrets(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://127.0.0.1:1", "http://store.example", "https://u:p@store.example", "https://store.example?a=b", "store", "ftp://store.example"} {
		if _, err := gdrive.New(gdrive.Options{ClientID: "a", ClientSecret: secret.New("b"), URL: address}); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	if _, err := gdrive.New(gdrive.Options{ClientID: "a"}); err == nil {
		t.Error("a missing secret is accepted")
	}
	c, err := gdrive.New(gdrive.Options{ClientID: "a", ClientSecret: secret.New("b")})
	if err != nil {
		t.Fatal(err)
	}
	if at := c.AuthorizationURL(integration.AuthorizationRequest{State: "s"}); !strings.HasPrefix(at, "https://accounts.google.com/o/oauth2/v2/auth?access_type=offline&") || !strings.Contains(at, "prompt=consent") {
		t.Errorf("the consent page is at %s", at)
	}
}

// TestProviderUnreachable checks the fault if the provider refuses connections.
func TestProviderUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	c, err := gdrive.New(gdrive.Options{ClientID: clientID, ClientSecret: secret.New(clientSecret), URL: gone.URL, LoopbackHTTP: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Children(context.Background(), canary, where, "", ""); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := c.Children(ctx, canary, where, "", ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
