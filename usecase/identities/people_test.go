package identities_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	simclerk "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
)

var plain simclerk.TokenOptions

// TestTokensBeforeEvents uses tokens of an organization and a user that docledger
// does not know yet.
func TestTokensBeforeEvents(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		w := open(t, o)
		for _, version := range []int{1, 2} {
			me := w.Do(http.MethodGet, "/api/me", w.provider.Session(ada, acme, simclerk.TokenOptions{Version: version}), nil).OK()
			if me.Text("user", "email") != "ada@example.com" || me.Text("organization", "name") != "Acme" ||
				me.Text("organization", "role") != "admin" || me.Len("organizations") != 2 || me.Text("credential", "type") != "SESSION" {
				t.Errorf("version %d: %s", version, me.Raw)
			}
		}
		me := w.Do(http.MethodGet, "/api/me", w.provider.OAuth(bob, acme, harness.OAuthClient, plain), nil).OK()
		if me.Text("organization", "role") != "member" || me.Text("credential", "type") != "OAUTH" {
			t.Errorf("by OAuth token: %s", me.Raw)
		}
		if at := w.organization(acme).CreatedAt; !at.Equal(created) {
			t.Errorf("the organization began at %s", at)
		}
	})
}

func TestTokensWithoutOrganization(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	for name, token := range map[string]string{
		"OAuth":          w.provider.OAuth(ada, "", harness.OAuthClient, plain),
		"OAuth no scope": w.provider.OAuth(ada, acme, harness.OAuthClient, simclerk.TokenOptions{Scopes: []string{"profile"}}),
		"session":        w.provider.Session(ada, "", plain),
	} {
		t.Run(name, func(t *testing.T) {
			w.Do(http.MethodGet, "/api/me", token, nil).Want(http.StatusUnauthorized, "organization_required")
		})
	}
	w.provider.Configure(func(s *simclerk.Settings) { s.OpaqueTokens = true })
	w.Do(http.MethodGet, "/api/me", w.provider.OAuth(ada, acme, harness.OAuthClient, plain), nil).Want(http.StatusUnauthorized, "unauthorized")
}

// TestEndedMembership verifies the tokens after the end of a membership. The next
// session token has no organization. An OAuth token is refused after the membership
// cache has expired. docledger tokens end with their next refresh.
func TestEndedMembership(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	issued := w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "bob@example.com", "password": harness.ProviderPassword}).OK().Text("token")
	w.Do(http.MethodGet, "/api/me", issued, nil).OK()
	oauth := w.provider.OAuth(bob, acme, harness.OAuthClient, plain)
	w.Do(http.MethodGet, "/api/me", oauth, nil).OK()
	w.api(http.MethodDelete, "/v1/organizations/"+acme+"/memberships/"+bob, "")
	w.Do(http.MethodPost, "/api/auth/refresh", issued, nil).Want(http.StatusUnauthorized, "unauthorized")
	// The refresh has queried the identity provider, like the passage of time.
	w.Do(http.MethodGet, "/api/me", oauth, nil).Want(http.StatusUnauthorized, "unauthorized")
	admin := w.provider.Session(ada, acme, plain)
	if r := w.Do(http.MethodGet, "/api/organization/members", admin, nil).OK(); strings.Contains(string(r.Raw), "bob@example.com") {
		t.Errorf("bob is still listed: %s", r.Raw)
	}
}

// TestRolesFollowTheToken checks that the role of a session is that of its token.
func TestRolesFollowTheToken(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	w.Do(http.MethodGet, "/api/organization/members", w.provider.Session(bob, acme, plain), nil).Want(http.StatusForbidden, "forbidden")
	w.api(http.MethodPatch, "/v1/organizations/"+acme+"/memberships/"+bob, `{"role":"org:admin"}`)
	r := w.Do(http.MethodGet, "/api/organization/members", w.provider.Session(bob, acme, plain), nil).OK()
	if r.Len("items") != 2 {
		t.Errorf("members %s", r.Raw)
	}
}

