package identities

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// rememberedChecks is the maximum number of stored checks.
const rememberedChecks = 10_000

// checks limits calls to the provider about one user or organization. Concurrent
// callers share one call, and its result is valid for checkPause. The zero value is
// ready to use.
type checks struct {
	mu     sync.Mutex
	latest map[string]*check
}

// check is one call. When it ends, err is set and done is closed.
type check struct {
	done     chan struct{}
	answered time.Time // zero while it runs
	err      error
}

// do calls ask for a subject, unless a call is running or ended recently.
func (c *checks) do(ctx context.Context, subject string, now func() time.Time, ask func(context.Context) error) error {
	one, first := c.join(subject, now())
	if first {
		// The call outlives its first caller, because others wait for it too.
		go c.answer(context.WithoutCancel(ctx), one, now, ask)
	}
	select {
	case <-one.done:
		return one.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *checks) join(subject string, now time.Time) (one *check, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if one := c.latest[subject]; one != nil && (one.answered.IsZero() || now.Sub(one.answered) < checkPause) {
		return one, false
	}
	if c.latest == nil || len(c.latest) >= rememberedChecks {
		// This happens rarely, so that deleting all is simpler than selecting some.
		c.latest = map[string]*check{}
	}
	one = &check{done: make(chan struct{})}
	c.latest[subject] = one
	return one, true
}

func (c *checks) answer(ctx context.Context, one *check, now func() time.Time, ask func(context.Context) error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := guarded(ctx, ask)
	c.mu.Lock()
	defer c.mu.Unlock()
	one.answered, one.err = now(), err
	close(one.done)
}

// guarded calls ask and converts a panic into an error. No caller of this goroutine
// would recover it, and waiting callers would block forever.
func guarded(ctx context.Context, ask func(context.Context) error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return ask(ctx)
}
