package clerk_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
)

func TestWellKnownDocuments(t *testing.T) {
	t.Parallel()
	b := start(t)
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		got := b.get(t, path)
		m := got.json(t)
		if got.header.Get("Access-Control-Allow-Origin") != "*" || m["issuer"] != b.Origin() || m["jwks_uri"] != b.Origin()+"/.well-known/jwks.json" {
			t.Errorf("%s: %v", path, m)
		}
	}
	id, _ := b.PublicKey()
	kids := func() []string {
		var out []string
		for _, key := range b.get(t, "/.well-known/jwks.json").json(t)["keys"].([]any) {
			out = append(out, key.(map[string]any)["kid"].(string))
		}
		return out
	}
	second := b.RotateKeys(true)
	if got := kids(); len(got) != 2 || got[0] != second || got[1] != id {
		t.Errorf("after a rotation: %v", got)
	}
	third := b.call(t, http.MethodPost, "/_sim/keys", `{"keep_old":false}`).json(t)["kid"]
	if got := kids(); len(got) != 1 || got[0] != third {
		t.Errorf("after a withdrawal: %v", got)
	}
}

func TestBackendNeedsItsKey(t *testing.T) {
	t.Parallel()
	b := start(t)
	for _, header := range []string{"", "Bearer ", "Bearer sk_test_other", "Basic " + secretKey} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.Origin()+"/v1/organizations/org_acme", nil)
		if err == nil && header != "" {
			r.Header.Set("Authorization", header)
		}
		if got := b.do(t, r, err); got.status != http.StatusUnauthorized || !strings.Contains(got.body, `"errors":[{`) {
			t.Errorf("%q: %d %s", header, got.status, got.body)
		}
	}
	if got := b.call(t, http.MethodGet, "/v1/unheard-of", ""); got.status != http.StatusNotFound {
		t.Errorf("an unknown route: %d", got.status)
	}
}

func TestMetadataIsMerged(t *testing.T) {
	t.Parallel()
	b := start(t)
	const path = "/v1/organizations/org_acme/metadata"
	b.call(t, http.MethodPatch, path, `{"public_metadata":{"a":{"b":1,"c":2},"d":3},"private_metadata":{"secret":true}}`)
	got := b.call(t, http.MethodPatch, path, `{"public_metadata":{"a":{"b":null,"e":4},"f":[1]}}`).json(t)
	if want := "map[a:map[c:2 e:4] d:3 f:[1]]"; fmt.Sprint(got["public_metadata"]) != want || fmt.Sprint(got["private_metadata"]) != "map[secret:true]" {
		t.Errorf("merged: %v and %v", got["public_metadata"], got["private_metadata"])
	}
	got = b.call(t, http.MethodPut, path, `{"public_metadata":{"only":1}}`).json(t)
	if fmt.Sprint(got["public_metadata"]) != "map[only:1]" || fmt.Sprint(got["private_metadata"]) != "map[secret:true]" {
		t.Errorf("replaced: %v and %v", got["public_metadata"], got["private_metadata"])
	}
	if big := b.call(t, http.MethodPatch, path, `{"public_metadata":{"a":"`+strings.Repeat("a", 9<<10)+`"}}`); big.status != http.StatusUnprocessableEntity {
		t.Errorf("nine kilobytes: %d", big.status)
	}
	if bad := b.call(t, http.MethodPatch, path, `{"public_metadata":`); bad.status != http.StatusBadRequest {
		t.Errorf("no JSON: %d", bad.status)
	}
}

func TestMetadataRateLimit(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *sim.Options) { o.Start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) })
	write := func(organization string) seen {
		return b.call(t, http.MethodPatch, "/v1/organizations/"+organization+"/metadata", `{"public_metadata":{"a":1}}`)
	}
	for range 10 {
		if got := write("org_acme"); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	b.Kit.Clock.Advance(9 * time.Second)
	if got := write("org_acme"); got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") != "1" {
		t.Errorf("the eleventh: %d, %q", got.status, got.header.Get("Retry-After"))
	}
	if got := write("org_second"); got.status != http.StatusOK {
		t.Errorf("another organization: %d", got.status)
	}
	b.Kit.Clock.Advance(time.Second)
	if got := write("org_acme"); got.status != http.StatusOK {
		t.Errorf("after the window: %d", got.status)
	}
}

