package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrBackupElsewhere says that a database is backed up by its own tools.
var ErrBackupElsewhere = errors.New("PostgreSQL is backed up by its own tools: pg_dump --format=custom, or copies of its log; see docs/runbook.md")

// BackUp copies an embedded database to a file, as it stands at one moment,
// while it is used. A file that is there is not replaced.
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
		return errors.Join(fmt.Errorf("%s is there already; name a new file", target), err)
	}
	// Beside, and renamed: what has the name is whole.
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
