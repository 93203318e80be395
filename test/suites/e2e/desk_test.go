package e2e

import (
	"net/http"
	"strings"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestDesk assigns invoices to members and adds notes, within the rights of each.
func TestDesk(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		s := harness.Start(t, o)
		org, other := s.NewOrganization("Desk"), s.NewOrganization("Elsewhere")
		token := org.Admin.Token
		member := s.NewPerson(org.ID, identity.RoleMember)
		me := func(token string) string { return s.Do(http.MethodGet, "/api/me", token, nil).OK().Text("user", "id") }
		admin, memberID, stranger := me(token), me(member.Token), me(other.Admin.Token)
		invoice := s.Extract(token, s.Upload(token, org.Entity, "a.xml", harness.UBL("D-1")).OK().Text("id")).OK()
		s.Extract(token, s.Upload(token, org.Entity, "b.xml", harness.UBL("D-2")).OK().Text("id")).OK()
		path := "/api/invoices/" + invoice.Text("id")
		assign := func(token string, user any) harness.Response {
			return s.Do(http.MethodPost, path+"/assign", token, map[string]any{"user_id": user})
		}
		if got := assign(token, memberID).OK(); got.Text("assigned_to") != memberID || got.Text("status") != invoice.Text("status") {
			t.Errorf("assigned: %s", got.Raw)
		}
		version := assign(token, memberID).OK().Number("version")
		s.Do(http.MethodPost, path+"/assign", token, map[string]any{"user_id": nil}, "If-Match", `"1"`).Want(400, "version_conflict")
		for caller, queries := range map[string]map[string]int{
			member.Token: {"me": 1, admin: 0, memberID: 1, "none": 1},
			token:        {"me": 0, memberID: 1, "none": 1},
		} {
			for who, want := range queries {
				for _, list := range []string{"/api/invoices?", "/api/invoices/summary?group_by=entity&"} {
					r := s.Do(http.MethodGet, list+"assigned_to="+who, caller, nil).OK()
					if got := r.Len("items"); got != want {
						t.Errorf("%s assigned to %s: %d, want %d", list, who, got, want)
					}
				}
			}
		}
		if got := s.Do(http.MethodGet, "/api/invoices?assigned_to=me", member.Token, nil).OK(); got.Text("items", 0, "assigned_to") != memberID {
			t.Errorf("listed: %s", got.Raw)
		}
		if csv := string(s.Do(http.MethodGet, "/api/invoices/export?assigned_to="+memberID, token, nil).OK().Raw); !strings.Contains(csv, memberID) || strings.Contains(csv, "D-2") {
			t.Errorf("exported: %s", csv)
		}
		for _, wrong := range []any{stranger, uuid.NewString(), "me", 1} {
			assign(token, wrong).Want(400, "invalid_request")
		}
		blind := s.NewPerson(org.ID, identity.RoleMember)
		s.SetMembers(org, entity.AccessRestricted, entity.Member{UserID: member.ID, Role: identity.Viewer})
		assign(token, blind.ID).Want(400, "invalid_request") // cannot read the entity
		assign(blind.Token, blind.ID).Want(404, "not_found")
		assign(member.Token, admin).Want(403, "forbidden") // only reads
		s.Do(http.MethodPost, path+"/notes", member.Token, map[string]any{"text": "x"}).Want(403, "forbidden")
		s.Do(http.MethodGet, "/api/invoices?assigned_to=no-member", token, nil).Want(400, "invalid_request")
		assign(other.Admin.Token, stranger).Want(404, "not_found")

		// Assignment and notes are possible in every status.
		s.Do(http.MethodPost, path+"/reject", token, map[string]any{"reason": "not ours"}).OK()
		if got := assign(token, nil).OK(); got.At("assigned_to") != nil || got.Text("status") != "REJECTED" || got.Number("version") <= version {
			t.Errorf("ended: %s", got.Raw)
		}
		note := func(token, text string, headers ...string) harness.Response {
			return s.Do(http.MethodPost, path+"/notes", token, map[string]any{"text": text}, headers...)
		}
		first := note(token, "Ask <b>Ana</b>\nbefore Friday", "Idempotency-Key", "n-1").OK()
		again := note(token, "Ask <b>Ana</b>\nbefore Friday", "Idempotency-Key", "n-1").OK()
		if first.Text("id") != again.Text("id") || first.Text("data", "text") != "Ask <b>Ana</b>\nbefore Friday" || first.Text("type") != "invoice.note_added" {
			t.Errorf("the note: %s and %s", first.Raw, again.Raw)
		}
		note(token, "", "Idempotency-Key", "n-2").Want(400, "invalid_request")
		note(token, " \n", "Idempotency-Key", "n-3").Want(400, "invalid_request")
		note(token, strings.Repeat("x", 2001), "Idempotency-Key", "n-4").Want(400, "invalid_request")
		note(other.Admin.Token, "x").Want(404, "not_found")
		history := s.Do(http.MethodGet, path+"/history?limit=200", token, nil).OK()
		count := map[string]int{}
		for i := range history.Len("items") {
			count[history.Text("items", i, "type")]++
		}
		if count["invoice.assigned"] != 2 || count["invoice.note_added"] != 1 {
			t.Errorf("the history has %v", count)
		}
	})
}
