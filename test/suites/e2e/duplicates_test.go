package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/infrastructure/database"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// TestDuplicates verifies that the same invoice in another file is found, that a dismissal is stored
// for the pair, and that a rejected invoice is no duplicate.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Duplicates")
	token := org.Admin.Token
	extract := func(content []byte) harness.Response {
		return s.Extract(token, s.Upload(token, org.Entity, "invoice.xml", content).OK().Text("id")).OK()
	}
	first := extract(harness.UBL("DUP-1"))
	if _, passed, found, _ := check(first, "not_a_duplicate"); !found || !passed {
		t.Errorf("the first invoice: %s", first.Raw)
	}
	second := extract(append(harness.UBL("DUP-1"), '\n'))
	severity, passed, _, says := check(second, "not_a_duplicate")
	if second.Text("status") != "NEEDS_REVIEW" || severity != "BLOCKING" || passed || says != "same_number" {
		t.Errorf("the second invoice: %s", second.Raw)
	}
	if second.Text("duplicates", 0, "invoice_id") != first.Text("id") || second.Text("duplicates", 0, "rule") != "same_number" {
		t.Errorf("duplicates: %v", second.At("duplicates"))
	}
	path := "/api/invoices/" + first.Text("id")
	if seen := s.Do(http.MethodGet, path, token, nil).OK(); seen.Text("duplicates", 0, "invoice_id") != second.Text("id") {
		t.Errorf("the first invoice does not have the second: %v", seen.At("duplicates"))
	}
	dismiss := "/api/invoices/" + second.Text("id") + "/duplicates/dismiss"
	reason := map[string]any{"invoice_id": first.Text("id"), "reason": "two deliveries"}
	for range 2 {
		done := s.Do(http.MethodPost, dismiss, token, reason).OK()
		if _, passed, _, _ := check(done, "not_a_duplicate"); !passed || done.Text("duplicates", 0, "dismissed", "reason") != "two deliveries" {
			t.Errorf("dismissed: %s", done.Raw)
		}
	}
	again := s.Do(http.MethodPatch, "/api/invoices/"+second.Text("id"), token, map[string]any{"purchase_order": "PO-7"}).OK()
	if _, passed, _, _ := check(again, "not_a_duplicate"); !passed {
		t.Errorf("the dismissal is forgotten: %s", again.Raw)
	}

	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"duplicate_policy": "REJECT"}).OK()
	third := extract(bytes.ReplaceAll(harness.UBL("DUP-1"), []byte("\n"), []byte("\n ")))
	if third.Text("status") != "REJECTED" || third.Text("rejection", "reason") == "" {
		t.Errorf("policy REJECT: %s", third.Raw)
	}
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"duplicate_policy": "FLAG"}).OK()
	extract(harness.UBL("NEAR-47IL"))
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{"duplicate_policy": "REJECT"}).OK()
	if near := extract(harness.UBL("NEAR-4711")); near.Text("status") == "REJECTED" || near.Text("duplicates", 0, "rule") != "near_number" {
		t.Errorf("policy REJECT, near_number alone: %s", near.Raw)
	}
}

