package e2e

import (
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
