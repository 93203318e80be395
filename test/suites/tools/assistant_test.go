package tools

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docledger/adapter/extract/pdf/pdftest"
	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
)

// TestAssistantActions runs the same steps under READ, PREPARE and ALL, with
// the API and with tools. The setting of the entity applies in the same way to
// both, in addition to the permissions of the user, an administrator (domain
// D10).
func TestAssistantActions(t *testing.T) {
	t.Parallel()
	w := start(t)
	session := w.connect()
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for _, c := range []struct {
		setting           string
		prepares, decides bool
	}{{setting: "READ"}, {setting: "PREPARE", prepares: true}, {setting: "ALL", prepares: true, decides: true}} {
		t.Run(c.setting, func(t *testing.T) {
			entity := w.entity()
			if c.setting == "PREPARE" {
				if got := w.Do(http.MethodGet, "/api/settings/"+entity, person, nil).OK().Text("assistant_actions"); got != "PREPARE" {
					t.Errorf("the default is %s", got)
				}
			}
			w.Do(http.MethodPut, "/api/settings/"+entity, person, object{"assistant_actions": c.setting}).OK()
			up := w.Do(http.MethodPost, "/api/documents/upload", person, object{
				"entity_id": entity, "filename": "a.xml", "content": harness.UBL("A-" + c.setting),
			}).OK()
			document := up.Text("id")
			invoice := w.Extract(person, document).OK().Text("id")
			path := "/api/invoices/" + invoice
			version := func() int { return w.Do(http.MethodGet, path, oauth, nil).OK().Number("version") }

			w.allowed(t, c.prepares, oauth, "/documents", http.MethodPost, "/api/documents/upload", object{
				"entity_id": entity, "filename": "b.xml", "content": harness.UBL("B-" + c.setting),
			})
			w.allowed(t, c.prepares, oauth, "/documents/"+document, http.MethodPost, "/api/invoices/extract", object{"document_id": document})
			w.allowed(t, c.prepares, oauth, "/invoices/"+invoice, http.MethodPatch, path, object{"note": "seen"})
			w.allowed(t, c.decides, oauth, "/invoices/"+invoice, http.MethodPost, path+"/approve", object{"version": version()})
			w.allowed(t, c.decides, oauth, "/invoices/"+invoice, http.MethodPost, path+"/reject", object{"reason": "no"})
			w.allowed(t, c.decides, oauth, "/invoices/"+invoice, http.MethodPost, path+"/reopen", nil)
			w.allowed(t, false, oauth, "/settings/"+entity, http.MethodPut, "/api/settings/"+entity, object{"assistant_actions": "ALL"})
			w.allowed(t, false, oauth, "/entities/"+entity, http.MethodPut, "/api/entities/"+entity, object{"name": "Mine"})
			if multipart := w.Upload(oauth, harness.ID(t, entity), "c.xml", harness.UBL("C-"+c.setting)); (multipart.Status == http.StatusOK) != c.prepares {
				t.Errorf("a form: %s", multipart.Raw)
			}

			history := w.Do(http.MethodGet, path+"/history", person, nil).OK()
			for i := range history.Len("items") {
				actor, ok := history.At("items", i, "actor").(object)
				if !ok || (actor["type"] == "ASSISTANT") != (actor["client_id"] == harness.OAuthClient) {
					t.Errorf("the history names %v", actor)
				}
			}
			if !c.decides {
				text := refused(t, session, "approve_invoice", object{"invoice_id": invoice, "version": version()})
				if !strings.Contains(text, w.URL+"/invoices/"+invoice) || !strings.Contains(text, "assistant_actions") {
					t.Errorf("the tool says %s", text)
				}
			}
			page := call(t, session, "where_to", object{"action": "update_settings", "entity_id": entity})
			if page["url"] != w.URL+"/settings/"+entity {
				t.Errorf("the page for settings is %v", page["url"])
			}
			call(t, session, "get_settings", object{"entity_id": entity})
		})
	}
}

