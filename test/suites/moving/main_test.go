// Package moving tests the transfer of whole installations between both
// databases and both blob stores.
package moving

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"docledger/adapter/extract/worker"
	"docledger/cmd/service"
	"docledger/infrastructure/config"
	"docledger/test/lib/harness"
	"docledger/test/lib/objectstore"
	"docledger/test/lib/postgres"
)

func TestMain(m *testing.M) {
	worker.ServeIfChild()
	os.Exit(m.Run())
}

const key = "dGVzdCBrZXkgb2YgMzIgYnl0ZXMsIG5vIHNlY3JldCE="

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// embedded returns the options of an empty installation with SQLite and a folder.
func embedded(t *testing.T) harness.Options {
	t.Helper()
	return harness.Options{DataDir: t.TempDir(), Env: map[string]string{"DOCLEDGER_ENV": "local", "BASE_URL": "http://localhost:1", "JWT_SIGNING_KEYS": key, "TOKEN_KEYS": key}}
}

// served returns the options of an empty installation with PostgreSQL and an object
// store.
func served(t *testing.T) harness.Options {
	t.Helper()
	o, bucket := embedded(t), objectstore.New(t)
	o.DatabaseURL = postgres.New(t)
	for name, value := range map[string]string{
		"BLOB_URL": bucket.URL, "BLOB_BUCKET": "documents", "BLOB_ADDRESSING": "path",
		"BLOB_ACCESS_KEY": objectstore.AccessKey, "BLOB_SECRET_KEY": objectstore.SecretKey,
	} {
		o.Env[name] = value
	}
	must(t, service.Migrate(context.Background(), configOf(t, o)))
	return o
}

func configOf(t *testing.T, o harness.Options) config.Config {
	t.Helper()
	env := map[string]string{"DATA_DIR": o.DataDir, "DATABASE_URL": o.DatabaseURL, "BILLING": "none", "IDENTITY": "local"}
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) {
		if v, ok := o.Env[name]; ok {
			return v, true
		}
		v, ok := env[name]
		return v, ok
	})
	must(t, err)
	return cfg
}

// dump dumps an installation to a new file.
func dump(t *testing.T, o harness.Options) (file string, sums service.Sums) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "dump.tar")
	sums, err := service.Dump(context.Background(), configOf(t, o), service.DumpOptions{File: file, Release: "test"})
	must(t, err)
	return file, sums
}

func load(t *testing.T, o harness.Options, file string) (service.Sums, error) {
	t.Helper()
	return service.Load(context.Background(), configOf(t, o), file, nil)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}
