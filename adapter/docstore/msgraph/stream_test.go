package msgraph_test

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

	"docledger/adapter/docstore/msgraph"
	"docledger/adapter/sim/kit"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

// half serves the first bytes of a content and then calls then.
func half(then func(w http.ResponseWriter)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/bytes" {
			w.Header().Set("Location", "http://"+r.Host+"/bytes")
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		then(w)
	}
}

// TestSilence checks that the connector waits neither for a response nor for content without limit.
func TestSilence(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	silent := foreign(t, 50*time.Millisecond, func(http.ResponseWriter, *http.Request) { <-over })
	if _, err := silent.Next(context.Background(), canary, where, cursorOne); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("no response: %v", err)
	}
	stalls := foreign(t, 200*time.Millisecond, half(func(http.ResponseWriter) { <-over }))
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

// TestSlowContent checks that content that keeps arriving may take longer than one timeout.
func TestSlowContent(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	c := foreign(t, timeout, half(func(w http.ResponseWriter) {
		for range 95 {
			<-time.After(timeout / 80)
			_, _ = io.WriteString(w, ".")
			_ = http.NewResponseController(w).Flush()
		}
	}))
	got, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := io.ReadAll(got.Body); len(raw) != 100 || err != nil {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
	if err := got.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestCutContent checks that truncated content is not treated as complete.
func TestCutContent(t *testing.T) {
	t.Parallel()
	c := foreign(t, time.Minute, half(func(http.ResponseWriter) { panic(http.ErrAbortHandler) }))
	got, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(got.Body); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Errorf("cut: %v", err)
	}
	_ = got.Body.Close() // the connection is already closed
}

// TestRefusedContents checks the fault for each refusal, of the API or of the host that
// serves the bytes.
func TestRefusedContents(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		code   string
		is     error
		want   fault.Code
	}{
		"locked":        {423, "resourceLocked", docstore.ErrLocked, fault.CodeProviderUnavailable},
		"being written": {409, "resourceModified", docstore.ErrLocked, fault.CodeProviderUnavailable},
		"harmful":       {403, "malwareDetected", docstore.ErrWithheld, fault.CodeInvalidRequest},
		"a folder":      {400, "invalidRequest", docstore.ErrWithheld, fault.CodeInvalidRequest},
		"forbidden":     {403, "accessDenied", docstore.ErrDenied, fault.CodeProviderUnauthorized},
		"gone":          {404, "itemNotFound", nil, fault.CodeNotFound},
		"deleted":       {410, "itemNotFound", nil, fault.CodeNotFound},
		"limits":        {429, "", integration.ErrRateLimited, fault.CodeProviderUnavailable},
		"unavailable":   {503, "", nil, fault.CodeProviderUnavailable},
	} {
		for _, at := range []string{"API", "content"} {
			c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
				if at == "content" && r.URL.Path != "/bytes" {
					w.Header().Set("Location", "http://"+r.Host+"/bytes")
					w.WriteHeader(http.StatusFound)
					return
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, `{"error":{"code":"`+test.code+`","message":"canary"}}`)
			})
			_, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"})
			if fault.CodeOf(err) != test.want || test.is != nil && !errors.Is(err, test.is) || strings.Contains(err.Error(), "canary") {
				t.Errorf("%s at the %s: %v", name, at, err)
			}
		}
	}
}

// TestExpiredContentAddress checks that an expired content address is not reported as a
// refused token.
func TestExpiredContentAddress(t *testing.T) {
	t.Parallel()
	c := foreign(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/bytes" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Location", "http://"+r.Host+"/bytes")
		w.WriteHeader(http.StatusFound)
	})
	if _, err := c.Open(context.Background(), canary, where, docstore.Item{ID: "file"}); fault.CodeOf(err) != fault.CodeProviderUnavailable || errors.Is(err, integration.ErrAccessRefused) {
		t.Error(err)
	}
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

