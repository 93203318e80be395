// Package operations tests what those who run the service rely on: limits,
// headers, metrics, traces, logs, its end, what it does while something is
// away, and fairness between organizations.
package operations

import (
	"os"
	"testing"

	"docledger/adapter/extract/worker"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}
