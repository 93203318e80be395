package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommandsNeedADatabase runs the commands for an existing installation in a folder without one,
// as with another DATA_DIR than that of the service. They must not create an empty database.
func TestCommandsNeedADatabase(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": dir, "IDENTITY": "local", "BILLING": "none", "PASSWORD_MEMORY_KIB": "8192",
	} {
		t.Setenv(name, value)
	}
	file := filepath.Join(t.TempDir(), "copy")
	id := "01936b1e-0000-7000-8000-000000000001"
	for _, args := range [][]string{
		{"backup", file}, {"dump", file}, {"organization", "list"}, {"organization", "export", id, file}, {"organization", "report", id},
		{"organization", "erase", id, "--confirm", "Acme"}, {"jobs", "list"}, {"events", "list"}, {"keys", "rotate"}, {"resume"},
		{"billing", "explain", id}, {"user", "disable", "ada@example.com"}, {"user", "add", "ada@example.com", "--organization", id},
	} {
		if out, err := run(t, args...); err == nil || !strings.Contains(err.Error(), "there is no database at "+dir) {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	// Remedies of checks that read the database name the database only.
	t.Setenv("INTAKE_FOLDER", t.TempDir())
	if err := os.Mkdir(filepath.Join(os.Getenv("INTAKE_FOLDER"), id), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := run(t, "doctor")
	if err == nil || !strings.Contains(out, "there is no database at "+dir) || strings.Contains(out, "TOKEN_KEYS again") || strings.Contains(out, "create INTAKE_FOLDER") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	for _, path := range []string{filepath.Join(dir, "docledger.db"), file} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s exists (%v)", path, err)
		}
	}
	// The test has no engine of text recognition, of which only workers warn.
	if out, err := run(t, "user", "add", "ada@example.com", "--admin", "--new-organization", "Acme"); err != nil || strings.Contains(out, "WARN") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := run(t, "backup", file); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
