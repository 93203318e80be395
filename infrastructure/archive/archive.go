// Package archive writes and reads files that hold many members: a plain tar,
// so that any tool can look inside. What it reads it takes for hostile: regular
// members of the plain format alone, no second meaning of a size or name, and
// nothing behind the end. Names are only compared, never used as paths.
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
	"syscall"
	"time"
)

// mode lets nobody else read an archive.
const mode = 0o600

// Writer writes an archive that gets its name when it is whole.
type Writer struct {
	path string
	part *os.File
	tar  *tar.Writer
}

// Create begins an archive; a file that is there is not replaced.
func Create(path string) (*Writer, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(fmt.Errorf("%s is there already; name a new file", path), err)
	}
	part, err := os.OpenFile(path+".part", os.O_CREATE|os.O_RDWR, mode)
	if err != nil {
		return nil, fmt.Errorf("create the archive: %w", err)
	}
	if syscall.Flock(int(part.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil, errors.Join(fmt.Errorf("%s is being written by another process; name a new file", path), part.Close())
	}
	// An earlier attempt may have left it.
	if err := errors.Join(part.Chmod(mode), part.Truncate(0)); err != nil {
		return nil, errors.Join(fmt.Errorf("create the archive: %w", err), part.Close())
	}
	return &Writer{path: path, part: part, tar: tar.NewWriter(part)}, nil
}

// Add writes a member of exactly so many bytes.
func (w *Writer) Add(ctx context.Context, name string, size int64, r io.Reader) error {
	// No member has a time, so that equal contents make equal archives.
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

// Commit makes the archive durable and gives it its name.
func (w *Writer) Commit() error {
	err := errors.Join(w.tar.Close(), w.part.Sync())
	if err = errors.Join(err, w.part.Close()); err != nil {
		return errors.Join(fmt.Errorf("end the archive: %w", err), os.Remove(w.part.Name()))
	}
	if err := os.Rename(w.part.Name(), w.path); err != nil {
		return fmt.Errorf("name the archive: %w", err)
	}
	return syncFolder(filepath.Dir(w.path))
}

// Abort removes what was written.
func (w *Writer) Abort() error {
	return errors.Join(w.part.Close(), os.Remove(w.part.Name()))
}

func syncFolder(path string) (err error) {
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

// ErrDamaged says that a file is no whole archive.
var ErrDamaged = errors.New("the file is no whole archive")

// Member is one member of an archive.
type Member struct {
	Name string
	Size int64
}

// Reader reads the members of an archive in their order.
type Reader struct {
	file *os.File
	tar  *tar.Reader
	ctx  context.Context
}

// Open opens an archive; reading ends with ctx.
func Open(ctx context.Context, path string) (*Reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open the archive: %w", err)
	}
	return &Reader{file: file, tar: tar.NewReader(file), ctx: ctx}, nil
}

// Next goes on to the next member; io.EOF is the end of the archive. The error
// is ErrDamaged where the file is not one that Writer writes.
func (r *Reader) Next() (Member, error) {
	h, err := r.tar.Next()
	if errors.Is(err, io.EOF) {
		return Member{}, r.end()
	}
	if err != nil {
		return Member{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR || len(h.PAXRecords) > 0 {
		return Member{}, fmt.Errorf("%w: the member %.100q is of a kind that is not used", ErrDamaged, h.Name)
	}
	return Member{Name: h.Name, Size: h.Size}, nil
}

// end is io.EOF where nothing follows.
func (r *Reader) end() error {
	n, err := io.Copy(io.Discard, r.file)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	if n > 0 {
		return fmt.Errorf("%w: something follows its end", ErrDamaged)
	}
	return io.EOF
}

// Read implements io.Reader for the present member.
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

// interruptible ends with its context.
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
