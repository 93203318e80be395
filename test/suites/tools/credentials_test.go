package tools

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	sim "docledger/adapter/sim/clerk"
	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// granted goes through the OAuth routes by hand and returns what they end in.
func (w *world) granted() map[string]string {
	w.t.Helper()
	const verifier = "a-verifier-that-is-as-long-as-verifiers-must-be"
	sum := sha256.Sum256([]byte(verifier))
	back, err := assistant.SignIn(w.t.Context(), w.URL+"/authorize?"+url.Values{
		"client_id": {harness.OAuthClient}, "redirect_uri": {assistant.Callback}, "response_type": {"code"}, "state": {"a-state-that-is-long"},
		"scope": {"openid profile email user:org:read"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := http.PostForm(w.URL+"/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Code}, "redirect_uri": {assistant.Callback}, "client_id": {harness.OAuthClient}, "code_verifier": {verifier},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, name := range []string{"access_token", "refresh_token", "id_token"} {
		if out[name], _ = answer[name].(string); out[name] == "" {
			w.t.Fatalf("there is no %s", name)
		}
	}
	return out
}

// TestCredentials takes every sort of token to every surface. Each is good
// where it belongs and gets the ordinary refusal elsewhere.
func TestCredentials(t *testing.T) {
	t.Parallel()
	w := start(t)
	granted := w.granted()
	surfaces := []struct{ name, method, path, body string }{
		{"the tool server", http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"the API", http.MethodGet, "/api/me", ""}, {"renewing", http.MethodPost, "/api/auth/refresh", "{}"},
	}
	for name, c := range map[string]struct {
		token string
		want  [3]int // at the surfaces
	}{
		"an OAuth token":                 {granted["access_token"], [3]int{200, 200, 403}},
		"that of another OAuth client":   {w.provider.OAuth("user_ada", "org_acme", harness.OAuthStranger, sim.TokenOptions{}), [3]int{401, 401, 401}},
		"that of no organization":        {w.provider.OAuth("user_ada", "", harness.OAuthClient, sim.TokenOptions{}), [3]int{200, 401, 401}},
		"the provider's session":         {w.provider.Session("user_ada", "org_acme", sim.TokenOptions{}), [3]int{401, 200, 400}},
		"the provider's id token":        {granted["id_token"], [3]int{401, 401, 401}},
		"the provider's refresh token":   {granted["refresh_token"], [3]int{401, 401, 401}},
		"a token of ours":                {w.Do(http.MethodPost, "/api/auth/login", "", map[string]string{"email": "ada@example.com", "password": harness.ProviderPassword}).OK().Text("token"), [3]int{401, 200, 200}},
		"a key":                          {"dlk_0123456789abcdef0123456789abcdef", [3]int{401, 401, 401}},
		"a token that was changed":       {granted["access_token"] + "x", [3]int{401, 401, 401}},
		"an OAuth token without its end": {granted["access_token"][:len(granted["access_token"])-4], [3]int{401, 401, 401}},
	} {
		for i, s := range surfaces {
			r := w.Send(s.method, s.path, c.token, strings.NewReader(s.body),
				"Content-Type", "application/json", "Accept", "application/json, text/event-stream")
			if r.Status != c.want[i] {
				t.Errorf("%s at %s: %d %s", name, s.name, r.Status, r.Raw)
			}
			challenge := r.Header.Get("WWW-Authenticate")
			if r.Status == http.StatusUnauthorized && s.path == "/mcp" && !strings.Contains(challenge, `error="invalid_token"`) {
				t.Errorf("%s at %s receives %q", name, s.name, challenge)
			}
		}
	}
}
