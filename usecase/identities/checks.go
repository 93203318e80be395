package identities

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// rememberedChecks is how many latest checks are kept.
const rememberedChecks = 10_000

// checks bounds how often the provider is asked about one person or
// organization, whatever is sent to us: callers at the same time share one
// question, and its outcome stands for checkPause. The zero value is ready.
type checks struct {
	mu     sync.Mutex
	latest map[string]*check
}

// check is one question: err is set and done closed when it is answered.
type check struct {
	done     chan struct{}
	answered time.Time // zero while it runs
	err      error
}

// do asks about a subject, unless that is being done or was done a moment ago.
func (c *checks) do(ctx context.Context, subject string, now func() time.Time, ask func(context.Context) error) error {
	one, first := c.join(subject, now())
	if first {
		// The question outlives whoever asked first: others wait for it too.
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
		// Rare enough that forgetting all is simpler than choosing.
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

// guarded asks. A panic is an error like any other: nobody above this goroutine
// would catch it, and the others would wait for ever.
func guarded(ctx context.Context, ask func(context.Context) error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v\n%s", panicked, debug.Stack())
		}
	}()
	return ask(ctx)
}
