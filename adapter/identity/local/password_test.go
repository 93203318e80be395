package local

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestEndedRequestsDoNotHash verifies that no hash is computed for a request that
// has ended, whether a slot is free or the request waits for one.
func TestEndedRequestsDoNotHash(t *testing.T) {
	t.Parallel()
	p, err := NewPasswords(Cost{MemoryKiB: 1024, Passes: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, ctx context.Context, want error) {
		t.Helper()
		if hash, err := p.Hash(ctx, "a long password"); hash != "" || !errors.Is(err, want) {
			t.Errorf("%s: Hash = %q, %v", name, hash, err)
		}
		if matches, err := p.Matches(ctx, p.decoy, "no password has this hash"); matches || !errors.Is(err, want) {
			t.Errorf("%s: Matches = %v, %v", name, matches, err)
		}
	}
	for range 20 {
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		refused("a free slot", ended, context.Canceled)
	}
	if !p.slots.TryAcquire(parallel) {
		t.Fatal("an ended request kept its slot")
	}
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	refused("no free slot", late, context.DeadlineExceeded)
	p.slots.Release(parallel)
	if _, err := p.Hash(t.Context(), "a long password"); err != nil {
		t.Error(err)
	}
}
