package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// TestBase64UploadsAreStreamed sends files in JSON that are larger than the memory for bodies.
func TestBase64UploadsAreStreamed(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"REQUEST_BODY_MEMORY_BYTES": "8388608", "MAX_JSON_UPLOAD_BYTES": "20000000"}})
	org := s.NewOrganization("Base64")
	send := func(content []byte) harness.Response {
		body, err := json.Marshal(map[string]any{"entity_id": org.Entity, "filename": "scan.pdf", "content": content, "external_id": "scan"})
		if err != nil {
			t.Fatal(err)
		}
		return s.Send(http.MethodPost, "/api/documents/upload", org.Admin.Token, bytes.NewReader(body), "Content-Type", "application/json")
	}
	for _, size := range []int{100, 70_000, 14_000_000} {
		content := bytes.Repeat([]byte("%PDF-1.7 and more "), size/18+1)
		sum := sha256.Sum256(content)
		r := send(content).OK()
		if r.Text("sha256") != hex.EncodeToString(sum[:]) || r.At("size_bytes") != float64(len(content)) || r.Text("external_id") != "scan" || r.Text("filename") != "scan.pdf" {
			t.Errorf("%d bytes: %s", size, r.Raw)
		}
	}
	refused := send(make([]byte, 16_000_000)).Want(http.StatusBadRequest, "payload_too_large")
	if !strings.Contains(refused.Text("error", "message"), "/api/documents/upload-links") {
		t.Errorf("the refusal does not name the link: %s", refused.Raw)
	}
	broken := `{"entity_id":"` + org.Entity.String() + `","filename":"x","content":"` + base64.StdEncoding.EncodeToString(make([]byte, 100_000)) + `!"}`
	r := s.Send(http.MethodPost, "/api/documents/upload", org.Admin.Token, strings.NewReader(broken), "Content-Type", "application/json").Want(http.StatusBadRequest, "invalid_request")
	if r.Text("error", "details", "fields", 0, "field") != "content" {
		t.Errorf("no base64: %s", r.Raw)
	}
}

// TestUploadLimitHoldsForEveryForm sends a file of the limit and one with a byte more in each form
// of the body. JSON of this size stays in memory.
func TestUploadLimitHoldsForEveryForm(t *testing.T) {
	t.Parallel()
	const limit = 20_000
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"MAX_UPLOAD_BYTES": strconv.Itoa(limit)}})
	org := s.NewOrganization("Limit")
	token := org.Admin.Token
	inJSON := func(content []byte) harness.Response {
		return s.Do(http.MethodPost, "/api/documents/upload", token, map[string]any{"entity_id": org.Entity, "filename": "scan.pdf", "content": content})
	}
	inForm := func(content []byte) harness.Response { return s.Upload(token, org.Entity, "scan.pdf", content) }
	for form, send := range map[string]func([]byte) harness.Response{"JSON": inJSON, "multipart": inForm} {
		file := append([]byte("%PDF-1.7 "+form), make([]byte, limit)...)
		send(file[:limit]).OK()
		refused := send(file[:limit+1]).Want(http.StatusBadRequest, "payload_too_large")
		if refused.Number("error", "details", "limit_bytes") != limit {
			t.Errorf("%s: %s", form, refused.Raw)
		}
	}
}
