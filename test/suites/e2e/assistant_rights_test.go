package e2e

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/domain/extraction"
	"docledger/domain/invoice"
	"docledger/test/lib/harness"
)

// assisted starts a service with an organization, and returns the token of an
// assistant of its administrator.
func assisted(t *testing.T) (*harness.Server, harness.Organization, string) {
	t.Helper()
	p := harness.NewProvider(t, simclerk.Options{
		Users:         []simclerk.User{{ID: "user_owner", Email: "owner@example.com"}},
		Organizations: []simclerk.Organization{{ID: "org_mine", Name: "Mine"}},
		Memberships:   []simclerk.Membership{{UserID: "user_owner", OrganizationID: "org_mine", Role: "org:admin"}},
	})
	s := harness.Start(t, harness.Options{}.WithProvider(p))
	org := s.NewOrganization("Assisted")
	s.Link(org.ID, "org_mine")
	return s, org, p.OAuth("user_owner", "org_mine", harness.OAuthClient, simclerk.TokenOptions{})
}

// TestStoredResponsesFollowTheSetting repeats an upload of an assistant after the
// entity was set to READ: the stored response is refused too.
func TestStoredResponsesFollowTheSetting(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	upload := func() harness.Response {
		return s.Upload(oauth, org.Entity, "a.xml", harness.UBL("A-1"), "Idempotency-Key", "once")
	}
	first := upload().OK()
	if again := upload().OK(); again.Text("id") != first.Text("id") {
		t.Errorf("repeated: %s", again.Raw)
	}
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"assistant_actions": "READ"}).OK()
	upload().Want(http.StatusForbidden, "forbidden")
}

// TestStoredNotesFollowTheSetting is TestStoredResponsesFollowTheSetting for a note.
func TestStoredNotesFollowTheSetting(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	invoice := s.Extract(org.Admin.Token, s.Upload(org.Admin.Token, org.Entity, "a.xml", harness.UBL("A-1")).OK().Text("id")).OK()
	note := func() harness.Response {
		return s.Do(http.MethodPost, "/api/invoices/"+invoice.Text("id")+"/notes", oauth, map[string]any{"text": "x"}, "Idempotency-Key", "once")
	}
	first := note().OK()
	if again := note().OK(); again.Text("id") != first.Text("id") {
		t.Errorf("repeated: %s", again.Raw)
	}
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{"assistant_actions": "READ"}).OK()
	note().Want(http.StatusForbidden, "forbidden")
}

// TestPartsOfAnAssistantsUploadNeedAPerson divides a file that an assistant
// uploaded. The assistant may not, because it would reject invoices. After a
// person has done it, the system still does not approve the new part.
func TestPartsOfAnAssistantsUploadNeedAPerson(t *testing.T) {
	t.Parallel()
	s, org, oauth := assisted(t)
	s.Do(http.MethodPut, "/api/settings/"+org.Entity.String(), org.Admin.Token, map[string]any{
		"approval_required": false, "auto_approve_ignore": []string{"buyer_is_entity", "date_plausible", "single_invoice"}, "review_threshold": 0,
	}).OK()
	status := func(token string, numbers ...string) string {
		id := s.Upload(token, org.Entity, "three.pdf", printedFile(t, numbers...)).OK().Text("id")
		ended(s, org, id)
		path := "/api/documents/" + id + "/split"
		// settle waits for every part, and reopens what the system approved, so that
		// the file can be split again. It returns the status of the newest part with
		// the first page.
		settle := func() string {
			status := ""
			list := s.Do(http.MethodGet, "/api/documents?entity_id="+org.Entity.String(), org.Admin.Token, nil).OK()
			for i := range list.Len("items") {
				if list.At("items", i, "parent_id") != id {
					continue
				}
				part := ended(s, org, list.Text("items", i, "id"))
				invoicePath := "/api/invoices/" + part.Text("invoice_id")
				got := s.Do(http.MethodGet, invoicePath, org.Admin.Token, nil).OK().Text("status")
				if status == "" && part.Number("pages", "from") == 1 {
					status = got
				}
				if got == "APPROVED" {
					s.Do(http.MethodPost, invoicePath+"/reopen", org.Admin.Token, nil).OK()
				}
			}
			return status
		}
		settle()
		s.Do(http.MethodPost, path, oauth, span(1, 2)).Want(http.StatusForbidden, "forbidden")
		s.Do(http.MethodPost, path, org.Admin.Token, span(1, 2)).OK()
		settle()
		s.Do(http.MethodPost, path, org.Admin.Token, span(1, 1)).OK()
		return settle()
	}
	if got := status(org.Admin.Token, "A-17", "A-18"); got != "APPROVED" {
		t.Errorf("the part of a person's upload is %s", got)
	}
	if got := status(oauth, "B-17", "B-18"); got != "EXTRACTED" {
		t.Errorf("the part of an assistant's upload is %s", got)
	}
}

// span is a division of a file into one part.
func span(from, to int) map[string]any {
	return map[string]any{"parts": []any{map[string]int{"from": from, "to": to}}}
}

// TestValidationsOfOneOrganizationTakeTurns sends several validations of one
// organization while their reader waits. Another organization is not delayed.
func TestValidationsOfOneOrganizationTakeTurns(t *testing.T) {
	t.Parallel()
	var validating atomic.Bool
	var running, most atomic.Int32
	entered, release := make(chan struct{}, 8), make(chan struct{})
	var o harness.Options
	o.Overrides.Reader = readerFunc(func(ctx context.Context, src extraction.Source) (*extraction.Result, error) {
		if validating.Load() && src.Name == "slow.xml" {
			most.Store(max(most.Load(), running.Add(1)))
			entered <- struct{}{}
			<-release
			running.Add(-1)
		}
		return &extraction.Result{Method: invoice.Structured, Drafts: []extraction.Draft{{Content: invoice.Content{Type: invoice.TypeInvoice, Number: "V-1"}}}}, nil
	})
	s := harness.Start(t, o)
	slow, other := s.NewOrganization("Slow"), s.NewOrganization("Other")
	path := func(org harness.Organization, name string) string {
		id := s.Upload(org.Admin.Token, org.Entity, name, harness.UBL("V-1")).OK().Text("id")
		return "/api/invoices/" + s.Extract(org.Admin.Token, id).OK().Text("id") + "/validation"
	}
	mine, theirs := path(slow, "slow.xml"), path(other, "quick.xml")
	validating.Store(true)
	var requests sync.WaitGroup
	for range 3 {
		requests.Go(func() { s.Do(http.MethodGet, mine, slow.Admin.Token, nil).OK() })
	}
	<-entered
	s.Do(http.MethodGet, theirs, other.Admin.Token, nil).OK()
	close(release)
	requests.Wait()
	if most.Load() != 1 {
		t.Errorf("%d validations of one organization ran at once", most.Load())
	}
}
