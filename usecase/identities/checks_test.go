package identities

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestChecksAreShared starts concurrent checks.
func TestChecksAreShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c checks
		asked, refused := 0, errors.New("refused")
		ask := func(context.Context) error {
			asked++
			time.Sleep(time.Second)
			return refused
		}
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if err := c.do(t.Context(), "user_1", time.Now, ask); !errors.Is(err, refused) {
					t.Errorf("got %v", err)
				}
			})
		}
		all.Wait()
		if _ = c.do(t.Context(), "user_1", time.Now, ask); asked != 1 {
			t.Errorf("asked %d times", asked)
		}
		time.Sleep(checkPause)
		if _ = c.do(t.Context(), "user_1", time.Now, ask); asked != 2 {
			t.Errorf("asked %d times", asked)
		}
	})
}

// TestPanicIsAnError checks that a panic neither ends the process nor blocks waiting
// callers.
func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c checks
		if err := c.do(t.Context(), "user_1", time.Now, func(context.Context) error { panic("broken") }); err == nil {
			t.Error("a panic returned no error")
		}
		time.Sleep(checkPause)
		if err := c.do(t.Context(), "user_1", time.Now, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
	})
}
