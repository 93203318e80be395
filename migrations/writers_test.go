package migrations_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/postgres"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
)

// firstWithWriters is the first version after release 0.1.0. The processes of that release write while it is migrated.
const firstWithWriters = 1017

// TestMigrateWhileInvoicesChange migrates PostgreSQL, one version after the other, and back, while a
// transaction changes an invoice. Neither a migration nor a change fails because of a deadlock.
func TestMigrateWhileInvoicesChange(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	db, err := database.Open(ctx, database.Config{URL: postgres.New(t), MaxConns: 10})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	scope, _ := fill(t, ctx, s, []time.Time{now, now})
	w := writer{ctx: ctx, db: db.SQL, invoice: withLine(t, ctx, s, db, scope)}
	provider, err := goose.NewProvider(goose.DialectPostgres, db.SQL, migrations.Postgres().Migrations)
	must(t, err)
	_, err = provider.DownTo(ctx, firstWithWriters-1)
	must(t, err)
	before := int64(firstWithWriters - 1)
	for _, source := range provider.ListSources() {
		if source.Version < firstWithWriters {
			continue
		}
		up := func() error { _, err := provider.UpTo(ctx, source.Version); return err }
		down := func() error { _, err := provider.DownTo(ctx, before); return err }
		for name, run := range map[string]func(migrate func() error) error{"before": w.beforeMigration, "amid": w.amidMigration} {
			for _, step := range []struct {
				name    string
				migrate func() error
			}{{"up", up}, {"down", down}} {
				must(t, w.markCounted())
				if err := run(step.migrate); err != nil {
					t.Fatalf("%s of %s, with an invoice that changes from %s it: %v", step.name, source.Path, name, err)
				}
			}
		}
		must(t, up())
		before = source.Version
	}
}

// TestFillSourcesWhileInvoicesChange fills the sources of invoices while a transaction changes two of them, in each order.
// Neither waits for a row of the other while it has one that the other needs.
func TestFillSourcesWhileInvoicesChange(t *testing.T) {
	t.Parallel()
	const before, columns, filled = 1232, 1233, 1234
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	db, err := database.Open(ctx, database.Config{URL: postgres.New(t), MaxConns: 10})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	fill(t, ctx, s, []time.Time{now, now})
	var ids []uuid.UUID
	must(t, db.Gorm.Table("invoices").Order("id").Pluck("id", &ids).Error)
	provider, err := goose.NewProvider(goose.DialectPostgres, db.SQL, migrations.Postgres().Migrations)
	must(t, err)
	w := writer{ctx: ctx, db: db.SQL}
	change := func(id uuid.UUID) string {
		return fmt.Sprintf("UPDATE invoices SET issue_date = '2026-02-01' WHERE id = '%s'", id)
	}
	for _, order := range [][2]uuid.UUID{{ids[0], ids[1]}, {ids[1], ids[0]}} {
		_, err := provider.DownTo(ctx, before)
		must(t, err)
		must(t, db.Gorm.Exec("UPDATE invoices SET issue_date = NULL").Error)
		_, err = provider.UpTo(ctx, columns)
		must(t, err)
		must(t, w.alone(func(conn *sql.Conn) error {
			if err := w.exec(conn, "BEGIN", change(order[0])); err != nil {
				return err
			}
			migrated := background(func() error { _, err := provider.UpTo(ctx, filled); return err })
			if err := w.wait(migrated); err != nil {
				return err
			}
			return errors.Join(w.exec(conn, change(order[1]), "COMMIT"), <-migrated.err)
		}))
		if wrong, all, err := s.MissingSources(ctx); wrong != 0 || all != 2 || err != nil {
			t.Errorf("%d of %d invoices have a source with other values, want 0 of 2, %v", wrong, all, err)
		}
	}
}

