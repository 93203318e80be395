package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"docledger/adapter/store/transfer"
	"docledger/domain/document"
	"docledger/infrastructure/config"
	"docledger/infrastructure/database"
	"docledger/migrations"
)

// errEnough ends a walk that needs no more of the dump.
var errEnough = errors.New("enough")

// Load fills an empty installation with a dump and returns the resulting sums, which equal those
// of the dump (domain D23). It verifies the whole dump before it stores anything. It stores the
// files first: an unreferenced file does no harm and the next attempt finds it, but a document
// must never refer to a missing file. Then one transaction stores all rows. It commits only if
// they read back equal.
func Load(ctx context.Context, cfg config.Config, file string, progress Progress) (sums Sums, err error) {
	if err := prepareTarget(ctx, cfg); err != nil {
		return sums, err
	}
	blobs, err := openBlobs(cfg)
	if err != nil {
		return sums, err
	}
	err = withRows(ctx, cfg, func(db transfer.Database, schema int64) (err error) {
		l := &loader{db: db, schema: schema, blobs: blobs, file: file, progress: progress}
		sums, err = l.load(ctx)
		return err
	})
	return sums, err
}

// prepareTarget migrates an embedded database, as serve does. PostgreSQL must be migrated
// already.
func prepareTarget(ctx context.Context, cfg config.Config) error {
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	if dialect(cfg) == string(database.SQLite) {
		return database.Migrate(ctx, DatabaseConfig(cfg), migrations.SQLite())
	}
	return database.CheckSchema(ctx, DatabaseConfig(cfg), migrations.Postgres())
}

type loader struct {
	db       transfer.Database
	schema   int64
	blobs    document.Blobs
	file     string
	progress Progress
}

func (l *loader) load(ctx context.Context) (Sums, error) {
	err := l.db.Read(ctx, func(rows transfer.Rows) error {
		if err := rows.Check(ctx); err != nil {
			return err
		}
		return refuse(rows.Empty(ctx))
	})
	if err != nil {
		return Sums{}, err
	}
	want, err := walk(ctx, l.file, visitor{
		verify: true, header: l.fits,
		row:  l.counted("verifying ", nil),
		file: l.countedFiles("verifying files", nil),
	})
	if err != nil {
		return Sums{}, err
	}
	if _, err := walk(ctx, l.file, visitor{file: l.countedFiles("files", func(sum string, r io.Reader) error { return l.put(ctx, sum, r) })}); err != nil {
		return Sums{}, err
	}
	got := Sums{Header: want.Header, Files: want.Files}
	err = l.db.Fill(ctx, func(f *transfer.Filler) error { return l.fill(ctx, f, want, &got) })
	return got, refuse(err)
}

// refuse returns an error with the remedy if an installation exists already.
func refuse(err error) error {
	if errors.Is(err, transfer.ErrNotEmpty) {
		return fmt.Errorf("%w; load into a new database", err)
	}
	return err
}

// fits refuses a dump that this release or this database cannot load.
func (l *loader) fits(h dumpHeader) error {
	switch {
	case h.Format != dumpFormat:
		return fmt.Errorf("the dump has format %d, this release reads format %d; load it with the release %q that wrote it", h.Format, dumpFormat, h.Release)
	case h.Schema < l.schema:
		return fmt.Errorf("the dump has schema version %d, this release has %d; load it with the release %q that wrote it, then migrate; or migrate the source and dump it again", h.Schema, l.schema, h.Release)
	case h.Schema > l.schema:
		return fmt.Errorf("the dump has schema version %d, this release has %d; load it with the release %q that wrote it", h.Schema, l.schema, h.Release)
	}
	return nil
}

func (l *loader) put(ctx context.Context, sum string, r io.Reader) error {
	stored, _, err := l.blobs.Put(ctx, r)
	if err != nil {
		return fmt.Errorf("store the file %s: %v", sum, err)
	}
	if stored != sum {
		return fmt.Errorf("%w: the file %s has other bytes", errDump, sum)
	}
	return nil
}

// fill writes the rows and reads all of them back.
func (l *loader) fill(ctx context.Context, f *transfer.Filler, want Sums, got *Sums) (err error) {
	last := ""
	take := l.counted("", func(table string, line []byte) error {
		if table != last {
			if err := f.Flush(ctx); err != nil {
				return err
			}
			last = table
		}
		return f.Insert(ctx, table, line)
	})
	if _, err := walk(ctx, l.file, visitor{row: take, rowsAlone: true}); !errors.Is(err, errEnough) {
		return errors.Join(fmt.Errorf("%w: it was changed meanwhile", errDump), err)
	}
	if err := f.Flush(ctx); err != nil {
		return err
	}
	if got.Tables, err = sumRows(ctx, f.Rows, l.counted("comparing ", nil)); err != nil {
		return err
	}
	files := newSumming()
	err = f.Files(ctx, func(sum string) error {
		files.add([]byte(sum))
		return nil
	})
	if err != nil {
		return err
	}
	got.Files.SHA256 = files.sum()
	if different := compare(want, *got); different != "" {
		return fmt.Errorf("the loaded data differs from the dump; nothing was stored: %s", different)
	}
	return nil
}

// counted reports each row, then passes it on.
func (l *loader) counted(doing string, take func(string, []byte) error) func(string, []byte) error {
	last, n := "", int64(0)
	return func(table string, line []byte) error {
		if table != last {
			last, n = table, 0
		}
		n++
		l.progress.tell(doing+table, n)
		if take == nil {
			return nil
		}
		return take(table, line)
	}
}

func (l *loader) countedFiles(doing string, take func(string, io.Reader) error) func(string, io.Reader) error {
	n := int64(0)
	return func(sum string, r io.Reader) error {
		n++
		l.progress.tell(doing, n)
		if take == nil {
			return nil
		}
		return take(sum, r)
	}
}
