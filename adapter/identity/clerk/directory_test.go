package clerk_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/adapter/sim/kit"
	"docledger/domain/fault"
	"docledger/domain/identity"
)

func TestOrganization(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	got, err := p.Organizations.Organization(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != acme || got.Name != "Acme" || !got.CreatedAt.Equal(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)) || got.Trial != (identity.TrialMetadata{}) {
		t.Errorf("got %+v", got)
	}
	for _, id := range []string{"org_missing", "", "../users/user_ada", "org_acme/memberships", "acme", "org acme", "org_acme?a=b", strings.Repeat("o", 300)} {
		if _, err := p.Organizations.Organization(t.Context(), id); id != "acme" && fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("%q: %v", id, err)
		} else if err == nil {
			t.Errorf("%q was found", id)
		}
	}
}

func TestSetTrialWritesThreeKeys(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	ctx := t.Context()
	trial := identity.TrialMetadata{ExpiryDate: "2026-03-04", MaxEntities: 10, MaxInvoicesPerMonth: 300}
	for range 2 { // again is no error
		if err := p.Organizations.SetTrial(ctx, acme, trial); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.Organizations.Organization(ctx, acme)
	if err != nil || got.Trial != trial {
		t.Errorf("got %+v, %v", got, err)
	}
	const want = `{"public_metadata":{"trial_expiry_date":"2026-03-04","trial_max_entities":10,"trial_max_invoices_per_month":300}}`
	for _, r := range p.sim.Kit.Requests() {
		if r.Method == http.MethodPatch && (r.Path != "/v1/organizations/"+acme+"/metadata" || r.Body != want) {
			t.Errorf("sent %s %s", r.Path, r.Body)
		}
	}
	if err := p.Organizations.SetTrial(ctx, "org_missing", trial); fault.CodeOf(err) != fault.CodeNotFound {
		t.Errorf("a missing one: %v", err)
	}
}

func TestSetTrialKeepsOtherMetadata(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	ctx := t.Context()
	r, err := http.NewRequestWithContext(ctx, http.MethodPatch, p.sim.Origin()+"/v1/organizations/"+acme+"/metadata",
		strings.NewReader(`{"public_metadata":{"theme":"dark","trial_max_entities":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secretKey)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if err := p.Organizations.SetTrial(ctx, acme, identity.TrialMetadata{ExpiryDate: "2026-03-04", MaxEntities: 10}); err != nil {
		t.Fatal(err)
	}
	r, err = http.NewRequestWithContext(ctx, http.MethodGet, p.sim.Origin()+"/v1/organizations/"+acme, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+secretKey)
	if resp, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"theme":"dark"`) || !strings.Contains(string(body), `"trial_max_entities":10`) {
		t.Errorf("got %s, %v", body, err)
	}
}

func TestSetTrialRunsIntoTheRateLimit(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for n := range 11 {
		err := p.Organizations.SetTrial(t.Context(), acme, identity.TrialMetadata{ExpiryDate: "2026-03-04"})
		if n < 10 && err != nil {
			t.Fatal(err)
		}
		if f, ok := fault.As(err); n == 10 && (!ok || f.Kind != fault.Upstream || f.Code != fault.CodeProviderUnavailable || f.RetryAfter <= 0 || f.RetryAfter > 10*time.Second) {
			t.Errorf("got %v", err)
		}
	}
	if err := p.Organizations.SetTrial(t.Context(), other, identity.TrialMetadata{ExpiryDate: "2026-03-04"}); err != nil {
		t.Errorf("another organization: %v", err)
	}
}

func TestUserAndMemberships(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	user, err := p.Users.User(t.Context(), ada)
	if want := (identity.ProviderUser{ID: ada, Email: "ada@example.com", Name: "Ada Byron"}); err != nil || user != want {
		t.Errorf("got %+v, %v", user, err)
	}
	if unconfirmed, err := p.Users.User(t.Context(), carol); err != nil || unconfirmed.Email != "" {
		t.Errorf("got %+v, %v", unconfirmed, err)
	}
	got, err := p.Users.Memberships(t.Context(), ada)
	if err != nil || len(got) != 2 || got[0].Organization.ID != acme || got[0].Role != identity.RoleAdmin ||
		got[1].Organization.ID != other || got[1].Role != identity.RoleMember || !got[0].CreatedAt.Before(got[1].CreatedAt) {
		t.Errorf("got %+v, %v", got, err)
	}
	if none, err := p.Users.Memberships(t.Context(), bob); err != nil || len(none) != 0 {
		t.Errorf("got %+v, %v", none, err)
	}
	for _, id := range []string{"user_missing", "", "../organizations/org_acme", "user ada"} {
		if _, err := p.Users.User(t.Context(), id); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("user %q: %v", id, err)
		}
		if _, err := p.Users.Memberships(t.Context(), id); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("memberships of %q: %v", id, err)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	got, err := p.Organizations.Members(t.Context(), acme)
	want := identity.ProviderMember{User: identity.ProviderUser{ID: ada, Email: "ada@example.com", Name: "Ada Byron"}, Role: identity.RoleAdmin}
	if err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, id := range []string{"org_missing", "", "../users"} {
		if _, err := p.Organizations.Members(t.Context(), id); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("members of %q: %v", id, err)
		}
	}
}

// TestMembersThatNeverEnd refuses a list that it can't read whole: whoever is
// not in it would lose their membership.
func TestMembersThatNeverEnd(t *testing.T) {
	t.Parallel()
	one := `{"role":"org:member","public_user_data":{"user_id":"user_1"}}`
	answer := `{"data":[` + one + strings.Repeat(","+one, 99) + `],"total_count":10001}`
	asked := 0
	p := newProvider(t, func(o *clerk.Options) {
		o.Transport = within{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, answer)
		})}
	})
	got, err := p.Organizations.Members(t.Context(), acme)
	if err == nil || got != nil || asked != 100 {
		t.Errorf("%d members after %d calls, %v", len(got), asked, err)
	}
}

