// Package cputime measures the processor time of readers. Unlike a wall clock it
// does not depend on what else the machine does.
package cputime

import (
	"runtime"
	"testing"
	"time"
)

// Limit is the processor time that content of the given size may take: the
// greater of 2 s and 250 ms + 50 ms for each kB.
func Limit(bytes int) time.Duration {
	const perKB = 50 * time.Millisecond
	return max(2*time.Second, 250*time.Millisecond+time.Duration(bytes)*perKB/1000)
}

// Within fails a test in which do, over content of the given size, takes more
// than Limit on its thread. It measures nothing under the race detector, which
// slows code down several times.
func Within(t testing.TB, bytes int, do func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := of(thread)
	do()
	if took := of(thread) - before; took > Limit(bytes) && !race {
		t.Errorf("%d bytes took %v of processor time, which is more than %v", bytes, took, Limit(bytes))
	}
}