func TestWholeBackendRateLimit(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *sim.Options) {
		limits := sim.DefaultLimits()
		limits.BackendRequests = 3
		o.Limits, o.Start = &limits, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	})
	for n := range 5 {
		got := b.call(t, http.MethodGet, "/v1/organizations", "")
		if (got.status == http.StatusTooManyRequests) != (n >= 3) {
			t.Errorf("call %d: %d", n+1, got.status)
		}
	}
	if got := b.call(t, http.MethodGet, "/v1/jwks", ""); got.status != http.StatusOK {
		t.Errorf("keys have no limit: %d", got.status)
	}
}

func TestOrganizationsLive(t *testing.T) {
	t.Parallel()
	var hooks receiver
	target := httptest.NewServer(&hooks)
	defer target.Close()
	b := start(t, func(o *sim.Options) { o.Endpoints = []sim.Endpoint{{URL: target.URL, Secrets: []string{hook}}} })
	made := b.call(t, http.MethodPost, "/v1/organizations", `{"name":"New Organization","created_by":"user_bob"}`).json(t)
	id, _ := made["id"].(string)
	if !strings.HasPrefix(id, "org_") || made["slug"] != "new-organization" || made["members_count"] != float64(1) {
		t.Errorf("made: %v", made)
	}
	if got := b.call(t, http.MethodPatch, "/v1/organizations/"+id, `{"name":"Renamed"}`).json(t); got["name"] != "Renamed" {
		t.Errorf("renamed: %v", got)
	}
	if got := b.call(t, http.MethodPost, "/v1/organizations/"+id+"/memberships", `{"user_id":"user_ada","role":"org:member"}`); got.status != 200 {
		t.Errorf("member: %s", got.body)
	}
	if got := b.call(t, http.MethodPatch, "/v1/organizations/"+id+"/memberships/user_ada", `{"role":"org:admin"}`).json(t); got["role"] != "org:admin" {
		t.Errorf("role: %v", got)
	}
	if got := b.call(t, http.MethodGet, "/v1/organizations/"+id+"/memberships", "").json(t); got["total_count"] != float64(2) {
		t.Errorf("members: %v", got)
	}
	if got := b.call(t, http.MethodGet, "/v1/users/user_ada/organization_memberships?limit=1&offset=1", "").json(t); got["total_count"] != float64(3) || len(got["data"].([]any)) != 1 {
		t.Errorf("places: %v", got)
	}
	if got := b.call(t, http.MethodDelete, "/v1/organizations/"+id, "").json(t); got["deleted"] != true {
		t.Errorf("deleted: %v", got)
	}
	if got := b.call(t, http.MethodGet, "/v1/organizations/"+id, ""); got.status != http.StatusNotFound {
		t.Errorf("gone: %d", got.status)
	}
	drain(t, b)
	sent := map[string]int{}
	for _, body := range hooks.bodies {
		kind, _, _ := strings.Cut(strings.SplitAfter(body, `"type":"`)[1], `"`)
		sent[kind]++
	}
	for kind, want := range map[string]int{
		"organization.created": 1, "organization.updated": 1, "organization.deleted": 1,
		"organizationMembership.created": 1, "organizationMembership.updated": 1,
	} {
		if sent[kind] != want {
			t.Errorf("%s was sent %d times: %v", kind, sent[kind], sent)
		}
	}
}

