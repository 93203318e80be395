package e2e

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"docledger/adapter/extract/signed/signedtest"
	"docledger/test/lib/harness"
)

// TestSignedEnvelopes verifies that the invoices in a signed envelope are extracted and
// shown, that the original is the envelope, and that each document of the file states
// the signature.
func TestSignedEnvelopes(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Signed")
	token := org.Admin.Token
	get := func(path string) harness.Response {
		t.Helper()
		return s.Do(http.MethodGet, "/api/documents/"+path, token, nil).OK()
	}
	at := time.Date(2026, 5, 4, 10, 30, 0, 0, time.UTC)
	envelope := []byte(base64.StdEncoding.EncodeToString(signedtest.Envelope(t, harness.UBL("S-1"), "Mario Rossi", at)))
	id := s.Upload(token, org.Entity, "IT01234567897_00001.xml.p7m", envelope).OK().Text("id")
	if inv := s.Extract(token, id).OK(); inv.Text("invoice_number") != "S-1" {
		t.Errorf("the invoice: %s", inv.Raw)
	}
	d := get(id)
	if d.Text("media_type") != "application/pkcs7-mime" || d.Len("signatures") != 1 ||
		d.Text("signatures", 0, "signer") != "Mario Rossi" || d.Text("signatures", 0, "signed_at") != "2026-05-04T10:30:00Z" {
		t.Errorf("the document: %s", d.Raw)
	}
	if whole := get(id + "/content"); !bytes.Equal(whole.Raw, envelope) {
		t.Error("the original is not the envelope")
	}
	if page := get(id + "/readable"); !strings.Contains(string(page.Raw), "S-1") {
		t.Errorf("readable: %s", page.Raw)
	}
	if words := get(id + "/pages/1/words"); !strings.Contains(string(words.Raw), `"S-1"`) {
		t.Errorf("the words: %s", words.Raw)
	}

	// The certificate is not of the signer, and two invoices are two documents.
	fattura, err := os.ReadFile("../../../adapter/extract/einvoice/testdata/fatturapa-two-bodies.xml")
	if err != nil {
		t.Fatal(err)
	}
	anonymous := bytes.ReplaceAll(signedtest.Envelope(t, fattura, "Mario Rossi", time.Time{}), []byte("Mario Rossi"), []byte{'M', 'a', 0xff, 'i', 'o', ' ', 'R', 'o', 's', 's', 'i'})
	file := s.Upload(token, org.Entity, "two.p7m", anonymous).OK().Text("id")
	split := s.Extract(token, file).Want(http.StatusBadRequest, "conflict")
	if split.Len("error", "details", "children") != 2 {
		t.Fatalf("the parts: %s", split.Raw)
	}
	for _, id := range []string{file, split.Text("error", "details", "children", 0), split.Text("error", "details", "children", 1)} {
		d := get(id)
		if d.Len("signatures") != 1 || d.At("signatures", 0, "signer") != nil || d.At("signatures", 0, "signed_at") != nil {
			t.Errorf("the signatures: %s", d.Raw)
		}
	}
	if attachment := get(file + "/attachments/1"); len(attachment.Raw) == 0 {
		t.Error("the attachment is empty")
	}
	plain := s.Upload(token, org.Entity, "plain.xml", harness.UBL("S-2")).OK().Text("id")
	s.Extract(token, plain).OK()
	if d := get(plain); d.Len("signatures") != 0 {
		t.Errorf("a document without an envelope: %s", d.Raw)
	}
}
