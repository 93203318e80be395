package e2e

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"docledger/test/lib/harness"
	"docledger/usecase/session"
)

// interruptedPasswords are passwords with an interruption.
type interruptedPasswords struct {
	session.Passwords
	*interruption
}

func (i interruptedPasswords) Hash(ctx context.Context, password string) (string, error) {
	i.run()
	return i.Passwords.Hash(ctx, password)
}

// TestPasswordEndsLinks changes the password of an administrator. The links that were made with the
// former password end, and so does a consent that began. Those of others continue, and new ones work.
func TestPasswordEndsLinks(t *testing.T) {
	t.Parallel()
	books, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{}.With(books))
	org := s.NewOrganization("Stolen session")
	other := s.NewPerson(org.ID, "admin")
	links := func(token string) (paths []string) {
		t.Helper()
		for _, create := range []struct {
			path string
			body map[string]any
		}{
			{"/api/documents/upload-links", map[string]any{"entity_id": org.Entity}},
			{"/api/invoices/export-links?format=csv", nil},
			{"/api/integrations/connect-links", map[string]any{"entity_id": org.Entity, "provider": books.Provider}},
		} {
			var body any
			if create.body != nil {
				body = create.body
			}
			r := s.Do(http.MethodPost, create.path, token, body).OK()
			paths = append(paths, strings.TrimPrefix(r.Text("url"), s.URL))
		}
		return paths
	}
	// begin returns the path to which the provider sends the browser after the consent.
	begin := func(token string) string {
		t.Helper()
		asked := s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", token, map[string]any{
			"entity_id": org.Entity, "provider": books.Provider, "redirect_url": harness.RedirectURL,
		}).OK()
		to, err := books.Consent(asked.Text("authorization_url"))
		if err != nil {
			t.Fatal(err)
		}
		back, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		return back.RequestURI()
	}
	works := func(paths []string, want int) {
		t.Helper()
		for _, path := range paths {
			if r := s.Send(http.MethodGet, path, "", nil); r.Status != want {
				t.Errorf("%.12s…: %d, want %d: %s", path, r.Status, want, r.Raw)
			}
		}
	}
	mine, theirs, callback := links(org.Admin.Token), links(other.Token), begin(org.Admin.Token)
	works(mine, http.StatusOK)
	// The former password is valid until the new one is stored.
	during := &interruption{}
	s.Service.Session.Passwords = interruptedPasswords{s.Service.Session.Passwords, during}
	during.set(func() { mine = append(mine, links(org.Admin.Token)...) })
	changed := s.Do(http.MethodPost, "/api/auth/password", org.Admin.Token, map[string]any{
		"current_password": harness.Password, "new_password": "another long password",
	}).OK()
	if len(mine) != 6 {
		t.Fatalf("%d links", len(mine))
	}
	works(mine, http.StatusNotFound)
	works(theirs, http.StatusOK)
	works([]string{callback}, http.StatusBadRequest)
	works(links(changed.Text("token")), http.StatusOK)
	works([]string{begin(changed.Text("token"))}, http.StatusFound)
}