// TestIndexOfSearchesAfterInterruption migrates a database in which an earlier attempt ended before its index
// was complete.
func TestIndexOfSearchesAfterInterruption(t *testing.T) {
	t.Parallel()
	const before, version = 1212, 1213
	ctx := t.Context()
	db, err := database.Open(ctx, database.Config{URL: postgres.New(t)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	provider, err := goose.NewProvider(goose.DialectPostgres, db.SQL, migrations.Postgres().Migrations)
	must(t, err)
	index := func() (definition string, valid bool) {
		t.Helper()
		must(t, db.SQL.QueryRowContext(ctx, "SELECT pg_get_indexdef(indexrelid), indisvalid FROM pg_index WHERE indexrelid = 'invoices_search_keys'::regclass").Scan(&definition, &valid))
		return definition, valid
	}
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	fill(t, ctx, s, []time.Time{now, now})
	_, err = provider.DownTo(ctx, version)
	must(t, err)
	want, _ := index()
	_, err = provider.DownTo(ctx, before)
	must(t, err)
	// The index that a failed statement leaves is invalid.
	if _, err = db.SQL.ExecContext(ctx, "CREATE UNIQUE INDEX CONCURRENTLY invoices_search_keys ON invoices (organization_id)"); err == nil {
		t.Fatal("the index of an earlier attempt is complete, so the test proves nothing")
	}
	if _, valid := index(); valid {
		t.Fatal("the index of an earlier attempt is valid, so the test proves nothing")
	}
	_, err = provider.UpTo(ctx, version)
	must(t, err)
	if definition, valid := index(); definition != want || !valid {
		t.Errorf("the index is %s, valid: %v; want %s", definition, valid, want)
	}
}

// TestIndexOfSearchesAfterAnInterruptedReturn returns to the schema before the index of sellers. An earlier
// attempt ended before the former index was complete.
func TestIndexOfSearchesAfterAnInterruptedReturn(t *testing.T) {
	t.Parallel()
	const before = 1231
	ctx := t.Context()
	db, err := database.Open(ctx, database.Config{URL: postgres.New(t)})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	fill(t, ctx, s, []time.Time{now, now})
	if _, err = db.SQL.ExecContext(ctx, "CREATE UNIQUE INDEX CONCURRENTLY invoices_search_keys ON invoices (organization_id)"); err == nil {
		t.Fatal("the index of an earlier attempt is complete, so the test proves nothing")
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db.SQL, migrations.Postgres().Migrations)
	must(t, err)
	_, err = provider.DownTo(ctx, before)
	must(t, err)
	var definition string
	var valid bool
	must(t, db.SQL.QueryRowContext(ctx, "SELECT pg_get_indexdef(indexrelid), indisvalid FROM pg_index WHERE indexrelid = 'invoices_search_keys'::regclass").Scan(&definition, &valid))
	if !strings.Contains(definition, "gin") || !valid {
		t.Errorf("the index is %s, valid: %v", definition, valid)
	}
}

// withLine adds a line to one of the invoices and returns its id.
func withLine(t *testing.T, ctx context.Context, s *store.Store, db *database.DB, scope identity.Scope) uuid.UUID {
	t.Helper()
	var ids []uuid.UUID
	must(t, db.Gorm.Table("invoices").Pluck("id", &ids).Error)
	_, err := s.Invoices().Update(ctx, scope, ids[0], 0, func(inv *invoice.Invoice) error {
		inv.Lines = []invoice.Line{{AccountID: "400"}}
		return nil
	})
	must(t, err)
	return ids[0]
}

// writer changes an invoice as the release before does, while a migration runs.
type writer struct {
	ctx     context.Context
	db      *sql.DB
	invoice uuid.UUID
}

// beforeMigration locks the invoice and changes rows of other tables before the migration starts, and changes
// the invoice when the migration waits.
func (w writer) beforeMigration(migrate func() error) error {
	return w.alone(func(conn *sql.Conn) error {
		if err := w.exec(conn, "BEGIN", w.lock(), "UPDATE documents SET version = version + 1", "UPDATE invoice_syncs SET state = state"); err != nil {
			return err
		}
		migrated := background(migrate)
		if err := w.wait(migrated); err != nil {
			return err
		}
		return errors.Join(w.exec(conn, append(w.change(), "COMMIT")...), <-migrated.err)
	})
}

// amidMigration holds the lines of all invoices until both the migration and the change wait, unless they
// do not need the lines.
func (w writer) amidMigration(migrate func() error) error {
	return w.alone(func(conn *sql.Conn) error {
		if err := w.exec(conn, "BEGIN", "LOCK TABLE invoice_lines IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		migrated := background(migrate)
		if err := w.wait(migrated); err != nil {
			return err
		}
		changed := background(func() error {
			return w.alone(func(conn *sql.Conn) error {
				return w.exec(conn, append(append([]string{"BEGIN", w.lock()}, w.change()...), "COMMIT")...)
			})
		})
		return errors.Join(w.wait(migrated, changed), w.exec(conn, "COMMIT"), <-changed.err, <-migrated.err)
	})
}

func (w writer) lock() string {
	return fmt.Sprintf("SELECT FROM invoices WHERE id = '%s' FOR UPDATE", w.invoice)
}

func (w writer) change() []string {
	return []string{
		fmt.Sprintf("UPDATE invoices SET version = version + 1 WHERE id = '%s'", w.invoice),
		fmt.Sprintf("UPDATE invoice_lines SET position = position + 1 WHERE invoice_id = '%s'", w.invoice),
	}
}

// alone runs fn with a connection.
func (w writer) alone(fn func(*sql.Conn) error) error {
	conn, err := w.db.Conn(w.ctx)
	if err != nil {
		return err
	}
	// A transaction that an error left open must not stop the other one.
	defer func() { _ = w.exec(conn, "ROLLBACK"); _ = conn.Close() }()
	return fn(conn)
}

// markCounted marks all invoices as counted, where the schema has this mark. A change of a counted invoice
// needs more locks.
func (w writer) markCounted() error {
	var marks bool
	if err := w.db.QueryRowContext(w.ctx, "SELECT to_regclass('invoices_uncounted') IS NOT NULL").Scan(&marks); err != nil || !marks {
		return err
	}
	_, err := w.db.ExecContext(w.ctx, "DELETE FROM invoices_uncounted")
	return err
}

func (w writer) exec(conn *sql.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.ExecContext(w.ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// wait returns when each of the calls ended, or waits for a lock or for another attempt.
func (w writer) wait(calls ...call) error {
	for {
		var waiting, running int
		err := w.db.QueryRowContext(w.ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND (wait_event_type = 'Lock' OR wait_event = 'PgSleep')").Scan(&waiting)
		for _, c := range calls {
			if !c.ended() {
				running++
			}
		}
		if err != nil || waiting >= running {
			return err
		}
	}
}

// call is a function that runs.
type call struct{ err chan error }

func background(fn func() error) call {
	c := call{make(chan error, 1)}
	go func() { c.err <- fn() }()
	return c
}

// ended reports whether the function has returned.
func (c call) ended() bool { return len(c.err) > 0 }
