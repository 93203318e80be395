package kit

import (
	"context"
	"sync"
	"time"
)

// Clock is a simulator's own time.
type Clock struct {
	mu      sync.Mutex
	fixed   time.Time // the fixed time; zero if the clock runs
	ahead   time.Duration
	changed chan struct{} // closed at each advance
	moved   []func()
}

func newClock(start time.Time) *Clock {
	return &Clock{fixed: start.UTC(), changed: make(chan struct{})}
}

// Now is the simulator's time in UTC.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *Clock) now() time.Time {
	if !c.fixed.IsZero() {
		return c.fixed.Add(c.ahead)
	}
	return time.Now().Add(c.ahead).UTC()
}

// OnAdvance registers f, which is called after every advance, before Advance returns.
func (c *Clock) OnAdvance(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.moved = append(c.moved, f)
}

// Advance advances the clock.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	c.ahead += by
	close(c.changed)
	c.changed = make(chan struct{})
	moved := append([]func(){}, c.moved...)
	c.mu.Unlock()
	for _, f := range moved {
		f()
	}
}

// Wait waits until the clock has reached a time. It returns the context's error.
func (c *Clock) Wait(ctx context.Context, until time.Time) error {
	for {
		c.mu.Lock()
		left, changed, runs := until.Sub(c.now()), c.changed, c.fixed.IsZero()
		c.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if err := c.pause(ctx, left, changed, runs); err != nil {
			return err
		}
	}
}

// pause waits for a duration or an advance. It returns the context's error. On a fixed clock only
// an advance ends the wait.
func (c *Clock) pause(ctx context.Context, left time.Duration, changed <-chan struct{}, runs bool) error {
	var reached <-chan time.Time
	if runs {
		timer := time.NewTimer(left)
		defer timer.Stop()
		reached = timer.C
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-reached:
	}
	return nil
}
