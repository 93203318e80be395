package service

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"docledger/adapter/store/transfer"
	"docledger/domain/document"
	"docledger/domain/fault"
	"docledger/infrastructure/archive"
	"docledger/infrastructure/config"
)

// DumpOptions configures a dump.
type DumpOptions struct {
	File    string
	Release string // of the binary
	// LeaveOutLost continues if files are missing or damaged.
	LeaveOutLost bool
	Progress     Progress // nil for no progress
}

// Dump writes a whole installation to a file while the installation is in use: its rows in one
// snapshot, then the files that they name, which never change (domain D23). Memory use does not
// grow with the installation.
func Dump(ctx context.Context, cfg config.Config, o DumpOptions) (sums Sums, err error) {
	blobs, err := openBlobs(cfg)
	if err != nil {
		return sums, err
	}
	err = withRows(ctx, cfg, func(db transfer.Database, schema int64) (err error) {
		w, err := archive.Create(o.File)
		if err != nil {
			return err
		}
		d := &dumper{w: w, o: o, blobs: blobs}
		if err := d.dump(ctx, db, schema); err != nil {
			return errors.Join(err, w.Abort())
		}
		sums = d.sums
		return w.Commit()
	})
	return sums, err
}

type dumper struct {
	w     *archive.Writer
	o     DumpOptions
	blobs document.Blobs
	sums  Sums

	// The current member of rows.
	table string
	part  int
	done  int64
	rows  bytes.Buffer

	lost []string // the first of the lost files
}

func (d *dumper) dump(ctx context.Context, db transfer.Database, schema int64) (err error) {
	header, err := indented(dumpHeader{Format: dumpFormat, Schema: schema, Release: d.o.Release})
	if err != nil {
		return err
	}
	d.sums.Header = sumOf(header)
	if err := d.add(ctx, headerName, header); err != nil {
		return err
	}
	names, err := d.nameFile()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, names.Close()) }()
	if err := db.Read(ctx, func(rows transfer.Rows) error { return d.readRows(ctx, rows, names) }); err != nil {
		return err
	}
	if _, err := names.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	if err := d.addFiles(ctx, names); err != nil {
		return err
	}
	manifest, err := indented(d.sums)
	if err != nil {
		return err
	}
	if err := d.add(ctx, manifestName, manifest); err != nil {
		return err
	}
	return d.add(ctx, sumName, []byte(manifestSum(manifest)))
}

// nameFile stores the names of files outside of memory, because there may be many. The temporary
// file has no name, so it cannot remain after a crash.
func (d *dumper) nameFile() (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(d.o.File), ".docledger-dump-*")
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("list the files: %w", err), f.Close())
	}
	return f, nil
}

// readRows reads all rows in one snapshot of the database.
func (d *dumper) readRows(ctx context.Context, rows transfer.Rows, names io.Writer) error {
	if err := rows.Check(ctx); err != nil {
		return err
	}
	sums, err := sumRows(ctx, rows, func(table string, line []byte) error { return d.addRow(ctx, table, line) })
	if err != nil {
		return err
	}
	d.sums.Tables = sums
	if err := d.flush(ctx); err != nil {
		return err
	}
	out := bufio.NewWriter(names)
	err = rows.Files(ctx, func(sum string) error {
		_, err := out.WriteString(sum + "\n")
		return err
	})
	return errors.Join(err, out.Flush())
}

func (d *dumper) addRow(ctx context.Context, table string, line []byte) error {
	if table != d.table || d.rows.Len() >= rowsSize {
		if err := d.flush(ctx); err != nil {
			return err
		}
		if table != d.table {
			d.table, d.part, d.done = table, 0, 0
		}
	}
	d.rows.Write(line)
	d.rows.WriteByte('\n')
	d.done++
	d.o.Progress.tell(table, d.done)
	return nil
}

func (d *dumper) flush(ctx context.Context) error {
	if d.rows.Len() == 0 {
		return nil
	}
	if d.rows.Len() > mostRows {
		return fmt.Errorf("a row of %s has more than %d bytes", d.table, mostRows)
	}
	d.part++
	err := d.add(ctx, fmt.Sprintf(rowsName, d.table, d.part), d.rows.Bytes())
	d.rows.Reset()
	return err
}

func (d *dumper) add(ctx context.Context, name string, text []byte) error {
	return d.w.Add(ctx, name, int64(len(text)), bytes.NewReader(text))
}

// addFiles writes each file once. It continues after a lost file, so that the error lists all of
// them.
func (d *dumper) addFiles(ctx context.Context, names io.Reader) error {
	s := newSumming()
	err := eachLine(names, func(line []byte) error {
		sum := string(line)
		s.add(line)
		size, err := d.addFile(ctx, sum)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errLost):
			return d.addLost(ctx, sum)
		case err != nil:
			return err
		}
		d.sums.Files.Files, d.sums.Files.Bytes = d.sums.Files.Files+1, d.sums.Files.Bytes+size
		d.o.Progress.tell("files", d.sums.Files.Files)
		return nil
	})
	if err != nil {
		return err
	}
	d.sums.Files.SHA256 = s.sum()
	if n := d.sums.Files.Lost; n > 0 && !d.o.LeaveOutLost {
		return fmt.Errorf("%d files are missing or damaged, such as %s; `docledger doctor --deep` names their documents: restore them, or leave them out with --leave-out-lost", n, some(d.lost))
	}
	return nil
}

// mostNamed limits the number of lost files in a message.
const mostNamed = 20

// errLost reports that a file is missing or has other bytes than were stored.
var errLost = errors.New("lost")

func (d *dumper) addLost(ctx context.Context, sum string) error {
	d.sums.Files.Lost++
	if len(d.lost) < mostNamed {
		d.lost = append(d.lost, sum)
	}
	if !d.o.LeaveOutLost {
		return nil
	}
	return d.add(ctx, lostFolder+sum, nil)
}

// addFile writes a file. A file cannot be removed from an archive. Therefore, if lost files are
// left out, addFile reads each file before it writes it; otherwise it writes no file after the
// first lost one.
func (d *dumper) addFile(ctx context.Context, sum string) (size int64, err error) {
	doomed := d.sums.Files.Lost > 0 && !d.o.LeaveOutLost
	if doomed || d.o.LeaveOutLost {
		if err := readable(readWhole(ctx, d.blobs, sum)); err != nil || doomed {
			return 0, err
		}
	}
	r, err := d.blobs.Open(ctx, sum)
	if err != nil {
		return 0, readable(err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if size, err = r.Seek(0, io.SeekEnd); err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return 0, readable(err)
	}
	hash := sha256.New()
	if err := d.w.Add(ctx, filesFolder+sum, size, io.TeeReader(r, hash)); err != nil {
		return 0, err
	}
	if hex.EncodeToString(hash.Sum(nil)) != sum {
		return 0, errLost
	}
	return size, nil
}

// readable distinguishes a lost file from an unreachable store.
func readable(err error) error {
	if f, ok := fault.As(err); ok && f.Kind == fault.Unavailable {
		return fmt.Errorf("read the documents: %s", err.Error()) // includes the cause, which a fault does not show
	}
	if err != nil {
		return errors.Join(errLost, err)
	}
	return nil
}

// eachLine reads complete lines; a line is valid until fn returns.
func eachLine(r io.Reader, fn func(line []byte) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: a line has no end", errDump)
		}
		if err != nil {
			return err
		}
		if err := fn(line[:len(line)-1]); err != nil {
			return err
		}
	}
}
