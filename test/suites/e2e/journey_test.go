package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

func TestUploadBecomesAnInvoiceByItself(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("One")
		up := s.Upload(org.Admin.Token, org.Entity, "first.xml", harness.UBL("A-1")).OK()
		if up.At("duplicate") != false || up.Text("media_type") != "application/xml" {
			t.Errorf("upload returns %s", up.Raw)
		}
		inv := s.Extract(org.Admin.Token, up.Text("id")).OK()
		if inv.Text("status") != "EXTRACTED" || inv.Text("invoice_number") != "A-1" || inv.Text("gross_total") != "119.00" {
			t.Errorf("invoice is %s", inv.Raw)
		}
		doc := s.Do(http.MethodGet, "/api/documents/"+up.Text("id"), org.Admin.Token, nil).OK()
		if doc.Text("status") != "EXTRACTED" || doc.Text("invoice_id") != inv.Text("id") {
			t.Errorf("document is %s", doc.Raw)
		}
		got := s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id"), org.Admin.Token, nil).OK()
		if got.Header.Get("ETag") != `"1"` || got.Text("seller", "name") != "Société Générique" || got.Len("lines") != 1 {
			t.Errorf("invoice is %s with ETag %s", got.Raw, got.Header.Get("ETag"))
		}
		content := s.Do(http.MethodGet, "/api/documents/"+up.Text("id")+"/content", org.Admin.Token, nil).OK()
		if !bytes.Equal(content.Raw, harness.UBL("A-1")) {
			t.Error("the original is not what was uploaded")
		}
		again := s.Upload(org.Admin.Token, org.Entity, "again.xml", harness.UBL("A-1")).OK()
		if again.At("duplicate") != true || again.Text("id") != up.Text("id") {
			t.Errorf("the same bytes again answer %s", again.Raw)
		}
	})
}

func TestUploadForms(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"MAX_UPLOAD_BYTES": "5000"}})
	org := s.NewOrganization("Forms")
	token, id := org.Admin.Token, org.Entity.String()
	form := func(parts ...string) (*strings.Reader, string) {
		return strings.NewReader("--b\r\n" + strings.Join(parts, "\r\n--b\r\n") + "\r\n--b--\r\n"), "multipart/form-data; boundary=b"
	}
	file := "Content-Disposition: form-data; name=\"file\"; filename=\"../../x.xml\"\r\n\r\n" + string(harness.UBL("F-1"))
	entityPart := "Content-Disposition: form-data; name=\"entity_id\"\r\n\r\n" + id
	for _, c := range []struct {
		name   string
		parts  []string
		status int
		code   string
	}{
		{"EntityFirst", []string{entityPart, file}, 200, ""},
		{"FileFirst", []string{file, entityPart}, 200, ""},
		{"NoEntity", []string{file}, 400, "invalid_request"},
		{"NoFile", []string{entityPart}, 400, "invalid_request"},
		{"TwoFiles", []string{entityPart, file, file}, 400, "invalid_request"},
		{"TwoEntities", []string{entityPart, entityPart, file}, 400, "invalid_request"},
		{"UnknownPart", []string{entityPart, "Content-Disposition: form-data; name=\"note\"\r\n\r\nx", file}, 400, "invalid_request"},
		{"UnknownPartLast", []string{entityPart, file, "Content-Disposition: form-data; name=\"note\"\r\n\r\nx"}, 400, "invalid_request"},
		{"BadEntity", []string{"Content-Disposition: form-data; name=\"entity_id\"\r\n\r\nnope", file}, 400, "invalid_request"},
		{"ForeignEntity", []string{"Content-Disposition: form-data; name=\"entity_id\"\r\n\r\n" + uuid.NewString(), file}, 404, "not_found"},
		{"TooLarge", []string{entityPart, file + strings.Repeat(" ", 6000)}, 400, "payload_too_large"},
		{"TooLargeFileFirst", []string{file + strings.Repeat(" ", 6000), entityPart}, 400, "payload_too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, contentType := form(c.parts...)
			r := s.Send(http.MethodPost, "/api/documents/upload", token, body, "Content-Type", contentType).Want(c.status, c.code)
			if c.status == 200 && r.Text("filename") != "x.xml" {
				t.Errorf("the file is called %q", r.Text("filename"))
			}
		})
	}
	cut := strings.NewReader("--b\r\n" + entityPart + "\r\n--b\r\n" + file)
	s.Send(http.MethodPost, "/api/documents/upload", token, cut, "Content-Type", "multipart/form-data; boundary=b").Want(400, "invalid_request")
	s.Send(http.MethodPost, "/api/documents/upload", token, strings.NewReader("x"), "Content-Type", "text/plain").Want(400, "unsupported_media_type")
	json := s.Do(http.MethodPost, "/api/documents/upload", token, map[string]any{
		"entity_id": id, "filename": "j.xml", "content": harness.UBL("J-1"),
	}).OK()
	if s.Extract(token, json.Text("id")).OK().Text("invoice_number") != "J-1" {
		t.Error("a JSON upload did not become its invoice")
	}
	if n := s.Do(http.MethodGet, "/api/documents", token, nil).OK().Len("items"); n != 2 {
		t.Errorf("%d documents are kept, want the 2 that were accepted", n)
	}
}

