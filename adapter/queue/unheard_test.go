package queue

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestBegunJobsAreForgottenInTime checks that a started job is recorded for as long as it may run,
// and then dropped.
func TestBegunJobsAreForgottenInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b startedJobs
		given := []jobAttempt{{id: 1, attempt: 1}, {id: 1, attempt: 2}, {id: 2, attempt: 1}}
		want := func(ids ...int64) {
			t.Helper()
			if got := b.without(given); !slices.Equal(got, ids) {
				t.Errorf("never began: %v, want %v", got, ids)
			}
		}
		want(1, 1, 2)
		b.add(given[0])
		b.add(given[2])
		want(1) // its second attempt
		b.forget(given[2])
		want(1, 2)
		time.Sleep(3 * endedRetention)
		want(1, 2) // the first one runs long
		b.end(given[0])
		time.Sleep(endedRetention)
		want(1, 2) // its end may not be stored yet
		b.add(given[1])
		time.Sleep(time.Second)
		b.end(given[1])
		want(2)
		time.Sleep(endedRetention + time.Second)
		b.end(jobAttempt{id: 3, attempt: 1})
		want(1, 2)
		if kept := len(b.running) + len(b.lately) + len(b.older); kept != 2 {
			t.Errorf("%d jobs are recorded, want the one that ended last and the one before", kept)
		}
	})
}
