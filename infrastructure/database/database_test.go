package database_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"
)

// both runs a test on an empty database of each type.
func both(t *testing.T, test func(t *testing.T, cfg database.Config, schema database.Schema)) {
	t.Helper()
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, database.Config{URL: postgres.NewEmpty(t)}, migrations.Postgres())
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "sub folder", "a?b%20.db")}, migrations.SQLite())
	})
}

func open(t *testing.T, cfg database.Config) *database.DB {
	t.Helper()
	db, err := database.Open(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestConcurrentProcessesMigrateOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, cfg database.Config, schema database.Schema) {
		ctx := context.Background()
		if err := database.CheckSchema(ctx, cfg, schema); !errors.Is(err, database.ErrSchemaOlder) {
			t.Errorf("an empty database: %v", err)
		}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if err := database.Migrate(ctx, cfg, schema); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := database.CheckSchema(ctx, cfg, schema); err != nil {
			t.Errorf("after migrating: %v", err)
		}
	})
}

// TestNewerSchemas checks that a release accepts the schema of the next release and
// refuses later ones.
func TestNewerSchemas(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, cfg database.Config, _ database.Schema) {
		ctx := context.Background()
		release := func(versions ...int) database.Schema {
			out := fstest.MapFS{}
			for _, v := range versions {
				sql := fmt.Sprintf("-- +goose Up\nCREATE TABLE t%d (id int);\n-- +goose Down\nDROP TABLE t%d;\n", v, v)
				out[fmt.Sprintf("%06d_x.sql", v)] = &fstest.MapFile{Data: []byte(sql)}
			}
			return database.Schema{Migrations: out}
		}
		if err := database.Migrate(ctx, cfg, release(1001, 1002, 2001)); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct {
			release database.Schema
			want    error
		}{
			"same":               {release(1001, 1002, 2001), nil},
			"one release before": {release(1001, 1002), nil},
			"one with more":      {release(1001, 1002, 2001, 2002), database.ErrSchemaOlder},
			"one release after":  {release(1001, 1002, 2001, 3001), database.ErrSchemaOlder},
		} {
			if err := database.CheckSchema(ctx, cfg, test.release); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		if err := database.Migrate(ctx, cfg, release(1001, 1002, 2001, 3001)); err != nil {
			t.Fatal(err)
		}
		if err := database.CheckSchema(ctx, cfg, release(1001, 1002)); !errors.Is(err, database.ErrSchemaNewer) {
			t.Errorf("two releases before: %v", err)
		}
		// Migrate must not change a schema that is too new. This includes SQLite,
		// which migrates at start.
		if err := database.Migrate(ctx, cfg, release(1001, 1002)); !errors.Is(err, database.ErrSchemaNewer) {
			t.Errorf("migrating two releases before: %v", err)
		}
		if err := database.Migrate(ctx, cfg, release(1001, 1002, 2001)); err != nil {
			t.Errorf("migrating one release before: %v", err)
		}
	})
}

// TestSQLiteIsCopiedBeforeItIsMigrated checks that a SQLite database is copied before
// a change, and only then.
func TestSQLiteIsCopiedBeforeItIsMigrated(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	cfg := database.Config{URL: "sqlite:" + path}
	before := &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE a (v int);\nINSERT INTO a VALUES (7);\n")}
	first := database.Schema{Migrations: fstest.MapFS{"001001_a.sql": before}}
	second := database.Schema{Migrations: fstest.MapFS{"001001_a.sql": before, "002001_b.sql": {Data: []byte("-- +goose Up\nDROP TABLE a;\n")}}}
	copies := func() []string {
		found, err := filepath.Glob(path + ".*.bak")
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, release := range []database.Schema{first, first} {
		if err := database.Migrate(ctx, cfg, release); err != nil {
			t.Fatal(err)
		}
		if got := copies(); len(got) > 0 {
			t.Errorf("copied unnecessarily: %v", got)
		}
	}
	if err := database.Migrate(ctx, cfg, second); err != nil {
		t.Fatal(err)
	}
	if got := copies(); len(got) != 1 || got[0] != path+".001001.bak" {
		t.Fatalf("copies %v", got)
	}
	info, err := os.Stat(copies()[0])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy: %v, %v", info.Mode(), err)
	}
	var v int
	if err := open(t, database.Config{URL: "sqlite:" + copies()[0]}).SQL.QueryRow("SELECT v FROM a").Scan(&v); err != nil || v != 7 {
		t.Errorf("the copy contains %d (%v)", v, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, cfg database.Config, _ database.Schema) {
		cfg.MaxConns = 3
		db := open(t, cfg)
		if got := db.SQL.Stats().MaxOpenConnections; got != 3 {
			t.Errorf("%d connections", got)
		}
		if db.Gorm.Name() != string(db.Dialect) || (db.Listener == nil) != (db.Dialect == database.SQLite) {
			t.Errorf("dialect %s, gorm's %s", db.Dialect, db.Gorm.Name())
		}
		// The time zone of the process differs from that of the stored times.
		moment := time.Date(2026, 7, 1, 12, 0, 0, 123456000, time.FixedZone("", 7200))
		if err := db.Gorm.Exec("CREATE TABLE moments (at " + map[database.Dialect]string{
			database.Postgres: "timestamptz", database.SQLite: "timestamp",
		}[db.Dialect] + ")").Error; err != nil {
			t.Fatal(err)
		}
		if err := db.Gorm.Exec("INSERT INTO moments VALUES (?)", moment.UTC()).Error; err != nil {
			t.Fatal(err)
		}
		var got time.Time
		if err := db.SQL.QueryRow("SELECT at FROM moments").Scan(&got); err != nil {
			t.Fatal(err)
		}
		if _, offset := got.Zone(); !got.Equal(moment) || offset != 0 {
			t.Errorf("read %s, want %s in UTC", got, moment)
		}
	})
}

func TestSQLiteFileIsPrivateAndHasSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "x.db")
	db := open(t, database.Config{URL: "sqlite:" + path})
	for _, name := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("other users can access %s: %s", name, info.Mode())
		}
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "foreign_keys": "1", "synchronous": "2", "busy_timeout": "10000"} {
		var got string
		if err := db.SQL.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
	// Two transactions that read first and write afterwards run one after the other.
	if _, err := db.SQL.Exec("CREATE TABLE n (v int); INSERT INTO n VALUES (0)"); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			tx, err := db.SQL.Begin()
			if err != nil {
				t.Error(err)
				return
			}
			var v int
			err = errors.Join(tx.QueryRow("SELECT v FROM n").Scan(&v))
			if err == nil {
				_, err = tx.Exec("UPDATE n SET v = ?", v+1)
			}
			if err = errors.Join(err, tx.Commit()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	var v int
	if err := db.SQL.QueryRow("SELECT v FROM n").Scan(&v); err != nil || v != 4 {
		t.Errorf("v = %d (%v)", v, err)
	}
}

func TestBadURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "mysql://x", "sqlite:", "sqlite://", "x.db", "postgres://a:b@%zz/"} {
		if _, err := database.Open(context.Background(), database.Config{URL: url}); err == nil {
			t.Errorf("%q was opened", url)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := database.Open(ctx, database.Config{URL: "postgres://user:hush@127.0.0.1:1/x?connect_timeout=1"})
	if err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("no server: %v", err)
	}
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	release, err := database.LockFile(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := database.LockFile(ctx, path); !errors.Is(err, database.ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	})
	again, err := database.LockFile(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}
