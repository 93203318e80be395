// Package folder receives the files that scanners and other programs drop into a folder of each entity
// (domain D33).
package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/domain/watch"

	"github.com/google/uuid"
)

// The folders within that of an entity.
const (
	refusedFolder = "refused"
	doneFolder    = "done"
)

// Limits of one pass over a folder.
const (
	maxFolders = 10_000
	maxEntries = 50_000 // of the folder of one entity
	maxFiles   = 100    // received from one entity before the next one
	readStep   = 512
)

// scanEvery is the longest time between two passes.
const scanEvery = 5 * time.Second

// Receiver stores the files. After Receive returned nil, the file is stored with its job. The same
// bytes give one document. A Forbidden, NotFound or Conflict fault means that the entity accepts no
// files, and an Invalid fault that it does not accept this one.
type Receiver interface {
	Receive(ctx context.Context, entity uuid.UUID, name string, content io.Reader) error
}

// Options configure a Folder.
type Options struct {
	Path     string
	Receiver Receiver
	MaxBytes int64 // of a file
	// Settle is the time for which a file must not change before it is read.
	Settle time.Duration
	// Keep moves received files into the folder done. Otherwise they are removed.
	Keep bool
	Log  *slog.Logger
}

// Folder watches a folder that has a folder for each entity, named by its id.
type Folder struct {
	o    Options
	seen map[string]state // by path within the folder
	said map[string]bool  // folders and reasons that were logged
	now  func() time.Time
}

// state is how a file looked, and since when.
type state struct {
	size     int64
	modified time.Time
	since    time.Time
}

// New returns a Folder.
func New(o Options) *Folder {
	return &Folder{o: o, seen: map[string]state{}, said: map[string]bool{}, now: time.Now}
}

