package harness

import (
	"time"
)

// Eventually waits until a condition is true and returns the elapsed time. It
// fails the test if this takes longer than the limit. state returns a
// description of the current state.
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
