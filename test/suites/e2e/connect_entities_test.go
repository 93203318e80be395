package e2e

import (
	"maps"
	"net/http"
	"testing"

	sim "docledger/adapter/sim/xero"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestConnectEntities maps the organizations of one consent to entities with one call.
func TestConnectEntities(t *testing.T) {
	t.Parallel()
	ledger, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(ledger))
	o := s.NewOrganization("Group")
	entity := func(name string) string {
		return s.Do(http.MethodPost, "/api/entities", o.Admin.Token, map[string]any{"name": name}).OK().Text("id")
	}
	second, third := entity("Second"), entity("Third")
	id := s.Connect(o, o.Entity, ledger, sim.TaxedOrganization, sim.UntaxedOrganization)
	connect := func(token string, items ...map[string]any) harness.Response {
		return s.Do(http.MethodPost, "/api/v1/integrations/"+id+"/entities", token, map[string]any{"items": items})
	}
	all := []map[string]any{
		{"entity_id": o.Entity, "organization_id": sim.TaxedOrganization, "pays_tax": true},
		{"entity_id": second, "organization_id": sim.UntaxedOrganization, "pays_tax": false},
		{"entity_id": third, "organization_id": sim.UntaxedOrganization, "pays_tax": false},
		{"entity_id": uuid.NewString()},
	}
	r := connect(o.Admin.Token, all...).OK()
	if r.Text("items", 0, "status") != "ACTIVE" || r.Text("items", 0, "integration_id") != id || r.Text("items", 1, "status") != "ACTIVE" ||
		r.Text("items", 2, "error", "code") != "conflict" || r.Text("items", 3, "error", "code") != "not_found" {
		t.Fatalf("connected %s", r.Raw)
	}
	// The third entity has an integration with the consent that waits for its setup.
	r = connect(o.Admin.Token, map[string]any{"entity_id": third}).OK()
	if r.Text("items", 0, "status") != "PENDING" || r.At("items", 0, "error") != nil {
		t.Errorf("connected %s", r.Raw)
	}
	// Both operations that name an integration accept its entity in the query and in the body.
	for _, operation := range []struct {
		path string
		body map[string]any
	}{
		{"/api/integrations/" + id + "/connect", map[string]any{"redirect_url": harness.RedirectURL}},
		{"/api/v1/integrations/" + id + "/entities", map[string]any{"items": all[:1]}},
	} {
		send := func(query string, entityID any) harness.Response {
			body := maps.Clone(operation.body)
			if entityID != nil {
				body["entity_id"] = entityID
			}
			return s.Do(http.MethodPost, operation.path+query, o.Admin.Token, body)
		}
		send("", o.Entity).OK()
		send("?entity_id="+o.Entity.String(), nil).OK()
		send("?entity_id="+o.Entity.String(), o.Entity).OK()
		send("?entity_id="+o.Entity.String(), second).Want(400, "invalid_request")
		send("", second).Want(404, "not_found")
		send("", uuid.NewString()).Want(404, "not_found")
		send("", uuid.Nil).Want(404, "not_found")
	}
	if again := connect(o.Admin.Token, all[:2]...).OK(); again.Text("items", 1, "status") != "ACTIVE" {
		t.Errorf("repeated: %s", again.Raw)
	}
	connect(o.Admin.Token, all[0], all[0]).Want(400, "invalid_request")
	other := s.NewOrganization("Others")
	connect(other.Admin.Token, map[string]any{"entity_id": other.Entity}).Want(404, "not_found")
	if r := connect(o.Admin.Token, map[string]any{"entity_id": other.Entity}).OK(); r.Text("items", 0, "error", "code") != "not_found" {
		t.Errorf("an entity of another organization: %s", r.Raw)
	}
}
