// Command generate writes sqlite.db.gz: a SQLite database with all migrations, compressed. The
// same migrations give the same file. It is run by `go generate ./migrations`.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"docledger/infrastructure/database"
	"docledger/migrations"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "docledger-template-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cfg := database.Config{URL: "sqlite:" + filepath.Join(dir, "migrated.db")}
	if err := database.Migrate(ctx, cfg, migrations.WithoutTemplate()); err != nil {
		return err
	}
	db, err := database.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	target := filepath.Join(dir, "template.db")
	for _, statement := range []string{
		"UPDATE goose_db_version SET tstamp = '2000-01-01 00:00:00'",
		"UPDATE river_migration SET created_at = '2000-01-01 00:00:00'",
		"VACUUM INTO '" + target + "'",
	} {
		if _, err := db.SQL.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	file, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(file); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("sqlite.db.gz", b.Bytes(), 0o644) //nolint:gosec // the file is public
}
