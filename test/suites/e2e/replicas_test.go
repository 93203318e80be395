package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
	"docledger/test/lib/objectstore"
	"docledger/test/lib/postgres"
)

// sharedKey signs tokens and sharedTokenKey encrypts those of integrations, in
// every replica; 32 bytes each.
const (
	sharedKey      = "c2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkc2hhcmVkISE="
	sharedTokenKey = "c2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkc2VhbGVkISE="
)

// replicated are the options of processes that share a database and an object
// store.
func replicated(t *testing.T) (*objectstore.Instance, harness.Options) {
	t.Helper()
	server := objectstore.New(t)
	o := harness.Options{DatabaseURL: postgres.New(t), Env: map[string]string{
		"BASE_URL": "http://localhost:1", "JWT_SIGNING_KEYS": sharedKey, "TOKEN_KEYS": sharedTokenKey,
		"BLOB_URL": server.URL, "BLOB_BUCKET": "documents", "BLOB_ADDRESSING": "path",
		"BLOB_ACCESS_KEY": objectstore.AccessKey, "BLOB_SECRET_KEY": objectstore.SecretKey,
	}}
	env := map[string]string{"DATA_DIR": t.TempDir(), "DATABASE_URL": o.DatabaseURL, "BILLING": "none", "IDENTITY": "local"}
	cfg, err := service.ConfiguredFrom(func(name string) (string, bool) {
		if v, ok := o.Env[name]; ok {
			return v, true
		}
		return env[name], true
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // each release does it
		if err := service.Migrate(context.Background(), cfg); err != nil {
			t.Fatal(err)
		}
	}
	return server, o
}

// TestReplicasShareDocuments uploads a document to one replica and reads it
// from another.
func TestReplicasShareDocuments(t *testing.T) {
	t.Parallel()
	server, o := replicated(t)
	front := o
	front.NoWorkers = true
	api, worker := harness.Start(t, front), harness.Start(t, o)
	org := api.NewOrganization("Shared")
	up := api.Upload(org.Admin.Token, org.Entity, "first.xml", harness.UBL("S-1")).OK()
	if inv := api.Extract(org.Admin.Token, up.Text("id")).OK(); inv.Text("invoice_number") != "S-1" {
		t.Errorf("invoice is %s", inv.Raw)
	}
	path := "/api/documents/" + up.Text("id") + "/content"
	if content := worker.Do(http.MethodGet, path, org.Admin.Token, nil).OK(); !bytes.Equal(content.Raw, harness.UBL("S-1")) {
		t.Error("the other replica has other bytes")
	}
	for _, s := range []*harness.Server{api, worker} {
		if err := filepath.WalkDir(s.DataDir, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("%s is left in the data folder", d.Name())
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}

	server.Shut() // the row of the outage table
	api.Upload(org.Admin.Token, org.Entity, "second.xml", harness.UBL("S-2")).Want(http.StatusServiceUnavailable, "unavailable")
	api.Do(http.MethodGet, path, org.Admin.Token, nil).Want(http.StatusServiceUnavailable, "unavailable")
	api.Do(http.MethodGet, "/api/invoices", org.Admin.Token, nil).OK()
	api.Do(http.MethodGet, "/readyz", "", nil).OK()
	server.Reopen()
	second := api.Upload(org.Admin.Token, org.Entity, "second.xml", harness.UBL("S-2")).OK()
	if inv := api.Extract(org.Admin.Token, second.Text("id")).OK(); inv.Text("invoice_number") != "S-2" {
		t.Errorf("after the outage the invoice is %s", inv.Raw)
	}
}
