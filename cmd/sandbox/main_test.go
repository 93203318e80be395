package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/worker"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

// started is a running sandbox.
type started struct {
	t    *testing.T
	env  map[string]string
	stop func()
}

// start runs a sandbox until it has written its values.
func start(t *testing.T, o options) started {
	t.Helper()
	o.port, o.envFile = 0, filepath.Join(t.TempDir(), "sandbox.env")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, o) }()
	deadline, tick := time.After(time.Minute), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(o.envFile)
		if err == nil {
			return started{t: t, env: parse(string(text)), stop: func() {
				cancel()
				if err := <-ended; err != nil {
					t.Errorf("the sandbox ended: %v", err)
				}
			}}
		}
		select {
		case err := <-ended:
			cancel()
			t.Fatalf("the sandbox ended before it was ready: %v", err)
		case <-deadline:
			cancel()
			t.Fatal("the sandbox is not ready after a minute")
		case <-tick.C:
		}
	}
}

func parse(text string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values[name] = value
	}
	return values
}

// call sends a request and returns the answer's object.
func (s started) call(method, path, token string, body any) map[string]any {
	s.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.env["BASE_URL"]+path, bytes.NewReader(raw))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %d %v %v", method, path, resp.StatusCode, answer, err)
	}
	return answer
}

func (s started) login() string {
	s.t.Helper()
	token, _ := s.call(http.MethodPost, "/api/auth/login", "",
		map[string]string{"email": s.env["LOGIN_EMAIL"], "password": s.env["LOGIN_PASSWORD"]})["token"].(string)
	return token
}

// TestADataFolderFindsItsOwnAgain starts twice on one folder, in both
// environments: same organization, same entity, same plan.
func TestADataFolderFindsItsOwnAgain(t *testing.T) {
	dir := t.TempDir()
	var before started
	for i, environment := range []string{"local", "deployed"} {
		s := start(t, options{dataDir: dir, environment: environment})
		for _, name := range []string{
			"BASE_URL", "DOCS_URL", "MCP_URL", "STRIPE_URL", "XERO_URL", "QUICKBOOKS_URL", "MSGRAPH_URL", "GDRIVE_URL", "IDENTITY_URL", "FAPI_HOST", "ACCOUNTS_HOST",
			"OAUTH_CLIENT_ID", "LOGIN_EMAIL", "LOGIN_PASSWORD", "LOCAL_EMAIL", "ORGANIZATION_ID", "ENTITY_ID",
		} {
			if s.env[name] == "" {
				t.Errorf("%s: %s is not printed", environment, name)
			}
		}
		if secret := s.env["OAUTH_CLIENT_SECRET"]; (secret != "") != (environment == "local") {
			t.Errorf("%s: the client's secret is %q", environment, secret)
		}
		billing := s.call(http.MethodGet, "/api/billing", s.login(), nil)
		if billing["subscription_status"] != "trialing" {
			t.Errorf("%s: billing is %v", environment, billing)
		}
		s.stop()
		if i > 0 && (s.env["ORGANIZATION_ID"] != before.env["ORGANIZATION_ID"] || s.env["ENTITY_ID"] != before.env["ENTITY_ID"]) {
			t.Errorf("the folder's own are %v, then %v", before.env, s.env)
		}
		before = s
	}
}

// TestPagesOfThisMachineCanCallTheAPI expects CORS for pages of every local port,
// for no other page, and two entities.
func TestPagesOfThisMachineCanCallTheAPI(t *testing.T) {
	s := start(t, options{environment: "local", dataDir: t.TempDir()})
	defer s.stop()
	if a, b := s.env["ENTITY_ID"], s.env["ENTITY_B_ID"]; a == "" || b == "" || a == b {
		t.Errorf("the entities are %q and %q", a, b)
	}
	for origin, want := range map[string]string{
		"http://localhost:5173": "http://localhost:5173", "http://127.0.0.1:3000": "http://127.0.0.1:3000", "https://example.com": "",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.env["BASE_URL"]+"/api/entities", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", origin)
		req.Header.Set("Access-Control-Request-Method", http.MethodGet)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != want {
			t.Errorf("%s: Access-Control-Allow-Origin is %q", origin, got)
		}
	}
}

// TestEmptySandbox expects an installation without users; its setup code creates the first one.
func TestEmptySandbox(t *testing.T) {
	s := start(t, options{empty: true, environment: "deployed", autoApprove: true})
	defer s.stop()
	body, err := json.Marshal(map[string]string{
		"code": s.env["SETUP_CODE"], "organization_name": "Example Ltd", "name": "Ada", "email": "ada@example.com", "password": "a long password",
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.env["MSGRAPH_URL"] == "" {
		t.Error("the address of a simulated document store is not printed")
	}
	for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		resp, err := http.Post(s.env["BASE_URL"]+"/api/setup", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("the response is %d, want %d", resp.StatusCode, want)
		}
	}
}
