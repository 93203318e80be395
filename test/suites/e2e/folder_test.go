package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"docledger/test/lib/harness"
)

// TestFolderOfAScanner drops files into the folder of an entity. Each becomes one document, also if the
// same bytes are dropped again after a process was killed before it removed them.
func TestFolderOfAScanner(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	s := harness.Start(t, harness.Options{Env: map[string]string{"INTAKE_FOLDER": top, "INTAKE_SETTLE": "20ms"}})
	org := s.NewOrganization("Scanner")
	folder := filepath.Join(top, org.Entity.String())
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	drop := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), harness.UBL("F-1"), 0o600); err != nil {
			t.Fatal(err)
		}
		s.Eventually(name+" was received", 30*time.Second, func() bool {
			_, err := os.Lstat(filepath.Join(folder, name))
			return os.IsNotExist(err)
		}, func() string { return name })
	}
	drop("scan 1.xml")
	drop("scan 2.xml")
	list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
	if list.Len("items") != 1 || list.Text("items", 0, "source") != "FOLDER" || list.Text("items", 0, "filename") != "scan 1.xml" {
		t.Errorf("the documents: %s", list.Raw)
	}
	if d := ended(s, org, list.Text("items", 0, "id")); d.Text("status") != "EXTRACTED" {
		t.Errorf("the document: %s", d.Raw)
	}
}
