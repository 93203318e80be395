package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/httpapi/spectest"
	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	simclerk "docledger/adapter/sim/clerk"
)

// keyMayCall reports whether an API key may call an operation, as domain D18
// states it.
func keyMayCall(op spectest.Operation) bool {
	_, ofEntity := identity.LeastRole(identity.Permission(op.Permission))
	return ofEntity || op.ID == "getMe"
}

// addKeys adds API keys of every role to the callers of the matrix, limited to
// the entity and not limited, and keys that must be refused.
func (v *tenancy) addKeys(people map[identity.EntityRole]harness.Person) {
	key := func(role identity.EntityRole, entities ...string) harness.Response {
		body := map[string]any{"name": string(role), "role": role}
		if len(entities) > 0 {
			body["entity_ids"] = entities
		}
		return v.s.Do(http.MethodPost, "/api/api-keys", v.org.Admin.Token, body).OK()
	}
	for role := range people {
		v.callers = append(v.callers, caller{name: "key " + string(role), token: key(role, v.org.Entity.String()).Text("secret"), role: role, known: true, key: true})
	}
	elsewhere := v.s.Do(http.MethodPost, "/api/entities", v.org.Admin.Token, map[string]any{"name": "Elsewhere"}).OK().Text("id")
	revoked := key(identity.Approver)
	v.s.Do(http.MethodDelete, "/api/api-keys/"+revoked.Text("id"), v.org.Admin.Token, nil).OK()
	v.callers = append(v.callers,
		caller{name: "key for every entity", token: key(identity.Approver).Text("secret"), role: identity.Approver, known: true, key: true},
		caller{name: "key of another entity", token: key(identity.Approver, elsewhere).Text("secret"), known: true, key: true},
		caller{name: "revoked key", token: revoked.Text("secret")},
		caller{name: "unknown key", token: identity.KeyPrefix + strings.Repeat("a", 43)},
	)
	v.spareKey = key(identity.Viewer).Text("id")
}

func TestAPIKeyLife(t *testing.T) {
	t.Parallel()
	clock := newHands()
	s := harness.Start(t, harness.Options{NoWorkers: true, Overrides: service.Overrides{Clock: clock}})
	org := s.NewOrganization("Keys")
	other := s.NewOrganization("Other").Entity
	admin := func(method, path string, body any) harness.Response {
		return s.Do(method, path, s.Login(org.Admin.Email), body)
	}
	for field, body := range map[string]map[string]any{
		"expires_at":    {"name": "A", "role": "VIEWER", "expires_at": clock.Now().Add(367 * 24 * time.Hour)},
		"name":          {"name": " ", "role": "VIEWER"},
		"entity_ids[0]": {"name": "A", "role": "VIEWER", "entity_ids": []any{other}},
		"entity_ids":    {"name": "A", "role": "ADMIN", "entity_ids": []any{org.Entity}},
	} {
		if got := admin(http.MethodPost, "/api/api-keys", body).Want(400, "invalid_request").Text("error", "details", "fields", 0, "field"); got != field {
			t.Errorf("%v names the field %q", body, got)
		}
	}
	admin(http.MethodPost, "/api/api-keys", map[string]any{"name": "A", "role": "VIEWER", "expires_at": clock.Now().Add(-time.Second)}).Want(400, "invalid_request")
	admin(http.MethodPost, "/api/api-keys", map[string]any{"name": "A", "role": "ADMIN"}).Want(403, "forbidden")

	made := admin(http.MethodPost, "/api/api-keys", map[string]any{"name": " Import ", "role": "EDITOR", "entity_ids": []any{org.Entity}}).OK()
	secret := made.Text("secret")
	if made.Text("name") != "Import" || !strings.HasPrefix(secret, identity.KeyPrefix) || !strings.HasSuffix(secret, made.Text("hint")) || made.At("last_used_at") != nil {
		t.Errorf("the new key: %s", made.Raw)
	}
	document := s.Upload(secret, org.Entity, "k.xml", harness.UBL("K-1")).OK()
	if document.Text("created_by") != made.Text("id") {
		t.Errorf("created by %s, want the key", document.Text("created_by"))
	}
	me := s.Do(http.MethodGet, "/api/me", secret, nil).OK()
	if me.Text("credential", "type") != "API_KEY" || me.Text("user", "id") != org.Admin.ID.String() || me.Len("organizations") != 1 {
		t.Errorf("me: %s", me.Raw)
	}
	events := s.Do(http.MethodGet, "/api/events", secret, nil).OK()
	if events.Len("items") == 0 || strings.Contains(string(events.Raw), "api_key.created") || !strings.Contains(string(events.Raw), `"API_KEY"`) {
		t.Errorf("events of the key: %s", events.Raw)
	}
	list := admin(http.MethodGet, "/api/api-keys", nil).OK()
	if list.Len("items") != 1 || list.Text("items", 0, "last_used_at") == "" || strings.Contains(string(list.Raw), secret) {
		t.Errorf("the list: %s", list.Raw)
	}
	used := list.Text("items", 0, "last_used_at")
	clock.advance(time.Minute)
	s.Do(http.MethodGet, "/api/me", secret, nil).OK()
	if again := admin(http.MethodGet, "/api/api-keys", nil).OK().Text("items", 0, "last_used_at"); again != used {
		t.Errorf("a use within five minutes was written: %s after %s", again, used)
	}

	notices := func() int {
		if err := s.Service.APIKeys.NoteExpiring(context.Background(), clock.Now()); err != nil {
			t.Fatal(err)
		}
		return admin(http.MethodGet, "/api/events?type=api_key.expiring", nil).OK().Len("items")
	}
	before := notices()
	clock.advance(identity.DefaultKeyLife - identity.KeyExpiryNotice)
	if first, second := notices(), notices(); before != 0 || first != 1 || second != 1 {
		t.Errorf("notices: %d, %d, %d", before, first, second)
	}
	s.Do(http.MethodGet, "/api/me", secret, nil).OK()
	clock.advance(identity.KeyExpiryNotice)
	s.Do(http.MethodGet, "/api/me", secret, nil).Want(401, "unauthorized")
}

