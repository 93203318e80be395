package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// binary builds the product once, as it is deployed.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "docledger-tools-*")
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", dir, "docledger/cmd/docledger")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return filepath.Join(dir, "docledger"), nil
})

// process is a separate tool server.
type process struct {
	url string
	dir string // where it runs
	cmd *exec.Cmd
	log *lines
}

// lines is a log that can be written and read concurrently.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// alone starts a process that serves only tools, in front of the API and the
// identity provider of w. It gets only the necessary configuration. base is the
// URL for clients; "" for its own address.
func (w *world) alone(base string, env ...string) *process {
	w.t.Helper()
	return w.process(base, append([]string{
		"IDENTITY=clerk", "IDENTITY_PUBLISHABLE_KEY=" + w.provider.PublishableKey(), "IDENTITY_URL=" + w.provider.Origin(), "OAUTH_CLIENT_ID=" + harness.OAuthClient,
	}, env...)...)
}

// aloneLocal is alone for an installation that is its own authorization server.
func (w *world) aloneLocal(base string) *process {
	w.t.Helper()
	return w.process(base, "IDENTITY=local", "DOCLEDGER_ENV=local")
}

func (w *world) process(base string, env ...string) *process {
	w.t.Helper()
	path, err := binary()
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	p := &process{url: "http://" + address, dir: w.t.TempDir(), log: new(lines)}
	if base == "" {
		base = p.url
	}
	p.cmd = exec.Command(path, "serve", "--role", "tools")
	p.cmd.Dir, p.cmd.Stderr = p.dir, p.log
	p.cmd.Env = append([]string{
		"LISTEN=" + address, "BASE_URL=" + base, "BACKEND_URL=" + w.URL, "SHUTDOWN_TIMEOUT=5s", "SHUTDOWN_DELAY=1ms",
	}, env...)
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		p.kill()
		// A token is a secret that may appear only in the header of a request.
		if text := p.log.String(); strings.Contains(text, "eyJ") {
			w.t.Errorf("the log holds a token:\n%s", text)
		}
	})
	p.until(w.t, "it is ready", func() bool {
		resp, err := http.Get(p.url + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return p
}

// kill ends the process immediately. A second call has no effect.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

// until waits until a condition is true.
func (p *process) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("it never was so that %s; the log:\n%s", what, p.log)
		}
	}
}

// TestToolsAlone runs the tool server as a separate process in front of an API.
// It has no database and no secret, and creates no file.
func TestToolsAlone(t *testing.T) {
	t.Parallel()
	w := start(t)
	p := w.alone("")
	session, err := w.at(p.url, assistant.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, extracted := upload(t, session, w.entity(), "invoice.xml", harness.UBL("R-1"))
	if read := call(t, session, "get_invoice", object{"invoice_id": extracted["id"]}); read["invoice_number"] != "R-1" || session.SignIns() != 1 {
		t.Errorf("read %v after %d sign-ins", read["invoice_number"], session.SignIns())
	}
	if made, err := os.ReadDir(p.dir); err != nil || len(made) != 0 {
		t.Errorf("it made %v, %v", made, err)
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/api/me": 404, "/docs": 404, "/": 404, "/webhook/identity": 404} {
		resp, err := http.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != want || !json.Valid(body) {
			t.Errorf("%s: %d %s, %v", path, resp.StatusCode, body, err)
		}
		resp.Body.Close()
	}
	if strings.Contains(p.log.String(), `"WARN"`) {
		t.Errorf("it warns:\n%s", p.log)
	}
	if err := errors.Join(p.cmd.Process.Signal(syscall.SIGTERM), p.cmd.Wait()); err != nil {
		t.Errorf("it ended with %v:\n%s", err, p.log)
	}
}

// TestWhatToolsAloneMustBeTold verifies that missing configuration is reported
// before the start.
func TestWhatToolsAloneMustBeTold(t *testing.T) {
	t.Parallel()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env  []string
		says []string
	}{
		"nothing": {nil, []string{"IDENTITY"}},
		"local":   {[]string{"IDENTITY=local"}, []string{"BACKEND_URL"}},
		"no API": {[]string{"IDENTITY=clerk", "BASE_URL=https://docs.example.com", "IDENTITY_PUBLISHABLE_KEY=pk_test_eA", "OAUTH_CLIENT_ID=c"},
			[]string{"BACKEND_URL"}},
		"slash at the end": {[]string{
			"IDENTITY=clerk", "BASE_URL=https://docs.example.com/x", "IDENTITY_PUBLISHABLE_KEY=pk_test_Y2xlcmsuZXhhbXBsZS5jb20k", "OAUTH_CLIENT_ID=c",
			"BACKEND_URL=http://127.0.0.1:1",
		}, []string{"BASE_URL"}},
	} {
		cmd := exec.Command(path, "serve", "--role", "tools")
		cmd.Dir, cmd.Env = t.TempDir(), append([]string{"LISTEN=127.0.0.1:0"}, c.env...)
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%s: it served", name)
		}
		for _, want := range c.says {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: it lacks %q: %s", name, want, out)
			}
		}
	}
}

// TestAuthorizationServers runs the flow of interface 5.6 in each mode. With a
// provider that states its issuer, strict clients refuse the facade, which the
// service warns of. auto and direct advertise the provider. With a provider that does
// not state it, auto advertises the facade, which registers clients.
func TestAuthorizationServers(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, mode := range []string{"MCP_AUTHORIZATION_SERVER=auto", "MCP_AUTHORIZATION_SERVER=facade"} {
		plain := w.alone("", mode)
		session, err := w.at(plain.url, assistant.Options{})
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		call(t, session, "get_me", nil)
	}

	w.provider.Configure(func(s *sim.Settings) { s.OmitIssuer = false })
	facade := w.alone("", "MCP_AUTHORIZATION_SERVER=facade")
	facade.until(t, "it warns", func() bool { return strings.Contains(facade.log.String(), "MCP_AUTHORIZATION_SERVER=auto") })
	if _, err := w.at(facade.url, assistant.Options{}); err == nil {
		t.Error("the client took a response of another issuer: the warning is of no use")
	}
	for _, mode := range []string{"MCP_AUTHORIZATION_SERVER=auto", "MCP_AUTHORIZATION_SERVER=direct"} {
		direct := w.alone("", mode)
		if _, err := w.at(direct.url, assistant.Options{}); err == nil {
			t.Errorf("%s: the provider registered a client", mode)
		}
		session, err := w.at(direct.url, assistant.Options{ClientID: harness.OAuthClient})
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		call(t, session, "get_me", nil)
		if strings.Contains(direct.log.String(), `"WARN"`) {
			t.Errorf("%s: it warns:\n%s", mode, direct.log)
		}
	}
}
