package e2e

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// partOf returns the part of a file with the number of an invoice.
func (d desk) partOf(file, number string) harness.Response {
	d.t.Helper()
	list := d.do(http.MethodGet, "/api/documents", nil).OK()
	for i := range list.Len("items") {
		if list.At("items", i, "parent_id") != file || list.At("items", i, "invoice_id") == nil {
			continue
		}
		if d.do(http.MethodGet, "/api/invoices/"+list.Text("items", i, "invoice_id"), nil).OK().Text("invoice_number") == number {
			return d.do(http.MethodGet, "/api/documents/"+list.Text("items", i, "id"), nil).OK()
		}
	}
	d.t.Fatalf("%s has no part %s: %s", file, number, list.Raw)
	return harness.Response{}
}

// printed returns the words and the number of pages of a PDF.
func (d desk) printed(pdf []byte) (words string, pages int) {
	d.t.Helper()
	to := d.entity(map[string]any{"name": "Reading " + uuid.NewString()})
	doc := ended(d.s, d.org, d.s.Upload(d.org.Admin.Token, to, "read.pdf", pdf).OK().Text("id"))
	return string(d.do(http.MethodGet, "/api/documents/"+doc.Text("id")+"/pages/1/words", nil).OK().Raw), doc.Number("page_count")
}

// TestReadersOfAPartHaveOnlyItsPages moves a part of a file, and routes another by its buyer. The readers
// of the entity of the part get no invoice of another entity, by any way.
func TestReadersOfAPartHaveOnlyItsPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	reader := d.s.NewPerson(d.org.ID, identity.RoleMember)
	members := []map[string]any{{"user_id": reader.ID, "role": "VIEWER"}}
	second := d.entity(map[string]any{"name": "Second", "access": "RESTRICTED", "members": members})
	d.do(http.MethodPut, "/api/entities/"+d.org.Entity.String(), map[string]any{"access": "RESTRICTED"}).OK()
	file := printedFile(t, "A-17", "A-18")
	up := d.s.Upload(d.org.Admin.Token, d.org.Entity, "two.pdf", file).OK()
	ended(d.s, d.org, up.Text("id"))
	part := d.partOf(up.Text("id"), "A-18")
	path := "/api/documents/" + part.Text("id")
	if whole := d.do(http.MethodGet, path+"/content", nil).OK(); !bytes.Equal(whole.Raw, file) {
		t.Error("a part in the entity of its file has other bytes")
	}
	d.move(part.Text("id"), second).OK()
	get := func(path string) harness.Response { return d.s.Do(http.MethodGet, path, reader.Token, nil) }

	get("/api/documents/"+up.Text("id")+"/content").Want(http.StatusNotFound, "not_found")
	content := get(path + "/content").OK()
	if content.Header.Get("Content-Type") != "application/pdf" || !strings.Contains(content.Header.Get("Content-Disposition"), "two.pdf") {
		t.Errorf("the headers are %v", content.Header)
	}
	if words, pages := d.printed(content.Raw); pages != 1 || !strings.Contains(words, "A-18") || strings.Contains(words, "A-17") {
		t.Errorf("%v pages with %s", pages, words)
	}
	if again := get(path + "/content").OK(); !bytes.Equal(again.Raw, content.Raw) || again.Header.Get("ETag") != content.Header.Get("ETag") {
		t.Error("the content differs the second time")
	}
	if words := get(path + "/pages/1/words").OK(); !strings.Contains(string(words.Raw), "A-18") {
		t.Errorf("the words are %s", words.Raw)
	}
	get(path+"/pages/2").Want(http.StatusNotFound, "not_found")
	get(path+"/readable").Want(http.StatusBadRequest, "unreadable_document")
	exported := get("/api/invoices/export?format=zip&entity_id=" + second.String()).OK()
	archive, err := zip.NewReader(bytes.NewReader(exported.Raw), int64(len(exported.Raw)))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || bytes.Equal(data, file) {
			t.Errorf("%s is the whole file, or %v", f.Name, err)
		}
		found = found || bytes.Equal(data, content.Raw)
	}
	if !found {
		t.Errorf("the export has not the part: %d files", len(archive.File))
	}

	d.move(part.Text("id"), d.org.Entity).OK()
	if whole := d.do(http.MethodGet, path+"/content", nil).OK(); !bytes.Equal(whole.Raw, file) {
		t.Error("a part that is back has other bytes")
	}
}

// TestReadersOfAPartHaveOnlyItsData routes the invoices of an XML file. The readers of a part get its
// data, not the file.
func TestReadersOfAPartHaveOnlyItsData(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	reader := d.s.NewPerson(d.org.ID, identity.RoleMember)
	second := d.entity(map[string]any{
		"name": "Due", "access": "RESTRICTED", "tax_ids": []string{"IT09876543210"},
		"members": []map[string]any{{"user_id": reader.ID, "role": "VIEWER"}},
	})
	d.set(d.org.Entity, map[string]any{"route_by_buyer": true})
	attachment := `<Allegati><NomeAttachment>other.txt</NomeAttachment><Attachment>c2VjcmV0</Attachment></Allegati></FatturaElettronicaBody>`
	file := strings.Replace(string(harness.TwoInvoices("P")), "</FatturaElettronicaBody>", attachment, 1)
	up := d.s.Upload(d.org.Admin.Token, d.org.Entity, "two.xml", []byte(file)).OK()
	ended(d.s, d.org, up.Text("id"))
	part := d.partOf(up.Text("id"), "P-2")
	if part.Text("entity_id") != second.String() {
		t.Fatalf("the part was not routed: %s", part.Raw)
	}
	path := "/api/documents/" + part.Text("id")
	get := func(path string) harness.Response { return d.s.Do(http.MethodGet, path, reader.Token, nil) }
	content := get(path + "/content").OK()
	if content.Header.Get("Content-Type") != "application/pdf" || !strings.Contains(content.Header.Get("Content-Disposition"), "two.pdf") {
		t.Errorf("the headers are %v", content.Header)
	}
	if words, _ := d.printed(content.Raw); !strings.Contains(words, "P-2") || strings.Contains(words, "P-1") {
		t.Errorf("the words are %s", words)
	}
	for _, of := range []string{"/readable", "/pages/1/words"} {
		if shown := string(get(path + of).OK().Raw); !strings.Contains(shown, "P-2") || strings.Contains(shown, "P-1") {
			t.Errorf("%s is %s", of, shown)
		}
	}
	d.do(http.MethodPost, "/api/invoices/extract", map[string]any{"document_id": part.Text("id"), "force": true}).OK()
	if again := get(path).OK(); again.Len("attachments") != 0 {
		t.Errorf("the part has the attachments of the file: %s", again.Raw)
	}
	if r := get(path + "/attachments/1"); r.Status == http.StatusOK {
		t.Errorf("the reader of a part got an attachment of the file: %s", r.Raw)
	}
}
