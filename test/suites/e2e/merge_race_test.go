package e2e

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/domain/document"
	"docledger/domain/extraction"
	"docledger/domain/identity"
	"docledger/test/lib/generator"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// slowMerger calls during while it merges, and returns file instead of the merged one if it is set.
type slowMerger struct {
	extraction.Merger
	during func()
	file   []byte
	calls  int
}

func (m *slowMerger) Merge(ctx context.Context, files []extraction.MergedFile) ([]byte, int, error) {
	m.calls++
	if m.during != nil {
		m.during()
	}
	if m.file != nil {
		return m.file, 1, nil
	}
	return m.Merger.Merge(ctx, files)
}

// scheduled records the scheduled removals.
type scheduled struct {
	document.Removals
	mu    sync.Mutex
	blobs []string
}

func (s *scheduled) Schedule(ctx context.Context, organization uuid.UUID, blobs []string, after time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blobs = append(s.blobs, blobs...)
	return s.Removals.Schedule(ctx, organization, blobs, after)
}

// newSlowMerging returns a service the merges of which a test can interrupt.
func newSlowMerging(t *testing.T) (*merging, *slowMerger, *scheduled) {
	t.Helper()
	s := harness.Start(t, harness.Options{})
	merger := &slowMerger{Merger: s.Service.Extraction.Merger}
	removals := &scheduled{Removals: s.Service.Extraction.Removals}
	s.Service.Extraction.Merger, s.Service.Extraction.Removals = merger, removals
	return &merging{s, t, s.NewOrganization("Slow merge")}, merger, removals
}

// statusOf returns the status of the invoice of a document.
func (m *merging) statusOf(id string) string {
	m.t.Helper()
	d := m.Do(http.MethodGet, "/api/documents/"+id, m.org.Admin.Token, nil).OK()
	return m.Do(http.MethodGet, "/api/invoices/"+d.Text("invoice_id"), m.org.Admin.Token, nil).OK().Text("status")
}

// twoPages returns a PDF with an invoice and a page of terms.
func twoPages(t *testing.T, number string) []byte {
	t.Helper()
	page := printedPage("Invoice date: 3 May 2024", "")
	for i := range page.Texts {
		page.Texts[i].Text = strings.ReplaceAll(page.Texts[i].Text, "A-17", number)
	}
	terms := generator.Page{Texts: []generator.Text{{X: 50, Y: 60, Size: 10, Text: "General terms"}}}
	data, ok := (&generator.Document{Pages: []generator.Page{page, terms}}).PDF()
	if !ok {
		t.Fatal("the pages cannot be written")
	}
	return data
}

// TestMergeOfChangedOriginals changes an original, its entity or the rights of the caller while the file
// is made. The merge is refused, changes nothing, and leaves no file.
func TestMergeOfChangedOriginals(t *testing.T) {
	t.Parallel()
	m, merger, removals := newSlowMerging(t)
	d := desk{t, m.Server, m.org}
	second := d.entity(map[string]any{"name": "Second"})
	entity := "/api/entities/" + m.org.Entity.String()
	person := m.NewPerson(m.org.ID, identity.RoleMember)
	role := func(role string) {
		d.do(http.MethodPut, entity, map[string]any{"members": []map[string]any{{"user_id": person.ID, "role": role}}}).OK()
	}
	role("APPROVER")
	for i, c := range []struct {
		name         string
		change, back func(id string)
		status       int
		code         string
	}{
		{"moved", func(id string) { d.move(id, second).OK() }, func(id string) { d.move(id, m.org.Entity).OK() }, http.StatusBadRequest, "version_conflict"},
		{"archived", func(string) { d.do(http.MethodPut, entity, map[string]any{"archived": true}).OK() },
			func(string) { d.do(http.MethodPut, entity, map[string]any{"archived": false}).OK() }, http.StatusBadRequest, "conflict"},
		{"without the right", func(string) { role("VIEWER") }, func(string) { role("APPROVER") }, http.StatusForbidden, "forbidden"},
		{"split", func(id string) {
			d.do(http.MethodPost, "/api/documents/"+id+"/split", map[string]any{"parts": []any{map[string]int{"from": 1, "to": 1}}}).OK()
		}, nil, http.StatusBadRequest, "version_conflict"},
	} {
		// Two pages of one invoice can be split.
		id := m.upload(c.name+".pdf", twoPages(t, "C-"+strconv.Itoa(i)))
		before := len(removals.blobs)
		merger.during = func() { c.change(id) }
		r := m.Do(http.MethodPost, "/api/documents/merge", person.Token, parts(part(id)))
		merger.during = nil
		if r.Status != c.status || r.Text("error", "code") != c.code {
			t.Errorf("%s: %d %s", c.name, r.Status, r.Raw)
		}
		if len(removals.blobs) != before+1 {
			t.Errorf("%s: the file stays stored", c.name)
		}
		if c.back == nil {
			continue
		}
		c.back(id)
		if got := m.statusOf(id); got == "REJECTED" {
			t.Errorf("%s: the invoice is %s", c.name, got)
		}
	}
	if list := d.do(http.MethodGet, "/api/documents?q=merged", nil).OK(); list.Len("items") != 0 {
		t.Errorf("documents of refused merges: %s", list.Raw)
	}
}

