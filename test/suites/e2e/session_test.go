package e2e

import (
	"context"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
	"docledger/usecase"

	"github.com/google/uuid"
)

// hands is a clock that a test moves.
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
		{"email": "unknown@example.com", "password": harness.Password},
		{"email": disabled.Email, "password": harness.Password},
		{"email": org.Admin.Email, "password": harness.Password, "organization_id": uuid.NewString()},
	} {
		r := s.Do(http.MethodPost, "/api/auth/login", "", body).Want(401, "invalid_credentials")
		if first == "" {
			first = r.Text("error", "message")
		}
		if r.Text("error", "message") != first {
			t.Errorf("%v is distinguishable: %s", body, r.Raw)
		}
	}
	s.Do(http.MethodGet, "/api/me", disabled.Token, nil).Want(401, "unauthorized")
	upper := strings.ToUpper(org.Admin.Email)
	s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": " " + upper, "password": harness.Password}).OK()
}

// TestFailedSignInsAreSlowed refuses attempts after five failures for a time
// that doubles, for that account and that network alone, whether the account
// exists or not.
func TestFailedSignInsAreSlowed(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{
		Overrides: service.Overrides{Clock: clock},
		Env:       map[string]string{"SIGN_IN_TRIES_PER_ACCOUNT": "", "SIGN_IN_TRIES_PER_ADDRESS": "", "TRUSTED_PROXIES": "127.0.0.1/32"},
	})
	org := s.NewOrganization("Attempts")
	try := func(email, password, from string) harness.Response {
		body := strings.NewReader(`{"email":"` + email + `","password":"` + password + `"}`)
		return s.Send(http.MethodPost, "/api/auth/login", "", body, "Content-Type", "application/json", "X-Forwarded-For", from)
	}
	for n, email := range []string{org.Admin.Email, "unknown@example.com"} {
		from := "2001:db8:0:" + strconv.Itoa(n+1) + "::1"
		for range 5 {
			try(email, "wrong", from).Want(401, "invalid_credentials")
		}
		for wait := time.Second; wait <= 15*time.Minute; wait *= 2 {
			for range 2 { // refused attempts do not count
				if r := try(email, harness.Password, from).Want(429, "rate_limited"); r.Header.Get("Retry-After") != strconv.Itoa(int(wait.Seconds())) {
					t.Fatalf("%s: Retry-After is %s, want %v", email, r.Header.Get("Retry-After"), wait)
				}
			}
			clock.advance(wait)
			try(email, "wrong", from).Want(401, "invalid_credentials")
		}
		try(email, "wrong", "2001:db8:0:"+strconv.Itoa(n+1)+":9::2").Want(429, "rate_limited") // the same /64
	}
	// Others are not refused because of them, and successes do not count.
	for range 60 {
		try(org.Admin.Email, harness.Password, "198.51.100.7").OK()
	}
	clock.advance(15 * time.Minute)
	try(org.Admin.Email, harness.Password, "2001:db8:0:1::1").OK()
	for range 5 {
		try(org.Admin.Email, "wrong", "2001:db8:0:1::1").Want(401, "invalid_credentials")
	}
	// Fifty failures of a network refuse it whole, and no other.
	clock.advance(time.Hour)
	for n := range 50 {
		try("guess"+strconv.Itoa(n)+"@example.com", "wrong", "203.0.113.9").Want(401, "invalid_credentials")
	}
	if r := try(org.Admin.Email, harness.Password, "203.0.113.9").Want(429, "rate_limited"); r.Header.Get("Retry-After") == "" {
		t.Error("a 429 without Retry-After")
	}
	try(org.Admin.Email, harness.Password, "203.0.113.10").OK()
	clock.advance(15 * time.Minute)
	try(org.Admin.Email, harness.Password, "203.0.113.9").OK()
}

// TestParallelGuessesDoNotExceedTheLimit sends many wrong passwords at once, after as
// many correct ones at once.
func TestParallelGuessesDoNotExceedTheLimit(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Overrides, o.Env = service.Overrides{Clock: newHands()}, map[string]string{"SIGN_IN_TRIES_PER_ACCOUNT": ""}
		s := harness.Start(t, o)
		org := s.NewOrganization("Guessed")
		var tried atomic.Int64
		var callers sync.WaitGroup
		for range 40 {
			callers.Go(func() {
				s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": harness.Password}).OK()
			})
		}
		callers.Wait()
		for range 40 {
			callers.Go(func() {
				r := s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": "wrong"})
				if r.Status == http.StatusUnauthorized {
					tried.Add(1)
				} else if r.Status != http.StatusTooManyRequests {
					t.Errorf("answered %d %s", r.Status, r.Raw)
				}
			})
		}
		callers.Wait()
		if tried.Load() != 5 {
			t.Errorf("%d passwords were tried, want 5", tried.Load())
		}
	})
}