func TestMembershipsOfManyOrganizations(t *testing.T) {
	t.Parallel()
	const many = 250
	o := sim.Options{Origin: "http://127.0.0.1:1", Users: []sim.User{{ID: ada, Email: "ada@example.com"}}}
	for range many {
		id := "org_" + strings.Repeat("a", len(o.Organizations)+1)
		if len(id) > 200 {
			id = "org_" + strings.Repeat("b", len(o.Organizations)-190)
		}
		o.Organizations = append(o.Organizations, sim.Organization{ID: id, Name: id})
		o.Memberships = append(o.Memberships, sim.Membership{UserID: ada, OrganizationID: id})
	}
	server := sim.New(o)
	defer server.Close()
	c, err := clerk.New(clerk.Options{
		PublishableKey: server.PublishableKey(), SecretKey: secretKey, APIURL: server.Origin(), LoopbackHTTP: true, Transport: within{server},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Users.Memberships(t.Context(), ada)
	seen := map[string]bool{}
	for _, m := range got {
		seen[m.Organization.ID] = true
	}
	if err != nil || len(got) != many || len(seen) != many {
		t.Errorf("%d memberships in %d organizations, %v", len(got), len(seen), err)
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for _, email := range []string{"ada@example.com", " ADA@Example.com "} {
		got, err := p.Passwords.CheckPassword(t.Context(), email, password)
		if want := (identity.ProviderUser{ID: ada, Email: "ada@example.com", Name: "Ada Byron"}); err != nil || got != want {
			t.Errorf("%q: got %+v, %v", email, got, err)
		}
	}
	var messages []string
	for name, c := range map[string][2]string{
		"wrong password":      {"ada@example.com", "wrong"},
		"no password":         {"ada@example.com", ""},
		"unknown address":     {"unknown@example.com", password},
		"no address":          {"", password},
		"unconfirmed address": {"carol@example.com", password},
		"banned":              {"banned@example.com", password},
		"without a password":  {"nopassword@example.com", password},
		"several addresses":   {"ada@example.com&email_address=bob@example.com", password},
		"password in spaces":  {"ada@example.com", " " + password},
	} {
		user, err := p.Passwords.CheckPassword(t.Context(), c[0], c[1])
		f, ok := fault.As(err)
		if !ok || f.Kind != fault.Unauthenticated || f.Code != fault.CodeInvalidCredentials || user != (identity.ProviderUser{}) {
			t.Errorf("%s: %+v, %v", name, user, err)
			continue
		}
		messages = append(messages, err.Error())
	}
	for _, m := range messages {
		if m != messages[0] {
			t.Errorf("%q and %q are distinguishable", m, messages[0])
		}
	}
}

func TestCheckPasswordOfAnAccountWithSecondFactor(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	_, err := p.Passwords.CheckPassword(t.Context(), "bob@example.com", password)
	if f, ok := fault.As(err); !ok || f.Code != fault.CodeInvalidCredentials || !strings.Contains(f.Message, "second factor") {
		t.Errorf("got %v", err)
	}
	_, err = p.Passwords.CheckPassword(t.Context(), "bob@example.com", "wrong")
	if f, ok := fault.As(err); !ok || strings.Contains(f.Message, "second factor") {
		t.Errorf("a wrong password reveals the second factor: %v", err)
	}
}

func TestRefusedPasswordsTakeAlikeLong(t *testing.T) {
	t.Parallel()
	const floor = 300 * time.Millisecond
	p := newProvider(t, func(o *clerk.Options) { o.FailureFloor = floor })
	for _, email := range []string{"ada@example.com", "unknown@example.com", "banned@example.com"} {
		begun := time.Now()
		if _, err := p.Passwords.CheckPassword(t.Context(), email, "wrong"); err == nil {
			t.Fatal("accepted")
		}
		if took := time.Since(begun); took < floor {
			t.Errorf("%s: %v", email, took)
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if _, err := p.Passwords.CheckPassword(ctx, "ada@example.com", password); !errors.Is(err, context.Canceled) {
		t.Errorf("who left: %v", err)
	}
}

// TestProviderInTrouble holds every call against every way to fail.
func TestProviderInTrouble(t *testing.T) {
	t.Parallel()
	calls := map[string]func(context.Context, provider) error{
		"Organization": func(ctx context.Context, p provider) error {
			_, err := p.Organizations.Organization(ctx, acme)
			return err
		},
		"SetTrial": func(ctx context.Context, p provider) error {
			return p.Organizations.SetTrial(ctx, acme, identity.TrialMetadata{ExpiryDate: "2026-03-04"})
		},
		"User":        func(ctx context.Context, p provider) error { _, err := p.Users.User(ctx, ada); return err },
		"Memberships": func(ctx context.Context, p provider) error { _, err := p.Users.Memberships(ctx, ada); return err },
		"CheckPassword": func(ctx context.Context, p provider) error {
			_, err := p.Passwords.CheckPassword(ctx, "ada@example.com", password)
			return err
		},
	}
	for action, want := range map[string]fault.Code{
		"status:500": fault.CodeProviderUnavailable, "status:503": fault.CodeProviderUnavailable, "status:429": fault.CodeProviderUnavailable,
		"status:401": fault.CodeProviderUnauthorized, "status:403": fault.CodeProviderUnauthorized, "status:302": fault.CodeProviderUnavailable,
		"status:204": fault.CodeProviderUnavailable, "drop": fault.CodeProviderUnavailable, "commit_then_drop": fault.CodeProviderUnavailable,
		"garbage": fault.CodeProviderUnavailable, "delay:1m": fault.CodeProviderUnavailable,
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(o *clerk.Options) { o.Timeout = 500 * time.Millisecond })
			if err := p.sim.Kit.Inject(kit.Fault{Match: "* /v1/**", Times: 100, Action: action}); err != nil {
				t.Fatal(err)
			}
			for name, call := range calls {
				err := call(t.Context(), p)
				f, ok := fault.As(err)
				if !ok || f.Kind != fault.Upstream || f.Code != want {
					t.Errorf("%s: %v", name, err)
				}
				if ok && want == fault.CodeProviderUnavailable && f.RetryAfter <= 0 {
					t.Errorf("%s does not say when to come back", name)
				}
				secretless(t, err, "ada@example.com", url.QueryEscape("ada@example.com"))
			}
		})
	}
}

func TestWrongSecretKey(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(o *clerk.Options) { o.SecretKey = "sk_test_another_canary" })
	_, err := p.Organizations.Organization(t.Context(), acme)
	if fault.CodeOf(err) != fault.CodeProviderUnauthorized {
		t.Errorf("got %v", err)
	}
	secretless(t, err, "another_canary")
}
