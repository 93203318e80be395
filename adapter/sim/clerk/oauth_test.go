package clerk_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
)

func TestAuthorizeThroughThePages(t *testing.T) {
	t.Parallel()
	b := start(t)
	got := b.get(t, "/oauth/authorize?"+request(nil).Encode())
	if got.status != http.StatusFound || got.location.Path != "/sign-in" {
		t.Fatalf("without a signed-in user: %d to %v", got.status, got.location)
	}
	form := b.get(t, got.location.String())
	if !strings.Contains(form.body, "ada@example.com") {
		t.Errorf("the page does not name the user:\n%s", form.body)
	}
	entered := form.hidden()
	entered.Set("email", "ada@example.com")
	entered.Set("password", "wrong")
	if refused := b.post(t, "/sign-in", entered); refused.status != http.StatusUnauthorized || refused.hidden().Get("redirect_url") == "" {
		t.Errorf("a wrong password: %d", refused.status)
	}
	entered.Set("password", "ada's password")
	got = b.post(t, "/sign-in", entered)
	if got.status != http.StatusSeeOther || got.location.Path != "/oauth/authorize" {
		t.Fatalf("signed in: %d to %v", got.status, got.location)
	}
	got = b.get(t, got.location.String())
	if got.status != http.StatusFound || got.location.Path != "/oauth-consent" {
		t.Fatalf("on to consent: %d to %v", got.status, got.location)
	}
	page := b.get(t, got.location.String())
	for _, want := range []string{"Assistant", "user:org:read", `value="org_acme" selected>Acme &amp; Söhne`, `value="org_second">Second`, "No organization"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q:\n%s", want, page.body)
		}
	}
	if strings.Contains(page.body, "Foreign") {
		t.Error("the page offers an organization that is not Ada's")
	}
	consent := page.hidden()
	consent.Set("organization_id", "org_second")
	consent.Set("consented", "true")
	got = b.post(t, "/oauth-consent", consent)
	q := got.location.Query()
	if got.status != http.StatusSeeOther || !strings.HasPrefix(got.location.String(), callback+"?") || q.Get("state") != "a-state-that-is-long" || q.Get("iss") != b.Origin() {
		t.Fatalf("consented: %d to %v", got.status, got.location)
	}
	tokens := b.post(t, "/oauth/token", redeem(q.Get("code"))).json(t)
	c := claims(t, tokens["access_token"])
	if c["org_id"] != "org_second" || c["sub"] != "user_ada" || c["client_id"] != "public" || c["iss"] != b.Origin() || c["aud"] != nil {
		t.Errorf("claims %v", c)
	}
	if tokens["token_type"] != "Bearer" || tokens["expires_in"] != float64(86400) || tokens["refresh_token"] == nil || tokens["scope"] != "profile email user:org:read" {
		t.Errorf("answer %v", tokens)
	}
}

func TestConsentCanBeDeniedAndNotForged(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.signIn(t)
	page := b.get(t, "/oauth-consent?"+request(nil).Encode())
	vary := func(change map[string]string) url.Values {
		form := page.hidden()
		for name, value := range change {
			form.Set(name, value)
		}
		return form
	}
	got := b.post(t, "/oauth-consent", vary(map[string]string{"consented": "false"}))
	if got.location == nil || got.location.Query().Get("error") != "access_denied" {
		t.Errorf("denied: %d to %v", got.status, got.location)
	}
	got = b.post(t, "/oauth-consent", vary(map[string]string{"consented": "true", "organization_id": "org_foreign"}))
	if got.location == nil || got.location.Query().Get("error") != "access_denied" {
		t.Errorf("somebody else's organization: %d to %v", got.status, got.location)
	}
	if got = b.post(t, "/oauth-consent", vary(map[string]string{"consented": "true", "csrf": "forged"})); got.status != http.StatusForbidden {
		t.Errorf("a forged form: %d", got.status)
	}
	if got = b.post(t, "/oauth-consent", vary(map[string]string{"consented": "true", "redirect_uri": "https://evil.example"})); got.status != http.StatusBadRequest {
		t.Errorf("a changed redirect_uri: %d", got.status)
	}
}

