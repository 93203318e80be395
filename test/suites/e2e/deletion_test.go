package e2e

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/domain/job"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// grace is the default of BLOB_GRACE.
const grace = 7 * 24 * time.Hour

// blobThere reports whether the blob store has the bytes of a document.
func blobThere(t *testing.T, s *harness.Server, sha256 string) bool {
	t.Helper()
	r, err := s.Service.Documents.Blobs.Open(context.Background(), sha256)
	if err != nil {
		return false
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return true
}

// TestDeletedDocument deletes a document with its invoice. The bytes that another entity's document
// shares remain until it is deleted too, and the others until the end of the grace period.
func TestDeletedDocument(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := at(t, "2026-03-10T08:00:00Z")
		o.Overrides = service.Overrides{Clock: clock}
		s := harness.Start(t, o)
		org := s.NewOrganization("Deleting")
		token := org.Admin.Token
		second := uuid.MustParse(s.Do(http.MethodPost, "/api/entities", token, map[string]any{"name": "Second"}).OK().Text("id"))
		content := harness.UBL("D-1")
		up := s.Upload(token, org.Entity, "secret name.xml", content, "Idempotency-Key", "upload-1").OK()
		path, sha256 := "/api/documents/"+up.Text("id"), up.Text("sha256")
		inv := s.Extract(token, up.Text("id")).OK()
		invoice := "/api/invoices/" + inv.Text("id")
		s.Do(http.MethodPatch, invoice, token, map[string]any{"purchase_order": "PO-secret"}).OK()
		shared := s.Upload(token, second, "shared.xml", content).OK().Text("id")
		s.Extract(token, shared).OK()

		member := s.NewPerson(org.ID, identity.RoleMember)
		s.Do(http.MethodDelete, path, member.Token, nil).Want(http.StatusForbidden, "forbidden")
		s.Do(http.MethodDelete, path, token, nil, "If-Match", `"999"`).Want(http.StatusBadRequest, "version_conflict")
		deleted := s.Do(http.MethodDelete, path+"?reason="+url.QueryEscape("wrong file"), token, nil).OK()
		if deleted.Text("id") != up.Text("id") {
			t.Errorf("deleted %s", deleted.Raw)
		}
		for _, gone := range []string{path, path + "/content", path + "/pages/1", path + "/readable", invoice, invoice + "/history"} {
			s.Do(http.MethodGet, gone, token, nil).Want(http.StatusNotFound, "not_found")
		}
		s.Do(http.MethodDelete, path, token, nil).Want(http.StatusNotFound, "not_found")

		events := s.Do(http.MethodGet, "/api/events?subject_id="+up.Text("id")+"&type=document.deleted", token, nil).OK()
		if events.Len("items") != 1 || events.Text("items", 0, "data", "sha256") != sha256 || events.Text("items", 0, "data", "reason") != "wrong file" ||
			events.Text("items", 0, "actor", "id") != org.Admin.ID.String() {
			t.Errorf("the event is %s", events.Raw)
		}
		corrected := s.Do(http.MethodGet, "/api/events?type=invoice.corrected", token, nil).OK()
		if corrected.Len("items") != 1 || corrected.At("items", 0, "changes") != nil {
			t.Errorf("the event of the correction is %s, want one without values", corrected.Raw)
		}
		again := s.Upload(token, org.Entity, "secret name.xml", content, "Idempotency-Key", "upload-1").OK()
		if again.Text("id") == up.Text("id") {
			t.Error("a stored response returned a deleted document")
		}
		s.Do(http.MethodDelete, "/api/documents/"+again.Text("id"), token, nil).OK()

		remove := func(after time.Duration, there bool) {
			t.Helper()
			if err := s.Service.Deletion.RemoveBlobs(context.Background(), clock.Now().Add(after)); err != nil {
				t.Fatal(err)
			}
			if got := blobThere(t, s, sha256); got != there {
				t.Errorf("the bytes exist: %v, want %v", got, there)
			}
		}
		remove(grace+time.Hour, true) // the second entity has them
		s.Do(http.MethodGet, "/api/documents/"+shared+"/content", token, nil).OK()
		s.Do(http.MethodDelete, "/api/documents/"+shared, token, nil).OK()
		remove(grace-time.Hour, true)
		remove(grace+time.Hour, false)

		back := s.Upload(token, org.Entity, "back.xml", content).OK() // the removed bytes are stored again
		s.Do(http.MethodGet, "/api/documents/"+back.Text("id")+"/content", token, nil).OK()
		s.Extract(token, back.Text("id")).OK()
		remove(10*grace, true)
	})
}

