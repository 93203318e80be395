package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time of all threads of a process, exact to less than a
// microsecond.
func processorTime(pid int) (time.Duration, error) {
	// The number of the clock of a process (Linux, include/linux/posix-timers_types.h).
	const allThreads = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	err := unix.ClockGettime(int32(^pid<<3|allThreads), &t) //nolint:gosec // a process number has at most 22 bits
	return time.Duration(t.Nano()), err
}