func TestSessionsOverTheBackend(t *testing.T) {
	t.Parallel()
	b := start(t)
	opened := b.call(t, http.MethodPost, "/v1/sessions", `{"user_id":"user_ada","active_organization_id":"org_acme"}`).json(t)
	path := "/v1/sessions/" + opened["id"].(string)
	two := claims(t, b.call(t, http.MethodPost, path+"/tokens", "").json(t)["jwt"])
	if two["v"] != float64(2) || two["o"].(map[string]any)["id"] != "org_acme" || two["o"].(map[string]any)["rol"] != "admin" || two["org_id"] != nil || two["sid"] != opened["id"] {
		t.Errorf("version 2: %v", two)
	}
	b.call(t, http.MethodPost, "/_sim/settings", `{"session_version":1}`)
	one := claims(t, b.call(t, http.MethodPost, path+"/tokens", `{"expires_in_seconds":600}`).json(t)["jwt"])
	if one["v"] != nil || one["org_id"] != "org_acme" || one["org_role"] != "org:admin" || one["o"] != nil || one["exp"].(float64)-one["iat"].(float64) != 600 {
		t.Errorf("version 1: %v", one)
	}
	if got := b.call(t, http.MethodPost, "/v1/sessions", `{"user_id":"user_bob","active_organization_id":"org_acme"}`); got.status != http.StatusNotFound {
		t.Errorf("a foreign organization: %d", got.status)
	}
}

func TestPasswordsOverTheBackend(t *testing.T) {
	t.Parallel()
	b := start(t)
	made := b.call(t, http.MethodPost, "/v1/users", `{"email_address":["eve@example.com"]}`).json(t)
	for path, c := range map[string]struct {
		body string
		want int
	}{
		"user_ada":             {`{"password":"ada's password"}`, 200},
		"user_bob":             {`{"password":"ada's password"}`, 422},
		"user_unknown":         {`{"password":"ada's password"}`, 404},
		made["id"].(string):    {`{"password":"any"}`, 400},
		"user_ada/not-a-route": {`{}`, 404},
	} {
		path = "/v1/users/" + path + "/verify_password"
		if got := b.call(t, http.MethodPost, path, c.body); got.status != c.want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	if got := b.call(t, http.MethodGet, "/v1/users?email_address=EVE@example.com", ""); !strings.HasPrefix(got.body, "[{") || strings.Count(got.body, `"object":"user"`) != 1 {
		t.Errorf("found: %s", got.body)
	}
}

func TestControls(t *testing.T) {
	t.Parallel()
	b := start(t)
	if got := b.call(t, http.MethodPost, "/_sim/settings", `{"auto_approve":true}`).json(t); got["auto_approve"] != true {
		t.Errorf("settings: %v", got)
	}
	if got := b.call(t, http.MethodPost, "/_sim/settings", `{"omit_issuer":true}`).json(t); got["auto_approve"] != true || got["omit_issuer"] != true {
		t.Errorf("settings: %v", got)
	}
	token := b.call(t, http.MethodPost, "/_sim/tokens", `{"kind":"oauth","user_id":"user_ada","organization_id":"org_acme","expires_in_seconds":-60}`).json(t)["token"]
	if c := claims(t, token); c["client_id"] != "public" || int64(c["exp"].(float64)) >= time.Now().Unix() || c["iat"].(float64) >= c["exp"].(float64) {
		t.Errorf("expired token: %v", c)
	}
	for _, bad := range []string{
		`{"kind":"other"}`, `{"kind":"session","user_id":"unknown"}`, `{"kind":"session","user_id":"user_bob","organization_id":"org_acme"}`, `{`,
	} {
		if got := b.call(t, http.MethodPost, "/_sim/tokens", bad); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", bad, got.status, got.body)
		}
	}
	state := b.call(t, http.MethodGet, "/_sim/state", "")
	for _, secret := range []string{"ada's password", "client secret", secretKey} {
		if strings.Contains(state.body, secret) {
			t.Errorf("the state shows %q", secret)
		}
	}
	if len(state.json(t)["organizations"].([]any)) != 3 {
		t.Errorf("state: %s", state.body)
	}
}
