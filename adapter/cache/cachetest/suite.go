// Package cachetest contains the contract tests of billing.PlanCache.
package cachetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/billing"

	"github.com/google/uuid"
)

// Env is a cache under test. Other is the view of a second process, or the same cache
// if there is none. Advance moves the clock for the records of an organization.
type Env struct {
	Cache   billing.PlanCache
	Other   billing.PlanCache
	Advance func(organization uuid.UUID, by time.Duration)
}

func plan(name string) billing.Record {
	limit := 7
	return billing.Record{
		SubscriptionStatus: "active", CurrentPlan: name, MaxEntities: &limit,
		BillingCycleEnd: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
	}
}

func load(t *testing.T, c billing.PlanCache, org uuid.UUID, name string) string {
	t.Helper()
	r, err := c.Load(context.Background(), org, func(context.Context) (billing.Record, error) { return plan(name), nil })
	if err != nil {
		t.Fatal(err)
	}
	if r.MaxEntities == nil || *r.MaxEntities != 7 || r.MaxInvoicesPerMonth != nil || !r.BillingCycleEnd.Equal(plan("").BillingCycleEnd) {
		t.Fatalf("the record was read as %+v", r)
	}
	return r.CurrentPlan
}

// Run runs the contract tests of billing.PlanCache.
func Run(t *testing.T, open func(t *testing.T) Env) {
	t.Run("KeepsForFiveMinutes", func(t *testing.T) {
		t.Parallel()
		e, org := open(t), uuid.New()
		load(t, e.Cache, org, "first")
		e.Advance(org, billing.CacheTTL-time.Second)
		if got := load(t, e.Other, org, "second"); got != "first" {
			t.Errorf("one second before expiry the plan is %s", got)
		}
		e.Advance(org, 2*time.Second)
		if got := load(t, e.Cache, org, "third"); got != "third" {
			t.Errorf("one second after expiry the plan is %s", got)
		}
		if got := load(t, e.Cache, uuid.New(), "other"); got != "other" {
			t.Errorf("another organization has the plan %s", got)
		}
	})
	t.Run("ErrorsAreNotKept", func(t *testing.T) {
		t.Parallel()
		e, org := open(t), uuid.New()
		down := errors.New("down")
		_, err := e.Cache.Load(context.Background(), org, func(context.Context) (billing.Record, error) { return billing.Record{}, down })
		if !errors.Is(err, down) {
			t.Errorf("Load = %v", err)
		}
		if got := load(t, e.Cache, org, "up"); got != "up" {
			t.Errorf("after an error the plan is %s", got)
		}
	})
	t.Run("ConcurrentMissesMakeOneCall", func(t *testing.T) { t.Parallel(); oneCall(t, open(t)) })
	t.Run("FillsFromBeforeAnInvalidationAreNotSeen", func(t *testing.T) { t.Parallel(); lateFill(t, open(t)) })
	t.Run("EveryInterleaving", func(t *testing.T) { t.Parallel(); interleavings(t, open(t)) })
	t.Run("NeverTheOldPlanAfterAnEvent", func(t *testing.T) {
		t.Parallel()
		e, org := open(t), uuid.New()
		for i := range 200 {
			name := fmt.Sprint("plan ", i)
			if err := e.Other.Invalidate(context.Background(), org); err != nil {
				t.Fatal(err)
			}
			if got := load(t, e.Cache, org, name); got != name {
				t.Fatalf("after event %d the plan is %s", i, got)
			}
		}
	})
	t.Run("GivingUpHarmsNobodyElse", func(t *testing.T) {
		t.Parallel()
		e, org := open(t), uuid.New()
		ctx, cancel := context.WithCancel(context.Background())
		began, release := make(chan struct{}), make(chan struct{})
		var first sync.WaitGroup
		first.Go(func() {
			_, err := e.Cache.Load(ctx, org, func(ctx context.Context) (billing.Record, error) {
				close(began)
				<-release
				return plan("slow"), ctx.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the cancelled caller got %v", err)
			}
		})
		<-began
		cancel()
		first.Wait()
		close(release)
		if got := load(t, e.Cache, org, "fresh"); got != "slow" && got != "fresh" {
			t.Errorf("the plan is %s", got)
		}
	})
}

func oneCall(t *testing.T, e Env) {
	org := uuid.New()
	var calls atomic.Int64
	began, release := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (billing.Record, error) {
		if calls.Add(1) == 1 {
			close(began)
		}
		<-release
		return plan("one"), nil
	}
	var callers sync.WaitGroup
	get := func() {
		if r, err := e.Cache.Load(context.Background(), org, slow); err != nil || r.CurrentPlan != "one" {
			t.Errorf("Load = %+v, %v", r, err)
		}
	}
	callers.Go(get)
	<-began
	for range 20 {
		callers.Go(get)
	}
	close(release)
	callers.Wait()
	if calls.Load() != 1 {
		t.Errorf("%d calls were made", calls.Load())
	}
}

// lateFill ends a fill after an invalidation that happened during the fill.
func lateFill(t *testing.T, e Env) {
	org := uuid.New()
	began, release := make(chan struct{}), make(chan struct{})
	var old sync.WaitGroup
	old.Go(func() {
		_, err := e.Cache.Load(context.Background(), org, func(context.Context) (billing.Record, error) {
			close(began)
			<-release
			return plan("old"), nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-began
	if err := e.Cache.Invalidate(context.Background(), org); err != nil {
		t.Fatal(err)
	}
	if got := load(t, e.Cache, org, "new"); got != "new" {
		t.Errorf("a load after the event joined the old fill: %s", got)
	}
	close(release)
	old.Wait()
	for name, c := range map[string]billing.PlanCache{"this": e.Cache, "the other": e.Other} {
		if got := load(t, c, org, "newest"); got == "old" {
			t.Errorf("%s process returns the old plan", name)
		}
	}
}
