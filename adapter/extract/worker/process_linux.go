package worker

import (
	"bytes"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// executable is the running binary, even if its file was exchanged since.
func executable() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}

// detach puts a child in a process group of its own, so that a signal from the
// terminal reaches it through its parent, and ties its life to the parent's.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// limitMemory bounds the memory of this process: the collector works harder
// from half of it, and an allocation beyond it ends the process.
func limitMemory(n int64) {
	if n <= 0 {
		return
	}
	debug.SetMemoryLimit(n / 2)
	if hardLimit {
		limit := &syscall.Rlimit{Cur: uint64(n), Max: uint64(n)}
		syscall.Setrlimit(syscall.RLIMIT_DATA, limit) //nolint:errcheck // the parent watches too
	}
	syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) //nolint:errcheck // no dump of a document
}

// resident returns how many bytes of memory a process has filled itself, mapped
// files left out; 0 where that can't be known.
func resident(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 3 {
		return 0
	}
	all, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (all - shared) * int64(os.Getpagesize())
}

// processorTime returns the time that the threads of a process have run; 0 where that
// cannot be known. It reads the clock of the process, because a file of /proc takes many times
// as long, twice for each document.
func processorTime(pid int) time.Duration {
	// The number of the clock of a process (Linux, include/linux/posix-timers_types.h).
	const allThreads = 2 // CPUCLOCK_SCHED
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|allThreads), &t) != nil { //nolint:gosec // a process number has at most 22 bits
		return 0
	}
	return time.Duration(t.Nano())
}

// preferLarge asks for large pages, of which few have to be cleared one by one.
func preferLarge(memory []byte) {
	syscall.Madvise(memory, syscall.MADV_HUGEPAGE) //nolint:errcheck // small ones do as well
}

// canZero reports that zero works.
const canZero = true

// zero makes whole pages of the engine's memory zero. It reports whether it could.
func zero(memory []byte) bool {
	return len(memory) == 0 || syscall.Madvise(memory, syscall.MADV_DONTNEED) == nil
}
