//go:build linux

package attack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// process is a running sandbox.
type process struct {
	t      *testing.T
	pid    int
	values map[string]string
	client *http.Client
	token  string // of the administrator
}

// start builds and starts a sandbox.
func start(t *testing.T) *process {
	t.Helper()
	dir := t.TempDir()
	binary, values := filepath.Join(dir, "sandbox"), filepath.Join(dir, "sandbox.env")
	build := exec.Command("go", "build", "-o", binary, "./cmd/sandbox")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the sandbox: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, "--port", "0", "--env-file", values)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
		if t.Failed() {
			t.Logf("the sandbox: %.2000s", said.String())
		}
	})
	p := &process{t: t, pid: cmd.Process.Pid, client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 100, ExpectContinueTimeout: time.Minute}}}
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for p.values == nil {
		if text, err := os.ReadFile(values); err == nil {
			p.values = map[string]string{}
			for line := range strings.Lines(string(text)) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				p.values[name] = strings.Trim(value, `'"`)
			}
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the sandbox ended: %v\n%s", err, said.String())
		case <-deadline:
			t.Fatal("the sandbox did not start")
		case <-tick.C:
		}
	}
	p.token = p.json("POST", p.values["BASE_URL"]+"/api/auth/login", "",
		fmt.Sprintf(`{"email":%q,"password":%q}`, p.values["LOGIN_EMAIL"], p.values["LOGIN_PASSWORD"]))["token"].(string)
	return p
}

// json sends a request that must succeed.
func (p *process) json(method, url, token, body string) map[string]any {
	p.t.Helper()
	status, answer, err := p.send(method, url, token, "application/json", strings.NewReader(body))
	if err != nil || status != http.StatusOK {
		p.t.Fatalf("%s %s: %d, %v: %.300s", method, url, status, err, answer)
	}
	var out map[string]any
	if err := json.Unmarshal(answer, &out); err != nil {
		p.t.Fatal(err)
	}
	return out
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// expect sends a request with "Expect: 100-continue".
func (p *process) expect(method, url, token, contentType, body string) (reply, error) {
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Expect", "100-continue")
	return p.do(req, token, contentType)
}

func (p *process) do(req *http.Request, token, contentType string) (reply, error) {
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, answer}, err
}

func (p *process) send(method, url, token, contentType string, body io.Reader) (int, []byte, error) {
	req, err := http.NewRequestWithContext(p.t.Context(), method, url, body)
	if err != nil {
		return 0, nil, err
	}
	r, err := p.do(req, token, contentType)
	return r.status, r.body, err
}

// memory returns a value of the process status in bytes. VmRSS is the current
// memory, VmHWM the peak since reset.
func (p *process) memory(figure string) int64 {
	p.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, figure+":"); ok {
			kB, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return kB << 10
		}
	}
	p.t.Fatalf("no %s", figure)
	return 0
}

// above runs work and returns the peak memory of the process above idle in
// bytes.
func (p *process) above(idle int64, work func()) int64 {
	p.t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0); err != nil {
		p.t.Logf("the peak cannot be reset: %v", err)
	}
	work()
	return p.memory("VmHWM") - idle
}