// TestMergeOfAnApprovedInvoiceMakesNoFile refuses a merge before its file is made.
func TestMergeOfAnApprovedInvoiceMakesNoFile(t *testing.T) {
	t.Parallel()
	m, merger, _ := newSlowMerging(t)
	d := desk{t, m.Server, m.org}
	id := m.upload("a.pdf", printedFile(t, "A-17"))
	inv := invoiceOfDocument(d, id)
	failed := []string{}
	for i := range inv.Len("checks") {
		if inv.At("checks", i, "passed") == false && inv.Text("checks", i, "severity") == "BLOCKING" {
			failed = append(failed, inv.Text("checks", i, "rule"))
		}
	}
	d.approve(inv, failed...).OK()
	m.merge(parts(part(id))).Want(http.StatusBadRequest, "conflict")
	if merger.calls != 0 {
		t.Error("the file of a refused merge was made")
	}
}

// invoiceOfDocument returns the invoice of a document.
func invoiceOfDocument(d desk, document string) harness.Response {
	d.t.Helper()
	of := d.do(http.MethodGet, "/api/documents/"+document, nil).OK()
	return d.do(http.MethodGet, "/api/invoices/"+of.Text("invoice_id"), nil).OK()
}

// TestMergeOfKnownBytes returns the document that has the bytes of the merged file. The originals keep
// their invoices, and a FAILED document is extracted again.
func TestMergeOfKnownBytes(t *testing.T) {
	t.Parallel()
	m, merger, removals := newSlowMerging(t)
	known, damaged := printedFile(t, "K-2"), []byte("%PDF-1.7\nnothing")
	original, existing, failed := m.upload("o.pdf", printedFile(t, "K-1")), m.upload("known.pdf", known), m.upload("damaged.pdf", damaged)
	merger.file = known
	if r := m.merge(parts(part(original))).OK(); r.Text("id") != existing || r.At("duplicate") != true || r.Text("status") != "EXTRACTED" {
		t.Errorf("the bytes of another document: %s", r.Raw)
	}
	merger.file = damaged
	if r := m.merge(parts(part(original))).OK(); r.Text("id") != failed || r.At("duplicate") != true || r.Text("status") != "UPLOADED" {
		t.Errorf("the bytes of a failed document: %s", r.Raw)
	}
	if got := m.statusOf(original); got == "REJECTED" {
		t.Error("the invoice of an original was rejected, although no document was made")
	}
	if len(removals.blobs) != 0 {
		t.Errorf("the bytes of a document are removed: %v", removals.blobs)
	}
}

// unattended lets the system approve the invoices of an entity.
var unattended = map[string]any{
	"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "date_plausible", "single_invoice"}, "review_threshold": 0,
}

// reopened reopens the invoice of a document if the system approved it.
func (d desk) reopened(document string) {
	d.t.Helper()
	if inv := invoiceOfDocument(d, document); inv.Text("status") == "APPROVED" {
		d.do(http.MethodPost, "/api/invoices/"+inv.Text("id")+"/reopen", nil).OK()
	}
}

// TestMergeWithPagesOfAnAssistantNeedsAPerson merges pages that a person and an assistant uploaded.
func TestMergeWithPagesOfAnAssistantNeedsAPerson(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	d, m := desk{t, s, org}, &merging{s, t, org}
	d.set(org.Entity, unattended)
	terms := printedTerms(t)
	upload := func(token string, name string, data []byte) map[string]any {
		id := ended(s, org, s.Upload(token, org.Entity, name, data).OK().Text("id")).Text("id")
		return part(id)
	}
	for name, c := range map[string]struct{ token, want string }{"H-1": {org.Admin.Token, "APPROVED"}, "H-2": {oauth, "EXTRACTED"}} {
		invoice := upload(org.Admin.Token, name+".pdf", printedFile(t, name))
		d.reopened(invoice["document_id"].(string))
		last := upload(c.token, name+"-terms.pdf", append(terms, []byte("%"+name+"\n")...))
		merged := ended(s, org, m.merge(parts(invoice, last)).OK().Text("id"))
		if got := m.statusOf(merged.Text("id")); got != c.want {
			t.Errorf("%s is %s, want %s", name, got, c.want)
		}
	}
}

// TestMergeWithPagesOfAnEmailNeedsAPerson merges pages that a person uploaded and a sender who is not
// accepted sent.
func TestMergeWithPagesOfAnEmailNeedsAPerson(t *testing.T) {
	t.Parallel()
	mail := newMailed(t)
	d, m := desk{t, mail.Server, mail.org}, &merging{mail.Server, t, mail.org}
	first := m.upload("first.pdf", printedFile(t, "E-1"))
	if got := m.statusOf(first); got != "APPROVED" {
		t.Fatalf("the upload of a person is %s", got)
	}
	d.reopened(first)
	mail.post(mail.address, mimeMessage("Shop <billing@shop.example>", "E-2.pdf", string(printedFile(t, "E-2"))), "X-Webhook-Secret", emailSecret).OK()
	sent, _ := mail.invoiceOf("E-2.pdf")
	for name, items := range map[string][]any{"first": {part(first), part(sent.Text("id"))}, "last": {part(sent.Text("id")), part(first)}} {
		merged := ended(mail.Server, mail.org, m.merge(parts(items...)).OK().Text("id"))
		if merged.At("email", "accepted") != false {
			t.Errorf("%s: the merged document is %s", name, merged.Raw)
		}
		list := d.do(http.MethodGet, "/api/invoices?limit=100", nil).OK()
		for i := range list.Len("items") {
			if list.Text("items", i, "status") == "APPROVED" {
				t.Errorf("%s: the system approved %s", name, list.Raw)
			}
		}
	}
}

// printedTerms returns a PDF with a page without an invoice.
func printedTerms(t *testing.T) []byte {
	t.Helper()
	data, ok := (&generator.Document{Pages: []generator.Page{{Texts: []generator.Text{{X: 50, Y: 60, Size: 10, Text: "General terms"}}}}}).PDF()
	if !ok {
		t.Fatal("the page cannot be written")
	}
	return data
}
