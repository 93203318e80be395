package usecase

import (
	"context"
	"sync"
)

// Turns admits one caller of each key at a time, for example of each organization. The
// zero value is ready to use.
type Turns[K comparable] struct {
	mu    sync.Mutex
	slots map[K]*slot
}

// slot is the turn of one key.
type slot struct {
	free  chan struct{} // contains a value while the turn is free
	users int           // callers that have or await the turn
}

// Take waits for the turn of a key, at most until ctx ends. The caller calls done.
func (t *Turns[K]) Take(ctx context.Context, key K) (done func(), err error) {
	t.mu.Lock()
	if t.slots == nil {
		t.slots = map[K]*slot{}
	}
	s := t.slots[key]
	if s == nil {
		s = &slot{free: make(chan struct{}, 1)}
		s.free <- struct{}{}
		t.slots[key] = s
	}
	s.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(t.slots, key)
		}
	}
	select {
	case <-s.free:
		return func() { s.free <- struct{}{}; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
