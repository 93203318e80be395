package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"docledger/test/lib/harness"
)

// TestAssistantsOnTheDesk calls the operations of the desk as an assistant under READ, PREPARE and
// ALL. A refusal is 403, names the page of a person and changes nothing.
func TestAssistantsOnTheDesk(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	admin := org.Admin.Token
	me := s.Do(http.MethodGet, "/api/me", admin, nil).OK().Text("user", "id")
	get := func(path string) harness.Response { return s.Do(http.MethodGet, path, admin, nil).OK() }
	for n, setting := range []string{"READ", "PREPARE", "ALL"} {
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), admin, map[string]any{"assistant_actions": setting}).OK()
		extract := func(name string, content []byte) harness.Response {
			return s.Extract(admin, s.Upload(admin, org.Entity, name, content).OK().Text("id")).OK()
		}
		first := extract("a.xml", harness.UBL(fmt.Sprintf("DESK-%d", n)))
		second := extract("b.xml", append(harness.UBL(fmt.Sprintf("DESK-%d", n)), '\n'))
		approved := extract("c.xml", harness.UBL(fmt.Sprintf("OTHER-%d", 700*n)))
		s.Do(http.MethodPost, "/api/invoices/"+approved.Text("id")+"/approve", admin, map[string]any{"version": approved.Number("version")}).OK()
		supplier := get("/api/invoices/" + approved.Text("id")).Text("supplier_id")
		file := s.Upload(admin, org.Entity, "three.pdf", printedFile(t, fmt.Sprintf("P-%d1", n), fmt.Sprintf("P-%d2", n))).OK().Text("id")
		ended(s, org, file)
		invoices := "/api/invoices/"
		for _, c := range []struct {
			what, method, path, page string
			body                     any
			from                     int    // the index of the first setting that permits it
			unchanged                string // a record that a refusal leaves as it is
			status                   int    // if it is permitted
		}{
			{"assign", "POST", invoices + first.Text("id") + "/assign", invoices[4:] + first.Text("id"), map[string]any{"user_id": me}, 1, invoices + first.Text("id"), 200},
			{"note", "POST", invoices + first.Text("id") + "/notes", invoices[4:] + first.Text("id"), map[string]any{"text": "seen"}, 1, invoices + first.Text("id") + "/history", 200},
			{
				"dismiss duplicate", "POST", invoices + second.Text("id") + "/duplicates/dismiss", invoices[4:] + second.Text("id"),
				map[string]any{"invoice_id": first.Text("id"), "reason": "two"}, 2, invoices + second.Text("id"), 200,
			},
			{"divide a file", "POST", "/api/documents/" + file + "/split", "/documents/" + file, span(1, 1), 2, "/api/documents/" + file, 200},
			// There is no ledger, which is found after the rights.
			{"sync", "POST", invoices + approved.Text("id") + "/sync", invoices[4:] + approved.Text("id"), nil, 2, invoices + approved.Text("id"), 400},
			{"change a supplier", "PATCH", "/api/suppliers/" + supplier, "/suppliers/" + supplier, map[string]any{"aliases": []string{fmt.Sprintf("Alias %d", n)}}, 2, "/api/suppliers/" + supplier, 200},
		} {
			before := get(c.unchanged).Raw
			r := s.Do(c.method, c.path, oauth, c.body)
			if n >= c.from {
				if r.Status != c.status {
					t.Errorf("%s under %s: %d %s", c.what, setting, r.Status, r.Raw)
				}
				continue
			}
			if got := r.Want(http.StatusForbidden, "forbidden").Text("error", "details", "confirm_url"); got != s.URL+c.page {
				t.Errorf("%s under %s: confirm_url is %q, want %s", c.what, setting, got, s.URL+c.page)
			}
			if after := get(c.unchanged).Raw; !bytes.Equal(before, after) {
				t.Errorf("%s under %s changed the record: %s", c.what, setting, after)
			}
		}
	}
}

// TestAssistantsAndSeveralInvoices approves, rejects and syncs several invoices at once as an
// assistant. The setting of each invoice's entity decides about its item.
func TestAssistantsAndSeveralInvoices(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	admin := org.Admin.Token
	type object = map[string]any
	settings := []string{"READ", "PREPARE", "ALL"}
	invoices := make([]harness.Response, len(settings))
	for i, setting := range settings {
		entity := s.Do(http.MethodPost, "/api/entities", admin, object{"name": "Entity " + setting}).OK().Text("id")
		s.Do(http.MethodPut, "/api/settings/"+entity, admin, object{"assistant_actions": setting}).OK()
		up := s.Upload(admin, harness.ID(t, entity), "a.xml", harness.UBL(fmt.Sprintf("SEVERAL-%d", 700*i))).OK()
		invoices[i] = s.Extract(admin, up.Text("id")).OK()
	}
	items := func() (out []object) {
		for _, inv := range invoices {
			now := s.Do(http.MethodGet, "/api/invoices/"+inv.Text("id"), admin, nil).OK()
			out = append(out, object{"id": inv.Text("id"), "version": now.Number("version")})
		}
		return out
	}
	for _, c := range []struct {
		body object
		want string // status of the invoice under ALL
	}{
		{object{"action": "approve"}, "APPROVED"},
		{object{"action": "sync"}, ""}, // there is no ledger
		{object{"action": "reject", "reason": "no"}, "REJECTED"},
	} {
		if c.want == "REJECTED" {
			s.Do(http.MethodPost, "/api/invoices/"+invoices[2].Text("id")+"/reopen", admin, nil).OK()
		}
		c.body["items"] = items()
		r := s.Do(http.MethodPost, "/api/invoices/bulk", oauth, c.body).OK()
		for i, setting := range settings {
			id := invoices[i].Text("id")
			if setting == "ALL" {
				if c.want == "" && r.Text("items", i, "error", "code") != "conflict" || c.want != "" && r.Text("items", i, "status") != c.want {
					t.Errorf("%v under %s: %s", c.body["action"], setting, r.Raw)
				}
				continue
			}
			// One page confirms all refused items.
			page, short := r.Text("confirm_url"), harness.ID(t, id)
			if r.At("items", i, "ok") != false || r.Text("items", i, "error", "code") != "forbidden" ||
				!strings.HasPrefix(page, s.URL+"/confirm?action="+c.body["action"].(string)) || !strings.Contains(page, base64.RawURLEncoding.EncodeToString(short[:])) {
				t.Errorf("%v under %s: %v, page %s", c.body["action"], setting, r.At("items", i), page)
			}
			if got := s.Do(http.MethodGet, "/api/invoices/"+id, admin, nil).OK(); got.Text("status") != "EXTRACTED" || got.At("approval") != nil {
				t.Errorf("%v under %s: the invoice is %s", c.body["action"], setting, got.Raw)
			}
		}
	}
}
