package harness

import (
	"time"
)

// Eventually waits until something is so and returns how long that took. It
// fails the test when that takes longer than the bound; state tells what is so
// instead.
func (s *Server) Eventually(what string, within time.Duration, done func() bool, state func() string) time.Duration {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		if done() {
			return time.Since(began)
		}
		if time.Since(began) > within {
			s.t.Fatalf("not %s within %s: %s", what, within, state())
		}
	}
}
