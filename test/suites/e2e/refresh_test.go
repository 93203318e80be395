package e2e

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	simxero "docledger/adapter/sim/xero"
	"docledger/cmd/service"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
)

// TestExpiredGrantOfTwoReplicas sends 100 concurrent calls to each of two
// replicas with an expired grant, whose refresh token the provider accepts
// once. One refresh must serve all calls, and no reconnect is needed.
func TestExpiredGrantOfTwoReplicas(t *testing.T) {
	t.Parallel()
	clock := newHands()
	ledger, sim := harness.NewLedgerA(t)
	sim.SetLimits(func(l *simxero.Limits) { l.RefreshGrace = 0 })
	o := harness.Options{DatabaseURL: postgres.New(t), NoWorkers: true, Overrides: service.Overrides{Clock: clock}}.With(ledger)
	replicas := []*harness.Server{harness.Start(t, o), harness.Start(t, o)}
	org := replicas[0].NewOrganization("Replicated")
	id := replicas[0].Activate(org, org.Entity, ledger, ledger.Tenants[0])
	path := "/api/v1/integrations/" + id + "/accounting-organizations?entity_id=" + org.Entity.String()

	sim.Kit.Clock.Advance(40 * time.Minute)
	clock.advance(40 * time.Minute)
	before := tokenRequests(sim)
	// A token is valid only at the replica that issued it, because each replica
	// has its own signing key here.
	tokens := []string{replicas[0].Login(org.Admin.Email), replicas[1].Login(org.Admin.Email)}
	var callers sync.WaitGroup
	for n := range 200 {
		s, token := replicas[n%2], tokens[n%2]
		callers.Go(func() {
			if r := s.Do(http.MethodGet, path, token, nil); r.Status != http.StatusOK || r.Len("items") != 1 {
				t.Errorf("%d %s", r.Status, r.Raw)
			}
		})
	}
	callers.Wait()
	if n := tokenRequests(sim) - before; n != 1 {
		t.Errorf("%d refreshes, want 1", n)
	}
	if r := replicas[1].Do(http.MethodGet, "/api/integrations/"+id+"/status", tokens[1], nil).OK(); r.Text("status") != "ACTIVE" {
		t.Errorf("status %s", r.Raw)
	}
}

// tokenRequests counts the token requests to the ledger.
func tokenRequests(sim *simxero.Server) (n int) {
	for _, r := range sim.Kit.Requests() {
		if strings.HasSuffix(r.Path, "/connect/token") {
			n++
		}
	}
	return n
}
