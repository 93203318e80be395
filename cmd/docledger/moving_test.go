package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDumpAndLoad transfers an installation with both commands, which must print the
// same table.
func TestDumpAndLoad(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	if _, err := run(t, "organization", "create", "Moved"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dump.tar")
	dumped, err := run(t, "dump", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`(?m)^WHAT +COUNT +CHECKSUM$`, `(?m)^organizations +1 +[0-9a-f]{16}$`, `(?m)^files +0 +[0-9a-f]{16}$`, "TOKEN_KEYS"} {
		if !regexp.MustCompile(want).MatchString(dumped) {
			t.Errorf("dump lacks %s:\n%s", want, dumped)
		}
	}
	if _, err := run(t, "load", file); err == nil || !strings.Contains(err.Error(), "organizations (1)") {
		t.Errorf("the source was loaded into itself: %v", err)
	}
	t.Setenv("DATA_DIR", t.TempDir())
	loaded, err := run(t, "load", file)
	if err != nil {
		t.Fatal(err)
	}
	if table(loaded) != table(dumped) || !strings.Contains(loaded, "doctor --deep") {
		t.Errorf("load prints\n%s\ndump printed\n%s", loaded, dumped)
	}
	if listed, err := run(t, "organization", "list"); err != nil || !strings.Contains(listed, "Moved") {
		t.Errorf("the copy has %s (%v)", listed, err)
	}
}

// table returns the part of an output with counts and checksums. Progress messages of
// a slow command precede it.
func table(out string) string {
	table, _, _ := strings.Cut(out[max(0, strings.Index(out, "WHAT")):], "bytes of files")
	return table
}
