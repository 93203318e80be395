package e2e

import (
	"bytes"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"
	"docledger/test/lib/scans"
)

func TestPagesOfAPrintedInvoice(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Pages")
	data := printedInvoice(t, "03/05/2024")
	id := s.Upload(org.Admin.Token, org.Entity, "printed.pdf", data).OK().Text("id")
	get := func(path string, headers ...string) harness.Response {
		t.Helper()
		return s.Do(http.MethodGet, "/api/documents/"+id+path, org.Admin.Token, nil, headers...)
	}

	first := get("/pages/1?width=400").OK()
	img, err := png.Decode(bytes.NewReader(first.Raw))
	if err != nil || img.Bounds().Dx() != 400 {
		t.Fatalf("the page is %v, %v", img, err)
	}
	tag := first.Header.Get("ETag")
	if first.Header.Get("Content-Type") != "image/png" || len(tag) != 66 || !strings.Contains(first.Header.Get("Cache-Control"), "private") {
		t.Errorf("the headers are %v", first.Header)
	}
	again := get("/pages/1?width=400").OK()
	if !bytes.Equal(again.Raw, first.Raw) || again.Header.Get("ETag") != tag {
		t.Error("the cached page differs")
	}
	if r := get("/pages/1?width=400", "If-None-Match", tag); r.Status != http.StatusNotModified || len(r.Raw) != 0 {
		t.Errorf("an unchanged page: %d", r.Status)
	}
	if r := get("/pages/1?width=401", "If-None-Match", tag).OK(); r.Header.Get("ETag") == tag {
		t.Error("another width has the same ETag")
	}
	get("/pages/2").Want(http.StatusNotFound, "not_found")
	for _, bad := range []string{"/pages/0", "/pages/1?width=2001", "/pages/1?width=0", "/pages/one"} {
		get(bad).Want(http.StatusBadRequest, "invalid_request")
	}

	words := get("/pages/1/words").OK()
	found := false
	for i := range words.Len("words") {
		if words.Text("words", i, "text") == "03/05/2024" {
			found = true
			box := words.At("words", i, "box").([]any)
			if len(box) != 4 || box[0].(float64) >= box[2].(float64) || box[1].(float64) >= box[3].(float64) || box[3].(float64) > 1 {
				t.Errorf("the box is %v", box)
			}
		}
	}
	if !found {
		t.Errorf("the words are %s", words.Raw)
	}
	get("/pages/2/words").Want(http.StatusNotFound, "not_found")

	r := get("/readable").Want(http.StatusBadRequest, "unreadable_document")
	if r.Text("error", "details", "reason") != "unsupported_type" {
		t.Errorf("the data of a printed invoice: %s", r.Raw)
	}
	get("/attachments/1").Want(http.StatusNotFound, "not_found")
}

