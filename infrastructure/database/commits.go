package database

import (
	"database/sql/driver"
	"strings"
	"sync"
)

// Commits signals the commits of this process that wrote to one table of a SQLite database. It sees
// the statements that return no rows. Other processes are not seen.
type Commits struct {
	table string

	mu   sync.Mutex
	next chan struct{} // nil if no caller waits
}

// Next returns a channel that the next such commit closes.
func (c *Commits) Next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

func (c *Commits) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// writer finds the commits of one connection.
type writer struct {
	commits       *Commits // nil if no table is observed
	inTx, written bool
}

// ran records a statement that succeeded.
func (w *writer) ran(query string) {
	switch {
	case w.commits == nil || !strings.Contains(query, w.commits.table):
	case w.inTx:
		w.written = true
	default:
		w.commits.signal()
	}
}

// begun wraps a transaction, so that its commit is found.
func (w *writer) begun(tx driver.Tx) driver.Tx {
	if w.commits == nil {
		return tx
	}
	w.inTx, w.written = true, false
	return writerTx{tx, w}
}

type writerTx struct {
	driver.Tx
	w *writer
}

// Commit implements driver.Tx.
func (t writerTx) Commit() error {
	err := t.Tx.Commit()
	if err == nil && t.w.written {
		t.w.commits.signal()
	}
	t.w.inTx = false
	return err
}

// Rollback implements driver.Tx.
func (t writerTx) Rollback() error {
	t.w.inTx = false
	return t.Tx.Rollback()
}
