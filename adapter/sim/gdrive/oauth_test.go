package gdrive_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/gdrive"
)

// TestConsentOnPages signs in, deselects a scope, and continues.
func TestConsentOnPages(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *gdrive.Options) { o.Settings.AutoApprove = false })
	status, location, _ := w.get("/o/oauth2/v2/auth?" + query(nil).Encode())
	if status != http.StatusFound || !strings.HasPrefix(location, "/signin?") {
		t.Fatalf("%d %s", status, location)
	}
	to := w.parsed(location).Get("continue")
	if status, _, _ := w.post("/signin", url.Values{"continue": {to}, "email": {"owner@example.com"}, "password": {"wrong"}}); status != http.StatusUnauthorized {
		t.Errorf("a wrong password: %d", status)
	}
	if status, _, _ := w.post("/signin", url.Values{"continue": {"//elsewhere.example"}, "email": {"owner@example.com"}, "password": {"password"}}); status != http.StatusBadRequest {
		t.Errorf("a foreign address: %d", status)
	}
	_, location, _ = w.post("/signin", url.Values{"continue": {to}, "email": {"owner@example.com"}, "password": {"password"}})
	_, location, _ = w.get(location)
	_, _, page := w.get(location)
	form := url.Values{"choice": {"continue"}, "granted": {"openid"}}
	for _, field := range regexp.MustCompile(`name="(query|proof)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(field[1], strings.NewReplacer("&amp;", "&", "&#43;", "+").Replace(field[2]))
	}
	if strings.Count(page, `type="checkbox"`) != 2 {
		t.Errorf("the page offers %s", page)
	}
	status, location, _ = w.post("/consent", form)
	if status != http.StatusSeeOther {
		t.Fatalf("consent: %d", status)
	}
	got := w.exchange(w.parsed(location).Get("code"), nil)
	if got["scope"] != "openid" || got["refresh_token"] == nil || w.parsed(location).Get("state") != "state-1" {
		t.Errorf("granted %v", got)
	}
	w.token = got["access_token"].(string)
	w.refused("files", nil, http.StatusForbidden, "insufficientPermissions")
	for name, change := range map[string][2]string{"cancel": {"choice", "cancel"}, "nothing ticked": {"granted", ""}} {
		form.Set(change[0], change[1])
		if _, location, _ = w.post("/consent", form); w.parsed(location).Get("error") != "access_denied" {
			t.Errorf("%s leads to %s", name, location)
		}
	}
	form.Set("proof", "of another browser")
	if status, _, _ := w.post("/consent", form); status != http.StatusForbidden {
		t.Errorf("a forged form: %d", status)
	}
}

func TestAuthorizationsThatAreShownAsErrors(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	for name, value := range map[string]string{
		"client_id": "none", "redirect_uri": "https://elsewhere.example", "response_type": "token", "scope": "https://scope.example/none", "access_type": "ever",
	} {
		status, location, _ := w.get("/o/oauth2/v2/auth?" + query(map[string]string{name: value}).Encode())
		if status != http.StatusBadRequest || location != "" {
			t.Errorf("%s=%s: %d %s", name, value, status, location)
		}
	}
}

// TestRefreshTokensOnce checks that a refresh token comes only with offline access, and a second
// time only if the application requests a new consent.
func TestRefreshTokensOnce(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	for _, step := range []struct {
		name, access, prompt string
		want                 bool
	}{
		{"online", "", "consent", false}, {"offline, but consented before", "offline", "", false}, {"consent requested again", "offline", "consent", true},
	} {
		got := w.exchange(w.authorize(map[string]string{"access_type": step.access, "prompt": step.prompt}).Get("code"), nil)
		if _, given := got["refresh_token"]; given != step.want || got["access_token"] == nil || got["expires_in"] != 3599.0 {
			t.Errorf("%s: %v", step.name, got)
		}
	}
	w.sim.Withdraw()
	if got := w.exchange(w.authorize(map[string]string{"prompt": ""}).Get("code"), nil); got["refresh_token"] == nil {
		t.Errorf("the first consent: %v", got)
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	pkce := map[string]string{"code_challenge": challenge, "code_challenge_method": "S256"}
	code := w.authorize(pkce).Get("code")
	for name, extra := range map[string]map[string]string{
		"no verifier": nil, "wrong verifier": {"code_verifier": "wrong"},
		"other redirect": {"code_verifier": verifier, "redirect_uri": redirect + "/x"}, "other secret": {"code_verifier": verifier, "client_secret": "x"},
	} {
		if got := w.exchange(code, extra); got["error"] == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	if got := w.exchange(code, map[string]string{"code_verifier": verifier}); got["access_token"] == nil || got["id_token"] == nil {
		t.Errorf("the right one: %v", got)
	}
	if got := w.exchange(code, map[string]string{"code_verifier": verifier}); got["error"] != "invalid_grant" {
		t.Errorf("again: %v", got)
	}
	late := w.authorize(nil).Get("code")
	w.sim.Kit.Clock.Advance(11 * time.Minute)
	if got := w.exchange(late, nil); got["error"] != "invalid_grant" {
		t.Errorf("late: %v", got)
	}
}

func TestRefreshAndRevoke(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	refresh := w.exchange(w.authorize(nil).Get("code"), nil)["refresh_token"].(string)
	other := w.exchange(w.authorize(nil).Get("code"), nil)["refresh_token"].(string)
	renew := func(token string) object {
		return w.tokens(map[string]string{"grant_type": "refresh_token", "refresh_token": token})
	}
	for range 3 {
		got := renew(refresh)
		if got["refresh_token"] != nil || got["access_token"] == nil || got["scope"] == "" {
			t.Fatalf("renewed %v", got)
		}
		w.token = got["access_token"].(string)
		w.ok("files", nil)
	}
	w.sim.Kit.Clock.Advance(time.Hour)
	w.refused("files", nil, http.StatusUnauthorized, "authError")
	if status, _, _ := w.post("/revoke", url.Values{"token": {refresh}}); status != http.StatusOK {
		t.Errorf("revoke: %d", status)
	}
	for name, token := range map[string]string{"revoked": refresh, "of the same consent": other, "unknown": "no-such", "none": ""} {
		if got := renew(token); got["error"] != "invalid_grant" {
			t.Errorf("%s: %v", name, got)
		}
	}
	if status, _, _ := w.post("/revoke", url.Values{"token": {refresh}}); status != http.StatusBadRequest {
		t.Errorf("revoked again: %d", status)
	}
	if got := w.tokens(map[string]string{"grant_type": "password"}); got["error"] != "unsupported_grant_type" {
		t.Errorf("another grant: %v", got)
	}
}

func TestTokensCrowdOut(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	w.sim.SetLimits(func(l *gdrive.Limits) { l.LiveTokens = 2 })
	var tokens []string
	for range 3 {
		tokens = append(tokens, w.exchange(w.authorize(nil).Get("code"), nil)["refresh_token"].(string))
	}
	for n, token := range tokens {
		got := w.tokens(map[string]string{"grant_type": "refresh_token", "refresh_token": token})
		if alive := got["access_token"] != nil; alive != (n > 0) {
			t.Errorf("token %d: %v", n, got)
		}
	}
	w.sim.Kit.Clock.Advance(200 * 24 * time.Hour)
	if got := w.tokens(map[string]string{"grant_type": "refresh_token", "refresh_token": tokens[2]}); got["error"] != "invalid_grant" {
		t.Errorf("after months: %v", got)
	}
}
