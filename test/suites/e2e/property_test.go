package e2e

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docledger/adapter/httpapi/spectest"
	"docledger/domain/entity"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
)

// seed is the seed of the generated requests. DOCLEDGER_SEED sets another one.
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
// every operation as each kind of caller. Every response must match the
// specification. A single fault must get 400 for a caller whose organization
// role allows the operation.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	s := harness.Start(t, harness.Options{Env: map[string]string{"EXTRACT_WAIT_TIMEOUT": "2s", "SIGN_IN_TRIES_PER_ACCOUNT": "1000000"}})
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
	emails := map[string]string{
		"admin": org.Admin.Email, "member": member.Email, "stranger": stranger.Email, "foreign": foreign.Admin.Email,
	}
	requests := 0
	for _, op := range s.Checker.Operations() {
		if op.Signed {
			continue // a generated request has no signature
		}
		for _, c := range spectest.Cases(op, seed(t), known) {
			for caller, token := range callers {
				req, err := c.Request(context.Background(), s.URL)
				if err != nil {
					t.Fatalf("%s: %v", c, err)
				}
				if email := emails[caller]; email != "" && slices.Contains(endingTokens, op.ID) {
					token = s.Login(email) // the caller's own token stays valid
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

// endingTokens are the operations after which the token that they were sent with
// is valid no longer, or not for long.
var endingTokens = []string{"logout", "refreshToken"}

func unexpected(op spectest.Operation, c spectest.Case, caller string, r harness.Response) string {
	signedIn := caller != "anonymous" && caller != "forged"
	switch {
	case r.Status >= http.StatusInternalServerError && r.Status != http.StatusServiceUnavailable:
		return "the server failed"
	case !signedIn && !op.Public && r.Status != http.StatusUnauthorized:
		return "a call without a credential must be refused"
	case c.Kind != spectest.Fault || !signedIn && !op.Public || r.Status == http.StatusBadRequest:
		return ""
	case op.Permission == string(identity.Admin) && (caller == "member" || caller == "stranger") && r.Status == http.StatusForbidden:
		// The organization role decides before the request is validated.
		return ""
	case strings.HasPrefix(c.Name, "multipart") && r.Status == http.StatusNotFound:
		// A caller without the upload permission is refused before the file is
		// read.
		return ""
	default:
		return "a single fault must be a 400"
	}
}
