package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// zipped returns an archive with the files, in the order of names and contents.
func zipped(t *testing.T, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// mimeMessage returns an e-mail with a text and attachments, in the order of names and contents.
func mimeMessage(from string, attachments ...string) []byte {
	var b strings.Builder
	b.WriteString("From: " + from + "\r\nTo: in@example.net\r\nSubject: Your invoice\r\nDate: Mon, 2 Mar 2026 10:00:00 +0000\r\n" +
		"Message-ID: <m1@example.com>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=outer\r\n\r\n" +
		"--outer\r\nContent-Type: text/plain\r\n\r\nThe invoice is attached.\r\n")
	for i := 0; i < len(attachments); i += 2 {
		b.WriteString("--outer\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n" +
			"Content-Disposition: attachment; filename=\"" + attachments[i] + "\"\r\n\r\n" + wrapped(base64.StdEncoding.EncodeToString([]byte(attachments[i+1]))))
	}
	b.WriteString("--outer--\r\n")
	return []byte(b.String())
}

// wrapped returns a text in the lines of an e-mail.
func wrapped(text string) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(text), 76) {
		b.Write(line)
		b.WriteString("\r\n")
	}
	return b.String()
}

// children extracts a container and returns its documents by their names.
func children(t *testing.T, s *harness.Server, token, id string) map[string]harness.Response {
	t.Helper()
	split := s.Extract(token, id).Want(http.StatusBadRequest, "conflict")
	out := map[string]harness.Response{}
	for i := range split.Len("error", "details", "children") {
		child := split.Text("error", "details", "children", i)
		s.Extract(token, child)
		d := s.Do(http.MethodGet, "/api/documents/"+child, token, nil).OK()
		out[d.Text("filename")] = d
	}
	return out
}

// TestContainers verifies that the files of e-mails and archives become documents with
// their origin, that decorations do not, and that bytes are never stored twice.
func TestContainers(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Containers")
	token := org.Admin.Token
	inner := zipped(t, "2026/march.xml", string(harness.UBL("C-2")), "notes.docx", "PK\x03\x04 no document", "Thumbs.db", "x")
	raw := mimeMessage("Shop <shop@example.com>", "invoice.xml", string(harness.UBL("C-1")), "all.zip", string(inner), "disclaimer.txt", "This e-mail is confidential.")
	id := s.Upload(token, org.Entity, "mail.eml", raw).OK().Text("id")
	found := children(t, s, token, id)
	if len(found) != 3 || found["invoice.xml"].Text("status") != "EXTRACTED" || found["march.xml"].Text("status") != "EXTRACTED" ||
		found["notes.docx"].Text("status") != "FAILED" {
		t.Fatalf("the documents: %v", found)
	}
	if d := found["march.xml"]; d.Text("parent_id") != id || d.Text("source_path") != "all.zip/2026/march.xml" || d.Text("source") != "UPLOAD" {
		t.Errorf("the origin: %s", d.Raw)
	}
	parent := s.Do(http.MethodGet, "/api/documents/"+id, token, nil).OK()
	if parent.Text("status") != "SPLIT" || parent.Text("media_type") != "message/rfc822" || parent.Len("attachments") != 1 ||
		parent.Text("attachments", 0, "name") != "disclaimer.txt" {
		t.Errorf("the e-mail: %s", parent.Raw)
	}
	if text := s.Do(http.MethodGet, "/api/documents/"+id+"/attachments/1", token, nil).OK(); string(text.Raw) != "This e-mail is confidential." {
		t.Errorf("the attachment: %q", text.Raw)
	}

	// The same file in another container is the document that is there.
	again := s.Upload(token, org.Entity, "again.zip", zipped(t, "copy.xml", string(harness.UBL("C-1")))).OK().Text("id")
	if known := children(t, s, token, again); len(known) != 1 || known["invoice.xml"].Text("id") != found["invoice.xml"].Text("id") {
		t.Errorf("the known document: %v", known)
	}
	s.Do(http.MethodDelete, "/api/documents/"+found["invoice.xml"].Text("id"), token, nil).OK()
	if known := children(t, s, token, again); len(known) != 0 {
		t.Errorf("the file names a deleted document: %v", known)
	}

	for name, c := range map[string]struct {
		content []byte
		reason  string
	}{
		"text only.eml":   {mimeMessage("a@example.com"), "nothing_inside"},
		"only office.zip": {zipped(t, "a.docx", "PK\x03\x04 no document"), "nothing_inside"},
		"empty.zip":       {zipped(t), "nothing_inside"},
		"bomb.zip":        {zipped(t, "a.pdf", strings.Repeat("\x00", 40<<20)), "expands_too_far"},
	} {
		id := s.Upload(token, org.Entity, name, c.content).OK().Text("id")
		if f := s.Extract(token, id).Want(http.StatusBadRequest, "unreadable_document"); f.Text("error", "details", "reason") != c.reason {
			t.Errorf("%s: %s", name, f.Raw)
		}
	}
}

// TestContainersOfAnAssistantNeedAPerson verifies that the system does not approve an
// invoice in a container that an assistant uploaded, also if it is a part of a file in
// the container.
func TestContainersOfAnAssistantNeedAPerson(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{
		"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "date_plausible", "single_invoice"}, "review_threshold": 0,
	}).OK()
	for _, c := range []struct {
		token   string
		numbers []string
		want    string
	}{{org.Admin.Token, []string{"A-17", "A-18"}, "APPROVED"}, {oauth, []string{"B-17", "B-18"}, "EXTRACTED"}} {
		id := s.Upload(c.token, org.Entity, "files.zip", zipped(t, "three.pdf", string(printedFile(t, c.numbers...)))).OK().Text("id")
		file := children(t, s, org.Admin.Token, id)["three.pdf"]
		if file.Text("status") != "SPLIT" {
			t.Fatalf("the file: %s", file.Raw)
		}
		parts := s.Extract(org.Admin.Token, file.Text("id")).Want(http.StatusBadRequest, "conflict")
		for i := range parts.Len("error", "details", "children") {
			part := ended(s, org, parts.Text("error", "details", "children", i))
			inv := s.Do(http.MethodGet, "/api/invoices/"+part.Text("invoice_id"), org.Admin.Token, nil).OK()
			if inv.Text("status") != c.want {
				t.Errorf("an invoice of %v: %s, want %s", c.numbers, inv.Text("status"), c.want)
			}
		}
	}
}
