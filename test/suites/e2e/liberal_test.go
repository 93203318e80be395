package e2e

import (
	"maps"
	"net/http"
	"net/url"
	"testing"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestARecordThatWasReadCanBePut sends records as they were read. Read-only keys
// with another value are named, and an old version is a conflict.
func TestARecordThatWasReadCanBePut(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Read")
	token := org.Admin.Token
	id := s.Activate(org, org.Entity, l, l.Tenants[0])
	for path, change := range map[string]map[string]any{
		"/api/entities/" + org.Entity.String(): {"name": "Renamed"},
		"/api/settings/" + org.Entity.String(): {"date_order": "DMY"},
		"/api/v1/integrations/" + id:           {},
	} {
		read, _ := s.Do(http.MethodGet, path, token, nil).OK().At().(map[string]any)
		if _, there := read["status_reason"]; there {
			read["status_reason"] = map[string]any{"code": "setup_missing", "message": "Of an earlier status."}
		}
		body := maps.Clone(read)
		maps.Copy(body, change)
		s.Do(http.MethodPut, path, token, body).OK()
		if read["status"] == nil { // the setup did not change
			s.Do(http.MethodPut, path, token, body).Want(400, "version_conflict")
		}
		delete(body, "version")
		delete(body, "updated_at")
		if read["status"] != nil {
			wrong := maps.Clone(body)
			wrong["status"] = "DISCONNECTED" // it is ACTIVE
			r := s.Do(http.MethodPut, path, token, wrong).Want(400, "invalid_request")
			if r.Text("error", "details", "fields", 0, "field") != "status" {
				t.Errorf("another status: %s", r.Raw)
			}
		}
		for _, key := range []string{"id", "entity_id", "organization_id"} {
			if _, there := read[key]; !there || key == "entity_id" && read["status"] != nil {
				continue
			}
			wrong := maps.Clone(body)
			wrong[key] = uuid.NewString()
			r := s.Do(http.MethodPut, path, token, wrong).Want(400, "invalid_request")
			if r.Text("error", "details", "fields", 0, "field") != key {
				t.Errorf("%s of %s: %s", key, path, r.Raw)
			}
		}
	}
}

// TestIntegrationRoutesAcceptTheirEntity names the entity of the integration and
// another one on each route.
func TestIntegrationRoutesAcceptTheirEntity(t *testing.T) {
	t.Parallel()
	l, _ := harness.NewLedgerB(t)
	s := harness.Start(t, harness.Options{}.With(l))
	org := s.NewOrganization("Routes")
	token := org.Admin.Token
	query := url.Values{"entity_id": {org.Entity.String()}, "provider": {l.Provider}, "redirect_url": {harness.RedirectURL}}
	authorize := "/api/v1/integrations/oauth/authorize?"
	if r := s.Do(http.MethodPost, authorize+query.Encode(), token, nil).OK(); r.Text("authorization_url") == "" {
		t.Errorf("the query alone: %s", r.Raw)
	}
	missing := s.Do(http.MethodPost, authorize, token, map[string]any{}).Want(400, "invalid_request")
	if n := missing.Len("error", "details", "fields"); n != 3 {
		t.Errorf("%d fields are missing: %s", n, missing.Raw)
	}
	s.Do(http.MethodPost, authorize+query.Encode(), token, map[string]any{"provider": "DOCSTORE_A"}).Want(400, "invalid_request")
	id := s.Activate(org, org.Entity, l, l.Tenants[0])
	base := "/api/v1/integrations/" + id
	other := s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": "Other"}).OK().Text("id")
	for _, route := range []string{
		base, base + "/accounting-accounts", base + "/accounting-contacts", base + "/accounting-tax-rates", base + "/accounting-currencies",
		base + "/accounting-organizations", "/api/integrations/" + id + "/status",
	} {
		s.Do(http.MethodGet, route+"?entity_id="+org.Entity.String(), token, nil).OK()
		s.Do(http.MethodGet, route+"?entity_id="+other, token, nil).Want(404, "not_found")
	}
	further := map[string]any{"items": []any{map[string]any{"entity_id": other}}}
	s.Do(http.MethodPost, base+"/entities?entity_id="+other, token, further).Want(404, "not_found")
	s.Do(http.MethodPost, base+"/entities?entity_id="+org.Entity.String(), token, further).OK()
	connect := "/api/integrations/" + id + "/connect?entity_id="
	body := map[string]any{"redirect_url": harness.RedirectURL}
	s.Do(http.MethodPost, connect+other, token, body).Want(404, "not_found")
	s.Do(http.MethodPost, connect+org.Entity.String(), token, body).OK()
	accounts := s.Do(http.MethodGet, base+"/accounting-accounts", token, nil).OK()
	for n := range accounts.Len("items") {
		class, unified := accounts.Text("items", n, "class"), accounts.Text("items", n, "account_class")
		if class == "CostofGoodsSold" && unified != "Expense" || class == "AccountsPayable" && unified != "" {
			t.Errorf("%s has the class %q", class, unified)
		}
	}
	repeated := s.Do(http.MethodGet, base+"/accounting-accounts?account_types=BANK&account_types=ASSET", token, nil).OK().Len("items")
	if joined := s.Do(http.MethodGet, base+"/accounting-accounts?account_types=BANK,ASSET", token, nil).OK().Len("items"); joined != repeated || joined == 0 {
		t.Errorf("%d accounts with commas, %d with a repeated parameter", joined, repeated)
	}
	s.Do(http.MethodDelete, base+"?entity_id="+other, token, nil).Want(404, "not_found")
	s.Do(http.MethodDelete, base+"?entity_id="+org.Entity.String(), token, nil).OK()
}

// TestDirectoriesMayNotExistYet sets up a directory that does not exist. The
// status lists it without folders.
func TestDirectoriesMayNotExistYet(t *testing.T) {
	t.Parallel()
	st, _ := harness.NewStoreA(t)
	s := harness.Start(t, harness.Options{}.WithStore(st))
	org := s.NewOrganization("Directories")
	id := s.Watch(org, org.Entity, st, "/Not/There")
	status := s.Do(http.MethodGet, "/api/integrations/"+id+"/status", org.Admin.Token, nil).OK()
	if status.Text("status") != "ACTIVE" {
		t.Errorf("the status is %s", status.Raw)
	}
}
