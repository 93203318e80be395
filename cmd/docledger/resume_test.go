package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestServeAfterRestore checks that the flag pauses work, also after a restart, until
// an operator resumes it.
func TestServeAfterRestore(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
		"LISTEN": "127.0.0.1:0", "SHUTDOWN_DELAY": "1ms",
		"COMPILE_CACHE_DIR": filepath.Join(os.TempDir(), "docledger-test-cache"),
	} {
		t.Setenv(name, value)
	}
	if _, err := run(t, "migrate"); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "resume"); err != nil || !strings.Contains(out, "Work is not paused") {
		t.Fatalf("%q, %v", out, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() {
		var out bytes.Buffer
		c := root()
		c.SetArgs([]string{"serve", "--role", "api", "--after-restore"})
		c.SetOut(&out)
		c.SetErr(&out)
		served <- c.ExecuteContext(ctx)
	}()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for began := time.Now(); ; <-tick.C {
		out, _ := run(t, "doctor", "--role", "api") // other checks may fail here
		if strings.Contains(out, "paused after a restore") {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("work is not paused: %s", out)
		}
	}
	stop()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "resume"); err != nil || !strings.Contains(out, "Work resumed") {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run(t, "resume"); err != nil || !strings.Contains(out, "Work is not paused") {
		t.Errorf("%q, %v", out, err)
	}
	if _, err := run(t, "serve", "--role", "tools", "--after-restore"); err == nil {
		t.Error("a process without a database paused work")
	}
}

func TestJobs(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	if _, err := run(t, "migrate"); err != nil {
		t.Fatal(err)
	}
	if out, err := run(t, "jobs", "list"); err != nil || strings.Join(strings.Fields(out), " ") != "ID KIND STATE ORGANIZATION SUBJECT AGE DUE TRIES FAILURE" {
		t.Errorf("%q, %v", out, err)
	}
	for _, args := range [][]string{
		{"jobs", "list", "--state", "GONE"}, {"jobs", "list", "--limit", "0"}, {"jobs", "list", "--after", "guess"},
		{"jobs", "retry", "x"}, {"jobs", "retry", "7"}, {"jobs", "cancel", "-1"}, {"jobs", "cancel", "7"},
	} {
		if out, err := run(t, args...); err == nil {
			t.Errorf("%v: %s", args, out)
		}
	}
}
