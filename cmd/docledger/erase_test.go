package main

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportAndErase exports an organization, erases it, and prints the proof again. It erases a user.
func TestExportAndErase(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	must := func(args ...string) string {
		t.Helper()
		out, err := run(t, args...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(out)
	}
	id := must("organization", "create", "Leaving Ltd")
	must("user", "add", "a@example.com", "--organization", id)
	must("user", "add", "b@example.com", "--organization", id)
	if out, err := run(t, "user", "erase", "b@example.com", "--confirm", "a@example.com"); err == nil {
		t.Errorf("another address confirmed: %s", out)
	}
	if out := must("user", "erase", "b@example.com", "--confirm", "b@example.com"); strings.Contains(out, "@") {
		t.Errorf("it prints %q", out)
	}
	file := filepath.Join(t.TempDir(), "export.zip")
	if out := must("organization", "export", id, file); !strings.Contains(out, "Written to "+file) {
		t.Errorf("it prints %q", out)
	}
	archive, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := archive.Close(); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{{"no id", "Leaving Ltd"}, {id, "Leaving"}, {"01936b1e-0000-7000-8000-000000000001", "Leaving Ltd"}} {
		if out, err := run(t, "organization", "erase", args[0], "--confirm", args[1]); err == nil {
			t.Errorf("erase %v prints %q", args, out)
		}
	}
	first := must("organization", "erase", id, "--confirm", "Leaving Ltd")
	if !strings.Contains(first, "was erased by OPERATOR at") || strings.Contains(first, "Leaving") {
		t.Errorf("it prints %q", first)
	}
	if again := must("organization", "erase", id, "--confirm", "Leaving Ltd"); again != first {
		t.Errorf("the proof was %q and is %q", first, again)
	}
	if list := must("organization", "list"); strings.Contains(list, id) {
		t.Errorf("the list is %s", list)
	}
	database, err := os.ReadFile(filepath.Join(os.Getenv("DATA_DIR"), "docledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, erased := range []string{"Leaving Ltd", "a@example.com", "b@example.com"} {
		if bytes.Contains(database, []byte(erased)) {
			t.Errorf("the file of the database has %q", erased)
		}
	}
}
