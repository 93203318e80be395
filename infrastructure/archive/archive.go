// Package archive writes and reads archive files with many members. The format is
// plain tar, so that any tool can list the contents. The reader treats its input as
// hostile: it accepts only regular members of the plain format, only one encoding of
// a size or name, and nothing after the end. It only compares names and never uses
// them as paths.
package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// mode lets only the owner read an archive.
const mode = 0o600

// Writer writes an archive. The archive gets its final name when it is complete.
type Writer struct {
	path string
	part *os.File
	tar  *tar.Writer
}

// Create starts an archive. It never replaces an existing file.
func Create(path string) (*Writer, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s already exists; choose a new file name", path), err)
	}
	part, err := os.OpenFile(path+".part", os.O_CREATE|os.O_RDWR, mode)
	if err != nil {
		return nil, fmt.Errorf("create the archive: %w", err)
	}
	if tryLock(part) != nil {
		return nil, errors.Join(fmt.Errorf("another process is writing %s; choose a new file name", path), part.Close())
	}
	// An earlier attempt may have left this file.
	if err := errors.Join(part.Chmod(mode), part.Truncate(0)); err != nil {
		return nil, errors.Join(fmt.Errorf("create the archive: %w", err), part.Close())
	}
	return &Writer{path: path, part: part, tar: tar.NewWriter(part)}, nil
}

// Add writes a member of exactly size bytes.
func (w *Writer) Add(ctx context.Context, name string, size int64, r io.Reader) error {
	// The header has no time, so that equal contents make equal archives.
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: mode, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
	if err := w.tar.WriteHeader(header); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	n, err := io.Copy(w.tar, &interruptible{ctx, r})
	if err != nil {
		return fmt.Errorf("write %s into the archive: %w", name, err)
	}
	if n != size {
		return fmt.Errorf("write %s into the archive: %d bytes instead of %d", name, n, size)
	}
	return nil
}

// Commit makes the archive durable and gives it its final name.
func (w *Writer) Commit() error {
	err := errors.Join(w.tar.Close(), w.part.Sync())
	if err = errors.Join(err, w.part.Close()); err != nil {
		return errors.Join(fmt.Errorf("finish the archive: %w", err), os.Remove(w.part.Name()))
	}
	if err := os.Rename(w.part.Name(), w.path); err != nil {
		return fmt.Errorf("name the archive: %w", err)
	}
	return syncFolder(filepath.Dir(w.path))
}

// Abort removes the unfinished archive.
func (w *Writer) Abort() error {
	return errors.Join(w.part.Close(), os.Remove(w.part.Name()))
}

// syncFolder makes the names in a folder durable. Windows cannot flush folders.
func syncFolder(path string) (err error) {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("make the archive's name durable: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if err := dir.Sync(); err != nil {
		return fmt.Errorf("make the archive's name durable: %w", err)
	}
	return nil
}

// ErrDamaged reports that a file is not a complete archive.
var ErrDamaged = errors.New("the file is not a complete archive")

// Member is one member of an archive.
type Member struct {
	Name string
	Size int64
}

// Reader reads the members of an archive in order.
type Reader struct {
	file *os.File
	tar  *tar.Reader
	ctx  context.Context
}

// Open opens an archive. Reading stops when ctx ends.
func Open(ctx context.Context, path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	return &Reader{file: file, tar: tar.NewReader(file), ctx: ctx}, nil
}

// Next advances to the next member. It returns io.EOF at the end of the archive and
// ErrDamaged if the file is not in the form that Writer writes.
func (r *Reader) Next() (Member, error) {
	h, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return Member{}, r.end()
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR || len(h.PAXRecords) > 0 {
		return Member{}, fmt.Errorf("%w: the member %.100q has an unsupported type", ErrDamaged, h.Name)
	}
	return Member{Name: h.Name, Size: h.Size}, nil
}

// end returns io.EOF if nothing follows the last member.
func (r *Reader) end() error {
	n, err := io.Copy(io.Discard, r.file)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	if n > 0 {
		return fmt.Errorf("%w: data follows its end", ErrDamaged)
	}
	return io.EOF
}

// Read implements io.Reader for the current member.
func (r *Reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.tar.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n, err
}

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }

// interruptible is a reader that stops when its context ends.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}
