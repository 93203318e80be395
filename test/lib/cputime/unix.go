//go:build unix

package cputime

import (
	"syscall"
	"time"
)

// Children returns the processor time of all child processes that have ended.
func Children() time.Duration { return of(syscall.RUSAGE_CHILDREN) }

// AllChildren returns the processor time of all child processes, including those that have not
// ended, and whether it is known. No child may end during the call.
func AllChildren() (time.Duration, bool) {
	more, known := running()
	return Children() + more, known
}

// ChildrenPeak returns the most memory that one child process which has ended
// had in use, in bytes.
func ChildrenPeak() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return int64(u.Maxrss) * rssUnit
}

func of(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