func TestSignInStaysHere(t *testing.T) {
	t.Parallel()
	for _, to := range []string{"https://evil.example", "//evil.example", `/\evil.example`, "javascript:alert(1)"} {
		b := start(t)
		got := b.post(t, "/sign-in", url.Values{"email": {"ada@example.com"}, "password": {"ada's password"}, "redirect_url": {to}})
		if got.location == nil || got.location.Path != "/organizations" {
			t.Errorf("%q led to %v", to, got.location)
		}
	}
}

func TestActiveOrganizationIsChosenOnItsPage(t *testing.T) {
	t.Parallel()
	b := start(t)
	if got := b.get(t, "/organizations"); got.location == nil || got.location.Path != "/sign-in" {
		t.Fatalf("without a signed-in user: %d to %v", got.status, got.location)
	}
	b.signIn(t)
	form := b.get(t, "/organizations").hidden()
	form.Set("organization_id", "org_second")
	b.post(t, "/organizations", form)
	if page := b.get(t, "/organizations"); !strings.Contains(page.body, `value="org_second" selected`) {
		t.Errorf("the choice is not kept:\n%s", page.body)
	}
	form.Set("organization_id", "org_foreign")
	if got := b.post(t, "/organizations", form); got.status != http.StatusForbidden {
		t.Errorf("a foreign organization: %d", got.status)
	}
	b.post(t, "/organizations", url.Values{"csrf": {form.Get("csrf")}, "sign_out": {"true"}})
	if got := b.get(t, "/organizations"); got.location == nil || got.location.Path != "/sign-in" {
		t.Errorf("signed out: %d to %v", got.status, got.location)
	}
}

func TestAuthorizeRefuses(t *testing.T) {
	t.Parallel()
	b := start(t)
	for name, c := range map[string]struct {
		vary map[string]string
		want string // an OAuth error; "" for a page
	}{
		"unknown client":           {map[string]string{"client_id": "other"}, ""},
		"no client":                {map[string]string{"client_id": ""}, ""},
		"other redirect_uri":       {map[string]string{"redirect_uri": "https://evil.example"}, ""},
		"longer redirect_uri":      {map[string]string{"redirect_uri": callback + "/more"}, ""},
		"redirect_uri with query":  {map[string]string{"redirect_uri": callback + "?a=b"}, ""},
		"no redirect_uri":          {map[string]string{"redirect_uri": ""}, ""},
		"loopback, other path":     {map[string]string{"redirect_uri": "http://127.0.0.1:5000/other"}, ""},
		"localhost, other port":    {map[string]string{"redirect_uri": "http://localhost:5000/callback"}, ""},
		"loopback, https":          {map[string]string{"redirect_uri": "https://127.0.0.1:5000/callback"}, ""},
		"not loopback":             {map[string]string{"redirect_uri": "http://10.0.0.1:5000/callback"}, ""},
		"token":                    {map[string]string{"response_type": "token"}, "unsupported_response_type"},
		"no challenge":             {map[string]string{"code_challenge": "", "code_challenge_method": ""}, "invalid_request"},
		"plain challenge":          {map[string]string{"code_challenge_method": "plain"}, "invalid_request"},
		"no method":                {map[string]string{"code_challenge_method": ""}, "invalid_request"},
		"short state, confidental": {map[string]string{"client_id": "secretive", "redirect_uri": callback + "?x=1", "state": "short", "code_challenge": "", "code_challenge_method": ""}, "invalid_request"},
		"unknown scope":            {map[string]string{"scope": "email everything"}, "invalid_scope"},
		"unknown prompt":           {map[string]string{"prompt": "maybe"}, "invalid_request"},
		"no user to ask":           {map[string]string{"prompt": "none"}, "login_required"},
	} {
		got := b.get(t, "/oauth/authorize?"+request(c.vary).Encode())
		if c.want == "" {
			if got.status != http.StatusBadRequest || got.location != nil {
				t.Errorf("%s: %d to %v", name, got.status, got.location)
			}
			continue
		}
		if got.location == nil || got.location.Query().Get("error") != c.want {
			t.Errorf("%s: %d to %v", name, got.status, got.location)
		}
	}
	b.signIn(t)
	if got := b.get(t, "/oauth/authorize?"+request(map[string]string{"prompt": "none"}).Encode()); got.location.Query().Get("error") != "consent_required" {
		t.Errorf("prompt none: %v", got.location)
	}
	for _, loopback := range []string{"http://127.0.0.1:5000/callback", "http://127.0.0.1/callback", "http://[::1]:5000/callback"} {
		if got := b.get(t, "/oauth/authorize?"+request(map[string]string{"redirect_uri": loopback}).Encode()); got.status != http.StatusFound {
			t.Errorf("%s: %d", loopback, got.status)
		}
	}
}

