package cache_test

import (
	"context"
	"testing"

	"docledger/adapter/cache"
	"docledger/domain/billing"

	"github.com/google/uuid"
)

// TestInvalidationsAreBounded invalidates more organizations than the cache remembers. A plan that
// was read before the invalidation of its organization must not be used after it.
func TestInvalidationsAreBounded(t *testing.T) {
	t.Parallel()
	m, err := cache.NewMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	fills := 0
	load := func(organization uuid.UUID, during func()) {
		t.Helper()
		_, err := m.Load(ctx, organization, func(context.Context) (billing.Record, error) {
			fills++
			during()
			return billing.Record{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	invalidate := func(organization uuid.UUID) {
		if err := m.Invalidate(ctx, organization); err != nil {
			t.Fatal(err)
		}
	}
	one, untouched := uuid.New(), uuid.New()
	load(untouched, func() {})
	load(one, func() {
		invalidate(one)
		for range 2*cache.MaxPlans + 10 {
			invalidate(uuid.New())
		}
	})
	if kept := m.Remembered(); kept > cache.MaxPlans {
		t.Errorf("%d organizations are remembered, want at most %d", kept, cache.MaxPlans)
	}
	load(one, func() {})
	if fills != 3 {
		t.Errorf("the plan was read %d times, want 3: the second one was read before the invalidation", fills)
	}
	load(one, func() {})
	if fills != 3 {
		t.Error("the plan was read again without an invalidation")
	}
	invalidate(one)
	load(one, func() {})
	if fills != 4 {
		t.Error("the plan was not read again after an invalidation")
	}
}
