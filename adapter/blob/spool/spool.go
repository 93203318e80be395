// Package spool writes bytes that arrive into files of a folder while it hashes
// them. What a process that is gone has left there is removed at the next start.
package spool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"docledger/domain/fault"
)

// chunk is how much is in memory at a time.
const chunk = 128 << 10

// Spool is a folder of files that are being written or used.
type Spool struct{ dir string }

// Open makes the folder where it is missing, and removes what processes that
// are gone have left.
func Open(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the spool folder: %w", err)
	}
	s := &Spool{dir: dir}
	return s, s.removeLeftovers()
}

// Create opens a file to write to and locks it, so that another process that
// starts meanwhile does not take it for a leftover. Whoever takes it closes it,
// and removes it unless it was renamed.
func (s *Spool) Create() (*os.File, error) {
	for {
		file, err := os.CreateTemp(s.dir, "put-*")
		if err != nil {
			return nil, Unavailable("create a spool file", err)
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			// A starting process holds it, and removes it.
			if err := file.Close(); err != nil {
				return nil, Unavailable("create a spool file", err)
			}
			continue
		}
		if _, err := os.Lstat(file.Name()); err == nil {
			return file, nil
		}
		if err := file.Close(); err != nil { // it was removed before the lock was taken
			return nil, Unavailable("create a spool file", err)
		}
	}
}

// Copy writes what r yields to the file and returns its SHA-256 in lower-case
// hex and its size in bytes. An error of r, or that of ctx, is returned as it
// is; one of the file is an Unavailable fault.
func Copy(ctx context.Context, file *os.File, r io.Reader) (sum string, size int64, err error) {
	hash := sha256.New()
	source := &reader{ctx: ctx, r: r}
	// Without the wrapper io.CopyBuffer would let the file read by itself.
	size, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(file, hash)}, source, make([]byte, chunk))
	if source.err != nil {
		return "", 0, source.err
	}
	if err != nil {
		return "", 0, Unavailable("write the spool file", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// Valid says whether a key is a lower-case SHA-256 in hex, and so no path.
func Valid(key string) bool {
	if len(key) != 2*sha256.Size {
		return false
	}
	for _, c := range []byte(key) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// Unavailable is the fault of a store that does not do what it should.
func Unavailable(doing string, err error) error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"Files can't be stored or read at the moment; repeat the request shortly.").WithCause(fmt.Errorf("%s: %w", doing, err))
}

func (s *Spool) removeLeftovers() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("look for leftovers in the spool folder: %w", err)
	}
	for _, entry := range entries {
		if err := removeUnlocked(filepath.Join(s.dir, entry.Name())); err != nil {
			return fmt.Errorf("remove a leftover of the spool folder: %w", err)
		}
	}
	return nil
}

func removeUnlocked(path string) (err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // its writer lives
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// reader keeps the error of what arrives apart from that of the disk, and ends
// with the context.
type reader struct {
	ctx context.Context
	r   io.Reader
	err error
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if r.err = r.ctx.Err(); r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}
