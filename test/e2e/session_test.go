package e2e

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/harness"
	"docledger/usecase"

	"github.com/google/uuid"
)

// hands is a clock whose hands tests move.
type hands struct {
	mu  sync.Mutex
	now time.Time
}

func newHands() *hands { return &hands{now: time.Now().UTC().Truncate(time.Microsecond)} }

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hands) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

var _ usecase.Clock = (*hands)(nil)

func TestSignInRefusalsLookAlike(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Sign-in")
	disabled := s.NewPerson(org.ID, identity.RoleMember)
	if err := s.Service.Organizations.SetDisabled(context.Background(), disabled.Email, true); err != nil {
		t.Fatal(err)
	}
	var first string
	for _, body := range []map[string]any{
		{"email": org.Admin.Email, "password": "wrong"},
		{"email": "nobody@example.com", "password": harness.Password},
		{"email": disabled.Email, "password": harness.Password},
		{"email": org.Admin.Email, "password": harness.Password, "organization_id": uuid.NewString()},
	} {
		r := s.Do(http.MethodPost, "/api/auth/login", "", body).Want(401, "invalid_credentials")
		if first == "" {
			first = r.Text("error", "message")
		}
		if r.Text("error", "message") != first {
			t.Errorf("%v is told apart: %s", body, r.Raw)
		}
	}
	s.Do(http.MethodGet, "/api/me", disabled.Token, nil).Want(401, "unauthorized")
	upper := strings.ToUpper(org.Admin.Email)
	s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": " " + upper, "password": harness.Password}).OK()
}

func TestSignInAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Attempts")
	try := func(password string) harness.Response {
		return s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": password})
	}
	for range 10 {
		try("wrong").Want(401, "invalid_credentials")
	}
	if r := try(harness.Password).Want(429, "rate_limited"); r.Header.Get("Retry-After") == "" {
		t.Error("a 429 without Retry-After")
	}
	clock.advance(16 * time.Minute)
	try(harness.Password).OK()
	for range 9 {
		try("wrong").Want(401, "invalid_credentials")
	}
	try(harness.Password).OK()
}

func TestTokensAndSessionsEnd(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Ends")
	token := org.Admin.Token
	s.Do(http.MethodGet, "/api/me", token, nil).OK()
	clock.advance(50 * time.Minute)
	fresh := s.Do(http.MethodPost, "/api/auth/refresh", token, nil).OK()
	clock.advance(12 * time.Minute)
	s.Do(http.MethodGet, "/api/me", token, nil).Want(401, "unauthorized")
	s.Do(http.MethodPost, "/api/auth/refresh", token, nil).Want(401, "unauthorized")
	token = s.Do(http.MethodPost, "/api/auth/refresh", fresh.Text("token"), nil).OK().Text("token")
	for range 14*24 - 3 {
		clock.advance(time.Hour - time.Minute)
		token = s.Do(http.MethodPost, "/api/auth/refresh", token, nil).OK().Text("token")
	}
	ended := false
	for range 12 {
		clock.advance(50 * time.Minute)
		r := s.Do(http.MethodPost, "/api/auth/refresh", token, nil)
		if r.Status == http.StatusUnauthorized {
			ended = true
			break
		}
		token = r.OK().Text("token")
	}
	if !ended {
		t.Error("the session outlives its 14 days")
	}
}

func TestNewPasswordEndsSessions(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Password")
	if err := s.Service.Organizations.SetPassword(context.Background(), org.Admin.Email, "another long password"); err != nil {
		t.Fatal(err)
	}
	s.Do(http.MethodGet, "/api/me", org.Admin.Token, nil).Want(401, "unauthorized")
	s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": harness.Password}).Want(401, "invalid_credentials")
	s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": "another long password"}).OK()
}

func TestSwitchingOrganizations(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	one, two, three := s.NewOrganization("One"), s.NewOrganization("Two"), s.NewOrganization("Three")
	ctx := context.Background()
	if err := s.Service.Organizations.Invite(ctx, one.Admin.Email, two.ID, identity.RoleMember); err != nil {
		t.Fatal(err)
	}
	moved := s.Do(http.MethodPost, "/api/auth/refresh", one.Admin.Token, map[string]any{"organization_id": two.ID}).OK()
	me := s.Do(http.MethodGet, "/api/me", moved.Text("token"), nil).OK()
	if me.Text("organization", "id") != two.ID.String() || me.Text("organization", "role") != "member" || me.Len("organizations") != 2 {
		t.Errorf("after switching: %s", me.Raw)
	}
	s.Do(http.MethodPost, "/api/auth/refresh", one.Admin.Token, map[string]any{"organization_id": three.ID}).Want(404, "not_found")
	again := s.Do(http.MethodGet, "/api/me", s.Login(one.Admin.Email), nil).OK()
	if again.Text("organization", "id") != two.ID.String() {
		t.Error("signing in does not go to the organization used last")
	}
}

func TestForeignTokensAreRefused(t *testing.T) {
	t.Parallel()
	s, other := harness.Start(t, harness.Options{}), harness.Start(t, harness.Options{})
	org, foreign := s.NewOrganization("Mine"), other.NewOrganization("Theirs")
	parts := strings.Split(org.Admin.Token, ".")
	for name, token := range map[string]string{
		"another installation's": foreign.Admin.Token,
		"without signature":      parts[0] + "." + parts[1] + ".",
		"of algorithm none":      "eyJhbGciOiJub25lIn0." + parts[1] + ".",
		"with another payload":   parts[0] + "." + strings.Split(foreign.Admin.Token, ".")[1] + "." + parts[2],
		"garbage":                "abc",
	} {
		if r := s.Do(http.MethodGet, "/api/me", token, nil).Want(401, "unauthorized"); r.Header.Get("WWW-Authenticate") == "" {
			t.Errorf("a token %s is refused without WWW-Authenticate", name)
		}
	}
	s.Do(http.MethodGet, "/api/me", "", nil).Want(401, "unauthorized")
}