// TestDuplicateOfAnEntityOfOthers verifies that a duplicate in an entity that the caller may not see
// shows only its rule, that dismissing it has the answer of an invoice that does not exist, and that
// a dismissal needs the role in both entities.
func TestDuplicateOfAnEntityOfOthers(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Two")
	admin := org.Admin.Token
	other := s.Do(http.MethodPost, "/api/entities", admin, map[string]any{"name": "Hidden Company", "access": "RESTRICTED"}).OK()
	hidden := harness.ID(t, other.Text("id"))
	approver, viewer := s.NewPerson(org.ID, identity.RoleMember), s.NewPerson(org.ID, identity.RoleMember)
	s.SetMembers(org, entity.AccessRestricted,
		entity.Member{UserID: approver.ID, Role: identity.Approver}, entity.Member{UserID: viewer.ID, Role: identity.Viewer})

	first := s.Extract(admin, s.Upload(admin, hidden, "a.xml", harness.UBL("OWN-1")).OK().Text("id")).OK()
	second := s.Extract(approver.Token, s.Upload(approver.Token, org.Entity, "a.xml", harness.UBL("OWN-1")).OK().Text("id")).OK()
	if second.Len("duplicates") != 1 || second.At("duplicates", 0, "invoice_id") != nil || second.Text("duplicates", 0, "rule") != "same_bytes" {
		t.Errorf("a duplicate that the caller may not see: %s", second.Raw)
	}
	if strings.Contains(string(second.Raw), first.Text("id")) {
		t.Error("the answer names the hidden invoice")
	}
	path := "/api/invoices/" + second.Text("id")
	dismiss := func(token, other string) harness.Response {
		return s.Do(http.MethodPost, path+"/duplicates/dismiss", token, map[string]any{"invoice_id": other, "reason": "rented twice"})
	}
	dismiss(viewer.Token, first.Text("id")).Want(403, "forbidden")
	dismiss(viewer.Token, uuid.NewString()).Want(403, "forbidden")
	unseen := dismiss(approver.Token, first.Text("id")).Want(404, "not_found")
	missing := dismiss(approver.Token, uuid.NewString()).Want(404, "not_found")
	if unseen.Text("error", "message") != missing.Text("error", "message") {
		t.Errorf("%q and %q differ", unseen.Text("error", "message"), missing.Text("error", "message"))
	}
	members := map[string]any{"members": []map[string]any{{"user_id": approver.ID, "role": "VIEWER"}}}
	s.Do(http.MethodPut, "/api/entities/"+hidden.String(), admin, members).OK()
	dismiss(approver.Token, first.Text("id")).Want(403, "forbidden")

	allowed := map[string]any{"members": []map[string]any{{"user_id": approver.ID, "role": "APPROVER"}}}
	s.Do(http.MethodPut, "/api/entities/"+hidden.String(), admin, allowed).OK()
	done := dismiss(approver.Token, first.Text("id")).OK()
	if _, passed, _, _ := check(done, "not_a_duplicate"); !passed || done.Text("duplicates", 0, "dismissed", "by") != approver.ID.String() {
		t.Errorf("dismissed: %s", done.Raw)
	}
	history := s.Do(http.MethodGet, path+"/history", viewer.Token, nil).OK()
	if !slices.Contains(types(history), "invoice.duplicate_dismissed") || strings.Contains(string(history.Raw), first.Text("id")) {
		t.Errorf("history: %s", history.Raw)
	}
	theirs := s.Do(http.MethodGet, "/api/invoices/"+first.Text("id")+"/history", admin, nil).OK()
	if !slices.Contains(types(theirs), "invoice.duplicate_dismissed") {
		t.Errorf("the other invoice has no event: %v", types(theirs))
	}
}

// TestDuplicatesEndWithTheirReason verifies that an invoice is checked again if its duplicate is
// rejected, reopened or corrected, and that near_number alone is a WARNING.
func TestDuplicatesEndWithTheirReason(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	org := s.NewOrganization("Ended")
	token := org.Admin.Token
	extract := func(content []byte) harness.Response {
		return s.Extract(token, s.Upload(token, org.Entity, "a.xml", content).OK().Text("id")).OK()
	}
	first := extract(harness.UBL("END-4711"))
	second := extract(append(harness.UBL("END 4711"), '\n'))
	path := "/api/invoices/" + first.Text("id")
	passed := func(when string, want bool) harness.Response {
		t.Helper()
		inv := s.Do(http.MethodGet, "/api/invoices/"+second.Text("id"), token, nil).OK()
		if _, passed, _, _ := check(inv, "not_a_duplicate"); passed != want {
			t.Errorf("%s: %s", when, inv.Raw)
		}
		return inv
	}
	passed("at first", false)
	s.Do(http.MethodPost, path+"/reject", token, map[string]any{"reason": "sent twice"}).OK()
	if inv := passed("the first was rejected", true); inv.Len("duplicates") != 0 || inv.Text("status") != "EXTRACTED" {
		t.Errorf("a rejected duplicate: %s", inv.Raw)
	}
	reopened := s.Do(http.MethodPost, path+"/reopen", token, nil).OK()
	if _, passed, _, _ := check(reopened, "not_a_duplicate"); passed || reopened.Text("duplicates", 0, "invoice_id") != second.Text("id") {
		t.Errorf("the first was reopened: %s", reopened.Raw)
	}
	s.Do(http.MethodPatch, "/api/invoices/"+second.Text("id"), token, map[string]any{"due_date": "2026-02-20"}).OK()
	passed("the second was corrected", false)
	s.Do(http.MethodPatch, path, token, map[string]any{"invoice_number": "OTHER-1", "issue_date": "2026-01-16"}).OK()
	if inv := passed("the first has another number", true); inv.Len("duplicates") != 0 {
		t.Errorf("a pair that ended: %s", inv.Raw)
	}
	history := s.Do(http.MethodGet, "/api/invoices/"+second.Text("id")+"/history", token, nil).OK()
	if !slices.Contains(types(history), "invoice.rechecked") || !slices.Contains(types(history), "invoice.duplicate_found") {
		t.Errorf("events: %v", types(history))
	}

	near := extract(harness.UBL("END-47IL"))
	if severity, passed, _, says := check(near, "not_a_duplicate"); severity != "WARNING" || passed || says != "near_number" || near.Text("status") != "EXTRACTED" {
		t.Errorf("a number that differs by similar characters: %s", near.Raw)
	}
	s.Do(http.MethodPost, "/api/invoices/"+near.Text("id")+"/duplicates/dismiss", token,
		map[string]any{"invoice_id": second.Text("id"), "reason": "two machines"}).OK()
	if next := extract(harness.UBL("END-4712")); next.Len("duplicates") != 0 {
		t.Errorf("a consecutive invoice: %v", next.At("duplicates"))
	}
}

