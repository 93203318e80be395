package tools

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestRefusedBulkHasOnePage approves invoices of two entities through the API and
// through a tool. The setting of one entity refuses its invoices: they are in one
// address, which a person confirms with the rights of the person.
func TestRefusedBulkHasOnePage(t *testing.T) {
	t.Parallel()
	w := start(t)
	session := w.connect()
	person := w.provider.Session("user_ada", "org_acme", sim.TokenOptions{})
	oauth := w.provider.OAuth("user_ada", "org_acme", harness.OAuthClient, sim.TokenOptions{})
	var items []object
	closed := map[string]bool{} // the invoices that an assistant may not approve
	for i, setting := range []string{"PREPARE", "ALL", "PREPARE"} {
		entity := w.entity()
		w.Do(http.MethodPut, "/api/settings/"+entity, person, object{"assistant_actions": setting}).OK()
		up := w.Upload(person, harness.ID(t, entity), "a.xml", harness.UBL(fmt.Sprint("C-", i))).OK()
		read := w.Extract(person, up.Text("id")).OK()
		// The same supplier and amount would make them duplicates.
		path := "/api/invoices/" + read.Text("id")
		read = w.Do(http.MethodPatch, path, person, object{"seller": object{"name": fmt.Sprint("Supplier ", i)}, "issue_date": fmt.Sprintf("2026-01-0%d", i+1)}).OK()
		blocking := []string{}
		for n := range read.Len("checks") {
			if read.At("checks", n, "passed") == false && read.Text("checks", n, "severity") == "BLOCKING" {
				blocking = append(blocking, read.Text("checks", n, "rule"))
			}
		}
		items = append(items, object{"id": read.Text("id"), "version": read.Number("version"), "acknowledge_checks": blocking})
		closed[read.Text("id")] = setting == "PREPARE"
	}
	answered := w.Do(http.MethodPost, "/api/invoices/bulk", oauth, object{"action": "approve", "items": items}).OK()
	page := answered.Text("confirm_url")
	w.sameInvoices(t, page, closed)
	for i := range answered.Len("items") {
		id := answered.Text("items", i, "id")
		if ok := answered.At("items", i, "ok"); ok == closed[id] {
			t.Errorf("%s: %v", id, answered.At("items", i))
		}
		if answered.At("items", i, "error") != nil && answered.At("items", i, "error", "details", "confirm_url") != nil {
			t.Errorf("an item has a page of its own: %v", answered.At("items", i, "error"))
		}
	}
	tool := call(t, session, "reject_invoices", object{"items": []object{items[0], items[2]}, "reason": "Not ours & more"})
	if page, _ := tool["confirm_url"].(string); !strings.HasSuffix(page, "&reason=Not+ours+%26+more") || !strings.Contains(page, "action=reject") {
		t.Errorf("the page of the tool is %s", page)
	}
	w.sameInvoices(t, tool["confirm_url"].(string), closed)
	done := w.Do(http.MethodPost, "/api/invoices/bulk", person, object{"action": "approve", "items": []object{items[0], items[2]}}).OK()
	if done.At("confirm_url") != nil || done.At("items", 0, "ok") != true || done.At("items", 1, "ok") != true {
		t.Errorf("the person got %s", done.Raw)
	}
}

// sameInvoices compares the invoices of a page with those that are closed to
// assistants.
func (w *world) sameInvoices(t *testing.T, page string, closed map[string]bool) {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil || !strings.HasPrefix(page, w.URL+"/confirm?") {
		t.Fatalf("the page is %q", page)
	}
	named := map[string]bool{}
	for item := range strings.SplitSeq(u.Query().Get("items"), ".") {
		raw, err := base64.RawURLEncoding.DecodeString(item)
		if err != nil {
			t.Fatal(err)
		}
		id, err := uuid.FromBytes(raw)
		if err != nil {
			t.Fatal(err)
		}
		named[id.String()] = true
	}
	for id, isClosed := range closed {
		if named[id] != isClosed {
			t.Errorf("%s: on the page: %v, closed to assistants: %v", id, named[id], isClosed)
		}
	}
}
