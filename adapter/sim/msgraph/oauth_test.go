package msgraph_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/adapter/sim/msgraph"
)

// The verifier and its challenge of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)

// form reads the hidden inputs of a page.
func form(page string) url.Values {
	out := url.Values{}
	for _, found := range hiddenInput.FindAllStringSubmatch(page, -1) {
		out.Set(found[1], strings.NewReplacer("&amp;", "&", "&#43;", "+", "&#34;", `"`).Replace(found[2]))
	}
	return out
}

// TestConsentByHand signs in and consents on the pages.
func TestConsentByHand(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	status, location, _ := w.page(http.MethodGet, authorizePath+query(map[string]string{"nonce": "n-1"}).Encode(), nil)
	if status != http.StatusFound || !strings.HasPrefix(location, "/oauth/login?") {
		t.Fatalf("%d %s", status, location)
	}
	_, _, page := w.page(http.MethodGet, location, nil)
	login := form(page)
	login.Set("email", "owner@example.com")
	login.Set("password", "wrong")
	if status, _, page = w.page(http.MethodPost, "/oauth/login", login); status != http.StatusUnauthorized || !strings.Contains(page, "incorrect") {
		t.Fatalf("%d %s", status, page)
	}
	login.Set("password", "password")
	status, location, _ = w.page(http.MethodPost, "/oauth/login", login)
	if status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, location)
	}
	_, _, page = w.page(http.MethodGet, location, nil)
	if !strings.Contains(page, "docledger") || !strings.Contains(page, "Files.Read.All") {
		t.Fatal(page)
	}
	agree := form(page)
	for consented, want := range map[string]string{"true": "code=", "false": "error=access_denied"} {
		agree.Set("consented", consented)
		if _, location, _ = w.page(http.MethodPost, "/oauth/consent", agree); !strings.HasPrefix(location, redirect+"?") || !strings.Contains(location, want) {
			t.Errorf("consented %s: %s", consented, location)
		}
	}
	agree.Set("csrf", "other")
	if status, _, _ = w.page(http.MethodPost, "/oauth/consent", agree); status != http.StatusForbidden {
		t.Errorf("a form of another browser: %d", status)
	}
	login.Set("return_url", "//elsewhere.example/")
	if status, location, _ = w.page(http.MethodPost, "/oauth/login", login); status != http.StatusBadRequest {
		t.Errorf("sent to %q", location)
	}
}

func TestAuthorizationRefusals(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *msgraph.Options) { o.Settings.AutoApprove = true })
	for name, tc := range map[string]struct {
		change map[string]string
		code   string
	}{
		"client":    {map[string]string{"client_id": "other"}, "AADSTS700016"},
		"redirect":  {map[string]string{"redirect_uri": "https://elsewhere.example/"}, "AADSTS50011"},
		"type":      {map[string]string{"response_type": "token"}, "AADSTS70005"},
		"no scope":  {map[string]string{"scope": ""}, "AADSTS900144"},
		"scope":     {map[string]string{"scope": "Everything.Write"}, "AADSTS650053"},
		"challenge": {map[string]string{"code_challenge": challenge, "code_challenge_method": "plain"}, "AADSTS501491"},
	} {
		status, location, page := w.page(http.MethodGet, authorizePath+query(tc.change).Encode(), nil)
		if status != http.StatusBadRequest || location != "" || !strings.Contains(page, tc.code) {
			t.Errorf("%s: %d %q %s", name, status, location, page)
		}
	}
	if status, _, page := w.page(http.MethodGet, "/unknown/oauth2/v2.0/authorize?"+query(nil).Encode(), nil); status != http.StatusBadRequest || !strings.Contains(page, "AADSTS90002") {
		t.Errorf("tenant: %d", status)
	}
	if _, location, _ := w.page(http.MethodGet, authorizePath+query(map[string]string{"client_id": "public", "redirect_uri": "http://localhost:1/x?y=1"}).Encode(), nil); !strings.HasPrefix(location, "http://localhost:1/x?y=1&code=") {
		t.Errorf("a native application: %s", location)
	}
}

