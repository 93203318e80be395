// Package spool writes incoming bytes into files of a folder and computes their hash.
// The next start removes files that ended processes left.
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
	"sync"

	"docledger/domain/fault"
)

// chunk is the number of bytes in memory at a time.
const chunk = 128 << 10

// buffers has chunks for further files, because most files are shorter than a chunk.
var buffers = sync.Pool{New: func() any { return new([chunk]byte) }}

// Spool is a folder of files that are being written or used.
type Spool struct{ dir string }

// Open creates the folder if it is missing, and removes files that ended processes
// left.
func Open(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the spool folder: %w", err)
	}
	s := &Spool{dir: dir}
	return s, s.removeLeftovers()
}

// Create creates and locks a file, so that another starting process does not treat it
// as a leftover. The caller must close it, and must remove it unless it renamed it.
func (s *Spool) Create() (*os.File, error) {
	for {
		file, err := create(s.dir)
		if err != nil {
			return nil, Unavailable("create a spool file", err)
		}
		if err := tryLock(file); err != nil {
			// Another starting process has locked the file and removes it.
			if err := file.Close(); err != nil {
				return nil, Unavailable("create a spool file", err)
			}
			continue
		}
		if _, err := os.Lstat(file.Name()); err == nil {
			return file, nil
		}
		if err := file.Close(); err != nil { // the file was removed before the lock was acquired
			return nil, Unavailable("create a spool file", err)
		}
	}
}

// Copy writes the bytes of r to the file and returns their SHA-256 in lower-case hex
// and their number. It returns errors of r and of ctx unchanged. An error of the file
// is an Unavailable fault.
func Copy(ctx context.Context, file *os.File, r io.Reader) (sum string, size int64, err error) {
	hash := sha256.New()
	buffer, _ := buffers.Get().(*[chunk]byte)
	defer buffers.Put(buffer)
	source := &reader{ctx: ctx, r: r}
	// Without the wrapper, io.CopyBuffer would use the ReadFrom method of the file.
	size, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(file, hash)}, source, buffer[:])
	if source.err != nil {
		return "", 0, source.err
	}
	if err != nil {
		return "", 0, Unavailable("write the spool file", err)
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// Valid reports whether a key is a lower-case SHA-256 in hex, and therefore not a
// path.
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

// Unavailable returns the fault for a store that does not work.
func Unavailable(doing string, err error) error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"Files cannot be stored or read at the moment. Repeat the request shortly.").WithCause(fmt.Errorf("%s: %w", doing, err))
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
	file, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if tryLock(file) != nil {
		return nil // the writer still runs
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// reader separates errors of the source from errors of the disk, and stops when the
// context ends.
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
