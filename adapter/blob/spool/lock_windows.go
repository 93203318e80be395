package spool

import (
	"crypto/rand"
	"math"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// tryLock acquires the exclusive lock of a file, or returns an error at once if
// another process has it. The lock is on a byte far after the content, because
// Windows refuses to read and write locked bytes.
func tryLock(file *os.File) error {
	at := windows.Overlapped{Offset: math.MaxUint32, OffsetHigh: math.MaxInt32}
	return windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
}

// create creates a file with a new name. It can be renamed and removed while it is
// open, as on other systems.
func create(dir string) (*os.File, error) {
	return shared(filepath.Join(dir, "put-"+rand.Text()), windows.GENERIC_READ|windows.GENERIC_WRITE, windows.CREATE_NEW)
}

func open(path string) (*os.File, error) {
	return shared(path, windows.GENERIC_READ, windows.OPEN_EXISTING)
}

func shared(path string, access, disposition uint32) (*os.File, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	handle, err := windows.CreateFile(name, access, share, nil, disposition, windows.FILE_ATTRIBUTE_NORMAL, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(handle), path), nil
}
