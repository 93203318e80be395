package doctor

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/infrastructure/database"
	"docledger/test/lib/harness"
	"docledger/test/lib/postgres"
)

// TestBackupIsRestored follows the runbook on both databases: it backs up the
// database during use, then the documents, then the keys.
func TestBackupIsRestored(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.Env = map[string]string{"BASE_URL": "http://localhost:1"} // tokens remain valid when the address changes
		s := harness.Start(t, o)
		org := s.NewOrganization("Backed up")
		var documents []string
		upload := func(number string) {
			up := s.Upload(org.Admin.Token, org.Entity, number+".xml", harness.UBL(number)).OK()
			s.Extract(org.Admin.Token, up.Text("id")).OK()
			documents = append(documents, up.Text("id"))
		}
		upload("B-1")
		upload("B-2")
		fresh := harness.Options{DataDir: t.TempDir(), Env: o.Env, NoWorkers: true}
		if o.DatabaseURL != "" {
			fresh.DatabaseURL = postgres.NewEmpty(t)
		}
		restoreDatabase := backUp(t, s.DataDir, o)
		upload("B-3") // between the two copies: only one of them contains it
		for _, folder := range []string{"blobs", "keys"} {
			if err := os.CopyFS(filepath.Join(fresh.DataDir, folder), os.DirFS(filepath.Join(s.DataDir, folder))); err != nil {
				t.Fatal(err)
			}
		}
		// A copied folder has the permissions of the copying user.
		for _, key := range []string{"jwt", "tokens"} {
			if err := os.Chmod(filepath.Join(fresh.DataDir, "keys", key), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		restoreDatabase(fresh)

		env := map[string]string{
			"BILLING": "none", "IDENTITY": "local", "DATA_DIR": fresh.DataDir, "DATABASE_URL": fresh.DatabaseURL,
			"OCR": "off", "COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"),
		}
		deep := service.DiagnoseOptions{Roles: all.Roles, Deep: true}
		problems := diagnose(t, env, deep)
		delete(problems, "Redis")
		if len(problems) != 0 {
			t.Errorf("the restored installation has %v", problems)
		}
		r := harness.Start(t, fresh)
		if n := r.Do(http.MethodGet, "/api/invoices", org.Admin.Token, nil).OK().Len("items"); n != 2 {
			t.Errorf("%d invoices are restored, want 2", n)
		}
		content := r.Do(http.MethodGet, "/api/documents/"+documents[0]+"/content", org.Admin.Token, nil).OK()
		if !bytes.Equal(content.Raw, harness.UBL("B-1")) {
			t.Error("an original differs from the upload")
		}
		// Documents that were received after the backup are uploaded again as
		// new documents.
		if up := r.Upload(org.Admin.Token, org.Entity, "B-3.xml", harness.UBL("B-3")).OK(); up.At("duplicate") != false {
			t.Errorf("an upload that the backup lacks is %s", up.Raw)
		}

		damage(t, filepath.Join(fresh.DataDir, "blobs"), harness.UBL("B-2"))
		found := diagnose(t, env, deep)["every document"]
		if found.Err == nil || !strings.Contains(found.Detail(), documents[1]) || strings.Contains(found.Detail(), documents[0]) {
			t.Errorf("a damaged document is reported as %v", found)
		}

		change(t, env, "DELETE FROM invoice_weeks WHERE pair = 'issue_due'")
		if weeks := diagnose(t, env, deep)["weeks of invoices"]; weeks.Err == nil || !strings.Contains(weeks.Detail(), "1 of 6 rows") {
			t.Errorf("a missing week of invoices is reported as %v", weeks)
		}
		for what, statement := range map[string]string{
			"wrong": "UPDATE invoice_sources SET due_date = '1999-01-01'", "missing": "DELETE FROM invoice_sources",
		} {
			change(t, env, statement+" WHERE CAST(invoice_id AS text) = (SELECT min(CAST(id AS text)) FROM invoices)")
			if sources := diagnose(t, env, deep)["sources of invoices"]; sources.Err == nil || !strings.Contains(sources.Detail(), "1 of 2 rows of invoice_sources are missing or wrong") {
				t.Errorf("a %s source of an invoice is reported as %v", what, sources)
			}
		}
	})
}

// change changes rows of a table that triggers fill.
func change(t *testing.T, env map[string]string, statement string) {
	t.Helper()
	db, err := database.Open(context.Background(), service.DatabaseConfig(load(t, env)))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.SQL.ExecContext(context.Background(), statement)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// backUp copies the database and returns the function that restores it.
func backUp(t *testing.T, dataDir string, o harness.Options) func(harness.Options) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	if o.DatabaseURL == "" {
		cfg := load(t, map[string]string{"BILLING": "none", "IDENTITY": "local", "DATA_DIR": dataDir})
		if err := database.BackUp(context.Background(), service.DatabaseConfig(cfg), file); err != nil {
			t.Fatal(err)
		}
		if err := database.BackUp(context.Background(), service.DatabaseConfig(cfg), file); err == nil {
			t.Error("a backup was replaced")
		}
		return func(fresh harness.Options) {
			content, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(fresh.DataDir, "docledger.db"), content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := database.BackUp(context.Background(), database.Config{URL: o.DatabaseURL}, file); err == nil {
		t.Error("PostgreSQL was copied to a file")
	}
	tool(t, "pg_dump", "--format=custom", "--file="+file, "--dbname="+o.DatabaseURL)
	return func(fresh harness.Options) {
		tool(t, "pg_restore", "--exit-on-error", "--no-owner", "--dbname="+fresh.DatabaseURL, file)
	}
}

// tool runs a program of the database.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	bin, err := postgres.Find()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(bin, name), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// damage corrupts the one file with this content.
func damage(t *testing.T, folder string, content []byte) {
	t.Helper()
	changed := 0
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		there, err := os.ReadFile(path)
		if err == nil && bytes.Equal(there, content) {
			changed++
			err = os.WriteFile(path, append([]byte("X"), there[1:]...), 0o600)
		}
		return err
	})
	if err != nil || changed != 1 {
		t.Fatalf("%d files were damaged: %v", changed, err)
	}
}
