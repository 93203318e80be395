package xero_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/xero"
)

func claims(t testing.TB, token string) (out map[string]any) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("not a JWT: %q", token)
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestConsentByHand uses the pages: it signs in, selects one organization and consents.
func TestConsentByHand(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	start := "/identity/connect/authorize?" + query(nil).Encode()
	status, location, _ := w.get(start)
	if status != http.StatusFound || !strings.HasPrefix(location, "/identity/user/login?") {
		t.Fatalf("authorize sends to %d %q", status, location)
	}
	back := parsed(t, location).Get("return_url")
	if _, _, body := w.get(location); !strings.Contains(body, "owner@example.com") {
		t.Errorf("the sign-in page does not name the user:\n%s", body)
	}
	if status, _, _ := w.post("/identity/user/login", url.Values{"email": {"owner@example.com"}, "password": {"wrong"}, "return_url": {back}}); status != http.StatusUnauthorized {
		t.Errorf("a wrong password is %d", status)
	}
	for _, bad := range []string{"", "https://evil.example/", "//evil.example/", `/\evil.example`} {
		if status, _, _ := w.post("/identity/user/login", url.Values{"email": {"owner@example.com"}, "password": {"password"}, "return_url": {bad}}); status != http.StatusBadRequest {
			t.Errorf("back to %q is %d", bad, status)
		}
	}
	status, location, _ = w.post("/identity/user/login", url.Values{"email": {"OWNER@example.com"}, "password": {"password"}, "return_url": {back}})
	if status != http.StatusSeeOther || location != start {
		t.Fatalf("log-in: %d %q", status, location)
	}
	_, location, _ = w.get(location)
	_, _, page := w.get(location)
	form := url.Values{}
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		form.Set(field[1], strings.NewReplacer("&#43;", "+", "&amp;", "&").Replace(field[2]))
	}
	if !strings.Contains(page, "Blue Harbour Trading") || !strings.Contains(page, "accounting.invoices") {
		t.Errorf("the page to consent is short of something:\n%s", page)
	}
	form.Set("consented", "true")
	if status, _, body := w.post("/authorize/consent", form); status != http.StatusBadRequest || !strings.Contains(body, "at least one") {
		t.Errorf("no organization: %d", status)
	}
	form.Set("organization_id", xero.UntaxedOrganization)
	stolen := url.Values{}
	for name, value := range form {
		stolen[name] = value
	}
	stolen.Set("csrf", "other")
	if status, _, _ := w.post("/authorize/consent", stolen); status != http.StatusForbidden {
		t.Errorf("a foreign form: %d", status)
	}
	status, location, _ = w.post("/authorize/consent", form)
	answer := parsed(t, location)
	if status != http.StatusSeeOther || answer.Get("state") != "state-1" || answer.Get("code") == "" {
		t.Fatalf("consent: %d %q", status, location)
	}
	w.tokens = w.exchange(answer.Get("code"), nil)
	if names := w.connections(""); fmt.Sprint(names) != "[Small Workshop]" {
		t.Errorf("connected %v", names)
	}
	form.Set("consented", "false")
	if _, location, _ := w.post("/authorize/consent", form); parsed(t, location).Get("error") != "access_denied" {
		t.Errorf("denied: %q", location)
	}
}

func (w *world) connections(event string) (names []string) {
	w.t.Helper()
	for _, c := range w.connectionList(event) {
		names = append(names, c["tenantName"].(string))
	}
	return names
}

