package operations

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"docledger/test/harness"
)

func example(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile("../../examples/invoice-ubl.xml")
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Without Redis everything works, limits included.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"REDIS_URL": "redis://127.0.0.1:1", "REQUESTS_PER_CREDENTIAL": "2"}})
	o := s.NewOrganization("Sender")
	s.Upload(o.Admin.Token, o.Entity, "a.xml", example(t)).OK()
	if left := s.Do(http.MethodGet, "/api/documents", o.Admin.Token, nil).OK().Header.Get("RateLimit-Remaining"); left != "0" {
		t.Errorf("%s requests are left", left)
	}
	s.Do(http.MethodGet, "/api/documents", o.Admin.Token, nil).Want(http.StatusTooManyRequests, "rate_limited")
}

// Without workers uploads are taken and queue, extract says so, and a worker
// that comes later reads them.
func TestWorkersAway(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		o.NoWorkers, o.Env = true, map[string]string{"EXTRACT_PATIENCE": "50ms"}
		s := harness.Start(t, o)
		sender := s.NewOrganization("Sender")
		document := s.Upload(sender.Admin.Token, sender.Entity, "a.xml", example(t)).OK().Text("id")
		if r := s.Extract(sender.Admin.Token, document).Want(http.StatusServiceUnavailable, "still_processing"); r.Header.Get("Retry-After") == "" {
			t.Error("nothing says when to come back")
		}
		o.NoWorkers, o.DataDir = false, s.DataDir
		harness.Start(t, o)
		await(t, "the document to be read", func() bool {
			return s.Do(http.MethodGet, "/api/documents/"+document, sender.Admin.Token, nil).OK().Text("status") == "EXTRACTED"
		})
	})
}

// Without the documents' store uploads and contents are answered 503, and all
// that needs no bytes goes on.
func TestBlobsAway(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	o := s.NewOrganization("Sender")
	document := s.Upload(o.Admin.Token, o.Entity, "a.xml", example(t)).OK().Text("id")
	invoice := s.Extract(o.Admin.Token, document).OK().Text("id")
	blobs := filepath.Join(s.DataDir, "blobs")
	if err := os.Rename(blobs, blobs+" away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blobs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Do(http.MethodGet, "/api/documents/"+document+"/content", o.Admin.Token, nil).Want(http.StatusServiceUnavailable, "unavailable")
	s.Upload(o.Admin.Token, o.Entity, "b.xml", append(example(t), '\n')).Want(http.StatusServiceUnavailable, "unavailable")
	s.Do(http.MethodGet, "/api/invoices/"+invoice, o.Admin.Token, nil).OK()
	s.Do(http.MethodPost, "/api/invoices/"+invoice+"/reject", o.Admin.Token, map[string]any{"reason": "not ours"}).OK()
	if err := os.Remove(blobs); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(blobs+" away", blobs); err != nil {
		t.Fatal(err)
	}
	s.Send(http.MethodGet, "/api/documents/"+document+"/content", o.Admin.Token, nil).OK()
	s.Upload(o.Admin.Token, o.Entity, "b.xml", append(example(t), '\n')).OK()
}
