package database

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
)

const (
	// cachedStatements limits the prepared statements that a SQLite connection keeps.
	cachedStatements = 128
	// cachedText limits the length of such a statement, and cachedTexts that of all statements of a
	// connection. SQLite needs up to 50 times that memory, which Go neither counts nor limits. A
	// statement that inserts rows has another text for each number of rows.
	cachedText, cachedTexts = 4 << 10, 96 << 10
)

// sqliteConn is what database/sql uses of a connection of the SQLite driver.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteStmt is a prepared statement of the SQLite driver.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// sqliteRows is what database/sql uses of the rows of the SQLite driver.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// cachingConnector opens connections that keep their prepared statements. The driver parses and
// plans a statement whenever it runs, which takes a fifth of the processor time of short
// statements.
type cachingConnector struct {
	driver.Connector
	commits *Commits // nil if no table is observed
}

// Connect implements driver.Connector.
func (c cachingConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	complete, ok := conn.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection of type %T cannot keep statements", conn), conn.Close())
	}
	return &cachingConn{sqliteConn: complete, writer: writer{commits: c.commits}, byText: map[string]*list.Element{}, used: list.New()}, nil
}

// cachingConn keeps the statements that it prepared last. database/sql calls it from one
// goroutine at a time. A statement that runs is not in the cache, because the same text may run
// again before all rows of it are read.
type cachingConn struct {
	sqliteConn
	writer writer
	byText map[string]*list.Element // of keptStatement
	used   *list.List               // the last used first
	length int                      // of all texts
}

type keptStatement struct {
	text string
	stmt sqliteStmt
}

// ExecContext implements driver.ExecerContext.
func (c *cachingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if !cacheable(query) {
		result, err := c.sqliteConn.ExecContext(ctx, query, args)
		if err == nil {
			c.writer.ran(query)
		}
		return result, err
	}
	stmt, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	result, err := stmt.ExecContext(ctx, args)
	if err == nil {
		c.writer.ran(query)
	}
	return result, first(err, c.keep(query, stmt))
}

// BeginTx implements driver.ConnBeginTx.
func (c *cachingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	tx, err := c.sqliteConn.BeginTx(ctx, opts)
	if err != nil {
		return nil, err
	}
	return c.writer.begun(tx), nil
}

// QueryContext implements driver.QueryerContext.
func (c *cachingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if !cacheable(query) {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	stmt, err := c.take(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, first(err, c.keep(query, stmt))
	}
	complete, ok := rows.(sqliteRows)
	if !ok {
		return nil, errors.Join(fmt.Errorf("rows of type %T are not those of the driver", rows), rows.Close(), stmt.Close())
	}
	return &keptRows{sqliteRows: complete, keep: func() error { return c.keep(query, stmt) }}, nil
}

// Close implements driver.Conn.
func (c *cachingConn) Close() error {
	var err error
	for e := c.used.Front(); e != nil; e = e.Next() {
		err = errors.Join(err, e.Value.(keptStatement).stmt.Close())
	}
	c.used.Init()
	clear(c.byText)
	c.length = 0
	return errors.Join(err, c.sqliteConn.Close())
}

// cacheable reports whether a statement reads or writes rows. Others, such as VACUUM and PRAGMA,
// are rare or act when they are prepared.
func cacheable(query string) bool {
	if len(query) > cachedText {
		return false
	}
	query = strings.TrimSpace(query)
	for strings.HasPrefix(query, "--") { // comments of the queue's library
		_, query, _ = strings.Cut(query, "\n")
		query = strings.TrimSpace(query)
	}
	verb := query
	if end := strings.IndexAny(query, " \t\r\n"); end >= 0 {
		verb = query[:end]
	}
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// take removes the statement of a text from the cache, or prepares it.
func (c *cachingConn) take(ctx context.Context, query string) (sqliteStmt, error) {
	if e, ok := c.byText[query]; ok {
		return c.remove(e), nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	stmt, ok := prepared.(sqliteStmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a statement of type %T cannot be kept", prepared), prepared.Close())
	}
	return stmt, nil
}

// remove removes a statement from the cache.
func (c *cachingConn) remove(e *list.Element) sqliteStmt {
	kept := c.used.Remove(e).(keptStatement)
	delete(c.byText, kept.text)
	c.length -= len(kept.text)
	return kept.stmt
}

// keep puts a statement that has ended into the cache. It closes those that were used least
// recently if the cache is full.
func (c *cachingConn) keep(query string, stmt sqliteStmt) error {
	if _, ok := c.byText[query]; ok {
		return stmt.Close()
	}
	c.byText[query] = c.used.PushFront(keptStatement{query, stmt})
	c.length += len(query)
	var err error
	for c.used.Len() > cachedStatements || c.length > cachedTexts {
		err = first(err, c.remove(c.used.Back()).Close())
	}
	return err
}

// keptRows gives the statement back when the rows are closed.
type keptRows struct {
	sqliteRows
	keep func() error
}

// Close implements driver.Rows.
func (r *keptRows) Close() error {
	if r.keep == nil {
		return nil // the statement may run again
	}
	keep := r.keep
	r.keep = nil
	return first(r.sqliteRows.Close(), keep())
}

// first returns the first error as it is, because callers compare errors of the driver.
func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
