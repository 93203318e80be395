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
	// parameters limits the parameters of one statement; SQLite accepts 32,766.
	parameters = 16_000
	// batchRows and batchBytes limit the rows that wait in memory.
	batchRows  = 500
	batchBytes = 4 << 20
)

// ErrNotEmpty reports that a database already contains an installation.
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

// Fill runs fn in one transaction, which commits only if fn returns no error. It returns
// ErrNotEmpty with the existing tables if the database has rows. It excludes other writers.
func (d Database) Fill(ctx context.Context, fn func(*Filler) error) (err error) {
	tx, err := d.pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin to write: %w", err)
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // err describes the failure; closing the connection also rolls back
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
	// Tables that triggers fill can have rows from before all others were emptied without them.
	for _, t := range []string{"invoice_sums", "invoice_sum_totals", "invoice_sum_changes", "invoices_uncounted", "invoice_sync_differences", "invoice_sources", "invoice_weeks"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+t); err != nil {
			return fmt.Errorf("empty %s: %w", t, err)
		}
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

// Empty returns ErrNotEmpty with the existing tables if the database has rows.
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

// Insert accepts a line of Each. It writes rows in batches; Flush writes the remaining rows of a
// table before the next table begins.
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

// Flush writes the waiting rows.
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
		b.WriteString("OVERRIDING SYSTEM VALUE ") // keep the numbers that the database assigned
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

// advance sets PostgreSQL's sequences after the transferred rows; SQLite does this automatically.
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

// separator precedes the value at an index of a row.
func separator(at int) string {
	if at == 0 {
		return "("
	}
	return ", "
}