func (w *world) connectionList(event string) (out []map[string]any) {
	w.t.Helper()
	r := w.do(http.StatusOK, http.MethodGet, "/connections?authEventId="+event, nil)
	if err := json.Unmarshal([]byte(r.raw), &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

func TestAuthorizationIsRefusedOnAPage(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *xero.Options) { o.Settings.AutoApprove = true })
	for name, extra := range map[string]map[string]string{
		"unknown client":    {"client_id": "unknown"},
		"other address":     {"redirect_uri": "https://books.example/callback/"},
		"this machine":      {"redirect_uri": "http://127.0.0.1:4000/"},
		"unknown scope":     {"scope": "openid accounting.everything"},
		"no scope":          {"scope": ""},
		"other answer":      {"response_type": "token"},
		"plain challenge":   {"code_challenge": strings.Repeat("a", 43), "code_challenge_method": "plain"},
		"native, no proof":  {"client_id": "NATIVE"},
		"unusual challenge": {"code_challenge": strings.Repeat("a", 43)},
	} {
		status, location, body := w.get("/identity/connect/authorize?" + query(extra).Encode())
		if status != http.StatusBadRequest || location != "" || !strings.Contains(body, "Error: ") {
			t.Errorf("%s: %d %q", name, status, location)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *xero.Options) { o.Settings.AutoApprove = true })
	code := func(extra map[string]string) string { return w.authorize(extra).Get("code") }
	verifier := strings.Repeat("v", 64)
	sum := sha256.Sum256([]byte(verifier))
	proof := map[string]string{"code_challenge": base64.RawURLEncoding.EncodeToString(sum[:]), "code_challenge_method": "S256"}

	once := code(nil)
	if got := w.exchange(once, nil); got.Error != "" || got.Expires != 1800 || got.Refresh == "" || got.ID == "" {
		t.Errorf("a code gives %+v", got)
	}
	usedUp := w.exchange(once, nil)
	old := code(nil)
	w.sim.Kit.Clock.Advance(5 * time.Minute)
	for name, got := range map[string]tokens{
		"used":              usedUp,
		"expired":           w.exchange(old, nil),
		"unknown":           w.exchange("nothing", nil),
		"other address":     w.exchange(code(nil), map[string]string{"redirect_uri": redirect + "/"}),
		"missing verifier":  w.exchange(code(proof), nil),
		"wrong verifier":    w.exchange(code(proof), map[string]string{"code_verifier": strings.Repeat("w", 64)}),
		"verifier too much": w.exchange(code(nil), map[string]string{"code_verifier": verifier}),
		"other client":      w.exchange(code(nil), map[string]string{"client_id": "NATIVE"}),
	} {
		want := "invalid_grant"
		if got.Error != want || got.Access != "" {
			t.Errorf("%s: %+v, want %s", name, got, want)
		}
	}
	if got := w.exchange(code(proof), map[string]string{"code_verifier": verifier}); got.Error != "" {
		t.Errorf("with its verifier: %+v", got)
	}
	native := map[string]string{"client_id": "NATIVE"}
	for name, value := range proof {
		native[name] = value
	}
	if got := w.exchange(code(native), map[string]string{"client_id": "NATIVE", "code_verifier": verifier}); got.Error != "" {
		t.Errorf("a native application: %+v", got)
	}
	if got := w.token(url.Values{"grant_type": {"password"}}); got.Error != "unsupported_grant_type" {
		t.Errorf("other grant: %+v", got)
	}
	if got := w.exchange(code(nil), map[string]string{"client_id": clientID}); got.Error != "invalid_client" {
		t.Errorf("without its secret: %+v", got)
	}
	if got := w.exchange(code(map[string]string{"scope": "accounting.settings"}), nil); got.Refresh != "" || got.ID != "" || got.Scope != "accounting.settings" {
		t.Errorf("few scopes give %+v", got)
	}
}

func TestTokensStateWhoAndWhich(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	access, id := claims(t, w.tokens.Access), claims(t, w.tokens.ID)
	event, _ := access["authentication_event_id"].(string)
	if access["client_id"] != clientID || access["xero_userid"] == "" || event == "" || access["iss"] != w.url {
		t.Errorf("access token: %v", access)
	}
	if id["aud"] != clientID || id["email"] != "owner@example.com" || id["sub"] != access["sub"] || id["xero_userid"] != access["xero_userid"] {
		t.Errorf("id token: %v", id)
	}
	if names := w.connections(event); len(names) != 2 {
		t.Errorf("this consent connected %v", names)
	}
	if list := w.connectionList(""); list[0]["createdDateUtc"] != "2026-03-02T09:30:00.0000000" || list[0]["tenantType"] != "ORGANISATION" {
		t.Errorf("a connection: %v", list[0])
	}
	w.sim.Configure(func(s *xero.Settings) { s.AutoOrganizations = []string{xero.TaxedOrganization} })
	w.tokens = w.exchange(w.authorize(nil).Get("code"), nil)
	second, _ := claims(t, w.tokens.Access)["authentication_event_id"].(string)
	if fmt.Sprint(w.connections(second)) != "[Blue Harbour Trading]" || fmt.Sprint(w.connections(event)) != "[Small Workshop]" || len(w.connections("")) != 2 {
		t.Errorf("after a second consent: %v, %v", w.connections(second), w.connections(event))
	}
}

func TestRefreshTokensRotate(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	first := w.tokens.Refresh
	second := w.refresh(first)
	if second.Error != "" || second.Refresh == first || second.Refresh == "" {
		t.Fatalf("a refresh gives %+v", second)
	}
	w.sim.Kit.Clock.Advance(30*time.Minute - time.Second)
	if again := w.refresh(first); again.Error != "" || again.Refresh == second.Refresh {
		t.Errorf("within the grace: %+v", again)
	}
	w.sim.Kit.Clock.Advance(time.Second)
	if late := w.refresh(first); late.Error != "invalid_grant" {
		t.Errorf("after the grace: %+v", late)
	}
	third := w.refresh(second.Refresh)
	w.sim.Kit.Clock.Advance(60 * 24 * time.Hour)
	if unused := w.refresh(third.Refresh); unused.Error != "invalid_grant" {
		t.Errorf("unused for 60 days: %+v", unused)
	}
}