// TestSignInAtTheProvider signs in with passwords of both kinds of accounts.
func TestSignInAtTheProvider(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	login := func(email, password string) harness.Response {
		return w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": email, "password": password})
	}
	token := login("Ada@Example.com", harness.ProviderPassword).OK().Text("token")
	w.Do(http.MethodPost, "/api/auth/refresh", token, nil).OK()
	login("ada@example.com", "wrong").Want(http.StatusUnauthorized, "invalid_credentials")
	login("unknown@example.com", harness.ProviderPassword).Want(http.StatusUnauthorized, "invalid_credentials")
	local := w.NewOrganization("Local")
	if me := w.Do(http.MethodGet, "/api/me", local.Admin.Token, nil).OK(); me.Text("organization", "name") != "Local" {
		t.Errorf("a local account is %s", me.Raw)
	}
}

// TestRefusedSignInsTakeTheSameTime verifies that a caller cannot distinguish the
// reasons by time: an unknown account, a wrong password, and a correct password
// without the organization.
func TestRefusedSignInsTakeTheSameTime(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	foreign := w.NewOrganization("Foreign")
	for name, body := range map[string]map[string]any{
		"unknown":              {"email": "unknown@example.com", "password": harness.ProviderPassword},
		"wrong password":       {"email": "ada@example.com", "password": "wrong"},
		"another organization": {"email": "ada@example.com", "password": harness.ProviderPassword, "organization_id": foreign.ID},
	} {
		began := time.Now()
		w.Do(http.MethodPost, "/api/auth/login", "", body).Want(http.StatusUnauthorized, "invalid_credentials")
		if took := time.Since(began); took < time.Second {
			t.Errorf("%s is refused after %s", name, took)
		}
	}
}

// TestProviderUnavailable verifies domain D24: known keys and users keep working.
// Tokens of keys that were never loaded get 503, not a request to sign in again.
func TestProviderUnavailable(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	known := w.provider.Session(ada, acme, simclerk.TokenOptions{Lifetime: time.Hour})
	oauth := w.provider.OAuth(ada, acme, harness.OAuthClient, plain)
	w.Do(http.MethodGet, "/api/me", known, nil).OK()
	stranger := w.provider.Session(bob, acme, plain)
	w.fault("* /**", "status:503", 1000)
	w.Do(http.MethodGet, "/api/me", known, nil).OK()
	w.Do(http.MethodGet, "/api/me", oauth, nil).OK()
	r := w.Do(http.MethodGet, "/api/me", stranger, nil).Want(http.StatusServiceUnavailable, "unavailable")
	if r.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	w.control(http.MethodDelete, "faults", "")

	away := harness.NewProvider(t, people())
	token := away.Session(ada, acme, plain)
	away.Close()
	body := `{"match":"GET /.well-known/jwks.json","times":1000,"action":"status:503"}`
	cold := &world{t: t, provider: away}
	cold.control(http.MethodPost, "faults", body)
	s := harness.Start(t, harness.Options{NoWorkers: true}.WithProvider(away))
	s.Do(http.MethodGet, "/api/me", token, nil).Want(http.StatusServiceUnavailable, "unavailable")
}

// TestSignInPage verifies that the page redirects browsers only to the identity
// provider.
func TestSignInPage(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(query string) *http.Response {
		r, err := client.Get(w.URL + "/sign-in" + query)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		return r
	}
	target := w.provider.Origin() + "/oauth-consent?client_id=a"
	if r := get("?redirect_url=" + strings.ReplaceAll(target, "?", "%3F")); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != target {
		t.Errorf("%d to %q", r.StatusCode, r.Header.Get("Location"))
	}
	for _, query := range []string{
		"", "?redirect_url=", "?redirect_url=https://evil.example/oauth/x?code=canary-code",
		"?redirect_url=" + target + "&redirect_url=" + target, "?redirect_url=" + w.provider.Origin() + "/v1/users",
	} {
		if r := get(query); r.StatusCode != http.StatusOK || r.Header.Get("Location") != "" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%q: %d to %q", query, r.StatusCode, r.Header.Get("Location"))
		}
	}
	for _, query := range []string{
		"?redirect_url=https://evil.example/oauth/%zz", "?redirect_url=https://evil.example/oauth/;canary-code",
		"?redirect_url=" + target + "&redirect_url=%zz", "?redirect_url=https%253A%252F%252Fevil.example%252Fcanary-code",
	} {
		before := strings.Count(w.log.String(), "redirect after sign-in refused")
		if r := get(query); r.StatusCode != http.StatusOK || r.Header.Get("Location") != "" {
			t.Errorf("%q: %d to %q", query, r.StatusCode, r.Header.Get("Location"))
		}
		if n := strings.Count(w.log.String(), "redirect after sign-in refused") - before; n != 1 {
			t.Errorf("%q: %d lines in the log", query, n)
		}
	}
	log := w.log.String()
	if !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, `"host":"evil.example"`) || strings.Contains(log, "canary-code") {
		t.Errorf("log: %s", log)
	}
}