func TestUnreadableDocumentsSayWhy(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Broken")
	for _, c := range []struct {
		name, content, code, failure, status string
	}{
		{"page.html", "<!DOCTYPE html><html><body>hi</body></html>", "unreadable_document", "unsupported_type", "FAILED"},
		{"cut.xml", string(harness.UBL("C-1")[:900]), "unreadable_document", "truncated", "FAILED"},
		{"xxe.xml", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>` + string(harness.UBL("X-1")[38:]), "unreadable_document", "entity_declaration", "FAILED"},
		{"order.xml", `<Order xmlns="urn:oasis:names:specification:ubl:schema:xsd:Order-2"><ID>1</ID></Order>`, "not_an_invoice", "order", "NOT_AN_INVOICE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := s.Upload(org.Admin.Token, org.Entity, c.name, []byte(c.content)).OK()
			r := s.Extract(org.Admin.Token, up.Text("id")).Want(400, c.code)
			if got := r.Text("error", "details", "failure", "code"); got != c.failure {
				t.Errorf("failure is %q, want %q: %s", got, c.failure, r.Raw)
			}
			doc := s.Do(http.MethodGet, "/api/documents/"+up.Text("id"), org.Admin.Token, nil).OK()
			if doc.Text("status") != c.status || doc.Text("failure", "code") != c.failure || doc.Text("failure", "message") == "" {
				t.Errorf("document is %s", doc.Raw)
			}
		})
	}
}

// TestEmptyFilesAreRefusedAtUpload expects a refusal of a form and of JSON, and no
// document.
func TestEmptyFilesAreRefusedAtUpload(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Empty")
	r := s.Upload(org.Admin.Token, org.Entity, "empty.xml", nil).Want(400, "unreadable_document")
	if r.Text("error", "details", "reason") != "empty" || r.Text("error", "details", "fields", 0, "field") != "file" {
		t.Errorf("the form is refused with %s", r.Raw)
	}
	empty := map[string]any{"entity_id": org.Entity, "filename": "empty.xml", "content": ""}
	s.Do(http.MethodPost, "/api/documents/upload", org.Admin.Token, empty).Want(400, "invalid_request")
	if n := s.Do(http.MethodGet, "/api/documents", org.Admin.Token, nil).OK().Len("items"); n != 0 {
		t.Errorf("%d documents are kept", n)
	}
}

func TestReviewToApproval(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Review")
		token := org.Admin.Token
		up := s.Upload(token, org.Entity, "wrong.xml", harness.UBLOf("R-1", "100.00", "19.00", "190.00")).OK()
		inv := s.Extract(token, up.Text("id")).OK()
		path := "/api/invoices/" + inv.Text("id")
		if inv.Text("status") != "NEEDS_REVIEW" || inv.Text("gross_total") != "190.00" || !failed(inv, "gross_sum") {
			t.Fatalf("invoice is %s", inv.Raw)
		}
		s.Do(http.MethodPatch, path, token, map[string]any{"gross_total": "119.00"}, "If-Match", `"7"`).Want(400, "version_conflict")
		fixed := s.Do(http.MethodPatch, path, token, map[string]any{"gross_total": "119.00", "amount_due": "119.00"}, "If-Match", `"1"`).OK()
		if fixed.Text("status") != "EXTRACTED" || fixed.Text("fields", "gross_total", "source") != "HUMAN" || fixed.Text("fields", "gross_total", "original") != "190.00" {
			t.Errorf("corrected invoice is %s", fixed.Raw)
		}
		s.Do(http.MethodPost, path+"/approve", token, map[string]any{"version": 1}).Want(400, "version_conflict")
		approved := s.Do(http.MethodPost, path+"/approve", token, map[string]any{"version": 2}).OK()
		if approved.Text("status") != "APPROVED" || approved.Number("approval", "version") != 2 {
			t.Errorf("approved invoice is %s", approved.Raw)
		}
		again := s.Do(http.MethodPost, path+"/approve", token, map[string]any{"version": 2}).OK()
		if again.Number("version") != approved.Number("version") {
			t.Error("approving again changed the invoice")
		}
		line := approved.Text("lines", 0, "id")
		coded := s.Do(http.MethodPatch, path, token, map[string]any{"lines": []any{map[string]any{"id": line, "account_id": "400"}}, "note": "urgent"}).OK()
		if coded.Text("status") != "APPROVED" || coded.Text("lines", 0, "account_source") != "HUMAN" {
			t.Errorf("coding took the approval away: %s", coded.Raw)
		}
		withdrawn := s.Do(http.MethodPatch, path, token, map[string]any{"invoice_number": "R-2"}).OK()
		if withdrawn.Text("status") != "EXTRACTED" || withdrawn.At("approval") != nil {
			t.Errorf("a changed number kept the approval: %s", withdrawn.Raw)
		}
		s.Do(http.MethodPost, path+"/reject", token, map[string]any{"reason": "not ours"}).OK()
		s.Do(http.MethodPatch, path, token, map[string]any{"invoice_number": "R-3"}).Want(400, "conflict")
		s.Do(http.MethodPatch, path, token, map[string]any{"note": "still"}).OK()
		reopened := s.Do(http.MethodPost, path+"/reopen", token, nil).OK()
		if reopened.Text("status") != "NEEDS_REVIEW" || reopened.At("rejection") != nil {
			t.Errorf("reopened invoice is %s", reopened.Raw)
		}
		want := []string{
			"document.received", "invoice.needs_review", "document.extracted", "invoice.corrected", "invoice.approved", "invoice.corrected",
			"invoice.corrected", "invoice.approval_withdrawn", "invoice.rejected", "invoice.corrected", "invoice.reopened",
		}
		if got := types(s.Do(http.MethodGet, path+"/history", token, nil).OK()); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("history is\n%v, want\n%v", got, want)
		}
	})
}

func failed(inv harness.Response, rule string) bool {
	checks, _ := inv.At("checks").([]any)
	for _, c := range checks {
		check, _ := c.(map[string]any)
		if check["rule"] == rule && check["passed"] == false {
			return true
		}
	}
	return false
}

func types(events harness.Response) []string {
	var out []string
	for i := range events.Len("items") {
		out = append(out, events.Text("items", i, "type"))
	}
	return out
}

func TestReadingAgainKeepsWhatAPersonSet(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Again")
	token := org.Admin.Token
	up := s.Upload(token, org.Entity, "a.xml", harness.UBL("K-1")).OK()
	inv := s.Extract(token, up.Text("id")).OK()
	path := "/api/invoices/" + inv.Text("id")
	s.Do(http.MethodPatch, path, token, map[string]any{"seller": map[string]any{"name": "Corrected"}}).OK()
	force := map[string]any{"document_id": up.Text("id"), "force": true}
	again := s.Do(http.MethodPost, "/api/invoices/extract", token, force).OK()
	if again.Text("id") != inv.Text("id") || again.Text("seller", "name") != "Corrected" || again.Text("lines", 0, "id") != inv.Text("lines", 0, "id") {
		t.Errorf("read again: %s", again.Raw)
	}
	s.Do(http.MethodPost, path+"/approve", token, map[string]any{"version": again.Number("version")}).OK()
	s.Do(http.MethodPost, "/api/invoices/extract", token, force).Want(400, "conflict")
	s.Do(http.MethodPost, path+"/reject", token, map[string]any{"reason": "wrong"}).OK()
	s.Do(http.MethodPost, "/api/invoices/extract", token, force).Want(400, "conflict")
}

func TestFaultlessInvoicesNeedNoApprovalWhereNoneIsRequired(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("System")
	token := org.Admin.Token
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"approval_required": false}).OK()
	s.Do(http.MethodPut, "/api/entities/"+org.Entity.String(), token, map[string]any{"aliases": []string{"Buyer Ltd"}}).OK()
	good := s.Extract(token, s.Upload(token, org.Entity, "g.xml", harness.UBL("G-1")).OK().Text("id")).OK()
	if good.Text("status") != "APPROVED" || good.At("approval", "by") != nil || good.Number("approval", "version") != 1 {
		t.Errorf("a valid invoice is %s", good.Raw)
	}
	bad := s.Extract(token, s.Upload(token, org.Entity, "b.xml", harness.UBLOf("BAD-72", "100.00", "19.00", "190.00")).OK().Text("id")).OK()
	path := "/api/invoices/" + bad.Text("id")
	fixed := s.Do(http.MethodPatch, path, token, map[string]any{"gross_total": "119.00", "amount_due": "119.00"}).OK()
	if bad.Text("status") != "NEEDS_REVIEW" || fixed.Text("status") != "APPROVED" || fixed.Number("approval", "version") != fixed.Number("version") {
		t.Errorf("first %s, corrected %s", bad.Raw, fixed.Raw)
	}
	reopened := "/api/invoices/" + good.Text("id")
	s.Do(http.MethodPost, reopened+"/reopen", token, nil).OK()
	if r := s.Do(http.MethodPatch, reopened, token, map[string]any{"due_date": "2026-03-01"}).OK(); r.Text("status") != "EXTRACTED" {
		t.Errorf("what a person reopened was approved by the system: %s", r.Text("status"))
	}
	history := s.Do(http.MethodGet, path+"/history", token, nil).OK()
	last := history.Len("items") - 1
	if history.Text("items", last, "type") != "invoice.approved" || history.Text("items", last, "actor", "type") != "SYSTEM" {
		t.Errorf("the history ends with %v", types(history))
	}
}

func TestSeveralInvoicesInOneFile(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Split")
	up := s.Upload(org.Admin.Token, org.Entity, "two.xml", harness.TwoInvoices("F")).OK()
	r := s.Extract(org.Admin.Token, up.Text("id")).Want(400, "conflict")
	if r.Len("error", "details", "children") != 2 {
		t.Fatalf("children are %s", r.Raw)
	}
	var numbers []string
	for i := range 2 {
		child := r.Text("error", "details", "children", i)
		doc := s.Do(http.MethodGet, "/api/documents/"+child, org.Admin.Token, nil).OK()
		if doc.Text("parent_id") != up.Text("id") || doc.Text("status") != "EXTRACTED" {
			t.Errorf("part is %s", doc.Raw)
		}
		numbers = append(numbers, s.Extract(org.Admin.Token, child).OK().Text("invoice_number"))
	}
	if got := strings.Join(numbers, " "); got != "F-1 F-2" && got != "F-2 F-1" {
		t.Errorf("the parts hold %s", got)
	}
	// Reading a part again is about that part alone.
	child := r.Text("error", "details", "children", 0)
	before := s.Extract(org.Admin.Token, child).OK()
	again := s.Do(http.MethodPost, "/api/invoices/extract", org.Admin.Token, map[string]any{"document_id": child, "force": true}).OK()
	if again.Text("id") != before.Text("id") || again.Text("invoice_number") != before.Text("invoice_number") {
		t.Errorf("a part read again is %s", again.Raw)
	}
	s.Do(http.MethodPost, "/api/invoices/extract", org.Admin.Token, map[string]any{"document_id": up.Text("id"), "force": true}).Want(400, "conflict")
	documents, invoices := s.Do(http.MethodGet, "/api/documents", org.Admin.Token, nil), s.Do(http.MethodGet, "/api/invoices", org.Admin.Token, nil)
	if documents.Len("items") != 3 || invoices.Len("items") != 2 {
		t.Errorf("%d documents and %d invoices", documents.Len("items"), invoices.Len("items"))
	}
}

func TestLongInvoicesArePaged(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Long")
	up := s.Upload(org.Admin.Token, org.Entity, "long.xml", harness.UBLLines("L-1", 450)).OK()
	inv := s.Extract(org.Admin.Token, up.Text("id")).OK()
	if inv.Len("lines") != 200 || inv.Number("lines_total") != 450 {
		t.Fatalf("the invoice carries %d of %d lines", inv.Len("lines"), inv.Number("lines_total"))
	}
	seen, cursor := 0, ""
	for {
		page := s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id")+"/lines?limit=200"+cursor, org.Admin.Token, nil).OK()
		for i := range page.Len("items") {
			seen++
			if page.Number("items", i, "position") != seen {
				t.Fatalf("line %d has position %d", seen, page.Number("items", i, "position"))
			}
			if page.At("fields", fmt.Sprintf("lines[%d]", seen-1)) == nil {
				t.Fatalf("line %d is listed without its evidence", seen)
			}
		}
		if page.At("next_cursor") == nil {
			break
		}
		cursor = "&cursor=" + page.Text("next_cursor")
	}
	if seen != 450 {
		t.Errorf("%d lines were listed", seen)
	}
}

func TestRolesOnEntities(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Roles")
	viewer, editor, approver, stranger := s.NewPerson(org.ID, identity.RoleMember), s.NewPerson(org.ID, identity.RoleMember),
		s.NewPerson(org.ID, identity.RoleMember), s.NewPerson(org.ID, identity.RoleMember)
	s.SetMembers(org, entity.AccessRestricted, entity.Member{UserID: viewer.ID, Role: identity.Viewer},
		entity.Member{UserID: editor.ID, Role: identity.Editor}, entity.Member{UserID: approver.ID, Role: identity.Approver})
	up := s.Upload(editor.Token, org.Entity, "r.xml", harness.UBL("RO-1")).OK()
	inv := s.Extract(editor.Token, up.Text("id")).OK()
	path := "/api/invoices/" + inv.Text("id")
	s.Upload(viewer.Token, org.Entity, "v.xml", harness.UBL("RO-2")).Want(403, "forbidden")
	s.Upload(stranger.Token, org.Entity, "s.xml", harness.UBL("RO-3")).Want(404, "not_found")
	s.Do(http.MethodGet, path, viewer.Token, nil).OK()
	s.Do(http.MethodGet, path, stranger.Token, nil).Want(404, "not_found")
	s.Do(http.MethodPatch, path, viewer.Token, map[string]any{"note": "x"}).Want(403, "forbidden")
	s.Do(http.MethodPost, path+"/approve", editor.Token, map[string]any{"version": 1}).Want(403, "forbidden")
	s.Do(http.MethodPost, path+"/approve", approver.Token, map[string]any{"version": 1}).OK()
	s.Do(http.MethodGet, "/api/organization/members", approver.Token, nil).Want(403, "forbidden")
	if n := s.Do(http.MethodGet, "/api/invoices", stranger.Token, nil).OK().Len("items"); n != 0 {
		t.Errorf("a stranger to the entity lists %d invoices", n)
	}
	if n := s.Do(http.MethodGet, "/api/events", stranger.Token, nil).OK().Len("items"); n != 0 {
		t.Errorf("a stranger to the entity reads %d events", n)
	}
}

func TestFourEyes(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Eyes")
	other := s.NewPerson(org.ID, identity.RoleAdmin)
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"four_eyes": true}).OK()
	up := s.Upload(org.Admin.Token, org.Entity, "e.xml", harness.UBL("E-1")).OK()
	inv := s.Extract(org.Admin.Token, up.Text("id")).OK()
	approve := "/api/invoices/" + inv.Text("id") + "/approve"
	path := "/api/invoices/" + inv.Text("id")
	s.Do(http.MethodPost, approve, org.Admin.Token, map[string]any{"version": 1}).Want(403, "forbidden")
	// A note of somebody else's hides neither the uploader nor a change.
	s.Do(http.MethodPatch, path, other.Token, map[string]any{"note": "seen", "contact_id": "c-1"}).OK()
	s.Do(http.MethodPost, approve, org.Admin.Token, map[string]any{"version": 2}).Want(403, "forbidden")
	s.Do(http.MethodPatch, path, other.Token, map[string]any{"payment": map[string]any{"iban": "DE89370400440532013000"}}).OK()
	s.Do(http.MethodPost, approve, other.Token, map[string]any{"version": 3}).Want(403, "forbidden")
	// Who changed the coding, such as the contact that is paid, is refused too. It hides no change of
	// the document, and a note changes nothing.
	third, fourth := s.NewPerson(org.ID, identity.RoleAdmin), s.NewPerson(org.ID, identity.RoleAdmin)
	s.Do(http.MethodPatch, path, third.Token, map[string]any{"contact_id": "c-2"}).OK()
	s.Do(http.MethodPost, approve, third.Token, map[string]any{"version": 4}).Want(403, "forbidden")
	s.Do(http.MethodPost, approve, other.Token, map[string]any{"version": 4}).Want(403, "forbidden")
	// A later change of the document hides no change of the coding, also if both changed at once.
	fifth := s.NewPerson(org.ID, identity.RoleAdmin)
	s.Do(http.MethodPatch, path, fifth.Token, map[string]any{"contact_id": "c-3", "payment": map[string]any{"iban": "FR7630006000011234567890189"}}).OK()
	s.Do(http.MethodPatch, path, other.Token, map[string]any{"payment": map[string]any{"iban": "DE89370400440532013000"}}).OK()
	s.Do(http.MethodPost, approve, fifth.Token, map[string]any{"version": 6}).Want(403, "forbidden")
	s.Do(http.MethodPatch, path, fourth.Token, map[string]any{"note": "paid by card"}).OK()
	s.Do(http.MethodPost, approve, fourth.Token, map[string]any{"version": 7}).OK()
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org := s.NewOrganization("Keys")
		create := func(name, key string) harness.Response {
			return s.Do(http.MethodPost, "/api/entities", org.Admin.Token, map[string]any{"name": name}, "Idempotency-Key", key)
		}
		first, again := create("Twice", "k1").OK(), create("Twice", "k1").OK()
		if first.Text("id") != again.Text("id") || !sameJSON(first.Raw, again.Raw) || first.Header.Get("ETag") != again.Header.Get("ETag") {
			t.Errorf("a repetition returns %s, the first %s", again.Raw, first.Raw)
		}
		create("Other", "k1").Want(400, "conflict")
		if create("Twice", "k2").OK().Text("id") == first.Text("id") {
			t.Error("another key did not create another entity")
		}
		up := s.Upload(org.Admin.Token, org.Entity, "i.xml", harness.UBL("I-1"), "Idempotency-Key", "u1").OK()
		repeated := s.Upload(org.Admin.Token, org.Entity, "i.xml", harness.UBL("I-1"), "Idempotency-Key", "u1").OK()
		if repeated.At("duplicate") != false || repeated.Text("id") != up.Text("id") {
			t.Errorf("a repeated upload returns %s", repeated.Raw)
		}
		s.Upload(org.Admin.Token, org.Entity, "i.xml", harness.UBL("I-2"), "Idempotency-Key", "u1").Want(400, "conflict")
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return bytes.Equal(p, q)
}