// allowed sends a request of an assistant and verifies whether it is allowed. A
// refusal names a page.
func (w *world) allowed(t *testing.T, allowed bool, token, page, method, path string, body any) {
	t.Helper()
	r := w.Do(method, path, token, body)
	if allowed {
		r.OK()
		return
	}
	if got := r.Want(http.StatusForbidden, "forbidden").Text("error", "details", "confirm_url"); got != w.URL+page {
		t.Errorf("%s %s: confirm_url is %q, want %s%s", method, path, got, w.URL, page)
	}
}

// TestAssistantsCorrectionsNeedAPerson corrects an invoice as an assistant that
// may not approve, on an entity where SYSTEM approves. Neither the system nor a
// sync approves the correction.
func TestAssistantsCorrectionsNeedAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for setting, want := range map[string]string{"PREPARE": "EXTRACTED", "ALL": "APPROVED"} {
		entity := w.entity()
		w.Do(http.MethodPut, "/api/settings/"+entity, person, object{
			"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity"}, "assistant_actions": setting,
		}).OK()
		up := w.Upload(person, harness.ID(t, entity), "a.xml", harness.UBLOf("A-"+setting, "100.00", "19.00", "190.00")).OK()
		path := "/api/invoices/" + w.Extract(person, up.Text("id")).OK().Text("id")
		corrected := w.Do(http.MethodPatch, path, oauth, object{"gross_total": "119.00", "amount_due": "119.00"}).OK()
		if corrected.Text("status") != want {
			t.Errorf("%s: corrected by an assistant it is %s, want %s", setting, corrected.Text("status"), want)
		}
		if setting == "ALL" {
			continue
		}
		w.Do(http.MethodPost, path+"/sync", person, nil).Want(http.StatusBadRequest, "conflict")
		if r := w.Do(http.MethodPatch, path, person, object{"note": "seen"}).OK(); r.Text("status") != "EXTRACTED" {
			t.Errorf("a person's note approved it: %s", r.Raw)
		}
		w.Do(http.MethodPost, path+"/approve", person, object{"version": 3}).OK()
	}
}

// TestAssistantsCodingNeedsAPerson codes invoices as an assistant and as a person, on an entity
// where SYSTEM approves. SYSTEM does not approve the coding of an assistant that may not approve,
// neither after a person's correction of another value nor on an invoice that is approved. A note
// needs no person.
func TestAssistantsCodingNeedsAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	unused := "ACEFHJKMNPRTUVWXY" // no two are similar
	number := func() string {
		letter := unused[:1]
		unused = unused[1:]
		return strings.Repeat(letter, 3) + "-77001"
	}
	for _, c := range []struct{ setting, by, want string }{
		{"PREPARE", "USER", "APPROVED"}, {"PREPARE", "ASSISTANT", "EXTRACTED"}, {"ALL", "ASSISTANT", "APPROVED"},
	} {
		name, token := c.setting+" "+c.by, map[string]string{"USER": person, "ASSISTANT": oauth}[c.by]
		entity := w.approving(c.setting)
		read := func(gross string) (path string, inv harness.Response) {
			up := w.Upload(person, harness.ID(t, entity), "a.xml", harness.UBLOf(number(), "100.00", "19.00", gross)).OK()
			inv = w.Extract(person, up.Text("id")).OK()
			return "/api/invoices/" + inv.Text("id"), inv
		}
		code := func(inv harness.Response, field string) object {
			return object{"lines": []object{{"id": inv.Text("lines", 0, "id"), field: "6815"}}}
		}
		// Coded before the approval.
		path, inv := read("190.00")
		w.Do(http.MethodPatch, path, token, code(inv, "account_id")).OK()
		corrected := w.Do(http.MethodPatch, path, person, object{"gross_total": "119.00", "amount_due": "119.00"}).OK()
		if got := corrected.Text("status"); got != c.want {
			t.Errorf("%s: coded, then corrected by a person, the invoice is %s, want %s", name, got, c.want)
		}
		// Coded after the approval by SYSTEM, and by a person.
		for n, change := range []func(harness.Response) object{
			func(inv harness.Response) object { return code(inv, "account_id") },
			func(inv harness.Response) object { return code(inv, "tax_rate_id") },
			func(harness.Response) object { return object{"contact_id": "c-1"} },
			func(harness.Response) object { return object{"posting_date": "2026-04-01"} },
		} {
			path, inv := read("119.00")
			if got := inv.Text("status"); got != "APPROVED" {
				t.Fatalf("%s: the invoice is %s: %s", name, got, inv.Raw)
			}
			if got := w.Do(http.MethodPatch, path, token, object{"note": "seen"}).OK().Text("status"); got != "APPROVED" {
				t.Errorf("%s: with a note the invoice is %s", name, got)
			}
			if got := w.Do(http.MethodPatch, path, token, change(inv)).OK().Text("status"); got != c.want {
				t.Errorf("%s: change %d of an approved invoice makes it %s, want %s", name, n, got, c.want)
			}
			if c.want == "APPROVED" {
				continue
			}
			again := w.Do(http.MethodGet, path, person, nil).OK()
			w.Do(http.MethodPost, path+"/approve", person, object{"version": again.Number("version")}).OK()
			if got := w.Do(http.MethodPatch, path, token, object{"posting_date": "2026-04-02"}).OK().Text("status"); got != c.want {
				t.Errorf("%s: coded after a person approved it the invoice is %s", name, got)
			}
		}
	}
}

