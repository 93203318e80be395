package e2e

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

// formOf returns a form with the files, and its media type.
func formOf(t *testing.T, files map[string][]byte) (*bytes.Buffer, string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, content := range files {
		part, err := w.CreateFormFile("file", name)
		if err == nil {
			_, err = part.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &form, w.FormDataContentType()
}

// uploadLink requests a link and returns its path.
func uploadLink(d desk, token string, body map[string]any) (harness.Response, string) {
	d.t.Helper()
	body["entity_id"] = d.org.Entity
	r := d.s.Do(http.MethodPost, "/api/documents/upload-links", token, body).OK()
	return r, strings.TrimPrefix(r.Text("url"), d.s.URL)
}

// TestUploadLinks sends files with links of people and keys, and with links that do not work.
func TestUploadLinks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made, path := uploadLink(d, d.org.Admin.Token, map[string]any{"max_files": 3})
	if made.At("max_files") != 3.0 || !strings.Contains(made.Text("curl"), made.Text("url")+"/") {
		t.Errorf("the link: %s", made.Raw)
	}
	page := d.s.Send(http.MethodGet, path, "", nil)
	policy := page.Header.Get("Content-Security-Policy")
	if page.Status != http.StatusOK || !strings.Contains(string(page.Raw), "Desk Company") || !strings.Contains(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Errorf("the page: %d %q", page.Status, policy)
	}
	sent := d.s.Send(http.MethodPut, path+"/invoice.xml", "", bytes.NewReader(harness.UBL("L-1"))).OK()
	document := d.do(http.MethodGet, "/api/documents/"+sent.Text("items", 0, "document_id"), nil).OK()
	if document.Text("created_by") != d.org.Admin.ID.String() || document.Text("filename") != "invoice.xml" || document.Text("entity_id") != d.org.Entity.String() {
		t.Errorf("the document: %s", document.Raw)
	}
	events := d.do(http.MethodGet, "/api/events?type=document.received", nil).OK()
	if events.Text("items", 0, "actor", "type") != "USER" || events.Text("items", 0, "actor", "id") != d.org.Admin.ID.String() {
		t.Errorf("the event: %s", events.Raw)
	}
	form, mediaType := formOf(t, map[string][]byte{"a.xml": harness.UBL("L-2"), "b.xml": harness.UBL("L-3")})
	received := d.s.Send(http.MethodPost, path, "", form, "Content-Type", mediaType, "Accept", "text/html")
	if received.Status != http.StatusOK || !strings.Contains(string(received.Raw), "b.xml") || !strings.Contains(string(received.Raw), "used up") {
		t.Errorf("the form: %d %s", received.Status, received.Raw)
	}
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("L-4"))).Want(http.StatusNotFound, "not_found")
	if gone := d.s.Send(http.MethodGet, path, "", nil, "Accept", "text/html"); gone.Status != http.StatusNotFound || !strings.Contains(string(gone.Raw), "used up") {
		t.Errorf("the page of a link that is used up: %d %s", gone.Status, gone.Raw)
	}
	d.s.Send(http.MethodPut, "/upload/"+strings.Repeat("A", 43), "", bytes.NewReader(harness.UBL("L-5"))).Want(http.StatusNotFound, "not_found")

	_, path = uploadLink(d, d.org.Admin.Token, map[string]any{})
	d.s.Send(http.MethodPost, path, "", strings.NewReader("")).Want(http.StatusBadRequest, "unreadable_document")
	d.s.Send(http.MethodPost, path, "", bytes.NewReader(harness.UBL("L-6")), "Content-Disposition", `attachment; filename="six.xml"`).OK() // the empty file did not count

	for name, body := range map[string]map[string]any{"too long": {"expires_in": 3601}, "too many": {"max_files": 21}, "none": {"max_files": 0}} {
		body["entity_id"] = d.org.Entity
		if r := d.do(http.MethodPost, "/api/documents/upload-links", body); r.Status != http.StatusBadRequest {
			t.Errorf("%s: %d", name, r.Status)
		}
	}
}

