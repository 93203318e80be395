package toolserver_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
)

var anonymous = map[string]string{"Authorization": ""}

func local(o *toolserver.Options) {
	o.OAuth.AuthMethod, o.OAuth.Scopes, o.OAuth.LoopbackRedirects = "client_secret_post", []string{"user:org:read"}, true
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]vary{"deployed": nil, "local": {local}} {
		w := start(t, reply(200, `{}`), changes...)
		for path, resource := range map[string]string{
			"/.well-known/oauth-protected-resource": base, "/.well-known/oauth-protected-resource/": base,
			"/.well-known/oauth-protected-resource/mcp": base + "/mcp", "/.well-known/oauth-protected-resource/mcp/": base + "/mcp",
		} {
			resp := w.send(t, http.MethodGet, path, "", map[string]string{"Authorization": "", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"})
			got := decode[map[string]any](t, text(t, resp))
			if resp.StatusCode != 200 || got["resource"] != resource || fmt.Sprint(got["authorization_servers"]) != "["+base+"]" ||
				!strings.Contains(fmt.Sprint(got["scopes_supported"]), "user:org:read") || strings.Contains(fmt.Sprint(got), "offline_access") {
				t.Errorf("%s %s: %v", name, path, got)
			}
		}
		registered := decode[map[string]any](t, text(t, w.send(t, http.MethodPost, "/register", "", anonymous)))
		for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp"} {
			got := decode[map[string]any](t, text(t, w.send(t, http.MethodGet, path, "", anonymous)))
			if got["issuer"] != base || got["authorization_endpoint"] != base+"/authorize" || got["token_endpoint"] != base+"/token" ||
				got["registration_endpoint"] != base+"/register" || fmt.Sprint(got["code_challenge_methods_supported"]) != "[S256]" ||
				fmt.Sprint(got["response_types_supported"]) != "[code]" ||
				fmt.Sprint(got["token_endpoint_auth_methods_supported"]) != fmt.Sprintf("[%v]", registered["token_endpoint_auth_method"]) {
				t.Errorf("%s %s: %v", name, path, got)
			}
			for _, never := range []string{"client_id_metadata_document_supported", "authorization_response_iss_parameter_supported"} {
				if _, there := got[never]; there {
					t.Errorf("%s: %s is advertised", name, never)
				}
			}
		}
	}
}

