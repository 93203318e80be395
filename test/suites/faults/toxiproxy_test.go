package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// toxiproxy runs outside the modules of this project.
const (
	toxiproxyModule  = "github.com/Shopify/toxiproxy/v2/cmd/server"
	toxiproxyVersion = "v2.5.0"
)

// toxiproxy is a proxy between the service and its servers.
type toxiproxy struct {
	t   *testing.T
	url string // address of its control API
}

func startToxiproxy(t *testing.T) *toxiproxy {
	t.Helper()
	program, err := installToxiproxy(t.Context())
	if err != nil {
		t.Fatalf("start toxiproxy: %v", err)
	}
	port := freePort(t)
	cmd := exec.Command(program, "-host", "127.0.0.1", "-port", strconv.Itoa(port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has no work to finish
		_ = cmd.Wait()
	})
	p := &toxiproxy{t: t, url: "http://127.0.0.1:" + strconv.Itoa(port)}
	await(t, 30*time.Second, "toxiproxy responds", func() bool {
		resp, err := http.Get(p.url + "/version")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	return p
}

func installToxiproxy(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "docledger", "toxiproxy-"+toxiproxyVersion)
	program := filepath.Join(dir, "server")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	cmd := exec.CommandContext(ctx, "go", "install", toxiproxyModule+"@"+toxiproxyVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install: %w\n%s", err, out)
	}
	return program, nil
}

// between listens for connections and forwards them to an address.
func (p *toxiproxy) between(name, upstream string) (address string) {
	p.t.Helper()
	address = "127.0.0.1:" + strconv.Itoa(freePort(p.t))
	p.must("/proxies", map[string]any{"name": name, "listen": address, "upstream": upstream, "enabled": true})
	return address
}

// cut ends every connection and refuses new ones until connect.
func (p *toxiproxy) cut(name string) { p.must("/proxies/"+name, map[string]any{"enabled": false}) }

func (p *toxiproxy) connect(name string) { p.must("/proxies/"+name, map[string]any{"enabled": true}) }

// slow delays every response of a server until hurry is called.
func (p *toxiproxy) slow(name string, by time.Duration) {
	p.must("/proxies/"+name+"/toxics", map[string]any{
		"name": "slow", "type": "latency", "attributes": map[string]any{"latency": by.Milliseconds(), "jitter": by.Milliseconds() / 2},
	})
}

func (p *toxiproxy) hurry(name string) {
	req, err := http.NewRequest(http.MethodDelete, p.url+"/proxies/"+name+"/toxics/slow", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(req)
}

func (p *toxiproxy) must(path string, body any) {
	p.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, p.url+path, bytes.NewReader(raw))
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(req)
}

func (p *toxiproxy) send(req *http.Request) {
	p.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(resp.Body) // only for the message
		p.t.Fatalf("toxiproxy returns %d to %s: %s", resp.StatusCode, req.URL.Path, text)
	}
}

// freePort returns a port that is currently free.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func await(t *testing.T, timeout time.Duration, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); !done(); <-tick.C {
		if time.Since(began) > timeout {
			t.Fatalf("never: %s", what)
		}
	}
}