// approved returns the code of a request that is approved immediately.
func approved(t *testing.T, b browser, vary map[string]string) string {
	t.Helper()
	b.Configure(func(s *sim.Settings) { s.AutoApprove = true })
	got := b.get(t, "/oauth/authorize?"+request(vary).Encode())
	if got.location == nil || got.location.Query().Get("code") == "" {
		t.Fatalf("%d to %v: %s", got.status, got.location, got.body)
	}
	return got.location.Query().Get("code")
}

func TestAutoApprove(t *testing.T) {
	t.Parallel()
	b := start(t)
	for want, vary := range map[string]map[string]string{"org_acme": nil, "org_second": {"organization_id": "org_second"}} {
		tokens := b.post(t, "/oauth/token", redeem(approved(t, b, vary))).json(t)
		if c := claims(t, tokens["access_token"]); c["org_id"] != want {
			t.Errorf("%v: %v", vary, c)
		}
	}
	tokens := b.post(t, "/oauth/token", redeem(approved(t, b, map[string]string{"scope": ""}))).json(t)
	if c := claims(t, tokens["access_token"]); c["org_id"] != nil || c["scope"] != "profile email" {
		t.Errorf("without a scope: %v", c)
	}
	got := b.get(t, "/oauth/authorize?"+request(map[string]string{"organization_id": "org_foreign"}).Encode())
	if got.location.Query().Get("error") != "access_denied" {
		t.Errorf("a foreign organization: %v", got.location)
	}
}

func TestAnswersOfTheAuthorizationEndpoint(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.Configure(func(s *sim.Settings) { s.AutoApprove = true })
	got := b.get(t, "/oauth/authorize?"+request(nil).Encode())
	if got.location.Query().Get("iss") != b.Origin() {
		t.Errorf("not stamped: %v", got.location)
	}
	if m := b.get(t, "/.well-known/oauth-authorization-server").json(t); m["authorization_response_iss_parameter_supported"] != true {
		t.Errorf("not said: %v", m)
	}
	got = b.get(t, "/oauth/authorize?"+request(map[string]string{"response_mode": "form_post"}).Encode())
	if form := got.hidden(); got.status != http.StatusOK || form.Get("code") == "" || form.Get("state") == "" || form.Get("iss") == "" {
		t.Errorf("form_post: %d\n%s", got.status, got.body)
	}
	got = b.get(t, "/oauth/authorize?"+request(map[string]string{"client_id": "secretive", "redirect_uri": callback + "?x=1"}).Encode())
	if q := got.location.Query(); q.Get("x") != "1" || q.Get("code") == "" {
		t.Errorf("a redirect_uri with a query: %v", got.location)
	}
}

func TestSignedInPeopleAreSentToTheWebApplication(t *testing.T) {
	t.Parallel()
	b := start(t, func(o *sim.Options) { o.Settings.SignInURL = "https://app.example.com/sign-in" })
	b.signIn(t)
	got := b.get(t, "/oauth/authorize?"+request(nil).Encode())
	to := got.location.Query().Get("redirect_url")
	if got.location.Host != "app.example.com" || !strings.HasPrefix(to, b.Origin()+"/oauth-consent?") {
		t.Fatalf("sent to %v", got.location)
	}
	if page := b.get(t, to); page.status != http.StatusOK || !strings.Contains(page.body, "Allow access?") {
		t.Errorf("and on: %d", page.status)
	}
}