func TestDirectAdvertisesTheProvider(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`), func(o *toolserver.Options) { o.OAuth.Server = oauth.DirectServer })
	got := decode[map[string]any](t, text(t, w.send(t, http.MethodGet, "/.well-known/oauth-protected-resource/mcp", "", anonymous)))
	if fmt.Sprint(got["authorization_servers"]) != "[https://idp.example.com]" {
		t.Errorf("got %v", got)
	}
}

// TestHeadIsLikeGet expects that each route with GET answers HEAD with the same status and without a
// body, and that Allow names both.
func TestHeadIsLikeGet(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	anonymous := map[string]string{"Authorization": ""}
	for _, path := range []string{
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server",
		"/authorize", "/.well-known/x",
	} {
		get, head := w.send(t, http.MethodGet, path, "", anonymous), w.send(t, http.MethodHead, path, "", anonymous)
		if body := text(t, head); head.StatusCode != get.StatusCode || body != "" || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("HEAD %s: %d %q, GET %d", path, head.StatusCode, body, get.StatusCode)
		}
	}
	wrong := w.send(t, http.MethodPut, "/.well-known/oauth-protected-resource", "", anonymous)
	if allow := wrong.Header.Get("Allow"); wrong.StatusCode != http.StatusMethodNotAllowed || allow != "GET, HEAD" {
		t.Errorf("PUT: %d, Allow %q", wrong.StatusCode, allow)
	}
	if other := w.send(t, http.MethodHead, "/token", "", anonymous); other.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD /token: %d", other.StatusCode)
	}
}

func TestWhatIsNotThereIsJSON(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for path, method := range map[string]string{
		"/.well-known/openid-configuration": "GET", "/.well-known/openid-configuration/mcp": "GET", "/.well-known/x": "GET", "/.well-known/": "GET",
		"/register": "GET", "/authorize": "POST", "/token": "GET",
	} {
		resp := w.send(t, method, path, "", anonymous)
		got := decode[map[string]any](t, text(t, resp))
		if _, ok := got["error"].(string); !ok || resp.StatusCode != 404 && resp.StatusCode != 405 {
			t.Errorf("%s %s: %d %v", method, path, resp.StatusCode, got)
		}
	}
}

// TestAResourceWithAQuery: strict clients compare the metadata with the whole
// address that they were given.
func TestAResourceWithAQuery(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for query, want := range map[string]string{
		"": "/mcp", "?toolsets=review,ledger": "/mcp?toolsets=review,ledger", "?read-only": "/mcp?read-only", "?x=" + strings.Repeat("y", 600): "/mcp",
	} {
		got := decode[struct{ Resource string }](t, text(t, w.send(t, http.MethodGet, "/.well-known/oauth-protected-resource/mcp"+query, "", nil)))
		if got.Resource != base+want {
			t.Errorf("%q: the resource is %s", query, got.Resource)
		}
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	deployed, own := start(t, reply(200, `{}`)), start(t, reply(200, `{}`), local)
	listed := start(t, reply(200, `{}`), func(o *toolserver.Options) {
		o.OAuth.Redirects = []string{"https://claude.ai/api/mcp/auth_callback", "http://localhost/callback", "cursor://anysphere/cb"}
	})
	for name, c := range map[string]struct {
		w      *world
		body   string
		status int
		says   string
	}{
		"nothing":              {deployed, ``, 201, `"redirect_uris":[]`},
		"nothing, local":       {own, ``, 201, `http://127.0.0.1/callback`},
		"nothing, listed":      {listed, `{}`, 201, `https://claude.ai/api/mcp/auth_callback`},
		"web":                  {deployed, `{"redirect_uris":["https://a.example/cb"],"client_name":"A","software_id":"x"}`, 201, `["https://a.example/cb"]`},
		"app":                  {deployed, `{"redirect_uris":["cursor://a/cb"]}`, 201, `cursor://a/cb`},
		"this machine":         {deployed, `{"redirect_uris":["http://127.0.0.1:33418/"]}`, 201, `33418`},
		"plain web":            {deployed, `{"redirect_uris":["http://a.example/cb"]}`, 400, `invalid_redirect_uri`},
		"local, any port":      {own, `{"redirect_uris":["http://localhost:7777/oauth/callback","http://[::1]:1/x"]}`, 201, `7777`},
		"local, elsewhere":     {own, `{"redirect_uris":["https://a.example/cb"]}`, 400, `MCP_REDIRECT_URIS`},
		"listed":               {listed, `{"redirect_uris":["https://claude.ai/api/mcp/auth_callback"]}`, 201, `claude`},
		"listed, other port":   {listed, `{"redirect_uris":["http://localhost:3118/callback"]}`, 201, `3118`},
		"listed, other path":   {listed, `{"redirect_uris":["http://localhost:3118/elsewhere"]}`, 400, `invalid_redirect_uri`},
		"listed, other host":   {listed, `{"redirect_uris":["http://127.0.0.1:3118/callback"]}`, 400, `invalid_redirect_uri`},
		"not listed":           {listed, `{"redirect_uris":["https://claude.ai/api/mcp/auth_callback","https://evil.example/"]}`, 400, `Redirect URI 2`},
		"script":               {deployed, `{"redirect_uris":["javascript:alert(1)"]}`, 400, `invalid_redirect_uri`},
		"script in capitals":   {deployed, `{"redirect_uris":["JavaScript:alert(1)"]}`, 400, `invalid_redirect_uri`},
		"data":                 {deployed, `{"redirect_uris":["data:text/html,x"]}`, 400, `invalid_redirect_uri`},
		"file":                 {deployed, `{"redirect_uris":["file:///etc/passwd"]}`, 400, `invalid_redirect_uri`},
		"fragment":             {deployed, `{"redirect_uris":["https://a.example/#x"]}`, 400, `fragment`},
		"user":                 {deployed, `{"redirect_uris":["https://claude.ai@evil.example/"]}`, 400, `user`},
		"control characters":   {deployed, `{"redirect_uris":["https://a.example/\r\nX: y"]}`, 400, `invalid_redirect_uri`},
		"relative":             {deployed, `{"redirect_uris":["/cb"]}`, 400, `invalid_redirect_uri`},
		"no list":              {deployed, `{"redirect_uris":"https://a.example/"}`, 400, `invalid_client_metadata`},
		"no object":            {deployed, `[]`, 400, `invalid_client_metadata`},
		"no JSON":              {deployed, `{`, 400, `invalid_client_metadata`},
		"too large":            {deployed, `{"client_name":"` + strings.Repeat("x", 70_000) + `"}`, 413, `invalid_request`},
		"asks for a secret":    {deployed, `{"token_endpoint_auth_method":"client_secret_basic","redirect_uris":["https://a.example/"]}`, 201, `"token_endpoint_auth_method":"none"`},
		"asks for none, local": {own, `{"token_endpoint_auth_method":"none"}`, 201, `"token_endpoint_auth_method":"client_secret_post"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := c.w.send(t, http.MethodPost, "/register", c.body, anonymous)
			body := text(t, resp)
			if resp.StatusCode != c.status || !strings.Contains(body, c.says) || resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
			if got := decode[map[string]any](t, body); c.status == 201 && (got["client_id"] != "client_1" || got["client_secret"] != nil || got["redirect_uris"] == nil) {
				t.Errorf("the client is %v", got)
			}
		})
	}
}

func TestAuthorizeKeepsTheQuery(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	random := rand.New(rand.NewPCG(1, 2))
	const alphabet = "abcXYZ019-._~!$&'()*+,;=:@/?%[]|^"
	queries := []string{"", "a=1&a=2&b", "resource=https%3A%2F%2Fx%2Fmcp&prompt=login&prompt=none", "x=%0d%0aSet-Cookie:%20a=b", "x=%zz&;&&=", strings.Repeat("q", 9000)}
	for range 200 {
		var b strings.Builder
		for range random.IntN(60) {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		queries = append(queries, b.String())
	}
	for _, q := range queries {
		path := "/authorize"
		if q != "" {
			path += "?" + q
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.URL+"/authorize", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.RawQuery = q
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		want := "https://idp.example.com/oauth/authorize" + strings.TrimPrefix(path, "/authorize")
		if resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != want || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Set-Cookie") != "" {
			t.Fatalf("%q: %d to %q", q, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	if resp := w.send(t, http.MethodGet, "/authorize?x="+strings.Repeat("y", 20_000), "", anonymous); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a huge query: %d", resp.StatusCode)
	}
}

// The time limits of calls to the identity provider: one that a call does not reach on a busy
// machine, and one of calls that get no response.
const (
	patient   = time.Minute
	impatient = 300 * time.Millisecond
)

// provider starts an identity provider's token endpoint and a tool server
// before it.
func provider(t *testing.T, limit time.Duration, h http.HandlerFunc) *world {
	t.Helper()
	idp := httptest.NewServer(h)
	t.Cleanup(idp.Close)
	return start(t, reply(200, `{}`), func(o *toolserver.Options) {
		o.OAuth.Issuer = idp.URL
		o.OAuth.Provider = &http.Client{Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	})
}

func TestTokenForwardsBytes(t *testing.T) {
	t.Parallel()
	var got string
	var header http.Header
	w := provider(t, patient, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, header = string(body), r.Header
		w.Header().Set("Set-Cookie", "a=b")
		reply(200, `{"access_token":"t","token_type":"Bearer"}`)(w, r)
	})
	for _, body := range []string{"grant_type=authorization_code&code=a%2Fb&code=c&client_secret=s", "\x00\xff\r\n binary", ""} {
		resp := w.send(t, http.MethodPost, "/token", body, map[string]string{
			"Authorization": "Basic dXNlcjpwYXNz", "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
			"Cookie": "c=d", "X-Forwarded-For": "1.2.3.4",
		})
		if text(t, resp) != `{"access_token":"t","token_type":"Bearer"}` || resp.Header.Get("Cache-Control") != "no-store" || resp.Header.Get("Set-Cookie") != "" {
			t.Errorf("answered %v", resp.Header)
		}
		if got != body || header.Get("Content-Type") != "application/x-www-form-urlencoded; charset=utf-8" || header.Get("Authorization")+header.Get("Cookie")+header.Get("X-Forwarded-For") != "" {
			t.Errorf("the provider got %q, %v", got, header)
		}
	}
	if strings.Contains(w.log.String(), "client_secret") || strings.Contains(w.log.String(), "access_token") {
		t.Errorf("the log:\n%s", w.log)
	}
}

func TestTokenFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		status int
		says   string
	}{
		"dead refresh token": {reply(400, `{"error":"invalid_grant"}`), 400, "invalid_grant"},
		"removed client":     {reply(401, `{"error":"invalid_client"}`), 401, "invalid_client"},
		"its own failure":    {reply(500, `{"error":"server_error"}`), 500, "server_error"},
		"HTML":               {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>oops") }, 502, "server_error"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		}, 502, "server_error"},
		"endless": {reply(200, `"`+strings.Repeat("x", 300<<10)+`"`), 502, "server_error"},
		"slow":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 504, "temporarily_unavailable"},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 504, "temporarily_unavailable"},
		"cut off within": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"access_token":`)
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, 502, "temporarily_unavailable"},
		"nothing": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, 502, "server_error"},
		"asks to wait": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "9")
			reply(429, `{"error":"slow_down"}`)(w, r)
		}, 429, "slow_down"},
		"cut off": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 502, "temporarily_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Whoever is slow waits for the end of its request's body first.
			limit := patient
			if c.status == http.StatusGatewayTimeout {
				limit = impatient
			}
			w := provider(t, limit, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				c.answer(w, r)
			})
			resp := w.send(t, http.MethodPost, "/token", "grant_type=refresh_token", anonymous)
			body := text(t, resp)
			if _, ok := decode[map[string]any](t, body)["error"].(string); !ok || resp.StatusCode != c.status || !strings.Contains(body, c.says) || strings.Contains(body, "html") {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	gone := start(t, reply(200, `{}`), func(o *toolserver.Options) { o.OAuth.Issuer = "http://127.0.0.1:1" })
	if resp := gone.send(t, http.MethodPost, "/token", "grant_type=refresh_token", anonymous); resp.StatusCode != 502 {
		t.Errorf("without a signed-in user: %d", resp.StatusCode)
	}
	w := provider(t, patient, reply(200, `{}`))
	if resp := w.send(t, http.MethodPost, "/token", strings.Repeat("x", 70_000), anonymous); resp.StatusCode != 413 {
		t.Errorf("a huge body: %d", resp.StatusCode)
	}
}

// TestClientWithoutScope checks that a request without a scope gets the scopes that carry the
// organization, and that any other query is forwarded unchanged.
func TestClientWithoutScope(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`), func(o *toolserver.Options) { o.OAuth.Scopes = []string{"openid", "user:org:read"} })
	for query, want := range map[string]string{
		"client_id=a&state=%20x":     "client_id=a&state=%20x&scope=openid+user%3Aorg%3Aread",
		"client_id=a&scope=&state=1": "client_id=a&state=1&scope=openid+user%3Aorg%3Aread",
		"scope=email&client_id=a":    "scope=email&client_id=a",
		"x=1":                        "x=1",
	} {
		resp := w.send(t, http.MethodGet, "/authorize?"+query, "", anonymous)
		if at := resp.Header.Get("Location"); at != "https://idp.example.com/oauth/authorize?"+want {
			t.Errorf("%s: forwarded to %s", query, at)
		}
	}
}
