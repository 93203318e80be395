//go:build unix

package spool

import (
	"os"
	"syscall"
)

// tryLock acquires the exclusive lock of a file, or returns an error at once if
// another process has it. The operating system releases the lock with the file.
func tryLock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// create creates a file with a new name.
func create(dir string) (*os.File, error) { return os.CreateTemp(dir, "put-*") }

func open(path string) (*os.File, error) { return os.Open(path) }
