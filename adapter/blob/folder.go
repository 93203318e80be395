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
	"strconv"
	"sync/atomic"

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
	// durable says which folders have a durable name, by their first two bytes; first is the same for
	// those in the root. Each sync of a folder waits for the disk.
	durable folders
	first   folders
	// sync makes the names in a folder durable.
	sync func(path string) error
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
	return &Folder{root: root, tmp: tmp, sync: syncFolder}, nil
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
	path, place := f.path(key), placeOf(key)
	fan := filepath.Dir(path)
	err := os.Rename(file.Name(), path)
	if errors.Is(err, fs.ErrNotExist) {
		// The folder is new, or another program removed it.
		if err := f.create(fan, place); err != nil {
			return spool.Unavailable("create the blob's folder", err)
		}
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return spool.Unavailable("name the blob", err)
	}
	// A directory entry is durable only after its parent folder is synced. These are read after the
	// file has its name, so that they are false while another call creates the folder.
	durable, first := f.durable.has(place), f.first.has(place>>8)
	unsynced := []string{fan, filepath.Dir(fan), f.root}
	if durable && first {
		unsynced = unsynced[:1]
	} else if first {
		unsynced = unsynced[:2]
	}
	for _, dir := range unsynced {
		if err := f.sync(dir); err != nil {
			return spool.Unavailable("make the blob's name durable", err)
		}
	}
	f.durable.set(place, true)
	f.first.set(place>>8, true)
	return nil
}

// create creates the folder of a blob. First it notes that the names of new folders can be lost.
func (f *Folder) create(fan string, place uint16) error {
	f.durable.set(place, false)
	err := os.Mkdir(fan, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		f.first.set(place>>8, false)
		return os.MkdirAll(fan, 0o700)
	}
	return err
}

// folders is a set of two bytes.
type folders [1 << 16 / 32]atomic.Uint32

func (f *folders) has(place uint16) bool { return f[place/32].Load()&(1<<(place%32)) != 0 }

func (f *folders) set(place uint16, to bool) {
	if f.has(place) == to {
		return
	}
	if to {
		f[place/32].Or(1 << (place % 32))
	} else {
		f[place/32].And(^(uint32(1) << (place % 32)))
	}
}

// placeOf returns the first two bytes of a key.
func placeOf(key string) uint16 {
	place, _ := strconv.ParseUint(key[:4], 16, 16) // keys are hex
	return uint16(place)
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
