package e2e

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/harness"

	"github.com/google/uuid"
)

// seed is that of the generated requests; DOCLEDGER_SEED tries another one.
func seed(t *testing.T) uint64 {
	text, ok := os.LookupEnv("DOCLEDGER_SEED")
	if !ok {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("DOCLEDGER_SEED: %v", err)
	}
	return n
}

// TestGeneratedRequests sends valid, boundary and single-fault requests of
// every operation as each kind of caller. Every answer must be one that the
// specification has; a single fault must be a 400 for whoever is signed in.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"EXTRACT_PATIENCE": "2s", "SIGN_IN_TRIES_PER_ACCOUNT": "1000000"}})
	org, foreign := s.NewOrganization("Mine"), s.NewOrganization("Theirs")
	member, stranger := s.NewPerson(org.ID, identity.RoleMember), s.NewPerson(org.ID, identity.RoleMember)
	s.SetMembers(org, entity.AccessRestricted, entity.Member{UserID: member.ID, Role: identity.Editor})
	up := s.Upload(org.Admin.Token, org.Entity, "p.xml", harness.UBL("P-1")).OK()
	inv := s.Extract(org.Admin.Token, up.Text("id")).OK()
	known := map[string]string{
		"entity_id": org.Entity.String(), "document_id": up.Text("id"), "invoice_id": inv.Text("id"), "organization_id": org.ID.String(),
		"user_id": org.Admin.ID.String(), "actor_id": org.Admin.ID.String(), "subject_id": inv.Text("id"), "settings_from": org.Entity.String(),
	}
	callers := map[string]string{
		"admin": org.Admin.Token, "member": member.Token, "stranger": stranger.Token, "foreign": foreign.Admin.Token,
		"anonymous": "", "forged": "abc.def.ghi",
	}
	requests := 0
	for _, op := range s.Checker.Operations() {
		for _, c := range spectest.Cases(op, seed(t), known) {
			for caller, token := range callers {
				req, err := c.Request(context.Background(), s.URL)
				if err != nil {
					t.Fatalf("%s: %v", c, err)
				}
				if token != "" {
					req.Header.Set("Authorization", "Bearer "+token)
				}
				requests++
				r := s.Exchange(req)
				if problem := unexpected(op, c, caller, r); problem != "" {
					t.Errorf("%s as %s: %s\n%s %s\n%s\nanswers %d %s", c, caller, problem, req.Method, req.URL, c.Body, r.Status, r.Raw)
				}
			}
		}
	}
	t.Logf("%d requests, seed %d; statuses: %v", requests, seed(t), s.Checker.Seen())
}

func unexpected(op spectest.Operation, c spectest.Case, caller string, r harness.Response) string {
	signedIn := caller != "anonymous" && caller != "forged"
	switch {
	case r.Status >= http.StatusInternalServerError && r.Status != http.StatusServiceUnavailable:
		return "the server failed"
	case !signedIn && !op.Public && r.Status != http.StatusUnauthorized:
		return "nobody may pass without a credential"
	case c.Kind != spectest.Fault || !signedIn && !op.Public || r.Status == http.StatusBadRequest:
		return ""
	case strings.HasPrefix(c.Name, "multipart") && r.Status == http.StatusNotFound:
		// Whoever may not upload is told so before their file is read.
		return ""
	default:
		return "a single fault must be a 400"
	}
}

// TestForeignThingsReadLikeMissingOnes compares, for each operation with an
// id, the answer about another organization's thing with that about none.
func TestForeignThingsReadLikeMissingOnes(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{})
	mine, theirs := s.NewOrganization("Mine"), s.NewOrganization("Theirs")
	up := s.Upload(theirs.Admin.Token, theirs.Entity, "f.xml", harness.UBL("T-1")).OK()
	inv := s.Extract(theirs.Admin.Token, up.Text("id")).OK()
	for _, op := range []struct {
		method, path string
		id           string
		body         any
	}{
		{http.MethodGet, "/api/entities/%", theirs.Entity.String(), nil},
		{http.MethodPut, "/api/entities/%", theirs.Entity.String(), map[string]any{"name": "x"}},
		{http.MethodGet, "/api/settings/%", theirs.Entity.String(), nil},
		{http.MethodPut, "/api/settings/%", theirs.Entity.String(), map[string]any{"four_eyes": true}},
		{http.MethodGet, "/api/documents?entity_id=%", theirs.Entity.String(), nil},
		{http.MethodGet, "/api/invoices?entity_id=%", theirs.Entity.String(), nil},
		{http.MethodGet, "/api/events?entity_id=%", theirs.Entity.String(), nil},
		{http.MethodGet, "/api/documents/%", up.Text("id"), nil},
		{http.MethodGet, "/api/documents/%/content", up.Text("id"), nil},
		{http.MethodGet, "/api/invoices/%", inv.Text("id"), nil},
		{http.MethodGet, "/api/invoices/%/lines", inv.Text("id"), nil},
		{http.MethodGet, "/api/invoices/%/history", inv.Text("id"), nil},
		{http.MethodPatch, "/api/invoices/%", inv.Text("id"), map[string]any{"note": "x"}},
		{http.MethodPost, "/api/invoices/%/approve", inv.Text("id"), map[string]any{"version": 1}},
		{http.MethodPost, "/api/invoices/%/reject", inv.Text("id"), map[string]any{"reason": "x"}},
		{http.MethodPost, "/api/invoices/%/reopen", inv.Text("id"), nil},
		{http.MethodPost, "/api/invoices/extract", up.Text("id"), map[string]any{"document_id": "%"}},
		{http.MethodPost, "/api/entities", theirs.Entity.String(), map[string]any{"name": "x", "settings_from": "%"}},
	} {
		t.Run(op.method+" "+op.path, func(t *testing.T) {
			foreign := s.Do(op.method, put(op.path, op.id), mine.Admin.Token, with(op.body, op.id)).Want(404, "not_found")
			missing := uuid.NewString()
			none := s.Do(op.method, put(op.path, missing), mine.Admin.Token, with(op.body, missing)).Want(404, "not_found")
			if foreign.Text("error", "message") != none.Text("error", "message") {
				t.Errorf("told apart: %s and %s", foreign.Raw, none.Raw)
			}
		})
	}
	for _, list := range []string{"/api/entities", "/api/documents", "/api/invoices", "/api/events"} {
		r := s.Do(http.MethodGet, list, mine.Admin.Token, nil).OK()
		for i := range r.Len("items") {
			if id := r.Text("items", i, "organization_id"); id != mine.ID.String() {
				t.Errorf("%s lists something of organization %s", list, id)
			}
		}
	}
}

func put(path, id string) string {
	for i := range len(path) {
		if path[i] == '%' {
			return path[:i] + id + path[i+1:]
		}
	}
	return path
}

func with(body any, id string) any {
	object, ok := body.(map[string]any)
	if !ok {
		return body
	}
	out := map[string]any{}
	for k, v := range object {
		if v == "%" {
			v = id
		}
		out[k] = v
	}
	return out
}
