package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// GenerationSize is the number of versions in one generation of the schema. The
// version of a migration is generation × GenerationSize + its number. One release
// adds at most one generation.
const GenerationSize = 1000

// ErrSchemaOlder reports that some migrations are not applied.
var ErrSchemaOlder = errors.New("the database's schema is older than this release; run `docledger migrate`")

// ErrSchemaNewer reports that a release at least two generations newer has migrated
// the database. This release may not support its schema.
var ErrSchemaNewer = errors.New("the database's schema is more than one release newer than this one; install a newer release")

// Schema is what a database contains: the tables of goose migrations and those of libraries.
type Schema struct {
	// Migrations contains the goose migrations.
	Migrations fs.FS
	// Libraries are migrated in order after the migrations.
	Libraries []Library
	// Template is what an empty SQLite database becomes before it is migrated; optional.
	Template Template
}

// Library has its own tables and their migrations.
type Library interface {
	// Migrate creates or updates the tables.
	Migrate(ctx context.Context, pool *sql.DB) error
	// Current reports whether the tables are those of this release.
	Current(ctx context.Context, pool *sql.DB) (bool, error)
}

// migrator has a separate pool, because the lock occupies a connection while the
// migrations use others.
type migrator struct {
	dialect Dialect
	path    string
	pool    *sql.DB
	goose   *goose.Provider
	schema  Schema
}

// Migrate applies the migrations of the schema. On both databases it
// refuses a schema that is more than one generation newer with ErrSchemaNewer and
// changes nothing. Concurrent processes run one after the other. Before it changes a
// SQLite database, it copies the database to a file in the same folder, named after
// its version (`x.db.001006.bak`).
func Migrate(ctx context.Context, cfg Config, schema Schema) (err error) {
	m, err := newMigrator(cfg, schema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.pool.Close()) }()
	unlock, err := m.lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	created, err := m.copyTemplate(ctx)
	if err != nil {
		return fmt.Errorf("create the schema: %w", err)
	}
	if have, want, err := m.goose.GetVersions(ctx); err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	} else if tooNew(have, want) {
		return ErrSchemaNewer
	}
	if !created { // a new database contains nothing to keep
		if err := m.backUp(ctx); err != nil {
			return fmt.Errorf("copy the database before migrating it: %w", err)
		}
	}
	if _, err := m.goose.Up(ctx); err != nil {
		return fmt.Errorf("migrate the schema: %w", err)
	}
	for _, l := range schema.Libraries {
		if err := l.Migrate(ctx, m.pool); err != nil {
			return err
		}
	}
	return nil
}

// CheckSchema compares the database with the schema. It returns
// ErrSchemaOlder, ErrSchemaNewer or a read error. A schema that is one generation
// newer is accepted (domain D23).
func CheckSchema(ctx context.Context, cfg Config, schema Schema) (err error) {
	m, err := newMigrator(cfg, schema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.pool.Close()) }()
	have, want, err := m.goose.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	switch {
	case have < want:
		return ErrSchemaOlder
	case tooNew(have, want):
		return ErrSchemaNewer
	}
	current, err := m.librariesCurrent(ctx)
	if err != nil {
		return err
	}
	if !current {
		return ErrSchemaOlder
	}
	return nil
}

func (m *migrator) librariesCurrent(ctx context.Context) (bool, error) {
	for _, l := range m.schema.Libraries {
		if current, err := l.Current(ctx, m.pool); err != nil || !current {
			return false, err
		}
	}
	return true, nil
}

// tooNew reports whether a schema is more than one generation newer.
func tooNew(have, want int64) bool { return have/GenerationSize > want/GenerationSize+1 }

// SchemaVersion returns the version of the database schema and that of the migrations
// of fsys.
func SchemaVersion(ctx context.Context, cfg Config, schema Schema) (have, want int64, err error) {
	m, err := newMigrator(cfg, schema)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, m.pool.Close()) }()
	have, want, err = m.goose.GetVersions(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("read the schema's version: %w", err)
	}
	return have, want, nil
}

func newMigrator(cfg Config, schema Schema) (*migrator, error) {
	dialect, path, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	m := &migrator{dialect: dialect, path: path, schema: schema}
	cfg.MaxConns = 2
	gooseDialect := goose.DialectSQLite3
	if dialect == Postgres {
		if m.pool, err = postgresPool(cfg); err != nil {
			return nil, err
		}
		gooseDialect = goose.DialectPostgres
	} else {
		if m.pool, err = sqlitePool(path, cfg.MaxConns, nil); err != nil {
			return nil, err
		}
	}
	m.goose, err = goose.NewProvider(gooseDialect, m.pool, schema.Migrations, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the migrations: %w", err), m.pool.Close())
	}
	return m, nil
}

func (m *migrator) lock(ctx context.Context) (unlock func() error, err error) {
	if m.dialect == SQLite {
		return LockFile(ctx, m.path+".migrate")
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return nil, fmt.Errorf("prepare the migration lock: %w", err)
	}
	conn, err := m.pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect for the migration lock: %w", err)
	}
	if err := locker.SessionLock(ctx, conn); err != nil {
		return nil, errors.Join(fmt.Errorf("acquire the migration lock: %w", err), conn.Close())
	}
	return func() error {
		return errors.Join(locker.SessionUnlock(context.WithoutCancel(ctx), conn), conn.Close())
	}, nil
}

func (m *migrator) backUp(ctx context.Context) error {
	if m.dialect != SQLite {
		return nil
	}
	have, want, err := m.goose.GetVersions(ctx)
	if err != nil {
		return err
	}
	current, err := m.librariesCurrent(ctx)
	if err != nil {
		return err
	}
	if have == 0 || have >= want && current {
		return nil
	}
	target := fmt.Sprintf("%s.%06d.bak", m.path, have)
	// An earlier attempt may have left an older copy of the same version.
	if err := os.Remove(target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := createPrivate(target); err != nil {
		return err
	}
	_, err = m.pool.ExecContext(ctx, "VACUUM INTO ?", target)
	return err
}