// TestEveryCallPassesTheLimiter checks that reading a content counts as one call: the host that
// serves the bytes has separate limits.
func TestEveryCallPassesTheLimiter(t *testing.T) {
	t.Parallel()
	gate := &recordingLimiter{}
	c, w := open(t, func(o *msgraph.Options) { o.RateLimiter = gate })
	a := w.entered(c)
	a.Background = true
	w.SeedSubSources(450)
	file := w.Add("a.xml", []byte("<a/>"))
	before := len(gate.calls)
	list, err := c.SubSources(context.Background(), a, w.Place().Source)
	w.must(err)
	if n := len(gate.calls) - before; n != 3 || len(list) != 452 {
		t.Errorf("%d libraries by %d requests, want one for each of three pages", len(list), n)
	}
	got, err := c.Open(context.Background(), a, w.Place(), docstore.Item{ID: file})
	w.must(err)
	w.must(got.Body.Close())
	w.must(w.sim.Kit.Inject(kit.Fault{Match: "GET /v1.0/sites", Action: "status:429"}))
	if _, err := c.Sources(context.Background(), a); !errors.Is(err, integration.ErrRateLimited) {
		t.Error(err)
	}
	if len(gate.calls) != len(gate.observed) || len(gate.calls) != len(w.sim.Kit.Requests())-1 {
		t.Errorf("%d entered, %d left, %d requests, one of them of bytes", len(gate.calls), len(gate.observed), len(w.sim.Kit.Requests()))
	}
	call, observed := gate.calls[len(gate.calls)-1], gate.observed[len(gate.observed)-1]
	if call.Provider != integration.DocstoreA || call.Tenant == "" || !strings.HasPrefix(a.Account, call.Tenant+":") || !call.Background || len(call.Limits.Windows) != 1 {
		t.Errorf("admitted as %+v", call)
	}
	if !observed.Limited || observed.Failed {
		t.Errorf("observed %+v", observed)
	}
	gate.closed = integration.RateLimited(integration.DocstoreA, 40*time.Second, nil)
	requests := len(w.sim.Kit.Requests())
	if _, err := c.Open(context.Background(), a, w.Place(), docstore.Item{ID: file}); !errors.Is(err, integration.ErrRateLimited) || len(w.sim.Kit.Requests()) != requests {
		t.Errorf("sent although the limiter refused: %v", err)
	}
}

func TestAddressesAndSecrets(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://127.0.0.1:1", "http://store.example", "https://u:p@store.example", "https://store.example?a=b", "store", "ftp://store.example"} {
		if _, err := msgraph.New(msgraph.Options{ClientID: "a", ClientSecret: secret.New("b"), URL: address}); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
	if _, err := msgraph.New(msgraph.Options{ClientID: "a"}); err == nil {
		t.Error("a missing secret is accepted")
	}
	for tenant, want := range map[string]string{"": "organizations", "contoso.example": "contoso.example", "../x": "..%2Fx"} {
		c, err := msgraph.New(msgraph.Options{ClientID: "a", ClientSecret: secret.New("b"), Settings: map[string]string{msgraph.SettingTenant: tenant}})
		if err != nil {
			t.Fatal(err)
		}
		at := c.AuthorizationURL(integration.AuthorizationRequest{State: "s"})
		if !strings.HasPrefix(at, "https://login.microsoftonline.com/"+want+"/oauth2/v2.0/authorize?client_id=a&") || !strings.Contains(at, "offline_access") {
			t.Errorf("the consent page is at %s", at)
		}
	}
}

// TestProviderUnreachable checks the fault if the provider refuses connections.
func TestProviderUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	c := connected(t, msgraph.Options{URL: gone.URL})
	if _, err := c.Next(context.Background(), canary, where, cursorOne); fault.CodeOf(err) != fault.CodeProviderUnavailable {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
	defer cancel()
	if _, err := c.Next(ctx, canary, where, cursorOne); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