// TestAssistantsUploadsNeedAPerson uploads a document as a person and as an
// assistant, on an entity where SYSTEM approves. An assistant that may not approve
// does not cause an approval by its upload.
func TestAssistantsUploadsNeedAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for setting, want := range map[string]string{"PREPARE": "EXTRACTED", "ALL": "APPROVED"} {
		entity := w.entity()
		w.Do(http.MethodPut, "/api/settings/"+entity, person, object{
			"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity"}, "assistant_actions": setting,
		}).OK()
		read := func(token, number string) harness.Response {
			up := w.Upload(token, harness.ID(t, entity), number+".xml", harness.UBL(number)).OK()
			return w.Extract(person, up.Text("id")).OK()
		}
		if got := read(person, "PERSON-"+setting).Text("status"); got != "APPROVED" {
			t.Errorf("%s: uploaded by a person it is %s", setting, got)
		}
		inv := read(oauth, "ASSISTANT-"+setting)
		if got := inv.Text("status"); got != want {
			t.Errorf("%s: uploaded by an assistant it is %s, want %s", setting, got, want)
		}
		if setting == "ALL" {
			continue
		}
		path := "/api/invoices/" + inv.Text("id")
		w.Do(http.MethodPost, path+"/sync", person, nil).Want(http.StatusBadRequest, "conflict")
		w.Do(http.MethodPost, path+"/approve", person, object{"version": inv.Number("version")}).OK()
	}
}

