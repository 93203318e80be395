package usecase

import (
	"context"
	"sync"

	"github.com/google/uuid"
)

// Turns admits one caller of each organization at a time. The zero value is ready to use.
type Turns struct {
	mu    sync.Mutex
	slots map[uuid.UUID]*slot
}

// slot is the turn of one organization.
type slot struct {
	free  chan struct{} // contains a value while the turn is free
	users int           // callers that have or await the turn
}

// Take waits for the turn of an organization, at most until ctx ends. The caller calls done.
func (t *Turns) Take(ctx context.Context, organization uuid.UUID) (done func(), err error) {
	t.mu.Lock()
	if t.slots == nil {
		t.slots = map[uuid.UUID]*slot{}
	}
	s := t.slots[organization]
	if s == nil {
		s = &slot{free: make(chan struct{}, 1)}
		s.free <- struct{}{}
		t.slots[organization] = s
	}
	s.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if s.users--; s.users == 0 {
			delete(t.slots, organization)
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
