package budget_test

import (
	"sync"
	"testing"

	"docledger/infrastructure/budget"
)

func TestBudgetRefusesExcess(t *testing.T) {
	t.Parallel()
	b := budget.New(100)
	first, second := b.Lease(), b.Lease()
	if !first.Grow(60) || !second.Grow(40) {
		t.Fatal("work that fits was refused")
	}
	if first.Grow(1) || second.Grow(1) {
		t.Fatal("the leases exceed the budget")
	}
	second.Release()
	second.Release()
	if b.Used() != 60 || !first.Grow(40) {
		t.Errorf("the released amount is still in use: %d", b.Used())
	}
	first.Release()
	if b.Used() != 0 {
		t.Errorf("%d used without a lease", b.Used())
	}
}

func TestSharesKeepRoomForOthers(t *testing.T) {
	t.Parallel()
	b := budget.New(100)
	mine := budget.Share{Key: "mine", Max: 50}
	first, second, other := b.Lease(mine), b.Lease(mine), b.Lease(budget.Share{Key: "other", Max: 50})
	if !first.Grow(40) || second.Grow(20) {
		t.Error("one share exceeded its limit")
	}
	if !other.Grow(50) {
		t.Error("another share was refused")
	}
}

// TestLargeWorkRunsAlone checks that work larger than its share or the whole budget
// is admitted if no other work of that key runs.
func TestLargeWorkRunsAlone(t *testing.T) {
	t.Parallel()
	b := budget.New(100)
	large, small := b.Lease(budget.Share{Key: "k", Max: 50}), b.Lease()
	if !large.Grow(200) {
		t.Fatal("large work was refused although nothing else runs")
	}
	if small.Grow(1) {
		t.Error("more work was admitted beyond the budget")
	}
	large.Release()
	if !small.Grow(1) {
		t.Error("work was refused after the budget was free")
	}
}

func TestBudgetIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	b := budget.New(1000)
	var running sync.WaitGroup
	for range 50 {
		running.Go(func() {
			for range 100 {
				l := b.Lease(budget.Share{Key: "k", Max: 300})
				l.Grow(10)
				l.Grow(10)
				l.Release()
			}
		})
	}
	running.Wait()
	if b.Used() != 0 {
		t.Errorf("%d used without a lease", b.Used())
	}
}
