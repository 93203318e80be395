package identities_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
)

// TestConcurrentFirstRequests sends concurrent requests of all members of an
// organization that docledger does not know yet.
func TestConcurrentFirstRequests(t *testing.T) {
	t.Parallel()
	const people = 8
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o, func(p *simclerk.Options) {
			for i := range people {
				id := fmt.Sprintf("user_%d", i)
				p.Users = append(p.Users, simclerk.User{ID: id, Email: id + "@example.com"})
				p.Memberships = append(p.Memberships,
					simclerk.Membership{UserID: id, OrganizationID: acme}, simclerk.Membership{UserID: id, OrganizationID: zeta})
			}
		})
		var tokens []string
		for i := range people {
			id := fmt.Sprintf("user_%d", i)
			tokens = append(tokens, w.provider.Session(id, acme, plain), w.provider.OAuth(id, zeta, harness.OAuthClient, plain))
		}
		w.atOnce(3, tokens...)
		admin := w.provider.Session(ada, acme, plain)
		if n := w.countEvents(admin, "member.added"); n != people+1 { // people and ada
			t.Errorf("%d people were added to the organization", n)
		}
	})
}

// TestOneChangeCreatesOneEvent sends several requests with the first token of a new
// membership, and then with the first token of a new role. Each change creates one
// event.
func TestOneChangeCreatesOneEvent(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		admin := w.provider.Session(ada, acme, plain)
		w.Do(http.MethodGet, "/api/me", admin, nil).OK()
		w.api(http.MethodDelete, "/v1/organizations/"+acme+"/memberships/"+bob, "")
		w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "bob@example.com", "password": harness.ProviderPassword})
		w.api(http.MethodPost, "/v1/organizations/"+acme+"/memberships", `{"user_id":"`+bob+`","role":"org:member"}`)
		w.atOnce(8, w.provider.Session(bob, acme, plain))
		if n := w.countEvents(admin, "member.added"); n != 2 { // ada and bob
			t.Errorf("%d people were added", n)
		}
		w.api(http.MethodPatch, "/v1/organizations/"+acme+"/memberships/"+bob, `{"role":"org:admin"}`)
		soon := time.Now().Add(10 * time.Second).Unix() // later than the known state, within the clock tolerance
		w.atOnce(8, w.provider.Session(bob, acme, simclerk.TokenOptions{Claims: map[string]any{"iat": soon, "exp": soon + 60}}))
		if n := w.countEvents(admin, "member.changed"); n != 1 {
			t.Errorf("%d roles were changed", n)
		}
	})
}

// TestNewOrganizationBeforeItsEvent uses a token before the event of its
// organization, immediately after its founder was looked up.
func TestNewOrganizationBeforeItsEvent(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.Do(http.MethodGet, "/api/me", w.provider.Session(ada, acme, plain), nil).OK()
	w.api(http.MethodPost, "/v1/organizations", `{"name":"Newest","created_by":"`+ada+`"}`)
	me := w.Do(http.MethodGet, "/api/me", w.provider.Session(ada, w.newest(), plain), nil).OK()
	if me.Text("organization", "name") != "Newest" || me.Text("organization", "role") != "admin" {
		t.Errorf("%s", me.Raw)
	}
}

// TestBannedUserIsRefused verifies that tokens of a banned user end, even if they
// live longer than a session.
func TestBannedUserIsRefused(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	issued := w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "bob@example.com", "password": harness.ProviderPassword}).OK().Text("token")
	oauth := w.provider.OAuth(bob, acme, harness.OAuthClient, plain)
	w.Do(http.MethodGet, "/api/me", oauth, nil).OK()
	w.api(http.MethodPost, "/v1/users/"+bob+"/ban", "")
	w.Do(http.MethodPost, "/api/auth/refresh", issued, nil).Want(http.StatusUnauthorized, "unauthorized")
	w.Do(http.MethodGet, "/api/me", oauth, nil).Want(http.StatusUnauthorized, "unauthorized")
}

// atOnce sends several requests with each token, all concurrently.
func (w *world) atOnce(each int, tokens ...string) {
	w.t.Helper()
	var all sync.WaitGroup
	for _, token := range tokens {
		for range each {
			all.Go(func() {
				if r := w.Do(http.MethodGet, "/api/me", token, nil); r.Status != http.StatusOK {
					w.t.Errorf("%d %s", r.Status, r.Raw)
				}
			})
		}
	}
	all.Wait()
}

// countEvents counts the events of a type in the log of an organization.
func (w *world) countEvents(token, kind string) int {
	w.t.Helper()
	return w.Do(http.MethodGet, "/api/events?limit=200&type="+kind, token, nil).OK().Len("items")
}
