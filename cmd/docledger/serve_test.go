package main

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

// TestServeKeepsWithinTheContainer verifies that serve sets the memory limit of the runtime. The
// command then ends, because there is no database.
func TestServeKeepsWithinTheContainer(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATABASE_URL": "postgres://x@127.0.0.1:1/x", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	before, real := debug.SetMemoryLimit(math.MaxInt64), controlGroups
	controlGroups = t.TempDir()
	t.Cleanup(func() { controlGroups = real; debug.SetMemoryLimit(before) })
	if err := os.WriteFile(filepath.Join(controlGroups, "memory.max"), []byte("1073741824\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "serve", "--role", "api"); err == nil {
		t.Fatal("it runs without a database")
	}
	const want = int64(1<<30) - int64(1<<30)/10
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the limit is %d, want %d", got, want)
	}
}

// TestRolesOfAnInstallation serves the tools with own accounts too, unless the address of the
// service cannot be that of an OAuth server.
func TestRolesOfAnInstallation(t *testing.T) {
	for base, tools := range map[string]bool{"http://127.0.0.1:1": true, "http://127.0.0.1:1/": true, "http://127.0.0.1:1/books": false} {
		for name, value := range map[string]string{"DOCLEDGER_ENV": "local", "BASE_URL": base, "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none"} {
			t.Setenv(name, value)
		}
		cfg, roles, err := configure(nil)
		if err != nil || slices.Contains(roles, "tools") != tools || cfg.Identity.OAuthClientID == "" {
			t.Errorf("%s: %v, %v", base, roles, err)
		}
	}
}
