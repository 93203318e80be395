package tools

import (
	"net/http"
	"strings"
	"testing"

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
