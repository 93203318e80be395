package quickbooks_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/quickbooks"
)

func TestPages(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	status, location, _ := w.get("/connect/oauth2?" + query(nil).Encode())
	if status != 302 || !strings.HasPrefix(location, "/app/sign-in?") {
		t.Fatalf("authorize: %d %s", status, location)
	}
	back := parsed(t, location).Get("return_url")
	if status, _, _ = w.post("/app/sign-in", url.Values{"return_url": {back}, "email": {"owner@example.com"}, "password": {"wrong"}}); status != 401 {
		t.Errorf("a wrong password: %d", status)
	}
	if status, _, _ = w.post("/app/sign-in", url.Values{"return_url": {"//evil.example"}, "email": {"owner@example.com"}, "password": {"password"}}); status != 400 {
		t.Errorf("a foreign return address: %d", status)
	}
	_, location, _ = w.post("/app/sign-in", url.Values{"return_url": {back}, "email": {"owner@example.com"}, "password": {"password"}})
	if location != back {
		t.Fatalf("signed in to %s", location)
	}
	_, location, _ = w.get(location)
	_, _, body := w.get(location)
	if !strings.Contains(body, "Red Brick Traders") || !strings.Contains(body, "Corner Garage") {
		t.Fatalf("the page shows no companies: %s", body)
	}
	form := url.Values{}
	for _, field := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(body, -1) {
		form.Set(field[1], strings.NewReplacer("&amp;", "&", "&#43;", "+").Replace(field[2]))
	}
	post := func(name, value string) (int, url.Values) {
		form.Set(name, value)
		status, location, _ := w.post("/app/connect", form)
		return status, parsed(t, location)
	}
	if status, _ := post("consented", "true"); status != 400 {
		t.Errorf("no company chosen: %d", status)
	}
	if status, q := post("realm_id", quickbooks.USCompany); status != 303 || q.Get("realmId") != quickbooks.USCompany || q.Get("code") == "" || q.Get("state") != "state-1" {
		t.Errorf("consent: %d %v", status, q)
	}
	if _, q := post("realm_id", "123"); q.Get("error") != "access_denied" {
		t.Errorf("a company that is not theirs: %v", q)
	}
	if _, q := post("consented", "false"); q.Get("error") != "access_denied" || q.Get("state") != "state-1" || q.Has("realmId") {
		t.Errorf("declined: %v", q)
	}
	if status, _ := post("csrf", "forged"); status != 403 {
		t.Errorf("a forged form: %d", status)
	}
}

