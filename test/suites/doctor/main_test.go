package doctor

import (
	"os"
	"testing"

	"docledger/adapter/extract/worker"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}