// TestConcurrentDuplicatesDoNotWaitForEachOther changes the invoices of one group of duplicates at the
// same time, while others of the same supplier are synced, which approves them. A database that finds
// two transactions waiting for each other ends one of them.
func TestConcurrentDuplicatesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		books, _ := harness.NewLedgerA(t)
		s := harness.Start(t, o.With(books))
		org := s.NewOrganization("Crowd")
		token := org.Admin.Token
		const copies = 6
		documents, invoices := make([]string, copies), make([]string, copies)
		for i := range copies {
			documents[i] = s.Upload(token, org.Entity, "a.xml", append(harness.UBL("CROWD-1"), bytes.Repeat([]byte("\n"), i)...)).OK().Text("id")
		}
		var work sync.WaitGroup
		for i := range copies {
			work.Go(func() { invoices[i] = s.Extract(token, documents[i]).OK().Text("id") })
		}
		work.Wait()
		flagged := 0
		for _, id := range invoices {
			if _, passed, _, _ := check(s.Do(http.MethodGet, "/api/invoices/"+id, token, nil).OK(), "not_a_duplicate"); !passed {
				flagged++
			}
		}
		if flagged != copies-1 {
			t.Errorf("%d of %d equal invoices that were extracted at the same time are flagged", flagged, copies)
		}
		others := make([]string, copies)
		for i := range copies {
			others[i] = s.Extract(token, s.Upload(token, org.Entity, "b.xml", harness.UBL(fmt.Sprintf("OTHER-%d", i))).OK().Text("id")).OK().Text("id")
		}
		s.Activate(org, org.Entity, books, books.Tenants[0])
		s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), token, map[string]any{
			"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "bank_account_known", "not_a_duplicate"},
		}).OK()
		for i := range copies {
			for _, change := range []func() harness.Response{
				func() harness.Response {
					return s.Do(http.MethodPatch, "/api/invoices/"+invoices[i], token, map[string]any{"due_date": fmt.Sprintf("2026-03-%02d", i+1)})
				},
				func() harness.Response {
					return s.Do(http.MethodPost, "/api/invoices/"+invoices[i]+"/duplicates/dismiss", token,
						map[string]any{"invoice_id": invoices[(i+1)%copies], "reason": "deliveries"})
				},
				func() harness.Response {
					return s.Do(http.MethodPost, "/api/invoices/"+invoices[i]+"/reject", token, map[string]any{"reason": "twice"})
				},
				func() harness.Response {
					return s.Do(http.MethodPost, "/api/invoices/extract", token, map[string]any{"document_id": documents[i], "force": true})
				},
				func() harness.Response {
					return s.Do(http.MethodPost, "/api/invoices/"+invoices[i]+"/reopen", token, nil)
				},
				func() harness.Response {
					return s.Do(http.MethodPost, "/api/invoices/"+others[i]+"/sync", token, nil)
				},
			} {
				work.Go(func() {
					if r := change(); r.Status >= http.StatusInternalServerError {
						t.Errorf("%d %s", r.Status, r.Raw)
					}
				})
			}
		}
		work.Wait()
		for _, id := range others {
			if inv := s.Do(http.MethodGet, "/api/invoices/"+id, token, nil).OK(); inv.At("approval") == nil {
				t.Errorf("the sync did not approve the invoice: %s", inv.Raw)
			}
		}
		if o.DatabaseURL == "" {
			return
		}
		db, err := database.Open(t.Context(), database.Config{URL: o.DatabaseURL})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var deadlocks int
		if err := db.Gorm.Raw("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks).Error; err != nil || deadlocks > 0 {
			t.Errorf("%d deadlocks, %v", deadlocks, err)
		}
	})
}
