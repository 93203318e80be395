// Package sqlite gives tests SQLite databases with the current schema. It migrates one file in
// each process, and every test gets a copy of it: the migrations take most of the processor time
// of the start of a service.
package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"docledger/infrastructure/database"
	"docledger/migrations"
)

// template is the content of a migrated file. The last connection has closed it, so that no
// write-ahead log belongs to it.
var template = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "docledger-sqlite-")
	if err != nil {
		return nil, fmt.Errorf("create a folder for the template: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := database.Migrate(context.Background(), database.Config{URL: "sqlite:" + path}, migrations.SQLite()); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// New returns the URL of a new database with the current schema. It is removed after the test.
func New(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	Create(t, path)
	return "sqlite:" + path
}

// Create creates a database with the current schema at a path, where no file may exist.
func Create(t testing.TB, path string) {
	t.Helper()
	content, err := template()
	if err != nil {
		t.Fatalf("migrate the template: %v", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatalf("create a test database: %v", err)
	}
	if _, err := file.Write(content); err != nil {
		t.Errorf("write a test database: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Errorf("close a test database: %v", err)
	}
}