func TestTokenEndpointRefuses(t *testing.T) {
	t.Parallel()
	b := start(t)
	used := approved(t, b, nil)
	first := b.post(t, "/oauth/token", redeem(used)).json(t)
	vary := func(code string, change map[string]string) url.Values {
		form := redeem(code)
		for name, value := range change {
			form.Set(name, value)
		}
		return form
	}
	for name, c := range map[string]struct {
		form   url.Values
		status int
		code   string
	}{
		"unknown code":      {redeem("code_unknown"), 400, "invalid_grant"},
		"no verifier":       {vary(approved(t, b, nil), map[string]string{"code_verifier": ""}), 400, "invalid_grant"},
		"another verifier":  {vary(approved(t, b, nil), map[string]string{"code_verifier": strings.Repeat("x", 43)}), 400, "invalid_grant"},
		"another redirect":  {vary(approved(t, b, nil), map[string]string{"redirect_uri": "https://evil.example"}), 400, "invalid_grant"},
		"another client":    {vary(approved(t, b, nil), map[string]string{"client_id": "secretive", "client_secret": "client secret"}), 400, "invalid_grant"},
		"unknown client":    {vary(approved(t, b, nil), map[string]string{"client_id": "other"}), 401, "invalid_client"},
		"a secret too many": {vary(approved(t, b, nil), map[string]string{"client_secret": "x"}), 401, "invalid_client"},
		"no secret":         {vary(approved(t, b, nil), map[string]string{"client_id": "secretive"}), 401, "invalid_client"},
		"password grant":    {vary("", map[string]string{"grant_type": "password"}), 400, "unsupported_grant_type"},
		"unknown refresh":   {url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {"public"}}, 400, "invalid_grant"},
		"parameter twice":   {url.Values{"grant_type": {"refresh_token", "refresh_token"}}, 400, "invalid_request"},
	} {
		got := b.post(t, "/oauth/token", c.form)
		if got.status != c.status || got.json(t)["error"] != c.code {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if got := b.post(t, "/oauth/token", redeem(used)); got.status != 400 || got.json(t)["error"] != "invalid_grant" {
		t.Errorf("a code twice: %d %s", got.status, got.body)
	}
	refresh := url.Values{"grant_type": {"refresh_token"}, "client_id": {"public"}, "refresh_token": {first["refresh_token"].(string)}}
	if got := b.post(t, "/oauth/token", refresh); got.status != 400 {
		t.Errorf("what a code gave that was used twice: %d", got.status)
	}
	late := approved(t, b, nil)
	b.Kit.Clock.Advance(10 * time.Minute)
	if got := b.post(t, "/oauth/token", redeem(late)); got.json(t)["error"] != "invalid_grant" {
		t.Errorf("a late code: %s", got.body)
	}
}

func TestRefreshAndRevoke(t *testing.T) {
	t.Parallel()
	b := start(t)
	first := b.post(t, "/oauth/token", redeem(approved(t, b, map[string]string{"scope": "openid profile email user:org:read", "nonce": "n"}))).json(t)
	if c := claims(t, first["id_token"]); c["aud"] != "public" || c["nonce"] != "n" || c["email"] != "ada@example.com" || c["client_id"] != nil {
		t.Errorf("id token %v", c)
	}
	form := url.Values{"grant_type": {"refresh_token"}, "client_id": {"public"}, "refresh_token": {first["refresh_token"].(string)}}
	second := b.post(t, "/oauth/token", form).json(t)
	if c := claims(t, second["access_token"]); c["org_id"] != "org_acme" || second["access_token"] == first["access_token"] {
		t.Errorf("refreshed: %v", c)
	}
	form.Set("scope", "email")
	if c := claims(t, b.post(t, "/oauth/token", form).json(t)["access_token"]); c["scope"] != "email" || c["org_id"] != nil {
		t.Errorf("narrowed: %v", c)
	}
	form.Set("scope", "email private_metadata")
	if got := b.post(t, "/oauth/token", form); got.json(t)["error"] != "invalid_scope" {
		t.Errorf("widened: %s", got.body)
	}
	form.Del("scope")
	b.call(t, http.MethodDelete, "/v1/organizations/org_acme/memberships/user_ada", "")
	if c := claims(t, b.post(t, "/oauth/token", form).json(t)["access_token"]); c["org_id"] != nil {
		t.Errorf("after leaving: %v", c)
	}
	if got := b.post(t, "/oauth/token/revoke", url.Values{"client_id": {"public"}, "token": {first["access_token"].(string)}}); got.json(t)["error"] != "unsupported_token_type" {
		t.Errorf("a JWT revoked: %s", got.body)
	}
	if got := b.post(t, "/oauth/token/revoke", url.Values{"client_id": {"public"}, "token": {first["refresh_token"].(string)}}); got.status != 200 {
		t.Errorf("revoked: %d", got.status)
	}
	if got := b.post(t, "/oauth/token", form); got.json(t)["error"] != "invalid_grant" {
		t.Errorf("after revoking: %s", got.body)
	}
}

func TestConfidentialClient(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.Configure(func(s *sim.Settings) { s.AutoApprove = true })
	for name, sign := range map[string]func(*http.Request, url.Values){
		"in the body": func(_ *http.Request, form url.Values) {
			form.Set("client_id", "secretive")
			form.Set("client_secret", "client secret")
		},
		"in the header": func(r *http.Request, _ url.Values) { r.SetBasicAuth("secretive", url.QueryEscape("client secret")) },
	} {
		got := b.get(t, "/oauth/authorize?"+request(map[string]string{
			"client_id": "secretive", "redirect_uri": callback + "?x=1", "code_challenge": "", "code_challenge_method": "",
		}).Encode())
		form := url.Values{"grant_type": {"authorization_code"}, "code": {got.location.Query().Get("code")}, "redirect_uri": {callback + "?x=1"}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.Origin()+"/oauth/token", nil)
		if err != nil {
			t.Fatal(err)
		}
		sign(r, form)
		header := r.Header
		r, err = http.NewRequestWithContext(t.Context(), http.MethodPost, b.Origin()+"/oauth/token", strings.NewReader(form.Encode()))
		if err == nil {
			r.Header = header
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		if answer := b.do(t, r, err); answer.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, answer.status, answer.body)
		}
	}
}