func TestSingleUseRefreshTokens(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.sim.SetLimits(func(l *xero.Limits) { l.RefreshGrace = 0 })
	if got := w.refresh(w.tokens.Refresh); got.Error != "" {
		t.Fatalf("%+v", got)
	}
	if got := w.refresh(w.tokens.Refresh); got.Error != "invalid_grant" {
		t.Errorf("a second use: %+v", got)
	}
}

func TestAccessTokensEnd(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	w.do(http.StatusOK, http.MethodGet, "/Currencies", nil)
	w.sim.Kit.Clock.Advance(30 * time.Minute)
	r := w.do(http.StatusUnauthorized, http.MethodGet, "/Currencies", nil)
	if detail, _ := r.body["Detail"].(string); !strings.HasPrefix(detail, "TokenExpired: token expired at 03/02/2026 10:00:00") || r.body["Title"] != "Unauthorized" {
		t.Errorf("expired: %s", r.raw)
	}
	w.do(http.StatusUnauthorized, http.MethodGet, "/connections", nil)
	w.tokens = w.refresh(w.tokens.Refresh)
	w.do(http.StatusOK, http.MethodGet, "/Currencies", nil)
}

func TestRevocationAndDisconnection(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	list := w.connectionList("")
	w.do(http.StatusNoContent, http.MethodDelete, "/connections/"+list[0]["id"].(string), nil)
	w.do(http.StatusNotFound, http.MethodDelete, "/connections/"+list[0]["id"].(string), nil)
	w.do(http.StatusForbidden, http.MethodGet, "/Accounts", nil)
	w.do(http.StatusOK, http.MethodGet, "/Accounts", nil, "xero-tenant-id", xero.UntaxedOrganization)

	revoke := func(secret string) int {
		req := w.request(http.MethodPost, "/connect/revocation", strings.NewReader("token="+url.QueryEscape(w.tokens.Refresh)))
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.SetBasicAuth(clientID, url.QueryEscape(secret))
		status, _, _ := w.read(http.DefaultClient.Do(req))
		return status
	}
	if status := revoke("wrong"); status != http.StatusBadRequest {
		t.Errorf("a wrong secret: %d", status)
	}
	if first, second := revoke(clientSecret), revoke(clientSecret); first != http.StatusOK || second != http.StatusOK {
		t.Errorf("revoked: %d, %d", first, second)
	}
	if got := w.refresh(w.tokens.Refresh); got.Error != "invalid_grant" {
		t.Errorf("after revocation: %+v", got)
	}
	if list := w.connectionList(""); len(list) != 0 {
		t.Errorf("after revocation: %v", list)
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	_, _, body := w.get("/.well-known/openid-configuration")
	var found map[string]any
	if err := json.Unmarshal([]byte(body), &found); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri"} {
		if at, _ := found[name].(string); !strings.HasPrefix(at, w.url+"/") {
			t.Errorf("%s is %q", name, at)
		}
	}
	_, _, keys := w.get(strings.TrimPrefix(found["jwks_uri"].(string), w.url))
	if !strings.Contains(keys, `"alg":"RS256"`) || strings.Contains(keys, `"d":`) {
		t.Errorf("keys: %s", keys)
	}
}

// TestOnlyOwnOrganizations checks that users can connect only their own organizations, and that a
// consent without an organization is refused.
func TestOnlyOwnOrganizations(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *xero.Options) {
		o.Users = []xero.User{{Email: "clerk@example.com", Organizations: []string{xero.UntaxedOrganization}}}
	})
	at := w.url + "/identity/connect/authorize?" + query(nil).Encode()
	for _, chosen := range [][]string{{xero.TaxedOrganization}, {xero.UntaxedOrganization, xero.TaxedOrganization}, {"unknown"}, nil} {
		to, err := w.sim.Consent(at, chosen...)
		if err != nil || parsed(t, to).Get("error") != "access_denied" || parsed(t, to).Get("code") != "" {
			t.Errorf("%v: %q, %v", chosen, to, err)
		}
	}
	to, err := w.sim.Consent(at, xero.UntaxedOrganization)
	if err != nil || parsed(t, to).Get("code") == "" || parsed(t, to).Get("state") != "state-1" {
		t.Errorf("their own: %q, %v", to, err)
	}
	if _, err := w.sim.Consent(w.url + "/identity/connect/authorize?client_id=unknown"); err == nil {
		t.Error("an unknown application is consented to")
	}
}