// refused compares a response with an error of the token endpoint.
func refused(t *testing.T, name string, answer map[string]any, kind string, number int) {
	t.Helper()
	codes, _ := answer["error_codes"].([]any)
	description, _ := answer["error_description"].(string)
	if answer["error"] != kind || len(codes) != 1 || codes[0] != float64(number) || !strings.HasPrefix(description, fmt.Sprintf("AADSTS%d: ", number)) ||
		answer["trace_id"] == "" || answer["correlation_id"] == "" || answer["timestamp"] == "" {
		t.Errorf("%s: %v, want %s %d", name, answer, kind, number)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *msgraph.Options) { o.Settings.AutoApprove = true })
	pkce := map[string]string{"code_challenge": challenge, "code_challenge_method": "S256", "nonce": "n-1"}
	exchange := func(code string) url.Values {
		return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {verifier}}
	}
	code := w.code(pkce)
	for name, tc := range map[string]struct {
		change map[string]string
		status int
		kind   string
		number int
	}{
		"secret":         {map[string]string{"client_id": clientID, "client_secret": "x"}, 401, "invalid_client", 7000215},
		"unknown client": {map[string]string{"client_id": "other"}, 400, "unauthorized_client", 700016},
		"public":         {map[string]string{"client_id": clientID}, 401, "invalid_client", 7000218},
		"redirect":       {map[string]string{"redirect_uri": "https://books.example/"}, 400, "invalid_grant", 50011},
		"verifier":       {map[string]string{"code_verifier": strings.Repeat("x", 43)}, 400, "invalid_grant", 501481},
		"code":           {map[string]string{"code": "x"}, 400, "invalid_grant", 9002313},
		"grant":          {map[string]string{"grant_type": "password"}, 400, "unsupported_grant_type", 70003},
	} {
		f := exchange(code)
		for key, value := range tc.change {
			f.Set(key, value)
		}
		refused(t, name, w.token(f, tc.status), tc.kind, tc.number)
	}
	pair := w.token(exchange(code), 200)
	refused(t, "used", w.token(exchange(code), 400), "invalid_grant", 54005)
	if pair["expires_in"] != 3599.0 || pair["token_type"] != "Bearer" || strings.Contains(pair["scope"].(string), "offline_access") {
		t.Errorf("%v", pair)
	}
	parts := strings.Split(pair["id_token"].(string), ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	w.must(err)
	var claims map[string]any
	w.must(json.Unmarshal(raw, &claims))
	if claims["tid"] != msgraph.DefaultTenant || claims["oid"] == "" || claims["aud"] != clientID || claims["nonce"] != "n-1" {
		t.Errorf("%v", claims)
	}
	late := w.code(pkce)
	w.sim.Kit.Clock.Advance(10 * time.Minute)
	refused(t, "late", w.token(exchange(late), 400), "invalid_grant", 70008)
}

// TestRefresh checks that a refresh returns another token and that the used token stays valid.
func TestRefresh(t *testing.T) {
	t.Parallel()
	w := connected(t, nil)
	renew := func(token string) url.Values {
		return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "scope": {allScopes}}
	}
	w.get(200, "/v1.0/me")
	w.sim.Kit.Clock.Advance(time.Hour)
	if r := w.get(401, "/v1.0/me"); r.code() != "InvalidAuthenticationToken" || !strings.Contains(r.raw, "expired") {
		t.Errorf("%s", r.raw)
	}
	first := w.refresh
	for range 3 {
		pair := w.token(renew(first), 200)
		if pair["refresh_token"] == first {
			t.Error("the refresh token did not change")
		}
		w.access, w.refresh = pair["access_token"].(string), pair["refresh_token"].(string)
		w.get(200, "/v1.0/me")
	}
	more := renew(first)
	more.Set("scope", "Files.ReadWrite.All")
	refused(t, "another scope", w.token(more, 400), "invalid_grant", 65001)
	w.sim.Kit.Clock.Advance(90 * 24 * time.Hour)
	refused(t, "expired", w.token(renew(first), 400), "invalid_grant", 700082)
	w = connected(t, nil)
	w.sim.Withdraw()
	refused(t, "withdrawn", w.token(renew(w.refresh), 400), "invalid_grant", 50173)
	w.get(401, "/v1.0/me")
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := open(t, nil)
	r := w.get(200, "/common/v2.0/.well-known/openid-configuration")
	if !strings.HasPrefix(r.text("token_endpoint"), w.url+"/common/") || r.text("issuer") != w.url+"/"+msgraph.DefaultTenant+"/v2.0" {
		t.Errorf("%s", r.raw)
	}
	if keys, _ := w.get(200, "/common/discovery/v2.0/keys").body["keys"].([]any); len(keys) != 1 {
		t.Error("there is no key")
	}
	w.get(400, "/unknown/v2.0/.well-known/openid-configuration")
}
