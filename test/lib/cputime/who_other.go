//go:build unix && !linux

package cputime

import "syscall"

// thread is the whole process, where the system knows no less.
const thread = syscall.RUSAGE_SELF

// rssUnit is the unit of Rusage.Maxrss in bytes.
const rssUnit = 1