// TestNoSecretIsLogged runs everything that contains secrets, tokens and
// bodies, and searches every log line at debug level for them.
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	w := open(t, harness.Options{})
	canaries := []string{
		harness.ProviderSecretKey, harness.ProviderSigningSecret, "c2lnbmluZy1zZWNyZXQtb2YtdGhlLXByb3ZpZGVy",
		"sk_test_identity", "whsec_of-the-processor", harness.ProviderPassword, "as it was then",
	}
	session, oauth := w.provider.Session(ada, acme, plain), w.provider.OAuth(ada, acme, harness.OAuthClient, plain)
	forged := session[:len(session)-4] + "AAAA"
	issued := w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "ada@example.com", "password": harness.ProviderPassword}).OK().Text("token")
	for _, token := range []string{session, oauth, forged, issued} {
		canaries = append(canaries, token, token[strings.LastIndex(token, ".")+1:])
		w.Do(http.MethodGet, "/api/me", token, nil)
		w.Do(http.MethodGet, "/api/me?token="+token, token, nil)
	}
	w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "ada@example.com", "password": "wrong-canary"})
	canaries = append(canaries, "wrong-canary")
	w.deliver(newEvent("msg_1", "organization.created", acme)).OK()
	for _, action := range []string{"status:503", "garbage", "drop", "status:401"} {
		w.fault("* /v1/**", action, 3)
		w.deliver(newEvent("msg_"+action, "organization.updated", acme))
		w.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": "ada@example.com", "password": harness.ProviderPassword})
		w.control(http.MethodDelete, "faults", "")
	}
	log := w.log.String()
	if !strings.Contains(log, "request") {
		t.Fatal("nothing was logged")
	}
	for _, canary := range canaries {
		if strings.Contains(log, canary) {
			t.Errorf("the log contains %q", canary)
		}
	}
}

// TestDeployedRefusesLoopbackRedirects verifies the row of the table of environments
// that the sign-in page uses.
func TestDeployedRefusesLoopbackRedirects(t *testing.T) {
	t.Parallel()
	p := harness.NewProvider(t, people())
	s := harness.Start(t, harness.Options{NoWorkers: true, Env: map[string]string{"DOCLEDGER_ENV": "deployed"}}.WithProvider(p))
	r := s.Send(http.MethodGet, "/sign-in?redirect_url="+p.Origin()+"/oauth-consent", "", nil)
	if r.Status != http.StatusOK || r.Header.Get("Location") != "" {
		t.Errorf("%d to %q", r.Status, r.Header.Get("Location"))
	}
}

// TestWithoutOAuthClientEveryOAuthTokenIsRefused starts in the local
// environment, where the client is optional.
func TestWithoutOAuthClientEveryOAuthTokenIsRefused(t *testing.T) {
	t.Parallel()
	p, log := harness.NewProvider(t, people()), &safeBuffer{}
	o := harness.Options{NoWorkers: true, Log: log}.WithProvider(p)
	o.Env["OAUTH_CLIENT_ID"] = ""
	s := harness.Start(t, o)
	s.Do(http.MethodGet, "/api/me", p.OAuth(ada, acme, harness.OAuthClient, plain), nil).Want(http.StatusUnauthorized, "unauthorized")
	s.Do(http.MethodGet, "/api/me", p.Session(ada, acme, plain), nil).OK()
	if !strings.Contains(log.String(), "OAUTH_CLIENT_ID is not set") {
		t.Error("the start does not log that every OAuth token is refused")
	}
}
