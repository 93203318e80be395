package e2e

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// photo returns an image that is dark in its upper half.
func photo(t *testing.T, width, height int, asJPEG bool) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{250, 240, 220, 255}
			if y < height/2 {
				c = color.RGBA{20, 30, 60, 255}
			}
			img.SetRGBA(x, y, c)
		}
	}
	var out bytes.Buffer
	encode := func() error { return png.Encode(&out, img) }
	if asJPEG {
		encode = func() error { return jpeg.Encode(&out, img, nil) }
	}
	if err := encode(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// merging is a service with documents to merge.
type merging struct {
	*harness.Server
	t   *testing.T
	org harness.Organization
}

func (m *merging) merge(body any, headers ...string) harness.Response {
	m.t.Helper()
	return m.Do(http.MethodPost, "/api/documents/merge", m.org.Admin.Token, body, headers...)
}

func (m *merging) upload(name string, data []byte) string {
	m.t.Helper()
	return ended(m.Server, m.org, m.Upload(m.org.Admin.Token, m.org.Entity, name, data).OK().Text("id")).Text("id")
}

// page returns the image of a page.
func (m *merging) page(id, number string) image.Image {
	m.t.Helper()
	r := m.Do(http.MethodGet, "/api/documents/"+id+"/pages/"+number+"?width=200", m.org.Admin.Token, nil).OK()
	img, err := png.Decode(bytes.NewReader(r.Raw))
	if err != nil {
		m.t.Fatal(err)
	}
	return img
}

func dark(img image.Image, x, y float64) bool {
	b := img.Bounds()
	r, _, _, _ := img.At(b.Min.X+int(x*float64(b.Dx())), b.Min.Y+int(y*float64(b.Dy()))).RGBA()
	return r < 0x8000
}

func part(id string, pages ...map[string]int) map[string]any {
	p := map[string]any{"document_id": id}
	if pages != nil {
		p["pages"] = pages
	}
	return p
}

func parts(items ...any) map[string]any { return map[string]any{"parts": items} }

// TestMergeDocuments makes one document of pages of PDFs and photos. Pages are left out and turned, the
// originals stay, and their open invoices are rejected.
func TestMergeDocuments(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	m := &merging{s, t, s.NewOrganization("Merge")}
	first := m.upload("first.pdf", printedFile(t, "A-17"))
	second := m.upload("second.pdf", printedFile(t, "A-18"))
	wide, tall := m.upload("wide.jpg", photo(t, 300, 200, true)), m.upload("tall.png", photo(t, 200, 300, false))
	before := m.Do(http.MethodGet, "/api/documents/"+first, m.org.Admin.Token, nil).OK()

	body := parts(part(first), part(wide, map[string]int{"number": 1, "rotate": 90}), part(tall), part(second, map[string]int{"number": 1, "rotate": 270}), part(tall, map[string]int{"number": 1, "rotate": 180}))
	body["filename"] = "../all of it.pdf"
	r := m.merge(body, "Idempotency-Key", "merge-1").OK()
	id := r.Text("id")
	if r.Text("filename") != "all of it.pdf" || r.Number("page_count") != 5 || r.Text("media_type") != "application/pdf" || r.At("duplicate") != false || r.Text("source") != "UPLOAD" {
		t.Errorf("the merged document: %s", r.Raw)
	}
	if from := r.At("merged_from").([]any); !slices.Equal(from, []any{first, wide, tall, second}) {
		t.Errorf("merged from %v", from)
	}
	if again := m.merge(body, "Idempotency-Key", "merge-1").OK(); again.Text("id") != id {
		t.Errorf("the same key: %s", again.Raw)
	}
	for number, want := range map[string]string{"1": "A-17", "4": "A-18"} {
		words := m.Do(http.MethodGet, "/api/documents/"+id+"/pages/"+number+"/words", m.org.Admin.Token, nil).OK()
		if !strings.Contains(string(words.Raw), want) {
			t.Errorf("page %s has no %s: %.300s", number, want, words.Raw)
		}
	}
	if b := m.page(id, "2").Bounds(); b.Dx() >= b.Dy() {
		t.Errorf("the wide photo was not turned: %v", b)
	}
	if img := m.page(id, "2"); !dark(img, 0.9, 0.5) || dark(img, 0.1, 0.5) {
		t.Error("the wide photo was turned the other way")
	}
	if img := m.page(id, "3"); !dark(img, 0.5, 0.1) || dark(img, 0.5, 0.9) || img.Bounds().Dx() >= img.Bounds().Dy() {
		t.Error("the tall photo is not upright")
	}
	if b := m.page(id, "4").Bounds(); b.Dx() <= b.Dy() {
		t.Errorf("the second PDF was not turned: %v", b)
	}
	if img := m.page(id, "5"); dark(img, 0.5, 0.1) || !dark(img, 0.5, 0.9) {
		t.Error("the last page does not stand on its head")
	}

	after := m.Do(http.MethodGet, "/api/documents/"+first, m.org.Admin.Token, nil).OK()
	if !bytes.Equal(before.Raw, after.Raw) {
		t.Errorf("the original changed: %s", after.Raw)
	}
	m.Do(http.MethodGet, "/api/documents/"+first+"/content", m.org.Admin.Token, nil).OK()
	inv := m.Do(http.MethodGet, "/api/invoices/"+before.Text("invoice_id"), m.org.Admin.Token, nil).OK()
	if inv.Text("status") != "REJECTED" || !strings.Contains(inv.Text("rejection", "reason"), "merged") {
		t.Errorf("the invoice of an original: %s", inv.Raw)
	}
	ended(s, m.org, id)
}

// TestMergeIsRefused verifies what cannot be merged, and that nothing is changed then.
func TestMergeIsRefused(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	m := &merging{s, t, s.NewOrganization("Refused merge")}
	pdf, xml := m.upload("a.pdf", printedFile(t, "A-17")), m.upload("a.xml", harness.UBL("A-19"))
	three := m.upload("three.pdf", printedFile(t, "B-1", "B-2", "B-3"))
	damaged := m.upload("damaged.pdf", []byte("%PDF-1.7\nnothing"))
	elsewhere := uuid.MustParse(s.Do(http.MethodPost, "/api/entities", m.org.Admin.Token, map[string]any{"name": "Elsewhere"}).OK().Text("id"))
	other := ended(s, m.org, s.Upload(m.org.Admin.Token, elsewhere, "b.pdf", printedFile(t, "A-20")).OK().Text("id")).Text("id")
	stranger := s.NewOrganization("Stranger")

	for name, body := range map[string]map[string]any{
		"nothing":             parts(),
		"an XML invoice":      parts(part(pdf), part(xml)),
		"a file with parts":   parts(part(pdf), part(three)),
		"a page that is none": parts(part(pdf, map[string]int{"number": 2})),
		"half a turn":         parts(part(pdf, map[string]int{"number": 1, "rotate": 45})),
		"another entity":      parts(part(pdf), part(other)),
	} {
		if r := m.merge(body); r.Status != http.StatusBadRequest || r.Text("error", "code") != "invalid_request" {
			t.Errorf("%s: %d %s", name, r.Status, r.Raw)
		}
	}
	if r := m.merge(parts(part(pdf), part(damaged))).Want(http.StatusBadRequest, "unreadable_document"); !strings.Contains(r.Text("error", "message"), "damaged.pdf") {
		t.Errorf("a damaged file: %s", r.Raw)
	}
	m.merge(parts(part(pdf), part(uuid.NewString()))).Want(http.StatusNotFound, "not_found")
	s.Do(http.MethodPost, "/api/documents/merge", stranger.Admin.Token, parts(part(pdf))).Want(http.StatusNotFound, "not_found")

	d := s.Do(http.MethodGet, "/api/documents/"+pdf, m.org.Admin.Token, nil).OK()
	inv := s.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), m.org.Admin.Token, nil).OK()
	if inv.Text("status") == "REJECTED" {
		t.Error("a refused merge rejected an invoice")
	}
	failed := []string{}
	for i := range inv.Len("checks") {
		if inv.At("checks", i, "passed") == false && inv.Text("checks", i, "severity") == "BLOCKING" {
			failed = append(failed, inv.Text("checks", i, "rule"))
		}
	}
	s.Do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/approve", m.org.Admin.Token, map[string]any{"version": inv.Number("version"), "acknowledge_checks": failed}).OK()
	m.merge(parts(part(pdf), part(pdf))).Want(http.StatusBadRequest, "conflict")
}