func TestOpaqueTokens(t *testing.T) {
	t.Parallel()
	b := start(t)
	b.Configure(func(s *sim.Settings) { s.OpaqueTokens = true })
	token, _ := b.post(t, "/oauth/token", redeem(approved(t, b, nil))).json(t)["access_token"].(string)
	if !strings.HasPrefix(token, "oat_") || strings.Contains(token, ".") {
		t.Fatalf("token %q", token)
	}
	got := b.call(t, http.MethodPost, "/v1/oauth_applications/access_tokens/verify", `{"access_token":"`+token+`"}`).json(t)
	if got["client_id"] != "public" || got["subject"] != "user_ada" || got["revoked"] != false || got["org_id"] != nil {
		t.Errorf("verified: %v", got)
	}
	info := b.post(t, "/oauth/token_info", url.Values{"client_id": {"public"}, "token": {token}}).json(t)
	if info["active"] != true || info["org_id"] != "org_acme" {
		t.Errorf("token_info: %v", info)
	}
	b.post(t, "/oauth/token/revoke", url.Values{"client_id": {"public"}, "token": {token}})
	if info := b.post(t, "/oauth/token_info", url.Values{"client_id": {"public"}, "token": {token}}).json(t); info["active"] != false {
		t.Errorf("revoked: %v", info)
	}
}

func TestUserinfo(t *testing.T) {
	t.Parallel()
	b := start(t)
	token, err := b.AccessToken("user_ada", "org_acme", "public", sim.TokenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for bearer, want := range map[string]int{
		token: 200, "": 401, "nonsense": 401, token[:len(token)-4]: 401,
		base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + ".e30.": 401,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.Origin()+"/oauth/userinfo", nil)
		if err == nil {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		got := b.do(t, r, err)
		if got.status != want {
			t.Errorf("%q: %d", bearer, got.status)
		}
		if want == 200 {
			if u := got.json(t); u["email"] != "ada@example.com" || u["org_id"] != "org_acme" || u["name"] != "Ada" {
				t.Errorf("got %v", u)
			}
		}
	}
}
