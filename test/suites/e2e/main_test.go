// Package e2e tests the whole service over HTTP.
package e2e

import (
	"os"
	"testing"

	"docledger/adapter/extract/worker"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}
