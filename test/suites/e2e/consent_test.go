package e2e

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

var formAction = regexp.MustCompile(`<form method="post" action="([^"]*)">`)

// TestConsentsBelongToTheirBrowser brings consents back with the cookie of the
// browser that began them and without it. Without it a page asks first, and
// continues only with the value that it holds.
func TestConsentsBelongToTheirBrowser(t *testing.T) {
	t.Parallel()
	clock := newHands()
	ledger, _ := harness.NewLedgerA(t)
	s := harness.Start(t, harness.Options{
		Env: map[string]string{"TRUSTED_PROXIES": "127.0.0.1/32"}, Overrides: service.Overrides{Clock: clock},
	}.With(ledger))
	org := s.NewOrganization("Asking & Sons")
	const elsewhere = "203.0.113.9"
	begin := func() (callback, cookie string) {
		r := s.Do(http.MethodPost, "/api/v1/integrations/oauth/authorize", org.Admin.Token, map[string]any{
			"entity_id": org.Entity, "provider": ledger.Provider, "redirect_url": harness.RedirectURL,
		}).OK()
		set := r.Header.Get("Set-Cookie")
		for _, want := range []string{"docledger_consent_", "HttpOnly", "SameSite=Lax", "Max-Age=600", "Path=/api/v1/integrations/oauth/callback"} {
			if !strings.Contains(set, want) {
				t.Errorf("the cookie is %q, without %s", set, want)
			}
		}
		to, err := ledger.Consent(r.Text("authorization_url"), ledger.Tenants[0])
		if err != nil {
			t.Fatal(err)
		}
		back, err := url.Parse(to)
		if err != nil {
			t.Fatal(err)
		}
		return back.RequestURI(), strings.Split(set, ";")[0]
	}
	send := func(method, path, from, cookie string) harness.Response {
		headers := []string{"X-Forwarded-For", from}
		if cookie != "" {
			headers = append(headers, "Cookie", cookie)
		}
		return s.Send(method, path, "", nil, headers...)
	}
	finished := func(r harness.Response) {
		t.Helper()
		if to := r.Header.Get("Location"); r.Status != http.StatusFound || !strings.HasPrefix(to, harness.RedirectURL+"?integration_id=") || strings.Contains(to, "error=") {
			t.Fatalf("answered %d to %q: %s", r.Status, to, r.Raw)
		}
	}
	asked := func(r harness.Response) (action string) {
		t.Helper()
		text := html.UnescapeString(string(r.Raw))
		for _, want := range []string{"Asking & Sons", org.Admin.Email, "ACCOUNTING_A"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page does not name %s:\n%s", want, r.Raw)
			}
		}
		policy := r.Header.Get("Content-Security-Policy")
		form := formAction.FindStringSubmatch(string(r.Raw))
		if r.Status != http.StatusOK || form == nil || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "sandbox") {
			t.Fatalf("answered %d with the policy %q:\n%s", r.Status, policy, r.Raw)
		}
		return html.UnescapeString(form[1])
	}

	callback, cookie := begin()
	r := send(http.MethodGet, callback, elsewhere, cookie)
	finished(r)
	if !strings.Contains(r.Header.Get("Set-Cookie"), "Max-Age=0") {
		t.Errorf("the cookie stays: %q", r.Header.Get("Set-Cookie"))
	}
	send(http.MethodGet, callback, elsewhere, cookie).Want(400, "invalid_request")

	callback, _ = begin()
	_, other := begin()
	for _, wrong := range []string{"", other, other[:strings.Index(other, "=")] + "=", cookie} {
		asked(send(http.MethodGet, callback, elsewhere, wrong))
	}
	asked(send(http.MethodPost, callback, elsewhere, ""))
	asked(send(http.MethodPost, callback+"&confirmation=guessed", elsewhere, ""))
	first := asked(send(http.MethodGet, callback, elsewhere, ""))
	action := asked(send(http.MethodGet, callback, elsewhere, ""))
	asked(send(http.MethodGet, action, elsewhere, "")) // a link is no click, and makes the value a new one
	asked(send(http.MethodPost, first, elsewhere, ""))
	action = asked(send(http.MethodGet, callback, elsewhere, ""))
	finished(send(http.MethodPost, action, elsewhere, ""))
	send(http.MethodPost, action, elsewhere, "").Want(400, "invalid_request")

	// In the environment local a browser on this machine is not asked.
	callback, _ = begin()
	finished(send(http.MethodGet, callback, "127.0.0.1", ""))

	callback, _ = begin()
	action = asked(send(http.MethodGet, callback, elsewhere, ""))
	clock.advance(11 * time.Minute)
	send(http.MethodGet, callback, elsewhere, "").Want(400, "invalid_request")
	send(http.MethodPost, action, elsewhere, "").Want(400, "invalid_request")
}
