// Package blob stores the bytes of documents in a local folder.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"docledger/adapter/blob/spool"
	"docledger/domain/document"
	"docledger/domain/fault"
)

// Folder implements document.Blobs. The path of a blob is ab/cd/abcd…, from its
// SHA-256. A file at such a path is complete, durable and immutable. Files that are
// still being written are in tmp, locked by their writer.
type Folder struct {
	root string
	tmp  *spool.Spool
}

var _ document.Blobs = (*Folder)(nil)

// Open creates the folder if it is missing, and removes incomplete files of ended
// processes.
func Open(root string) (*Folder, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("resolve the blob folder: %w", err)
	}
	tmp, err := spool.Open(filepath.Join(root, "tmp"))
	if err != nil {
		return nil, fmt.Errorf("open the blob folder: %w", err)
	}
	return &Folder{root: root, tmp: tmp}, nil
}

// Put implements document.Blobs.
func (f *Folder) Put(ctx context.Context, r io.Reader) (key string, size int64, err error) {
	file, err := f.tmp.Create()
	if err != nil {
		return "", 0, err
	}
	defer func() {
		closing := file.Close()
		if err != nil {
			_ = os.Remove(file.Name()) // the next start removes a file that cannot be removed now
		} else if closing != nil {
			err = spool.Unavailable("close the blob", closing)
		}
	}()
	if key, size, err = spool.Copy(ctx, file, r); err != nil {
		return "", 0, err
	}
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

// Remove implements document.Blobs.
func (f *Folder) Remove(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !spool.Valid(key) {
		return nil
	}
	if err := os.Remove(f.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return spool.Unavailable("remove the blob", err)
	}
	return nil
}

func (f *Folder) open(ctx context.Context, key string) (*os.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !spool.Valid(key) {
		return nil, fault.Missing("file")
	}
	file, err := os.Open(f.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.Missing("file")
	}
	if err != nil {
		return nil, spool.Unavailable("open the blob", err)
	}
	return file, nil
}

// keep gives a written file its final name, durably.
func (f *Folder) keep(file *os.File, key string) error {
	if err := file.Sync(); err != nil {
		return spool.Unavailable("make the blob durable", err)
	}
	path := f.path(key)
	fan := filepath.Dir(path)
	if err := os.MkdirAll(fan, 0o700); err != nil {
		return spool.Unavailable("create the blob's folder", err)
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return spool.Unavailable("name the blob", err)
	}
	// A directory entry is durable only after its parent folder is synced.
	for _, dir := range []string{fan, filepath.Dir(fan), f.root} {
		if err := syncFolder(dir); err != nil {
			return spool.Unavailable("make the blob's name durable", err)
		}
	}
	return nil
}

func (f *Folder) path(key string) string { return filepath.Join(f.root, key[:2], key[2:4], key) }

// syncFolder makes the names in a folder durable. Windows cannot flush folders;
// its file system keeps the order of changes of names in its log.
func syncFolder(path string) (err error) {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	return dir.Sync()
}
