// Package operations tests requirements of operators: limits, headers, metrics,
// traces, logs, shutdown, outages, and fairness between organizations.
package operations

import (
	"os"
	"testing"

	"docledger/adapter/extract/worker"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	if serveIfChild() {
		return
	}
	os.Exit(m.Run())
}

func uuidOf(t *testing.T, text string) uuid.UUID {
	t.Helper()
	id, err := uuid.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// connect connects the entity to a ledger.
func (w *world) connect(l *harness.Ledger) (integration string) {
	w.t.Helper()
	o := harness.Organization{Entity: uuidOf(w.t, w.entity), Admin: harness.Person{Token: w.token}}
	return w.Activate(o, o.Entity, l, l.Tenants[0])
}
