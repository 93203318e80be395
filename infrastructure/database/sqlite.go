package database

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	gormsqlite "github.com/libtnb/sqlite"
	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// sqliteSettings are the settings of every SQLite connection. Transactions acquire
// the write lock at their start, so that none fails halfway. Times are text that sorts.
// Deleted content is overwritten, so that the file does not keep what was erased.
var sqliteSettings = url.Values{
	"_pragma": {
		"journal_mode(WAL)", "busy_timeout(10000)", "foreign_keys(1)", "synchronous(FULL)",
		"journal_size_limit(67108864)", "secure_delete(ON)",
	},
	"_time_format": {"sqlite"},
	"_txlock":      {"immediate"},
}

func (db *DB) openSQLite(cfg Config) (gorm.Dialector, error) {
	if cfg.Observed != "" {
		db.Commits = &Commits{table: cfg.Observed}
	}
	pool, err := sqlitePool(db.Path, cfg.MaxConns, db.Commits)
	if err != nil {
		return nil, err
	}
	db.SQL = pool
	return gormsqlite.Dialector{Conn: pool}, nil
}

func sqlitePool(path string, conns int, commits *Commits) (*sql.DB, error) {
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	connector, err := sqlite.NewConnector(sqliteAddress(path))
	if err != nil {
		return nil, fmt.Errorf("open the database file: %w", err)
	}
	pool := sql.OpenDB(cachingConnector{connector, commits})
	if conns <= 0 {
		conns = sqliteConns
	}
	bound(pool, conns)
	return pool, nil
}

// sqliteAddress is what the driver needs to open the file.
func sqliteAddress(path string) string {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: sqliteSettings.Encode()}
	return file.String()
}

// createPrivate creates the file before SQLite does, because SQLite would make it
// readable for other users.
func createPrivate(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("create the folder of the database: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("create the database file: %w", err)
	}
	return f.Close()
}