func TestElectronicInvoiceIsReadable(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Readable")
	const attack = "&lt;script&gt;alert(1)&lt;/script&gt;"
	data := strings.Replace(string(harness.UBL("P-1")), "Buyer Ltd", attack, 1)
	data = strings.Replace(data, "<cac:AccountingSupplierParty>", `<cac:AdditionalDocumentReference><cbc:ID>A</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/html" filename="x&quot;&#13;&lt;b&gt;.html">PGI+aGVsbG88L2I+</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference><cac:AccountingSupplierParty>`, 1)
	id := s.Upload(org.Admin.Token, org.Entity, "i.xml", []byte(data)).OK().Text("id")
	s.Extract(org.Admin.Token, id).OK()
	get := func(path string, headers ...string) harness.Response {
		t.Helper()
		return s.Do(http.MethodGet, "/api/documents/"+id+path, org.Admin.Token, nil, headers...).OK()
	}

	page := get("/readable")
	policy := page.Header.Get("Content-Security-Policy")
	if text := string(page.Raw); !strings.Contains(text, "Invoice P-1") || !strings.Contains(text, attack) || strings.Contains(text, "<script") {
		t.Errorf("the page is %s", page.Raw)
	}
	if !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") || strings.Contains(policy, "unsafe") {
		t.Errorf("the headers are %v", page.Header)
	}
	for _, pdf := range []harness.Response{get("/readable?format=pdf"), get("/readable", "Accept", "application/pdf, text/html")} {
		if pdf.Header.Get("Content-Type") != "application/pdf" || !bytes.HasPrefix(pdf.Raw, []byte("%PDF-")) || !strings.Contains(pdf.Header.Get("Content-Disposition"), "i.pdf") {
			t.Errorf("as PDF: %v", pdf.Header)
		}
	}
	if img, err := png.Decode(bytes.NewReader(get("/pages/1?width=300").Raw)); err != nil || img.Bounds().Dx() != 300 {
		t.Errorf("the page: %v", err)
	}
	if words := get("/pages/1/words"); !strings.Contains(string(words.Raw), `"P-1"`) {
		t.Errorf("the words are %s", words.Raw)
	}
	file := get("/attachments/1")
	if string(file.Raw) != "<b>hello</b>" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") ||
		!strings.Contains(file.Header.Get("Content-Security-Policy"), "sandbox") || file.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the attachment is %q, %v", file.Raw, file.Header)
	}
}

// A file is sent in parts, and conditions that the API has no status for are
// ignored.
func TestRangesOfContent(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Ranges")
	data := harness.UBL("R-1")
	id := s.Upload(org.Admin.Token, org.Entity, "i.xml", data).OK().Text("id")
	get := func(headers ...string) harness.Response {
		t.Helper()
		return s.Do(http.MethodGet, "/api/documents/"+id+"/content", org.Admin.Token, nil, headers...)
	}
	whole := get().OK()
	tag, size := whole.Header.Get("ETag"), len(data)
	if !bytes.Equal(whole.Raw, data) || whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("the whole file has %d bytes, %v", len(whole.Raw), whole.Header)
	}
	for asked, want := range map[string][]byte{"bytes=0-9": data[:10], "bytes=10-": data[10:], "bytes=-7": data[size-7:], "bytes=5-99999999": data[5:]} {
		r := get("Range", asked)
		if r.Status != http.StatusPartialContent || !bytes.Equal(r.Raw, want) || r.Header.Get("ETag") != tag {
			t.Errorf("%s: %d with %d bytes, want %d", asked, r.Status, len(r.Raw), len(want))
		}
	}
	for _, ignored := range []string{"bytes=99999999-", "bytes=9-3", "bytes=0-1,4-5", "bytes=-0", "lines=1-2", "bytes=x-y", "bytes=99999999999999999999-"} {
		if r := get("Range", ignored).OK(); !bytes.Equal(r.Raw, data) {
			t.Errorf("%s: %d bytes", ignored, len(r.Raw))
		}
	}
	if r := get("Range", "bytes=0-9", "If-Range", `"another"`).OK(); !bytes.Equal(r.Raw, data) {
		t.Error("a range of another file was sent")
	}
	get("If-Match", `"another"`).OK()
	if r := get("If-None-Match", `"x", `+tag); r.Status != http.StatusNotModified {
		t.Errorf("an unchanged file: %d", r.Status)
	}
}

func TestWordsOfAScan(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"OCR_DIR": scans.Engine(t, "../../..")}})
	org := s.NewOrganization("Words")
	up := s.Upload(org.Admin.Token, org.Entity, "scan.jpg", scans.Invoice("RE-2026-0815")).OK()
	ended(s, org, up.Text("id"))
	words := s.Do(http.MethodGet, "/api/documents/"+up.Text("id")+"/pages/1/words", org.Admin.Token, nil).OK()
	if !strings.Contains(string(words.Raw), "RE-2026-0815") {
		t.Errorf("the words are %s", words.Raw)
	}
}