// TestAdminKeys creates an entity with a key of the role ADMIN, and verifies
// that the variable decides about existing keys too.
func TestAdminKeys(t *testing.T) {
	t.Parallel()
	o := harness.Options{NoWorkers: true, DataDir: t.TempDir(), Env: map[string]string{"ADMIN_API_KEYS": "on"}}
	var secret string
	t.Run("on", func(t *testing.T) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Admin keys")
		secret = s.Do(http.MethodPost, "/api/api-keys", org.Admin.Token, map[string]any{"name": "A", "role": "ADMIN"}).OK().Text("secret")
		s.Do(http.MethodPost, "/api/entities", secret, map[string]any{"name": "Made by a key"}).OK()
		s.Do(http.MethodPost, "/api/api-keys", org.Admin.Token, map[string]any{"name": "B", "role": "VIEWER"}).OK()
		newest := s.Do(http.MethodGet, "/api/api-keys?limit=1", org.Admin.Token, nil).OK()
		oldest := s.Do(http.MethodGet, "/api/api-keys?limit=1&cursor="+newest.Text("next_cursor"), org.Admin.Token, nil).OK()
		if newest.Text("items", 0, "name") != "B" || oldest.Text("items", 0, "name") != "A" || oldest.At("next_cursor") != nil {
			t.Errorf("the pages of keys: %s, %s", newest.Raw, oldest.Raw)
		}
		for _, op := range s.Checker.Operations() {
			if identity.Permission(op.Permission) != identity.Admin || slices.Contains([]string{"createEntity", "createConnectLink"}, op.ID) {
				continue
			}
			path := strings.NewReplacer("{", "", "}", "").Replace(op.Path)
			s.Do(op.Method, path, secret, nil).Want(403, "forbidden")
		}
	})
	o.Env = nil
	s := harness.Start(t, o)
	s.Do(http.MethodGet, "/api/me", secret, nil).Want(401, "unauthorized")
}

// TestToolServerRefusesAPIKeys verifies that a key gets the ordinary 401 of the
// tool server (interface 5.1).
func TestToolServerRefusesAPIKeys(t *testing.T) {
	t.Parallel()
	p := harness.NewProvider(t, simclerk.Options{})
	s := harness.Start(t, harness.Options{NoWorkers: true}.WithProvider(p))
	org := s.NewOrganization("Tools")
	secret := s.Do(http.MethodPost, "/api/api-keys", org.Admin.Token, map[string]any{"name": "A", "role": "APPROVER"}).OK().Text("secret")
	call := func(token string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode, r.Header.Get("Www-Authenticate")
	}
	status, challenge := call(secret)
	ordinary, wanted := call("forged")
	if status != http.StatusUnauthorized || status != ordinary || challenge != wanted {
		t.Errorf("a key gets %d %q, a forged token %d %q", status, challenge, ordinary, wanted)
	}
}