// TestAssistantsDoNotApproveDuplicates corrects or rejects an invoice as an assistant, so that
// another invoice is no duplicate any more. SYSTEM approves the other invoice only if the setting of
// its own entity permits assistants to approve.
func TestAssistantsDoNotApproveDuplicates(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	entity := func(setting string) string {
		id := w.entity()
		w.Do(http.MethodPut, "/api/settings/"+id, person, object{
			"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity"}, "assistant_actions": setting,
		}).OK()
		return id
	}
	for _, c := range []struct{ change, setting, others, want string }{
		{"correct", "PREPARE", "PREPARE", "EXTRACTED"},
		{"correct", "PREPARE", "ALL", "APPROVED"},
		{"correct", "ALL", "READ", "EXTRACTED"},
		{"reject", "ALL", "READ", "EXTRACTED"},
		{"reject", "ALL", "ALL", "APPROVED"},
	} {
		number := c.change + "-" + c.setting + "-" + c.others
		read := func(entity, gross string) string {
			up := w.Upload(person, harness.ID(t, entity), "a.xml", harness.UBLOf(number, "100.00", "19.00", gross)).OK()
			return "/api/invoices/" + w.Extract(person, up.Text("id")).OK().Text("id")
		}
		changed, other := read(entity(c.setting), "190.00"), read(entity(c.others), "119.00")
		if got := w.Do(http.MethodGet, other, person, nil).OK().Text("status"); got != "NEEDS_REVIEW" {
			t.Fatalf("%s: the duplicate is %s", number, got)
		}
		if c.change == "correct" {
			w.Do(http.MethodPatch, changed, oauth, object{"invoice_number": "77001"}).OK()
		} else {
			w.Do(http.MethodPost, changed+"/reject", oauth, object{"reason": "wrong"}).OK()
		}
		if got := w.Do(http.MethodGet, other, person, nil).OK().Text("status"); got != c.want {
			t.Errorf("%s: the other invoice is %s, want %s", number, got, c.want)
		}
		if c.want == "APPROVED" {
			continue
		}
		if got := w.Do(http.MethodPatch, other, person, object{"note": "seen"}).OK().Text("status"); got != c.want {
			t.Errorf("%s: a person's note made the other invoice %s", number, got)
		}
	}
}

// TestAssistantsForcedExtractionsNeedAPerson forces the extraction of a quotation that a person
// uploaded, as an assistant and as a person, on an entity where SYSTEM approves. The event names who
// forced it. An assistant that may not approve does not make the quotation an approved invoice, also
// if a person forces the extraction again.
func TestAssistantsForcedExtractionsNeedAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for _, c := range []struct{ setting, by, number, want string }{
		{"PREPARE", "USER", "Q-4471", "APPROVED"}, {"PREPARE", "ASSISTANT", "K-80356", "EXTRACTED"}, {"ALL", "ASSISTANT", "T-1299714", "APPROVED"},
	} {
		name := c.setting + " " + c.by
		entity := w.approving(c.setting)
		up := w.Upload(person, harness.ID(t, entity), "a.pdf", quotation(c.number)).OK()
		path := "/api/documents/" + up.Text("id")
		w.Extract(person, up.Text("id")).Want(http.StatusBadRequest, "not_an_invoice")
		token := map[string]string{"USER": person, "ASSISTANT": oauth}[c.by]
		force := object{"document_id": up.Text("id"), "force": true}
		inv := w.Do(http.MethodPost, "/api/invoices/extract", token, force).OK()
		if got := inv.Text("status"); got != c.want {
			t.Errorf("%s: the invoice is %s, want %s: %s", name, got, c.want, inv.Raw)
		}
		events := w.Do(http.MethodGet, "/api/events?type=document.changed&entity_id="+entity, person, nil).OK()
		if events.Len("items") != 1 || events.Text("items", 0, "actor", "type") != c.by || events.Text("items", 0, "changes", 0, "field") != "forced" {
			t.Errorf("%s: the events of %s are %s", name, path, events.Raw)
		}
		if c.want == "APPROVED" {
			continue
		}
		if got := w.Do(http.MethodPost, "/api/invoices/extract", person, force).OK().Text("status"); got != c.want {
			t.Errorf("%s: extracted again, the invoice is %s", name, got)
		}
		if events := w.Do(http.MethodGet, "/api/events?type=document.changed&entity_id="+entity, person, nil).OK(); events.Len("items") != 1 {
			t.Errorf("%s: a second force changes nothing, but the events are %s", name, events.Raw)
		}
	}
	// The extraction of an open invoice is repeated.
	entity := w.approving("PREPARE")
	up := w.Upload(person, harness.ID(t, entity), "b.xml", harness.UBLOf("R-1", "100.00", "19.00", "190.00")).OK()
	w.Extract(person, up.Text("id")).OK()
	inv := w.Do(http.MethodPost, "/api/invoices/extract", oauth, object{"document_id": up.Text("id"), "force": true}).OK()
	corrected := w.Do(http.MethodPatch, "/api/invoices/"+inv.Text("id"), person, object{"gross_total": "119.00", "amount_due": "119.00"}).OK()
	if got := corrected.Text("status"); got != "EXTRACTED" {
		t.Errorf("after a forced repetition and a correction the invoice is %s", got)
	}
}