// Run receives files until ctx ends.
func (f *Folder) Run(ctx context.Context) {
	ticker := time.NewTicker(max(min(f.o.Settle/2, scanEvery), 10*time.Millisecond))
	defer ticker.Stop()
	for {
		if err := f.scan(ctx); err != nil && ctx.Err() == nil {
			f.once("folder: "+err.Error(), "intake folder cannot be read", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// once logs a warning the first time.
func (f *Folder) once(key, message string, args ...any) {
	if len(f.said) > maxFolders {
		clear(f.said)
	}
	if !f.said[key] {
		f.said[key] = true
		f.o.Log.Warn(message, args...)
	}
}

// scan looks at every file once. Files are opened below the folder only: a link that leads out of it
// is refused.
func (f *Folder) scan(ctx context.Context) error {
	root, err := os.OpenRoot(f.o.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	found := map[string]state{}
	err = eachEntry(root, ".", maxFolders, func(e fs.DirEntry) error {
		id, err := uuid.Parse(e.Name())
		if err != nil || !e.IsDir() || id.String() != e.Name() {
			if !strings.HasPrefix(e.Name(), ".") {
				f.once("entry: "+e.Name(), "entry of the intake folder ignored: it is not a folder named by the id of an entity", "name", e.Name())
			}
			return nil
		}
		if err := f.scanEntity(ctx, root, id, found); err != nil {
			f.once(e.Name()+": "+err.Error(), "intake folder of an entity cannot be read", "entity", id, "error", err)
		}
		return ctx.Err()
	})
	f.seen = found
	return err
}

// scanEntity receives the settled files of an entity.
func (f *Folder) scanEntity(ctx context.Context, root *os.Root, id uuid.UUID, found map[string]state) error {
	dir, err := root.OpenRoot(id.String())
	if err != nil {
		return err
	}
	defer dir.Close()
	received := 0
	return eachEntry(dir, ".", maxEntries, func(e fs.DirEntry) error {
		name := e.Name()
		if !e.Type().IsRegular() || strings.HasPrefix(name, ".") || watch.IsTemporary(name) {
			return ctx.Err()
		}
		info, err := e.Info()
		if err != nil {
			return nil // it is gone
		}
		key := path.Join(id.String(), name)
		now := state{size: info.Size(), modified: info.ModTime(), since: f.now()}
		if before, ok := f.seen[key]; ok && before.size == now.size && before.modified.Equal(now.modified) {
			now.since = before.since
		}
		found[key] = now
		if received >= maxFiles || f.now().Sub(now.since) < f.o.Settle {
			return ctx.Err()
		}
		received++
		switch err := f.receive(ctx, dir, id, info); {
		case err == nil:
			delete(found, key)
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errChanged), errors.Is(err, fs.ErrNotExist):
			delete(found, key)
		default:
			now.since = f.now() // it is tried again when the time has passed
			found[key] = now
			f.once(key+": "+err.Error(), "file of the intake folder not received, it is tried again", "entity", id, "name", name, "error", err)
		}
		return ctx.Err()
	})
}

// errChanged reports that a file changed while it was read.
var errChanged = errors.New("the file changed while it was read")

// receive stores a file. Only then it is removed or moved: a process that is killed before reads it
// again, and the same bytes are one document.
func (f *Folder) receive(ctx context.Context, dir *os.Root, id uuid.UUID, listed fs.FileInfo) error {
	name := listed.Name()
	switch {
	case listed.Size() > f.o.MaxBytes:
		return f.refuse(dir, id, name, fmt.Sprintf("The file has more than %d bytes (MAX_UPLOAD_BYTES).", f.o.MaxBytes))
	case listed.Size() == 0:
		return f.refuse(dir, id, name, "The file is empty.")
	}
	file, err := dir.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(opened, listed) || !opened.Mode().IsRegular() {
		return errChanged
	}
	content := &unchanged{file: file, was: listed, left: listed.Size()}
	err = f.o.Receiver.Receive(ctx, id, name, content)
	if errors.Is(err, errChanged) {
		return errChanged
	}
	if fail, ok := fault.As(err); ok {
		switch fail.Kind {
		case fault.Invalid:
			return f.refuse(dir, id, name, fail.Message)
		case fault.NotFound, fault.Forbidden, fault.Conflict:
			return err // the entity accepts no files at present; they stay
		}
	}
	if err != nil {
		return err
	}
	_ = file.Close() // Windows does not remove open files
	if now, err := dir.Lstat(name); err != nil || !os.SameFile(now, listed) || now.Size() != listed.Size() || !now.ModTime().Equal(listed.ModTime()) {
		return errChanged // another file has its name now
	}
	if !f.o.Keep {
		return dir.Remove(name)
	}
	_, err = moveInto(dir, doneFolder, name)
	return err
}

// unchanged reads a file and fails at its end if it changed in the meantime.
type unchanged struct {
	file *os.File
	was  fs.FileInfo
	left int64
}

func (u *unchanged) Read(b []byte) (int, error) {
	n, err := u.file.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return n, errChanged
	}
	if err == io.EOF {
		now, statErr := u.file.Stat()
		if statErr != nil || u.left != 0 || now.Size() != u.was.Size() || !now.ModTime().Equal(u.was.ModTime()) {
			return n, errChanged
		}
	}
	return n, err
}

// refuse moves a file into the folder refused, with a text that states why.
func (f *Folder) refuse(dir *os.Root, id uuid.UUID, name, reason string) error {
	moved, err := moveInto(dir, refusedFolder, name)
	if err != nil {
		return err
	}
	f.o.Log.Warn("file of the intake folder refused", "entity", id, "name", name, "reason", reason)
	return dir.WriteFile(path.Join(refusedFolder, moved+".reason.txt"), []byte(reason+"\n"), 0o600)
}

// moveInto moves a file into a folder, under a name that is free there.
func moveInto(dir *os.Root, folder, name string) (moved string, err error) {
	if err := dir.Mkdir(folder, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	moved = name
	if _, err := dir.Lstat(path.Join(folder, moved)); err == nil {
		ext := path.Ext(name)
		moved = strings.TrimSuffix(name, ext) + "-" + uuid.NewString() + ext
	}
	return moved, dir.Rename(name, path.Join(folder, moved))
}

// eachEntry calls do for at most limit entries of a folder, without keeping all of them.
func eachEntry(root *os.Root, name string, limit int, do func(fs.DirEntry) error) error {
	dir, err := root.Open(name)
	if err != nil {
		return err
	}
	defer dir.Close()
	for limit > 0 {
		entries, err := dir.ReadDir(min(limit, readStep))
		limit -= len(entries)
		for _, e := range entries {
			if err := do(e); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
