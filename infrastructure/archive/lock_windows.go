package archive

import (
	"math"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock acquires the exclusive lock of a file, or returns an error at once if
// another process has it. The lock is on a byte far after the content, because
// Windows refuses to read and write locked bytes.
func tryLock(file *os.File) error {
	at := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}