// TestUndeletableDocuments refuses the deletion while the invoice is approved, and names the next
// step.
func TestUndeletableDocuments(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Approved")
	token := org.Admin.Token
	up := s.Upload(token, org.Entity, "a.xml", harness.UBL("A-1")).OK()
	path := "/api/documents/" + up.Text("id")
	inv := s.Extract(token, up.Text("id")).OK()
	invoice := "/api/invoices/" + inv.Text("id")
	s.Do(http.MethodPost, invoice+"/approve", token, map[string]any{"version": inv.At("version")}).OK()
	refused := s.Do(http.MethodDelete, path, token, nil).Want(http.StatusBadRequest, "conflict")
	if refused.Text("error", "details", "status") != "APPROVED" || refused.Len("error", "details", "allowed") != 3 {
		t.Errorf("refused with %s", refused.Raw)
	}
	s.Do(http.MethodPost, invoice+"/reopen", token, nil).OK()
	s.Do(http.MethodDelete, path, token, nil).OK()
}

// TestDeletedDuplicate deletes one invoice of a pair. The check of the other one passes again.
func TestDeletedDuplicate(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Pairs")
	token := org.Admin.Token
	first := s.Upload(token, org.Entity, "1.xml", harness.UBL("P-1")).OK().Text("id")
	s.Extract(token, first).OK()
	second := s.Upload(token, org.Entity, "2.xml", append(harness.UBL("P-1"), '\n')).OK().Text("id")
	pair := s.Extract(token, second).OK()
	if pair.Len("duplicates") != 1 {
		t.Fatalf("no pair: %s", pair.Raw)
	}
	s.Do(http.MethodDelete, "/api/documents/"+first, token, nil).OK()
	left := s.Do(http.MethodGet, "/api/invoices/"+pair.Text("id"), token, nil).OK()
	if left.Len("duplicates") != 0 {
		t.Errorf("the duplicate remains: %s", left.Raw)
	}
	for n := range left.Len("checks") {
		if left.Text("checks", n, "rule") == "not_a_duplicate" && left.At("checks", n, "passed") != true {
			t.Errorf("the check still fails: %s", left.Raw)
		}
	}
}

// TestDeletionDuringExtraction deletes a document while a job extracts it. The job ends without an
// error, and nothing of the document remains.
func TestDeletionDuringExtraction(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		reading, deleted := make(chan struct{}), make(chan struct{})
		o.NoWorkers = true
		o.Overrides.Reader = readerFunc(func(_ context.Context, src extraction.Source) (*extraction.Result, error) {
			close(reading)
			<-deleted
			src.OnWords(1, []extraction.PageWord{{Text: "late"}})
			return nil, extraction.Fail(extraction.TimedOut, "It takes too long.")
		})
		s := harness.Start(t, o)
		org := s.NewOrganization("Racing")
		up := s.Upload(org.Admin.Token, org.Entity, "x.xml", harness.UBL("R-1")).OK()
		args := job.ExtractDocument{V: job.ExtractVersion, OrganizationID: org.ID, DocumentID: uuid.MustParse(up.Text("id"))}
		ended := make(chan error, 1)
		go func() { ended <- s.Service.Extraction.Run(context.Background(), args) }()
		<-reading
		s.Do(http.MethodDelete, "/api/documents/"+up.Text("id"), org.Admin.Token, nil).OK()
		close(deleted)
		if err := <-ended; err != nil {
			t.Errorf("the job ended with %v", err)
		}
		if err := s.Service.Extraction.Run(context.Background(), args); err != nil {
			t.Errorf("a job without a document ended with %v", err)
		}
		if r, err := s.Service.Documents.Renditions.Find(context.Background(), up.Text("sha256"), extraction.WordsName(1)); err != nil || r != nil {
			t.Errorf("words of a deleted document: %v, %v", r, err)
		}
	})
}

// TestDeletionRaces deletes documents while workers extract them and the same bytes are uploaded
// again. Each upload that succeeded has its bytes.
func TestDeletionRaces(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Races")
		token := org.Admin.Token
		var wg sync.WaitGroup
		for range 4 {
			content := harness.UBL(uuid.NewString())
			wg.Go(func() {
				for range 5 {
					up := s.Upload(token, org.Entity, "race.xml", content).OK()
					path := "/api/documents/" + up.Text("id")
					s.Do(http.MethodGet, path+"/content", token, nil).OK()
					s.Do(http.MethodDelete, path, token, nil).OK()
					if err := s.Service.Deletion.RemoveBlobs(context.Background(), time.Now()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), token, nil).OK()
		invoices := s.Do(http.MethodGet, "/api/invoices?entity_id="+org.Entity.String(), token, nil).OK()
		if list.Len("items") != 0 || invoices.Len("items") != 0 {
			t.Errorf("left: %s %s", list.Raw, invoices.Raw)
		}
	})
}
