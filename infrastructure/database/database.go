// Package database opens PostgreSQL and SQLite with measured settings and migrates
// their schemas.
package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Dialect is the database type, with the names that gorm uses.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// Config selects the database to open.
type Config struct {
	// URL is a PostgreSQL URL (`postgres://…`), or `sqlite:` and a file path. Open
	// creates a missing file.
	URL string
	// MaxConns limits the pool; 0 means 16 on PostgreSQL and 4 on SQLite.
	MaxConns int
	// Observed is the table of a SQLite database that DB.Commits signals; "" for none.
	Observed string
}

// DB is an open database. All handles except Listener share one pool.
type DB struct {
	Dialect Dialect
	Gorm    *gorm.DB
	SQL     *sql.DB
	// Listener is a small pool for connections with the lifetime of the process, used
	// for LISTEN and session locks; nil on SQLite.
	Listener *pgxpool.Pool
	// Path is the file of a SQLite database.
	Path string
	// Commits signals the commits that wrote to Config.Observed; nil on PostgreSQL, and without such
	// a table.
	Commits *Commits
}

const (
	postgresConns = 16
	sqliteConns   = 4
	// connLifetime lets a pool move to a new primary or address.
	connLifetime = 30 * time.Minute
)

// Open opens the database and verifies that it responds.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	dialect, path, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	db := &DB{Dialect: dialect, Path: path}
	var dialector gorm.Dialector
	if dialect == Postgres {
		dialector, err = db.openPostgres(cfg)
	} else {
		dialector, err = db.openSQLite(cfg)
	}
	if err != nil {
		return nil, err
	}
	if err := db.SQL.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("reach the database: %w", err), db.Close())
	}
	db.Gorm, err = gorm.Open(dialector, gormConfig())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open gorm: %w", err), db.Close())
	}
	return db, nil
}

// Close closes every pool.
func (db *DB) Close() error {
	if db.Listener != nil {
		db.Listener.Close()
	}
	if db.SQL == nil {
		return nil
	}
	return db.SQL.Close()
}

func parse(url string) (Dialect, string, error) {
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return Postgres, "", nil
	}
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok && strings.TrimLeft(path, "/") != "" {
		// sqlite:///srv/a.db is an absolute path, as in other tools.
		if rest, ok := strings.CutPrefix(path, "//"); ok {
			path = rest
		}
		return SQLite, path, nil
	}
	return "", "", errors.New("the database URL must be postgres://USER@HOST/NAME or sqlite:PATH")
}

// gormConfig returns measured settings. The default transaction makes single writes
// 3.5 times slower. The driver already caches statements. Explicit columns keep
// cached plans valid when a newer release adds columns.
func gormConfig() *gorm.Config {
	return &gorm.Config{
		SkipDefaultTransaction: true,
		PrepareStmt:            false,
		QueryFields:            true,
		Logger:                 logger.Discard,
		NowFunc:                func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) },
	}
}

// bound sets the size of a pool. All open connections may be idle: with the default
// of two, a busy pool reconnects constantly.
func bound(pool *sql.DB, conns int) {
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
}
