package service

import (
	"testing"

	"docledger/adapter/identity/local"
	"docledger/infrastructure/config"
)

func TestPasswordCost(t *testing.T) {
	t.Parallel()
	cfg := config.Config{PasswordMemoryKiB: 32 * 1024}
	if got, want := passwordCost(cfg, Overrides{}), (local.Cost{MemoryKiB: 32 * 1024, Passes: 2, Threads: 1}); got != want {
		t.Errorf("the configured cost is %+v, want %+v", got, want)
	}
	cheap := local.Cost{MemoryKiB: 64, Passes: 1, Threads: 1}
	if got := passwordCost(cfg, Overrides{PasswordCost: &cheap}); got != cheap {
		t.Errorf("the cost of a test is %+v, want %+v", got, cheap)
	}
}