// TestAssistantsSelectionsNeedAPerson requests the extraction of a document that a person uploaded, on
// an entity without automatic extraction where SYSTEM approves. Whoever requests it selects what
// becomes an invoice.
func TestAssistantsSelectionsNeedAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for _, c := range []struct{ setting, by, number, want string }{
		{"PREPARE", "USER", "AAA-1", "APPROVED"}, {"PREPARE", "ASSISTANT", "CCC-2", "EXTRACTED"}, {"ALL", "ASSISTANT", "EEE-3", "APPROVED"},
	} {
		name, entity := c.setting+" "+c.by, w.approving(c.setting)
		w.Do(http.MethodPut, "/api/settings/"+entity, person, object{"auto_extract": false}).OK()
		up := w.Upload(person, harness.ID(t, entity), "a.xml", harness.UBL(c.number)).OK()
		token := map[string]string{"USER": person, "ASSISTANT": oauth}[c.by]
		if got := w.Extract(token, up.Text("id")).OK().Text("status"); got != c.want {
			t.Errorf("%s: the invoice is %s, want %s", name, got, c.want)
		}
		events := w.Do(http.MethodGet, "/api/events?type=document.changed&entity_id="+entity, person, nil).OK()
		if events.Len("items") > 0 != (c.by == "ASSISTANT") || c.by == "ASSISTANT" && events.Text("items", 0, "changes", 0, "field") != "requested" {
			t.Errorf("%s: the events are %s", name, events.Raw)
		}
	}
	// A document without a result is uploaded again.
	entity := w.approving("PREPARE")
	up := w.Upload(person, harness.ID(t, entity), "b.pdf", []byte("%PDF-1.4\nbroken")).OK()
	w.Extract(person, up.Text("id")).Want(http.StatusBadRequest, "unreadable_document")
	w.Upload(oauth, harness.ID(t, entity), "b.pdf", []byte("%PDF-1.4\nbroken")).OK()
	events := w.Do(http.MethodGet, "/api/events?type=document.changed&entity_id="+entity, person, nil).OK()
	if events.Len("items") != 1 || events.Text("items", 0, "actor", "type") != "ASSISTANT" || events.Text("items", 0, "changes", 0, "field") != "requested" {
		t.Errorf("uploaded again, the events are %s", events.Raw)
	}
	// It arrives again in an archive, from a person, then from an assistant.
	w.Do(http.MethodPut, "/api/settings/"+entity, person, object{"auto_extract": true}).OK()
	for n, token := range []string{person, oauth} {
		w.Extract(person, up.Text("id")).Want(http.StatusBadRequest, "unreadable_document")
		up := w.Upload(token, harness.ID(t, entity), "b.zip", archive(t, fmt.Sprint(n, ".pdf"), "%PDF-1.4\nbroken")).OK()
		w.Extract(person, up.Text("id")).Want(http.StatusBadRequest, "conflict")
		events := w.Do(http.MethodGet, "/api/events?type=document.changed&entity_id="+entity, person, nil).OK()
		if events.Len("items") != 1+n || events.Text("items", n, "actor", "type") != "ASSISTANT" || events.Text("items", n, "actor", "client_id") != harness.OAuthClient {
			t.Errorf("archive %d: the events are %s", n, events.Raw)
		}
	}
}

