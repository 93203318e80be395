// Package blob keeps the bytes of documents in a local folder.
package blob

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

	"docledger/domain/document"
	"docledger/domain/fault"
)

// chunk is how much of an upload is in memory at a time.
const chunk = 128 << 10

// Folder implements document.Blobs. A blob lies at ab/cd/abcd…, named by its
// SHA-256; a file there is whole, durable and never changes. What is still
// being written lies in tmp, locked by its writer.
type Folder struct {
	root string
	tmp  string
}

var _ document.Blobs = (*Folder)(nil)

// Open makes the folder where it is missing, and removes what writers that are
// gone have left half written.
func Open(root string) (*Folder, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("find the blob folder: %w", err)
	}
	f := &Folder{root: root, tmp: filepath.Join(root, "tmp")}
	if err := os.MkdirAll(f.tmp, 0o700); err != nil {
		return nil, fmt.Errorf("create the blob folder: %w", err)
	}
	return f, f.removeLeftovers()
}

// Put implements document.Blobs.
func (f *Folder) Put(ctx context.Context, r io.Reader) (key string, size int64, err error) {
	file, err := f.create()
	if err != nil {
		return "", 0, err
	}
	defer func() {
		closing := file.Close()
		if err != nil {
			_ = os.Remove(file.Name()) // what can't be removed now, the next start removes
		} else if closing != nil {
			err = unavailable("close the blob", closing)
		}
	}()
	hash := sha256.New()
	source := &reader{ctx: ctx, r: r}
	// Without the wrapper io.CopyBuffer would let the file read by itself.
	size, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(file, hash)}, source, make([]byte, chunk))
	if source.err != nil {
		return "", 0, source.err
	}
	if err != nil {
		return "", 0, unavailable("write the blob", err)
	}
	key = hex.EncodeToString(hash.Sum(nil))
	return key, size, f.keep(file, key)
}

// Open implements document.Blobs.
func (f *Folder) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	file, err := f.open(ctx, key)
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Local implements document.Blobs.
func (f *Folder) Local(ctx context.Context, key string) (string, func(), error) {
	file, err := f.open(ctx, key)
	if err != nil {
		return "", nil, err
	}
	return file.Name(), func() {}, file.Close()
}

func (f *Folder) open(ctx context.Context, key string) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !valid(key) {
		return nil, fault.Missing("file")
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Missing("file")
	}
	if err != nil {
		return nil, unavailable("open the blob", err)
	}
	return file, nil
}

// create opens a file to write to and locks it, so that another process that
// starts meanwhile does not take it for a leftover.
func (f *Folder) create() (*os.File, error) {
	for {
		file, err := os.CreateTemp(f.tmp, "put-*")
		if err != nil {
			return nil, unavailable("create the blob", err)
		}
		if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			// A starting process holds it, and removes it.
			if err := file.Close(); err != nil {
				return nil, unavailable("create the blob", err)
			}
			continue
		}
		if _, err := os.Lstat(file.Name()); err == nil {
			return file, nil
		}
		if err := file.Close(); err != nil { // it was removed before the lock was taken
			return nil, unavailable("create the blob", err)
		}
	}
}

// keep gives a written file its name, durably.
func (f *Folder) keep(file *os.File, key string) error {
	if err := file.Sync(); err != nil {
		return unavailable("make the blob durable", err)
	}
	path := f.path(key)
	fan := filepath.Dir(path)
	if err := os.MkdirAll(fan, 0o700); err != nil {
		return unavailable("create the blob's folder", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return unavailable("name the blob", err)
	}
	// The entries on the way down are durable only when their folders are.
	for _, dir := range []string{fan, filepath.Dir(fan), f.root} {
		if err := syncFolder(dir); err != nil {
			return unavailable("make the blob's name durable", err)
		}
	}
	return nil
}

func (f *Folder) removeLeftovers() error {
	entries, err := os.ReadDir(f.tmp)
	if err != nil {
		return fmt.Errorf("look for half-written blobs: %w", err)
	}
	for _, entry := range entries {
		if err := removeUnlocked(filepath.Join(f.tmp, entry.Name())); err != nil {
			return fmt.Errorf("remove a half-written blob: %w", err)
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

func (f *Folder) path(key string) string { return filepath.Join(f.root, key[:2], key[2:4], key) }

// valid says whether a key is a lower-case SHA-256 in hex, and so no path.
func valid(key string) bool {
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

func syncFolder(path string) (err error) {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return dir.Sync()
}

// reader keeps the error of an upload apart from that of the disk, and ends
// with the context.
type reader struct {
	ctx context.Context
	r   io.Reader
	err error
}

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

func unavailable(doing string, err error) error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"Files can't be stored or read at the moment; repeat the request shortly.").Because(fmt.Errorf("%s: %w", doing, err))
}