// TestParallelGuessesOfANetworkDoNotExceedTheLimit sends wrong passwords of many
// accounts at once, after as many correct ones at once.
func TestParallelGuessesOfANetworkDoNotExceedTheLimit(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		const limit, callers = 10, 40
		o.Overrides, o.Env = service.Overrides{Clock: newHands()}, map[string]string{"SIGN_IN_TRIES_PER_ADDRESS": strconv.Itoa(limit)}
		s := harness.Start(t, o)
		org := s.NewOrganization("Network")
		var people []harness.Person
		for range callers {
			people = append(people, s.NewPerson(org.ID, identity.RoleMember))
		}
		all := func(password string) (count map[int]int) {
			var mu sync.Mutex
			var group sync.WaitGroup
			count = map[int]int{}
			for _, p := range people {
				group.Go(func() {
					r := s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": p.Email, "password": password})
					mu.Lock()
					defer mu.Unlock()
					count[r.Status]++
				})
			}
			group.Wait()
			return count
		}
		if got := all(harness.Password); got[http.StatusOK] != callers {
			t.Errorf("correct passwords are answered %v", got)
		}
		if got := all("wrong"); got[http.StatusUnauthorized] != limit || got[http.StatusTooManyRequests] != callers-limit {
			t.Errorf("wrong passwords are answered %v, want %d times 401, else 429", got, limit)
		}
	})
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
	foreign := s.Do(http.MethodPost, "/api/auth/refresh", one.Admin.Token, map[string]any{"organization_id": three.ID}).Want(404, "not_found")
	unknown := s.Do(http.MethodPost, "/api/auth/refresh", one.Admin.Token, map[string]any{"organization_id": uuid.New()}).Want(404, "not_found")
	if foreign.Text("error", "message") != unknown.Text("error", "message") {
		t.Errorf("the answer reveals whether an organization exists: %s and %s", foreign.Raw, unknown.Raw)
	}
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

// TestRightsEndWithTheNextRequest takes role, membership and account away from
// people who hold a token.
func TestRightsEndWithTheNextRequest(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org, other := s.NewOrganization("Rights"), s.NewOrganization("Other")
		ctx, admin := context.Background(), org.Admin
		demoted := s.NewPerson(org.ID, identity.RoleAdmin)
		s.Do(http.MethodGet, "/api/organization/members", demoted.Token, nil).OK()
		if err := s.Service.Organizations.SetRole(ctx, demoted.Email, org.ID, identity.RoleMember); err != nil {
			t.Fatal(err)
		}
		s.Do(http.MethodGet, "/api/organization/members", demoted.Token, nil).Want(403, "forbidden")
		if me := s.Do(http.MethodGet, "/api/me", demoted.Token, nil).OK(); me.Text("organization", "role") != "member" {
			t.Errorf("after the demotion: %s", me.Raw)
		}
		removed := s.NewPerson(org.ID, identity.RoleAdmin)
		if err := s.Service.Organizations.Invite(ctx, removed.Email, other.ID, identity.RoleMember); err != nil {
			t.Fatal(err)
		}
		elsewhere := s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{
			"email": removed.Email, "password": harness.Password, "organization_id": other.ID,
		}).OK().Text("token")
		if err := s.Service.Organizations.Remove(ctx, removed.Email, org.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Service.Organizations.Remove(ctx, removed.Email, org.ID); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("removed again: %v", err)
		}
		s.Do(http.MethodGet, "/api/me", removed.Token, nil).Want(401, "unauthorized")
		s.Do(http.MethodPost, "/api/auth/refresh", removed.Token, nil).Want(401, "unauthorized")
		s.Do(http.MethodGet, "/api/me", elsewhere, nil).OK()
		if found := s.Do(http.MethodGet, "/api/events?type=member.removed", admin.Token, nil).OK(); found.Len("items") != 1 {
			t.Errorf("the events are %s", found.Raw)
		}
	})
}

// TestTokenGenerations follows tokens over refreshes: the earlier one is valid
// for a minute more, and using it to refresh after that ends the session.
func TestTokenGenerations(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := newHands()
		o.Overrides = service.Overrides{Clock: clock}
		s := harness.Start(t, o)
		org := s.NewOrganization("Generations")
		me := func(token string) harness.Response { return s.Do(http.MethodGet, "/api/me", token, nil) }
		refresh := func(token string) harness.Response { return s.Do(http.MethodPost, "/api/auth/refresh", token, nil) }
		first := org.Admin.Token
		second := refresh(first).OK().Text("token")
		clock.advance(30 * time.Second)
		lost := refresh(first).OK().Text("token") // the first answer was lost
		third := refresh(second).OK().Text("token")
		clock.advance(29 * time.Second)
		for _, token := range []string{first, second, lost, third} {
			me(token).OK()
		}
		clock.advance(2 * time.Second)
		me(first).Want(401, "unauthorized")
		me(second).OK()
		clock.advance(30 * time.Second)
		me(second).Want(401, "unauthorized")
		me(lost).Want(401, "unauthorized")
		me(third).OK()
		refresh(second).Want(401, "unauthorized")
		me(third).Want(401, "unauthorized")
		refresh(third).Want(401, "unauthorized")
		token := s.Login(org.Admin.Email)
		found := s.Do(http.MethodGet, "/api/events?type=member.session_ended", token, nil).OK()
		if found.Len("items") != 1 || found.Text("items", 0, "subject", "id") != org.Admin.ID.String() || found.Text("items", 0, "data", "reason") != "token_reused" {
			t.Errorf("the events are %s", found.Raw)
		}
	})
}