// archive returns a ZIP archive with one file.
func archive(t *testing.T, name, content string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create(name)
	if err == nil {
		_, err = f.Write([]byte(content))
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestAssistantsMovesNeedAPerson moves a document that has no invoice yet, as a person and as an
// assistant, from an entity where a person approves to one where SYSTEM approves.
func TestAssistantsMovesNeedAPerson(t *testing.T) {
	t.Parallel()
	w := start(t)
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	for _, c := range []struct{ setting, by, want string }{
		{"PREPARE", "USER", "APPROVED"}, {"PREPARE", "ASSISTANT", "EXTRACTED"}, {"ALL", "ASSISTANT", "APPROVED"},
	} {
		from, to := w.entity(), w.approving(c.setting)
		w.Do(http.MethodPut, "/api/settings/"+from, person, object{"auto_extract": false}).OK()
		up := w.Upload(person, harness.ID(t, from), "a.xml", harness.UBL("M-"+c.setting+c.by)).OK()
		token := map[string]string{"USER": person, "ASSISTANT": oauth}[c.by]
		move := "/api/documents/" + up.Text("id") + "/move"
		w.Do(http.MethodPost, move, token, object{"entity_id": to}).OK()
		// Later moves of a person are more events than the document has origins.
		for range 2 {
			w.Do(http.MethodPost, move, person, object{"entity_id": from}).OK()
			w.Do(http.MethodPost, move, person, object{"entity_id": to}).OK()
		}
		if got := w.Extract(person, up.Text("id")).OK().Text("status"); got != c.want {
			t.Errorf("%s: moved by %s, the invoice is %s, want %s", c.setting, c.by, got, c.want)
		}
	}
}

// approving creates an entity where SYSTEM approves.
func (w *world) approving(assistantActions string) string {
	w.t.Helper()
	entity := w.entity()
	w.Do(http.MethodPut, "/api/settings/"+entity, w.provider.Session("user_ada", "org_acme", sim.TokenOptions{}), object{
		"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "bank_account_known"}, "assistant_actions": assistantActions,
	}).OK()
	return entity
}

// quotation returns a PDF that has everything of an invoice except its title.
func quotation(number string) []byte {
	var page bytes.Buffer
	for _, text := range []struct {
		x, y, size int
		of         string
	}{
		{50, 780, 14, "Acme Supplies GmbH"},
		{50, 765, 9, "Hauptstr. 1, 10115 Berlin, Germany"},
		{50, 752, 9, "VAT ID: DE136695976"},
		{50, 700, 9, "Bill to:"},
		{50, 688, 9, "Example Ltd"},
		{350, 780, 16, "QUOTATION"},
		{350, 740, 9, "Quotation number: " + number},
		{350, 728, 9, "Date: 2026-03-01"},
		{350, 716, 9, "Due date: 2026-03-31"},
		{50, 600, 9, "Description"},
		{250, 600, 9, "Quantity"},
		{330, 600, 9, "Unit price"},
		{420, 600, 9, "VAT %"},
		{500, 600, 9, "Amount"},
		{50, 585, 9, "Widgets"},
		{250, 585, 9, "10"},
		{330, 585, 9, "10.00"},
		{420, 585, 9, "19"},
		{500, 585, 9, "100.00"},
		{400, 540, 9, "Net total"},
		{500, 540, 9, "100.00"},
		{400, 525, 9, "VAT 19%"},
		{500, 525, 9, "19.00"},
		{400, 510, 9, "Total EUR"},
		{500, 510, 9, "119.00"},
	} {
		fmt.Fprintf(&page, "BT /F %d Tf %d %d Td (%s) Tj ET\n", text.size, text.x, text.y, text.of)
	}
	b := pdftest.New()
	tree, content := b.Reserve(), b.Stream("", page.Bytes())
	font := b.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	only := b.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F %d 0 R >> >> >>", tree, content, font)
	b.Set(tree, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", only))
	b.Catalog = fmt.Sprintf("/Pages %d 0 R", tree)
	return b.Table()
}