// TestUploadLinksHaveTheRightsOfTheirPerson checks the rights when a link is used, before the body is
// read.
func TestUploadLinksHaveTheRightsOfTheirPerson(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	person := d.s.NewPerson(d.org.ID, identity.RoleMember)
	set := func(role identity.EntityRole) {
		d.s.SetMembers(d.org, entity.AccessRestricted, entity.Member{UserID: person.ID, Role: role})
	}
	set(identity.Viewer)
	d.s.Do(http.MethodPost, "/api/documents/upload-links", person.Token, map[string]any{"entity_id": d.org.Entity}).Want(http.StatusForbidden, "forbidden")
	set(identity.Editor)
	_, path := uploadLink(d, person.Token, map[string]any{"max_files": 2})
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("R-1"))).OK()
	set(identity.Viewer)
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("R-2"))).Want(http.StatusNotFound, "not_found")
	set(identity.Editor)
	d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"archived": true}).OK()
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("R-2"))).Want(http.StatusBadRequest, "conflict")
	d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"archived": false}).OK()

	key := d.do(http.MethodPost, "/api/api-keys", map[string]any{"name": "Import", "role": "EDITOR"}).OK()
	_, path = uploadLink(d, key.Text("secret"), map[string]any{"max_files": 2})
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("K-1"))).OK()
	d.do(http.MethodDelete, "/api/api-keys/"+key.Text("id"), nil).OK()
	d.s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("K-2"))).Want(http.StatusNotFound, "not_found")
}

// TestUploadLinksExpire checks the time of a link, and the limit of a file.
func TestUploadLinksExpire(t *testing.T) {
	t.Parallel()
	clock := at(t, time.Now().UTC().Format(time.RFC3339))
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"MAX_UPLOAD_BYTES": "5000"}, Overrides: service.Overrides{Clock: clock}})
	d := desk{t, s, s.NewOrganization("Desk")}
	_, path := uploadLink(d, d.org.Admin.Token, map[string]any{"expires_in": 60})
	for name, body := range map[string]struct {
		content   *bytes.Buffer
		mediaType string
	}{"a body": {bytes.NewBuffer(make([]byte, 6000)), ""}, "a form": formOrFail(t)} {
		if r := s.Send(http.MethodPost, path, "", body.content, "Content-Type", body.mediaType); r.Status != http.StatusBadRequest || r.Text("error", "code") != "payload_too_large" {
			t.Errorf("%s: %d %s", name, r.Status, r.Raw)
		}
	}
	s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("E-1")[:100])).OK()
	_, path = uploadLink(d, d.org.Admin.Token, map[string]any{"expires_in": 60})
	clock.advance(61 * time.Second)
	s.Send(http.MethodPut, path, "", bytes.NewReader(harness.UBL("E-2"))).Want(http.StatusNotFound, "not_found")
}

func formOrFail(t *testing.T) (out struct {
	content   *bytes.Buffer
	mediaType string
}) {
	t.Helper()
	out.content, out.mediaType = formOf(t, map[string][]byte{"large.bin": bytes.Repeat([]byte(fmt.Sprint(1)), 6000)})
	return out
}

// TestUploadLinksRefuseManyFields sends forms with parts that have no file. A browser sends few of
// them, and reading each takes time.
func TestUploadLinksRefuseManyFields(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, path := uploadLink(d, d.org.Admin.Token, map[string]any{"max_files": 3})
	for fields, want := range map[int]int{20: http.StatusOK, 51: http.StatusBadRequest} {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for range fields {
			if err := w.WriteField("note", ""); err != nil {
				t.Fatal(err)
			}
		}
		part, err := w.CreateFormFile("file", "a.xml")
		if err == nil {
			_, err = part.Write(harness.UBL("F-1"))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if r := d.s.Send(http.MethodPost, path, "", &form, "Content-Type", w.FormDataContentType()); r.Status != want {
			t.Errorf("%d fields: %d %s", fields, r.Status, r.Raw)
		}
	}
}
