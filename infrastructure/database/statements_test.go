package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

// counted counts what is prepared on the connections of a connector.
type counted struct {
	driver.Connector
	prepared atomic.Int64
	open     atomic.Int64
}

func (c *counted) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return countedConn{conn.(sqliteConn), c}, nil
}

type countedConn struct {
	sqliteConn
	of *counted
}

func (c countedConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	stmt, err := c.sqliteConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.of.prepared.Add(1)
	c.of.open.Add(1)
	return countedStmt{stmt.(sqliteStmt), c.of}, nil
}

type countedStmt struct {
	sqliteStmt
	of *counted
}

func (s countedStmt) Close() error {
	s.of.open.Add(-1)
	return s.sqliteStmt.Close()
}

// cachedPool returns a pool of one connection to a new file.
func cachedPool(t *testing.T) (*sql.DB, *counted, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	connector, err := sqlite.NewConnector(sqliteAddress(path))
	if err != nil {
		t.Fatal(err)
	}
	c := &counted{Connector: connector}
	pool := sql.OpenDB(cachingConnector{Connector: c})
	bound(pool, 1)
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
		if n := c.open.Load(); n != 0 {
			t.Errorf("%d statements are still open", n)
		}
	})
	do(t, pool, "CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t (id, v) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
	return pool, c, path
}

func do(t *testing.T, pool *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := pool.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func TestStatementsArePreparedOnce(t *testing.T) {
	t.Parallel()
	pool, c, _ := cachedPool(t)
	before := c.prepared.Load()
	for n := range 5 {
		do(t, pool, "INSERT INTO t (id, v) VALUES (?, ?)", 10+n, fmt.Sprint(n))
		var v string
		if err := pool.QueryRow("-- name: Value :one\nselect v FROM t WHERE id = ?", 10+n).Scan(&v); err != nil || v != fmt.Sprint(n) {
			t.Errorf("row %d has %q (%v)", 10+n, v, err)
		}
	}
	if n := c.prepared.Load() - before; n != 2 {
		t.Errorf("two statements were prepared %d times", n)
	}
}

// TestStatementRunsWhileItsRowsAreRead runs one text twice at the same time.
func TestStatementRunsWhileItsRowsAreRead(t *testing.T) {
	t.Parallel()
	pool, _, _ := cachedPool(t)
	tx, err := pool.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	const query = "SELECT id FROM t WHERE id >= ? ORDER BY id"
	rows, err := tx.Query(query, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for want := 1; rows.Next(); want++ {
		var outer, inner int
		if err := rows.Scan(&outer); err != nil || outer != want {
			t.Errorf("outer row %d, want %d (%v)", outer, want, err)
		}
		if err := tx.QueryRow(query, 3).Scan(&inner); err != nil || inner != 3 {
			t.Errorf("inner row %d, want 3 (%v)", inner, err)
		}
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}

func TestStatementSeesANewColumn(t *testing.T) {
	t.Parallel()
	pool, _, _ := cachedPool(t)
	columns := func() int {
		rows, err := pool.Query("SELECT * FROM t")
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		names, err := rows.Columns()
		if err = errors.Join(err, rows.Err()); err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	if n := columns(); n != 2 {
		t.Errorf("%d columns, want 2", n)
	}
	do(t, pool, "ALTER TABLE t ADD COLUMN w TEXT")
	if n := columns(); n != 3 {
		t.Errorf("%d columns, want 3", n)
	}
}

// TestStatementSurvivesFailures repeats a statement that violated a constraint, and one with
// rows that were not read to the end. The latter must not keep its lock.
func TestStatementSurvivesFailures(t *testing.T) {
	t.Parallel()
	pool, _, path := cachedPool(t)
	const insert = "INSERT INTO t (id, v) VALUES (?, ?)"
	for range 2 {
		_, err := pool.Exec(insert, 1, "again")
		var refused *sqlite.Error
		if !errors.As(err, &refused) {
			t.Errorf("a second row 1: %v", err)
		}
	}
	do(t, pool, insert, 4, "d")
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := pool.QueryContext(ctx, "SELECT v FROM t")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Error("no row")
	}
	cancel()
	if err := rows.Close(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := rows.Err(); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	other, err := sqlitePool(path, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	do(t, other, "DROP TABLE t")
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	if _, err := pool.Exec(insert, 5, "e"); err == nil {
		t.Error("a row was written to a table that does not exist")
	}
}

// TestCacheOfLongStatementsIsLimited inserts different numbers of rows with one statement each.
func TestCacheOfLongStatementsIsLimited(t *testing.T) {
	t.Parallel()
	pool, c, _ := cachedPool(t)
	const start, row = "INSERT OR IGNORE INTO t (id, v) VALUES (1, 'a')", ", (1, 'a')"
	for n := range cachedText / len(row) {
		do(t, pool, start+strings.Repeat(row, n))
	}
	// Those that are kept are the longest.
	if kept := int(c.open.Load()); kept == 0 || kept > 3*cachedTexts/cachedText/2 {
		t.Errorf("%d long statements are kept", kept)
	}
	before := c.prepared.Load()
	do(t, pool, start+strings.Repeat(row, cachedText/len(row)))
	if c.prepared.Load() != before {
		t.Error("a statement above the limit was kept")
	}
}

func TestCacheOfStatementsIsLimited(t *testing.T) {
	t.Parallel()
	pool, c, _ := cachedPool(t)
	for n := range 3 * cachedStatements {
		var v string
		if err := pool.QueryRow(fmt.Sprintf("SELECT v FROM t WHERE id = 1 AND %d >= 0", n)).Scan(&v); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.open.Load(); n != cachedStatements {
		t.Errorf("%d statements are kept, want %d", n, cachedStatements)
	}
	before := c.prepared.Load()
	do(t, pool, "PRAGMA user_version = 7")
	do(t, pool, "VACUUM")
	if n := c.prepared.Load() - before; n != 0 {
		t.Errorf("%d statements without rows were kept", n)
	}
}
