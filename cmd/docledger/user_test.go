package main

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"docledger/cmd/service"
	"docledger/domain/fault"
	"docledger/usecase/session"

	"github.com/google/uuid"
)

// TestUserRemove ends one of two memberships of an account. Its session in that
// organization ends; the other membership and session stay.
func TestUserRemove(t *testing.T) {
	for name, value := range map[string]string{
		"DOCLEDGER_ENV": "local", "BASE_URL": "http://127.0.0.1:1", "DATA_DIR": t.TempDir(), "IDENTITY": "local", "BILLING": "none",
	} {
		t.Setenv(name, value)
	}
	must := func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return strings.TrimSpace(out)
	}
	left := must(run(t, "organization", "create", "Left"))
	stays := must(run(t, "organization", "create", "Stays"))
	const email = "leaver@example.com"
	out := must(run(t, "user", "add", email, "--organization", left))
	_, password, _ := strings.Cut(out, "password: ")
	password, _, _ = strings.Cut(password, "\n")
	must(run(t, "user", "invite", email, "--organization", stays))

	ctx := context.Background()
	cfg, err := service.Configured()
	if err != nil {
		t.Fatal(err)
	}
	s, err := service.Open(ctx, cfg, slog.New(slog.DiscardHandler), service.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tokens := map[string]string{}
	for _, id := range []string{left, stays} {
		token, err := s.Session.Login(ctx, session.LoginInput{Email: email, Password: password, OrganizationID: uuid.MustParse(id)})
		if err != nil {
			t.Fatal(err)
		}
		tokens[id] = token.Token
	}

	if _, err := run(t, "user", "remove", email); err == nil || !strings.Contains(err.Error(), "organization") {
		t.Errorf("without an organization: %v", err)
	}
	if out := must(run(t, "user", "remove", email, "--organization", left)); !strings.Contains(out, email+" is no longer a member") {
		t.Errorf("it prints %q", out)
	}
	for _, args := range [][]string{{email, left}, {"unknown@example.com", stays}, {email, "01936b1e-0000-7000-8000-000000000001"}} {
		if _, err := run(t, "user", "remove", args[0], "--organization", args[1]); fault.CodeOf(err) != fault.CodeNotFound {
			t.Errorf("remove %v: %v", args, err)
		}
	}
	if _, err := s.Session.Authenticate(ctx, tokens[left]); fault.CodeOf(err) != fault.CodeUnauthorized {
		t.Errorf("the session of the ended membership: %v", err)
	}
	if _, err := s.Session.Login(ctx, session.LoginInput{Email: email, Password: password, OrganizationID: uuid.MustParse(left)}); err == nil {
		t.Error("the user can sign in to the organization of the ended membership")
	}
	actor, err := s.Session.Authenticate(ctx, tokens[stays])
	if err != nil || actor.OrganizationID.String() != stays {
		t.Errorf("the other membership: %v", err)
	}
}
