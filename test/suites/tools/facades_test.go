package tools

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// rotation is a proxy that sends each request to the next process, or to the
// one after it if that process has ended.
type rotation struct {
	*httptest.Server
	mu    sync.Mutex
	to    []string
	next  int
	took  map[string][]int // which processes answered a path
	hosts string           // the Host that is sent on; "" for that of the request
}

func rotate(t *testing.T) *rotation {
	t.Helper()
	r := &rotation{took: map[string][]int{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *rotation) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for range r.to {
		r.mu.Lock()
		at := r.next % len(r.to)
		r.next++
		r.mu.Unlock()
		out, err := http.NewRequestWithContext(in.Context(), in.Method, r.to[at]+in.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			break
		}
		out.Header = in.Header.Clone()
		if out.Host = in.Host; r.hosts != "" {
			out.Host = r.hosts
		}
		resp, err := client.Do(out)
		if err != nil {
			continue
		}
		r.mu.Lock()
		r.took[in.URL.Path] = append(r.took[in.URL.Path], at)
		r.mu.Unlock()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
		resp.Body.Close()
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

// TestThreeProcessesKeepNoState signs in and sends each request to another
// process. It continues when processes are killed.
func TestThreeProcessesKeepNoState(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := rotate(t)
	var processes []*process
	for range 3 {
		p := w.alone(r.URL)
		processes, r.to = append(processes, p), append(r.to, p.url)
	}
	session, err := w.at(r.URL, assistant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		call(t, session, "get_me", nil)
	}
	flow := map[int]bool{}
	for _, path := range []string{"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/register", "/authorize", "/token"} {
		if len(r.took[path]) == 0 {
			t.Errorf("%s was not asked for", path)
		}
		for _, at := range r.took[path] {
			flow[at] = true
		}
	}
	if len(flow) != 3 || len(slices.Compact(slices.Sorted(slices.Values(r.took["/mcp"])))) != 3 {
		t.Errorf("the steps of the sign-in were at %v, the calls at %v", flow, r.took["/mcp"])
	}
	for _, p := range processes[:2] {
		p.kill()
		for range 6 {
			call(t, session, "get_me", nil)
		}
	}
	restarted := w.alone(r.URL)
	r.mu.Lock()
	r.to = []string{restarted.url}
	r.mu.Unlock()
	call(t, session, "get_me", nil)
	if session.SignIns() != 1 {
		t.Errorf("the person signed in %d times", session.SignIns())
	}
}

// TestSessionsOfEarlierRevisions verifies that a session can begin at one
// process and continue at another.
func TestSessionsOfEarlierRevisions(t *testing.T) {
	t.Parallel()
	w := start(t)
	r := rotate(t)
	r.to = []string{w.alone(r.URL).url, w.alone(r.URL).url}
	token := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, c := range []struct {
			body, says string
			status     int
		}{
			{fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, revision),
				`"protocolVersion":"` + revision + `"`, http.StatusOK},
			{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", http.StatusAccepted},
			{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_me","arguments":{}}}`, "Acme", http.StatusOK},
		} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/mcp", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = http.Header{
				"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
				"Mcp-Protocol-Version": {revision}, "Mcp-Session-Id": {"of-another-server"},
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != c.status || !strings.Contains(string(body), c.says) || resp.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%s: %d %s, %v", revision, resp.StatusCode, body, err)
			}
		}
	}
	if len(slices.Compact(slices.Sorted(slices.Values(r.took["/mcp"])))) != 2 {
		t.Errorf("all was at one process: %v", r.took)
	}
}

// TestBehindAProxyOnThisMachine accepts only the public name that a proxy on
// the same machine forwards.
func TestBehindAProxyOnThisMachine(t *testing.T) {
	t.Parallel()
	w := start(t)
	p := w.alone("https://docs.example.com", "MCP_HOSTS=tools.internal")
	token := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for host, want := range map[string]int{"docs.example.com": 200, "docs.example.com:443": 200, "tools.internal": 200, "evil.example": 403, "": 200} {
		r := rotate(t)
		r.to, r.hosts = []string{p.url}, host
		session, err := w.at(r.URL, assistant.Options{Token: token})
		if (err == nil) != (want == 200) {
			t.Errorf("%q: %v", host, err)
		}
		if err == nil {
			call(t, session, "get_me", nil)
		}
	}
}
