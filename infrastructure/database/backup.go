package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrBackupElsewhere reports that PostgreSQL is backed up with its own tools.
var ErrBackupElsewhere = errors.New("PostgreSQL is backed up by its own tools: pg_dump --format=custom, or copies of its log; see docs/runbook.md")

// BackUp copies an embedded database to a file while it is in use. The copy is a
// consistent snapshot. BackUp never replaces an existing file.
func BackUp(ctx context.Context, cfg Config, target string) (err error) {
	db, err := Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if db.Dialect != SQLite {
		return ErrBackupElsewhere
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s already exists; choose a new file name", target), err)
	}
	// The copy is written under a temporary name and renamed when it is complete.
	part := target + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what an earlier backup left: %w", err)
	}
	if err := createPrivate(part); err != nil {
		return err
	}
	if _, err := db.SQL.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(fmt.Errorf("copy the database: %w", err), os.Remove(part))
	}
	if err := durable(part); err != nil {
		return fmt.Errorf("make the copy durable: %w", err)
	}
	if err := os.Rename(part, target); err != nil {
		return fmt.Errorf("name the copy: %w", err)
	}
	return nil
}

func durable(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}
