package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// parameters bounds those of one statement; SQLite takes 32,766.
	parameters = 16_000
	// batchRows and batchBytes bound what waits in memory to be written.
	batchRows  = 500
	batchBytes = 4 << 20
)

// ErrNotEmpty says that a database holds an installation already.
var ErrNotEmpty = errors.New("the database is not empty")

// Filler writes rows into an empty database, and reads them back.
type Filler struct {
	Rows
	table   table
	values  []any
	waiting int // rows in values
	bytes   int
	whole   string // the statement of a whole batch
}

// Fill runs fn in one transaction, which is kept only if fn returns no error.
// The error is ErrNotEmpty, with what is there, where the database has rows
// already; nobody else writes to it meanwhile.
func (d Database) Fill(ctx context.Context, fn func(*Filler) error) (err error) {
	tx, err := d.pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // err says what happened; the connection's end undoes it too
		}
	}()
	f := &Filler{Rows: Rows{tx, d.postgres}}
	if d.postgres {
		if _, err := tx.ExecContext(ctx, "LOCK TABLE "+strings.Join(Tables(), ", ")+" IN EXCLUSIVE MODE"); err != nil {
			return fmt.Errorf("lock the tables: %w", err)
		}
	}
	if err := f.Empty(ctx); err != nil {
		return err
	}
	if err := fn(f); err != nil {
		return err
	}
	if err := f.advance(ctx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("keep what was written: %w", err)
	}
	return nil
}

// Empty is ErrNotEmpty, with what is there, unless the database has no rows.
func (r Rows) Empty(ctx context.Context) error {
	held, err := r.Contents(ctx)
	if err != nil || len(held) == 0 {
		return err
	}
	names := make([]string, len(held))
	for i, h := range held {
		names[i] = fmt.Sprintf("%s (%d)", h.Table, h.Rows)
	}
	return fmt.Errorf("%w; it has %s", ErrNotEmpty, strings.Join(names, ", "))
}

// Insert takes a line of Each. Rows are written in batches; Flush writes the
// rest of a table before the next one begins.
func (f *Filler) Insert(ctx context.Context, name string, line []byte) error {
	if f.table.name != name {
		t, ok := find(name)
		if !ok || f.waiting > 0 {
			return fmt.Errorf("table %q can't be written now", name)
		}
		f.table, f.whole = t, ""
	}
	var fields []json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return fmt.Errorf("read a row of %s: %w", name, err)
	}
	if len(fields) != len(f.table.columns) {
		return fmt.Errorf("a row of %s has %d values instead of %d", name, len(fields), len(f.table.columns))
	}
	for i, c := range f.table.columns {
		v, err := parseValue(c.kind, fields[i])
		if err != nil {
			return fmt.Errorf("read column %s of %s: %w", c.name, name, err)
		}
		f.values = append(f.values, v)
	}
	f.waiting, f.bytes = f.waiting+1, f.bytes+len(line)
	if f.waiting >= f.batch() || f.bytes >= batchBytes {
		return f.Flush(ctx)
	}
	return nil
}

func (f *Filler) batch() int { return min(batchRows, parameters/len(f.table.columns)) }

// Flush writes the rows that wait.
func (f *Filler) Flush(ctx context.Context) error {
	if f.waiting == 0 {
		return nil
	}
	statement := f.whole
	if f.waiting != f.batch() {
		statement = f.insert(f.waiting)
	} else if statement == "" {
		f.whole = f.insert(f.waiting)
		statement = f.whole
	}
	_, err := f.tx.ExecContext(ctx, statement, f.values...)
	clear(f.values)
	f.values, f.waiting, f.bytes = f.values[:0], 0, 0
	if err != nil {
		return fmt.Errorf("write %s: %w", f.table.name, err)
	}
	return nil
}

func (f *Filler) insert(rows int) string {
	names := make([]string, len(f.table.columns))
	for i, c := range f.table.columns {
		names[i] = quoted(c.name)
	}
	var b strings.Builder
	b.WriteString("INSERT INTO " + quoted(f.table.name) + " (" + strings.Join(names, ", ") + ") ")
	if f.postgres {
		b.WriteString("OVERRIDING SYSTEM VALUE ") // numbers that the database gave stay
	}
	b.WriteString("VALUES ")
	n := 0
	for row := range rows {
		if row > 0 {
			b.WriteString(", ")
		}
		for i := range names {
			n++
			b.WriteString(separator(i))
			f.placeholder(&b, n)
		}
		b.WriteByte(')')
	}
	return b.String()
}

func (f *Filler) placeholder(b *strings.Builder, n int) {
	if f.postgres {
		fmt.Fprintf(b, "$%d", n)
	} else {
		b.WriteByte('?')
	}
}

// advance lets what PostgreSQL numbers go on behind the rows; SQLite does so by
// itself.
func (f *Filler) advance(ctx context.Context) (err error) {
	if !f.postgres {
		return nil
	}
	rows, err := f.tx.QueryContext(ctx, `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')`)
	if err != nil {
		return fmt.Errorf("find what is numbered: %w", err)
	}
	var numbered [][2]string
	for rows.Next() {
		var n [2]string
		if err := rows.Scan(&n[0], &n[1]); err != nil {
			return errors.Join(fmt.Errorf("find what is numbered: %w", err), rows.Close())
		}
		if slices.Contains(Tables(), n[0]) {
			numbered = append(numbered, n)
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return fmt.Errorf("find what is numbered: %w", err)
	}
	for _, n := range numbered {
		highest := "SELECT max(" + quoted(n[1]) + ") AS n FROM " + quoted(n[0])
		_, err := f.tx.ExecContext(ctx, "SELECT setval(pg_get_serial_sequence($1, $2), n) FROM ("+highest+") AS highest WHERE n IS NOT NULL", n[0], n[1])
		if err != nil {
			return fmt.Errorf("let the numbers of %s go on: %w", n[0], err)
		}
	}
	return nil
}

// separator stands before the value at a place of a row.
func separator(at int) string {
	if at == 0 {
		return "("
	}
	return ", "
}
