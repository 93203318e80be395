package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrLocked reports that another process has the lock of a file.
var ErrLocked = errors.New("locked by another process")

const lockPoll = 20 * time.Millisecond

// LockFile acquires the exclusive lock of a file and creates the file if needed. It
// waits until ctx ends and then returns ErrLocked. The operating system releases the
// lock when the process ends for any reason.
func LockFile(ctx context.Context, path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := tryLock(f)
		if err == nil {
			return f.Close, nil
		}
		if !retryLock(err) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("%s: %w", path, ErrLocked), f.Close())
		case <-tick.C:
		}
	}
}
