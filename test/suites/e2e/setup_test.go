package e2e

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

func firstAdmin(code string) map[string]any {
	body := map[string]any{"organization_name": "Example Ltd", "name": "Ada", "email": "Ada@Example.com", "password": harness.Password}
	if code != "" {
		body["code"] = code
	}
	return body
}

// TestSetupCodeCreatesOneAdministrator sends the setup code from many callers at once.
// One of them becomes the administrator of one organization.
func TestSetupCodeCreatesOneAdministrator(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Env = map[string]string{"DOCLEDGER_ENV": "deployed", "SIGN_IN_TRIES_PER_ACCOUNT": "1000"}
		s := harness.Start(t, o)
		state := s.Do(http.MethodGet, "/api/setup", "", nil).OK()
		if state.At("open") != true || state.At("code_required") != true {
			t.Fatalf("before the first user: %s", state.Raw)
		}
		code := s.Service.Session.Setup.Code
		for _, wrong := range []string{"", "0000", strings.Repeat("0", 26), code[:len(code)-1]} {
			s.Do(http.MethodPost, "/api/setup", "", firstAdmin(wrong)).Want(401, "invalid_credentials")
		}
		short := firstAdmin(code)
		short["password"] = "short"
		s.Do(http.MethodPost, "/api/setup", "", short).Want(400, "invalid_request")
		blank := firstAdmin(code)
		blank["organization_name"] = "  "
		if r := s.Do(http.MethodPost, "/api/setup", "", blank).Want(400, "invalid_request"); !strings.Contains(string(r.Raw), "organization_name") {
			t.Errorf("a blank name: %s", r.Raw)
		}
		var created atomic.Int64
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				r := s.Do(http.MethodPost, "/api/setup", "", firstAdmin(strings.ToLower(code)))
				if r.Status != http.StatusOK {
					r.Want(401, "invalid_credentials")
					return
				}
				created.Add(1)
				me := s.Do(http.MethodGet, "/api/me", r.Text("token"), nil).OK()
				if me.Text("user", "email") != "ada@example.com" || me.Text("organization", "name") != "Example Ltd" || me.Text("organization", "role") != "admin" {
					t.Errorf("the first user is %s", me.Raw)
				}
			})
		}
		callers.Wait()
		if created.Load() != 1 {
			t.Errorf("%d calls created an administrator", created.Load())
		}
		if all, err := s.Service.Organizations.List(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("%d organizations, %v", len(all), err)
		}
		other := firstAdmin(code)
		other["email"] = "eve@example.com"
		s.Do(http.MethodPost, "/api/setup", "", other).Want(401, "invalid_credentials")
		if state := s.Do(http.MethodGet, "/api/setup", "", nil).OK(); state.At("open") != false || state.At("code_required") != false {
			t.Errorf("after the first user: %s", state.Raw)
		}
		s.Login("ada@example.com")
	})
}

// TestSetupOnThisMachineNeedsNoCode expects the exception only in the environment
// local, and for no request that a proxy or the page of another site can send.
func TestSetupOnThisMachineNeedsNoCode(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"SIGN_IN_TRIES_PER_ACCOUNT": "1000"}})
	required := func(s *harness.Server, headers ...string) bool {
		return s.Send(http.MethodGet, "/api/setup", "", nil, headers...).OK().At("code_required") == true
	}
	if required(s) || required(s, "Origin", "http://localhost:5173") {
		t.Error("a caller on this machine needs a code")
	}
	for _, header := range [][]string{
		{"X-Forwarded-For", "127.0.0.1"}, {"Forwarded", "for=127.0.0.1"}, {"Via", "1.1 proxy"}, {"X-Real-IP", "127.0.0.1"},
		{"Origin", "https://other.example"}, {"Origin", "null"},
	} {
		if !required(s, header...) {
			t.Errorf("%v: no code is required", header)
		}
		body := `{"organization_name":"Mine","name":"Eve","email":"eve@example.com","password":"a long password"}`
		s.Send(http.MethodPost, "/api/setup", "", strings.NewReader(body), append(header, "Content-Type", "application/json")...).Want(401, "invalid_credentials")
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/setup", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = "other.example"
	named, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = named.Body.Close() }()
	if text, err := io.ReadAll(named.Body); err != nil || !strings.Contains(string(text), `"code_required":true`) {
		t.Errorf("a name of another site: %s, %v", text, err)
	}
	proxied := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"TRUSTED_PROXIES": "10.0.0.0/8"}})
	if !required(proxied) {
		t.Error("an installation behind a proxy requires no code")
	}
	s.Do(http.MethodPost, "/api/setup", "", firstAdmin("")).OK()
	s.Do(http.MethodPost, "/api/setup", "", firstAdmin("")).Want(401, "invalid_credentials")
}

// TestWrongSetupCodesAreSlowed refuses further codes of a network after five wrong
// ones, also the right one, and accepts it later.
func TestWrongSetupCodesAreSlowed(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{
		NoWorkers: true, Overrides: service.Overrides{Clock: clock}, Env: map[string]string{"DOCLEDGER_ENV": "deployed", "SIGN_IN_TRIES_PER_ACCOUNT": ""},
	})
	code := s.Service.Session.Setup.Code
	for range 5 {
		s.Do(http.MethodPost, "/api/setup", "", firstAdmin("wrong")).Want(401, "invalid_credentials")
	}
	if r := s.Do(http.MethodPost, "/api/setup", "", firstAdmin(code)).Want(429, "rate_limited"); r.Header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
	clock.advance(time.Second)
	s.Do(http.MethodPost, "/api/setup", "", firstAdmin(code)).OK()
}
