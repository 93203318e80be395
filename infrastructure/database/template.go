package database

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	gormsqlite "github.com/libtnb/sqlite"
	"modernc.org/sqlite"
)

// Template is a SQLite database with the migrations of a schema and without data. An empty
// database becomes a copy of it, because each migration waits for the disk. The migrations that
// the template does not contain follow.
type Template struct {
	// Database is the file of the database, compressed with gzip.
	Database []byte
	// Stamps are statements that set the time of the migrations.
	Stamps []string
}

// copyTemplate copies the template into an empty SQLite database, in one transaction, and reports
// whether it did. A database with tables does not change.
func (m *migrator) copyTemplate(ctx context.Context) (copied bool, err error) {
	if m.dialect != SQLite || len(m.schema.Template.Database) == 0 {
		return false, nil
	}
	var objects int
	if err := m.pool.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&objects); err != nil || objects > 0 {
		return false, err
	}
	z, err := gzip.NewReader(bytes.NewReader(m.schema.Template.Database))
	if err != nil {
		return false, err
	}
	file, err := io.ReadAll(z)
	if err != nil {
		return false, err
	}
	memory, err := sql.Open(gormsqlite.DriverName, ":memory:")
	if err != nil {
		return false, err
	}
	conn, err := memory.Conn(ctx)
	if err != nil {
		return false, errors.Join(err, memory.Close())
	}
	err = raw(conn, func(c templateConn) error { return c.Deserialize(file) })
	for _, stamp := range m.schema.Template.Stamps {
		if err == nil {
			_, err = conn.ExecContext(ctx, stamp)
		}
	}
	if err == nil {
		err = raw(conn, func(c templateConn) error { return copyTo(c, sqliteAddress(m.path)) })
	}
	return err == nil, errors.Join(err, conn.Close(), memory.Close())
}

// templateConn is what a connection of the driver can do with a whole database.
type templateConn interface {
	Deserialize(file []byte) error
	NewBackup(address string) (*sqlite.Backup, error)
}

func raw(conn *sql.Conn, do func(templateConn) error) error {
	return conn.Raw(func(driver any) error {
		c, ok := driver.(templateConn)
		if !ok {
			return fmt.Errorf("a connection of type %T cannot copy a database", driver)
		}
		return do(c)
	})
}

// copyTo replaces the database at the address in one transaction.
func copyTo(c templateConn, address string) error {
	backup, err := c.NewBackup(address)
	if err != nil {
		return err
	}
	_, err = backup.Step(-1)
	return errors.Join(err, backup.Finish())
}