func TestAuthorizationRefused(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	for name, value := range map[string]string{
		"client_id": "unknown", "redirect_uri": redirect + "/other", "response_type": "token", "state": "", "scope": "everything",
	} {
		status, location, _ := w.get("/connect/oauth2?" + query(map[string]string{name: value}).Encode())
		if status != 400 || location != "" {
			t.Errorf("%s=%q: %d %s", name, value, status, location)
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	code := func() string { return w.authorize(nil).Get("code") }
	if got := w.exchange(code(), redirect+"/"); got.Error != "invalid_grant" {
		t.Errorf("another redirect address: %+v", got)
	}
	used := code()
	if got := w.exchange(used, redirect); got.Access == "" || got.Expires != 3600 || got.HardExpires != 5*365*24*3600 {
		t.Errorf("exchange: %+v", got)
	}
	if got := w.exchange(used, redirect); got.Error != "invalid_grant" {
		t.Errorf("a used code: %+v", got)
	}
	late := code()
	w.sim.Kit.Clock.Advance(11 * time.Minute)
	if got := w.exchange(late, redirect); got.Error != "invalid_grant" {
		t.Errorf("a late code: %+v", got)
	}
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code()}, "redirect_uri": {redirect}}
	if status, body := w.form(tokenPath, form, clientID, "wrong"); status != 401 || !strings.Contains(body, "invalid_client") {
		t.Errorf("a wrong secret: %d %s", status, body)
	}
	if status, body := w.form(tokenPath, form, "other", "other"); status != 400 || !strings.Contains(body, "invalid_grant") {
		t.Errorf("another application's code: %d %s", status, body)
	}
	if got := w.token(url.Values{"grant_type": {"password"}}); got.Error != "unsupported_grant_type" {
		t.Errorf("another grant type: %+v", got)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	first := w.tokens.Refresh
	w.sim.Kit.Clock.Advance(23 * time.Hour)
	if got := w.refresh(first); got.Refresh != first || got.Access == w.tokens.Access {
		t.Errorf("within a day: %+v", got)
	}
	w.sim.Kit.Clock.Advance(2 * time.Hour)
	second := w.refresh(first).Refresh
	if second == first || second == "" {
		t.Errorf("after a day the token is %q", second)
	}
	if got := w.refresh(first); got.Error != "invalid_grant" {
		t.Errorf("the old token: %+v", got)
	}
	w.sim.Kit.Clock.Advance(101 * 24 * time.Hour)
	if got := w.refresh(second); got.Error != "invalid_grant" {
		t.Errorf("after 101 days: %+v", got)
	}
	w.sim.SetLimits(func(l *quickbooks.Limits) { l.ConsentLifetime = 48 * time.Hour })
	last := w.exchange(w.authorize(nil).Get("code"), redirect).Refresh
	w.sim.Kit.Clock.Advance(49 * time.Hour)
	if got := w.refresh(last); got.Error != "invalid_grant" {
		t.Errorf("after the consent's own end: %+v", got)
	}
}

func TestRevoke(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	for _, body := range []string{`{"token":"TOKEN"}`, "token=TOKEN"} {
		body = strings.Replace(body, "TOKEN", w.tokens.Refresh, 1)
		req, err := http.NewRequest("POST", w.url+revokePath, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.SetBasicAuth(clientID, clientSecret)
		req.Header.Set("Content-Type", "application/json")
		if strings.HasPrefix(body, "token") {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if status, _, got := w.read(http.DefaultClient.Do(req)); status != 200 {
			t.Errorf("revoke: %d %s", status, got)
		}
		if got := w.refresh(w.tokens.Refresh); got.Error != "invalid_grant" {
			t.Errorf("after it: %+v", got)
		}
		if r := w.do(401, "GET", "preferences", nil); r.at("fault", "error", 0, "code") != "3200" || r.at("fault", "type") != "AUTHENTICATION" {
			t.Errorf("after it: %s", r.raw)
		}
		w.tokens = w.exchange(w.authorize(nil).Get("code"), redirect)
	}
	if status, _ := w.form(revokePath, url.Values{"token": {"unknown"}}, clientID, clientSecret); status != 400 {
		t.Errorf("an unknown token: %d", status)
	}
	w.sim.Disconnect(quickbooks.USCompany)
	w.do(200, "GET", "preferences", nil)
	w.sim.Disconnect("")
	w.do(401, "GET", "preferences", nil)
}

func TestConsents(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.VATCompany, nil)
	first := w.tokens
	w.tokens = w.exchange(w.authorize(nil).Get("code"), redirect)
	w.do(200, "GET", "preferences", nil)
	if got := w.refresh(first.Refresh); got.Access == "" {
		t.Errorf("the first consent's token: %+v", got)
	}
	for realm, code := range map[string]bool{quickbooks.USCompany: true, "": false, "1": false} {
		to, err := w.sim.Consent(w.url+"/connect/oauth2?"+query(nil).Encode(), realm)
		if err != nil {
			t.Fatal(err)
		}
		if q := parsed(t, to); q.Has("code") != code || q.Has("error") == code {
			t.Errorf("consent to %q: %v", realm, q)
		}
	}
	if _, err := w.sim.Consent(w.url+"/connect/oauth2?client_id=unknown", quickbooks.USCompany); err == nil {
		t.Error("an unknown application was given consent")
	}
}

func TestIDToken(t *testing.T) {
	t.Parallel()
	w := connected(t, quickbooks.USCompany, nil)
	_, _, body := w.get("/.well-known/openid_configuration/")
	var discovery struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
		Token  string `json:"token_endpoint"`
	}
	decode(t, []byte(body), &discovery)
	if discovery.Issuer != quickbooks.Issuer || discovery.Token != w.url+tokenPath {
		t.Errorf("discovery %+v", discovery)
	}
	_, _, body = w.get(strings.TrimPrefix(discovery.JWKS, w.url))
	var keys struct{ Keys []struct{ Kid, N, E string } }
	decode(t, []byte(body), &keys)
	parts := strings.Split(w.tokens.ID, ".")
	var header struct{ Kid string }
	decode(t, unbase64(t, parts[0]), &header)
	if header.Kid != keys.Keys[0].Kid {
		t.Errorf("kid %q", header.Kid)
	}
	key := rsa.PublicKey{N: new(big.Int).SetBytes(unbase64(t, keys.Keys[0].N)), E: int(new(big.Int).SetBytes(unbase64(t, keys.Keys[0].E)).Int64())}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&key, crypto.SHA256, sum[:], unbase64(t, parts[2])); err != nil {
		t.Error(err)
	}
	var claims struct {
		Iss, Realmid string
		Aud          []string
		Exp          int64
	}
	decode(t, unbase64(t, parts[1]), &claims)
	if claims.Iss != quickbooks.Issuer || claims.Realmid != quickbooks.USCompany || len(claims.Aud) != 1 || claims.Aud[0] != clientID || claims.Exp != start.Add(time.Hour).Unix() {
		t.Errorf("claims %+v", claims)
	}
	req, err := http.NewRequest("GET", w.url+"/v1/openid_connect/userinfo", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.tokens.Access)
	if status, _, body := w.read(http.DefaultClient.Do(req)); status != 200 || !strings.Contains(body, "owner@example.com") {
		t.Errorf("userinfo: %d %s", status, body)
	}
}

func decode(t testing.TB, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func unbase64(t testing.TB, s string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