// TestSessionsOfAPerson lists, ends and leaves sessions, and changes the
// password.
func TestSessionsOfAPerson(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Sessions")
		stranger := s.NewPerson(org.ID, identity.RoleMember)
		here, lost := org.Admin.Token, s.Login(org.Admin.Email)
		list := func(token string) harness.Response {
			return s.Do(http.MethodGet, "/api/auth/sessions", token, nil).OK()
		}
		all := list(here)
		if all.Len("items") != 2 || all.At("items", 0, "current") != false || all.At("items", 1, "current") != true {
			t.Fatalf("the sessions are %s", all.Raw)
		}
		id := all.Text("items", 0, "id")
		s.Do(http.MethodDelete, "/api/auth/sessions/"+id, stranger.Token, nil).Want(404, "not_found")
		if r := s.Do(http.MethodDelete, "/api/auth/sessions/"+id, here, nil).OK(); r.Text("id") != id {
			t.Errorf("ended %s", r.Raw)
		}
		s.Do(http.MethodDelete, "/api/auth/sessions/"+id, here, nil).Want(404, "not_found")
		s.Do(http.MethodGet, "/api/me", lost, nil).Want(401, "unauthorized")

		out := s.Login(org.Admin.Email)
		s.Do(http.MethodPost, "/api/auth/logout", out, nil).OK()
		s.Do(http.MethodGet, "/api/me", out, nil).Want(401, "unauthorized")
		s.Do(http.MethodPost, "/api/auth/refresh", out, nil).Want(401, "unauthorized")

		other := s.Login(org.Admin.Email)
		change := func(current, next string) harness.Response {
			return s.Do(http.MethodPost, "/api/auth/password", here, map[string]any{"current_password": current, "new_password": next})
		}
		if r := change("wrong", "another long password").Want(400, "invalid_request"); r.Text("error", "details", "fields", 0, "field") != "current_password" {
			t.Errorf("refused with %s", r.Raw)
		}
		change(harness.Password, "short").Want(400, "invalid_request")
		fresh := change(harness.Password, "another long password").OK()
		for _, token := range []string{here, other} {
			s.Do(http.MethodGet, "/api/me", token, nil).Want(401, "unauthorized")
		}
		if all := list(fresh.Text("token")); all.Len("items") != 1 {
			t.Errorf("after the change the sessions are %s", all.Raw)
		}
		s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": harness.Password}).Want(401, "invalid_credentials")
		s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": "another long password"}).OK()
	})
}

// TestRepeatedRequestsAskForRightsAgain takes rights away between a request and
// its repetition with the same Idempotency-Key.
func TestRepeatedRequestsAskForRightsAgain(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Repeated")
	person := s.NewPerson(org.ID, identity.RoleAdmin)
	create := func() harness.Response {
		return s.Do(http.MethodPost, "/api/entities", person.Token, map[string]any{"name": "Created"}, "Idempotency-Key", "k")
	}
	upload := func() harness.Response {
		return s.Do(http.MethodPost, "/api/documents/upload", person.Token, map[string]any{
			"entity_id": org.Entity, "filename": "a.xml", "content": base64.StdEncoding.EncodeToString([]byte(harness.UBL("A-1"))),
		}, "Idempotency-Key", "k")
	}
	document := upload().OK().Text("id")
	extract := func() harness.Response {
		return s.Do(http.MethodPost, "/api/invoices/extract", person.Token, map[string]any{"document_id": document}, "Idempotency-Key", "k")
	}
	entityID, invoiceID := create().OK().Text("id"), extract().OK().Text("id")
	note := func() harness.Response {
		return s.Do(http.MethodPost, "/api/invoices/"+invoiceID+"/notes", person.Token, map[string]any{"text": "Only for those who may read it"}, "Idempotency-Key", "k")
	}
	noteID := note().OK().Text("id")
	if note().OK().Text("id") != noteID || create().OK().Text("id") != entityID || upload().OK().Text("id") != document || extract().OK().Text("id") != invoiceID {
		t.Fatal("repetitions do not answer alike")
	}
	if err := s.Service.Organizations.SetRole(context.Background(), person.Email, org.ID, identity.RoleMember); err != nil {
		t.Fatal(err)
	}
	create().Want(403, "forbidden")
	s.SetMembers(org, entity.AccessRestricted, entity.Member{UserID: person.ID, Role: identity.Viewer})
	upload().Want(403, "forbidden")
	extract().Want(403, "forbidden")
	note().Want(403, "forbidden")
	s.SetMembers(org, entity.AccessRestricted)
	upload().Want(404, "not_found")
	extract().Want(404, "not_found")
	note().Want(404, "not_found")
}
