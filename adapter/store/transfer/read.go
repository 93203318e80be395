package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// Database is a database with a current schema.
type Database struct {
	pool     *sql.DB
	postgres bool
}

// Of returns the database behind a pool.
func Of(pool *sql.DB, postgres bool) Database { return Database{pool, postgres} }

// Rows reads rows in one snapshot.
type Rows struct {
	tx       *sql.Tx
	postgres bool
}

// Read runs fn, which sees one snapshot of the whole database while others continue to write.
func (d Database) Read(ctx context.Context, fn func(Rows) error) (err error) {
	tx, err := d.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin to read: %w", err)
	}
	defer func() {
		if ending := tx.Rollback(); err == nil && ending != nil {
			err = fmt.Errorf("end reading: %w", ending)
		}
	}()
	return fn(Rows{tx, d.postgres})
}

// Each calls fn with each row of a table as one line without a line end, in the same order on
// both databases. The line is valid until fn returns.
func (r Rows) Each(ctx context.Context, name string, fn func(line []byte) error) error {
	t, ok := find(name)
	if !ok {
		return fmt.Errorf("no table %q is moved", name)
	}
	rows, err := r.tx.QueryContext(ctx, r.query(t))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return t.each(rows, t.line, fn)
}

// each writes each of the rows with write, and calls fn with it. It closes the rows.
func (t table) each(rows *sql.Rows, write func(line []byte, values []any) ([]byte, error), fn func(line []byte) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	values, targets := make([]any, len(t.columns)), make([]any, len(t.columns))
	for i := range values {
		targets[i] = &values[i]
	}
	var line []byte
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		if line, err = write(line[:0], values); err != nil {
			return err
		}
		if err := fn(line); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", t.name, err)
	}
	return nil
}

// line writes a row as a JSON array; an error names the row by its key.
func (t table) line(line []byte, values []any) (_ []byte, err error) {
	line = append(line, '[')
	for i, c := range t.columns {
		if i > 0 {
			line = append(line, ',')
		}
		if line, err = appendValue(line, c.kind, values[i]); err != nil {
			return nil, fmt.Errorf("column %s of %s with the key %q: %w", c.name, t.name, fmt.Sprint(values[0]), err)
		}
	}
	return append(line, ']'), nil
}

func (r Rows) query(t table) string {
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = quoted(c.name)
		if r.postgres && (c.kind == kindUUID || c.kind == kindJSON) {
			columns[i] += "::text"
		}
	}
	order := make([]string, len(t.key))
	for i, name := range t.key {
		order[i] = quoted(name)
		if r.postgres && t.kindOf(name) == kindText {
			order[i] += ` COLLATE "C"`
		}
	}
	if t.first != "" {
		order = append([]string{t.first}, order...)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + quoted(t.name) + " ORDER BY " + strings.Join(order, ", ")
}

// Files calls fn with the SHA-256 of each file that documents name, each once and sorted.
func (r Rows) Files(ctx context.Context, fn func(sha256 string) error) (err error) {
	collation := ""
	if r.postgres {
		collation = ` COLLATE "C"`
	}
	rows, err := r.tx.QueryContext(ctx, "SELECT sha256 FROM (SELECT DISTINCT sha256 FROM documents) AS files ORDER BY sha256"+collation)
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var sum string
		if err := rows.Scan(&sum); err != nil {
			return fmt.Errorf("list the files: %w", err)
		}
		if err := fn(sum); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	return nil
}

// Held is the number of rows of a table.
type Held struct {
	Table string
	Rows  int64
}

// Contents returns the tables that have rows.
func (r Rows) Contents(ctx context.Context) ([]Held, error) {
	var out []Held
	for _, t := range tables {
		h := Held{Table: t.name}
		if err := r.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(t.name)).Scan(&h.Rows); err != nil {
			return nil, fmt.Errorf("count %s: %w", t.name, err)
		}
		if h.Rows > 0 {
			out = append(out, h)
		}
	}
	return out, nil
}

// quoted must only get names from this package's list.
func quoted(name string) string { return `"` + name + `"` }
