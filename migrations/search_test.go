package migrations_test

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"docledger/adapter/store"
	"docledger/domain/identity"
	"docledger/domain/invoice"
	"docledger/domain/page"
	"docledger/infrastructure/database"
	"docledger/migrations"
	"docledger/test/lib/filling"
	"docledger/test/lib/postgres"

	"github.com/pressly/goose/v3"
)

// TestSearchWithoutExtension migrates as a user who may not create extensions. Searches need none.
func TestSearchWithoutExtension(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	whole := postgres.NewEmpty(t)
	admin, err := database.Open(ctx, database.Config{URL: whole})
	must(t, err)
	t.Cleanup(func() { must(t, admin.Close()) })
	const role = "docledger_without_extensions"
	_, err = admin.SQL.ExecContext(ctx, `DO $$ BEGIN CREATE ROLE `+role+`; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`)
	must(t, err)
	_, err = admin.SQL.ExecContext(ctx, "GRANT ALL ON SCHEMA public TO "+role)
	must(t, err)
	u, err := url.Parse(whole)
	must(t, err)
	values := u.Query()
	values.Set("options", "-c role="+role)
	u.RawQuery = strings.ReplaceAll(values.Encode(), "+", "%20")
	cfg := database.Config{URL: u.String()}
	must(t, database.Migrate(ctx, cfg, migrations.Postgres()))
	db, err := database.Open(ctx, cfg)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	var extensions, indexes int
	must(t, db.SQL.QueryRowContext(ctx, "SELECT count(*) FROM pg_extension WHERE extname <> 'plpgsql'").Scan(&extensions))
	if extensions != 0 {
		t.Fatal("the user could create an extension, so the test proves nothing")
	}
	must(t, db.SQL.QueryRowContext(ctx, "SELECT count(*) FROM pg_indexes WHERE indexname = 'invoices_search_values'").Scan(&indexes))
	if indexes != 1 {
		t.Error("the index of searches does not exist")
	}
	search(t, ctx, db)
}

// TestSearchOfSQLiteFollowsInvoices changes and deletes an invoice. The index of searches follows,
// also when the document is deleted.
func TestSearchOfSQLiteFollowsInvoices(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "search.db")}
	must(t, database.Migrate(ctx, cfg, migrations.SQLite()))
	db, err := database.Open(ctx, cfg)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	f, number := search(t, ctx, db)
	found := func(text string) (n int) {
		t.Helper()
		must(t, db.SQL.QueryRowContext(ctx, "SELECT count(*) FROM invoice_search JOIN invoice_search_keys AS k ON k.n = abs(invoice_search.rowid) WHERE invoice_search MATCH ?", text).Scan(&n))
		return n
	}
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	inv, err := s.Invoices().Update(ctx, identity.Scope{OrganizationID: f.Organization}, number.ID, 0, func(inv *invoice.Invoice) error {
		inv.Number = "XYZ-1"
		return nil
	})
	must(t, err)
	if found("xyz") != 1 || found(`"r-5"`) != 0 {
		t.Error("the index does not have the new number alone")
	}
	_, err = db.SQL.ExecContext(ctx, "DELETE FROM documents WHERE id = ?", inv.DocumentID)
	must(t, err)
	if found("xyz") != 0 {
		t.Error("the index has a deleted invoice")
	}
	var keys int
	must(t, db.SQL.QueryRowContext(ctx, "SELECT count(*) FROM invoice_search_keys WHERE invoice_id = ?", inv.ID).Scan(&keys))
	if keys != 0 {
		t.Error("the key of a deleted invoice remains")
	}
}

// TestSearchOfSQLiteAfterUpgrade migrates a database with invoices to the index with the names of sellers apart, from the
// one before, in which an invoice changed. Each text is found in its row alone.
func TestSearchOfSQLiteAfterUpgrade(t *testing.T) {
	t.Parallel()
	const before = 1231
	ctx := t.Context()
	cfg := database.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "search.db")}
	must(t, database.Migrate(ctx, cfg, migrations.SQLite()))
	db, err := database.Open(ctx, cfg)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	_, found := search(t, ctx, db)
	id := found.ID
	provider, err := goose.NewProvider(goose.DialectSQLite3, db.SQL, migrations.SQLite().Migrations)
	must(t, err)
	_, err = provider.DownTo(ctx, before)
	must(t, err)
	rows := func(text string) (signs string) {
		t.Helper()
		must(t, db.SQL.QueryRowContext(ctx, "SELECT coalesce(group_concat(sign(rowid), ' '), '') FROM invoice_search WHERE invoice_search MATCH ?", text).Scan(&signs))
		return signs
	}
	change := func(number, seller, order, file string) {
		t.Helper()
		_, err := db.SQL.ExecContext(ctx, "UPDATE invoices SET search = ? || char(10) || ? || char(10) || ?, search_file = ? WHERE id = ?", number, seller, order, file, id)
		must(t, err)
	}
	change("日本語番号", "東京商事", "\"order\"", "x-file.pdf")
	for _, text := range []string{"日本語", "東京商", `"rde"`, `"x-f"`} {
		if got := rows(text); got != "1" {
			t.Errorf("before the migration, %s is in the rows %q, want one", text, got)
		}
	}
	_, err = provider.Up(ctx)
	must(t, err)
	expect := func(when string, want map[string]string) {
		t.Helper()
		for text, signs := range want {
			if got := rows(text); got != signs {
				t.Errorf("%s, %s is in the rows %q, want %q", when, text, got, signs)
			}
		}
	}
	expect("after the migration", map[string]string{"日本語": "1", "東京商": "-1", `"rde"`: "1", `"x-f"`: "1"})
	change("", "", "", "")
	expect("without texts", map[string]string{"日本語": "", "東京商": "", `"rde"`: "", `"x-f"`: ""})
	change("", "東京商事", "", "日本語.pdf")
	expect("with a seller and a file", map[string]string{"日本語": "1", "東京商": "-1"})
	_, err = provider.DownTo(ctx, before)
	must(t, err)
	expect("after the return", map[string]string{"日本語": "1", "東京商": "1"})
}

// search fills a database and finds an invoice by its number.
func search(t *testing.T, ctx context.Context, db *database.DB) (filling.Filled, invoice.Summary) {
	t.Helper()
	f, err := filling.Fill(ctx, db, filling.Options{Seed: 1, Invoices: 9, Entities: 3})
	must(t, err)
	s, err := store.New(ctx, db.Gorm, store.Options{})
	must(t, err)
	p, err := s.Invoices().List(ctx, identity.Scope{OrganizationID: f.Organization}, invoice.Filter{Query: "R-5"}, invoice.Sort{}, page.Request{})
	must(t, err)
	if len(p.Items) != 1 || p.Items[0].Number != "R-5" {
		t.Fatalf("found %+v", p.Items)
	}
	return f, p.Items[0]
}
