package toolserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"
	"docledger/adapter/toolserver/oauth"
)

// checked holds a server against what the provider says of itself; %s in that
// is the provider's address.
func checked(t *testing.T, direct bool, status int, document string) (string, error) {
	t.Helper()
	mode := oauth.FacadeServer
	if direct {
		mode = oauth.DirectServer
	}
	server, _ := against(t, mode, status, document)
	return server.Check(t.Context())
}

// against returns a server in a mode, and the address of its identity provider.
func against(t *testing.T, mode oauth.Server, status int, document string) (*toolserver.Server, string) {
	t.Helper()
	var idp *httptest.Server
	idp = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/oauth-authorization-server" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		if status == http.StatusFound {
			http.Redirect(w, r, "https://elsewhere.example/", status)
			return
		}
		reply(status, strings.ReplaceAll(document, "%s", idp.URL))(w, r)
	}))
	t.Cleanup(idp.Close)
	server, err := toolserver.New(toolserver.Options{
		Backend: "https://api.example.com",
		OAuth:   oauth.Config{BaseURL: base, Issuer: idp.URL, Server: mode, ClientID: "client_1", AuthMethod: "none", Now: time.Now},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server, idp.URL
}

// TestAutomaticServer checks which authorization server is advertised in the mode auto, and that nothing
// else changes with it.
func TestAutomaticServer(t *testing.T) {
	t.Parallel()
	const good = `{"issuer":"%s","code_challenge_methods_supported":["S256"]`
	for name, c := range map[string]struct {
		status   int
		document string
		direct   bool
	}{
		"states its issuer":  {200, good + `,"authorization_response_iss_parameter_supported":true}`, true},
		"does not":           {200, good + `,"authorization_response_iss_parameter_supported":false}`, false},
		"says nothing":       {200, good + "}", false},
		"unreachable":        {503, "{}", false},
		"has another issuer": {200, `{"issuer":"https://other.example","authorization_response_iss_parameter_supported":true}`, false},
	} {
		server, issuer := against(t, oauth.AutoServer, c.status, c.document)
		_, err := server.Check(t.Context())
		if (err != nil) != (c.status != 200) {
			t.Errorf("%s: %v", name, err)
		}
		get := func(path string) map[string]any {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, base+path, nil))
			return decode[map[string]any](t, w.Body.String())
		}
		want := base
		if c.direct {
			want = issuer
		}
		if got := get("/.well-known/oauth-protected-resource")["authorization_servers"]; fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("%s: advertises %v, want %s", name, got, want)
		}
		if got := get("/.well-known/oauth-authorization-server"); got["issuer"] != base || got["token_endpoint"] != base+"/token" {
			t.Errorf("%s: the own document is %v", name, got)
		}
	}
}

// TestSelfCheck names what clients would stumble over, and nothing else.
func TestSelfCheck(t *testing.T) {
	t.Parallel()
	const good = `{"issuer":"%s","code_challenge_methods_supported":["plain","S256"]`
	states := good + `,"authorization_response_iss_parameter_supported":true}`
	for name, c := range map[string]struct {
		direct   bool
		document string
		warning  string // "" for none
	}{
		"as it should be":               {false, good + "}", ""},
		"says that it states nothing":   {false, good + `,"authorization_response_iss_parameter_supported":false}`, ""},
		"states its issuer":             {false, states, "MCP_AUTHORIZATION_SERVER=auto"},
		"states its issuer, advertised": {true, states, ""},
		"another issuer":                {false, strings.Replace(good, "%s", "https://other.example", 1) + "}", "IDENTITY_PUBLISHABLE_KEY"},
		"a slash at the end":            {true, strings.Replace(good, "%s", "%s/", 1) + "}", "IDENTITY_PUBLISHABLE_KEY"},
		"no issuer":                     {false, `{"code_challenge_methods_supported":["S256"]}`, "IDENTITY_PUBLISHABLE_KEY"},
		"no PKCE":                       {false, `{"issuer":"%s"}`, "PKCE"},
		"plain PKCE alone":              {true, `{"issuer":"%s","code_challenge_methods_supported":["plain"]}`, "PKCE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			warning, err := checked(t, c.direct, http.StatusOK, c.document)
			if err != nil || (warning == "") != (c.warning == "") || !strings.Contains(warning, c.warning) {
				t.Errorf("warned %q, %v", warning, err)
			}
		})
	}
	for name, c := range map[string]struct {
		status   int
		document string
	}{
		"refused": {404, "{}"}, "in trouble": {503, "{}"}, "no JSON": {200, "<html>"}, "elsewhere": {302, ""}, "endless": {200, `{"issuer":"` + strings.Repeat("x", 300<<10) + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if warning, err := checked(t, false, c.status, c.document); err == nil {
				t.Errorf("nothing was wrong: %q", warning)
			}
		})
	}
}

// TestWhatIsAdvertisedAgrees, whatever the configuration: the first server of
// the resource is the issuer of the document that is found there, and clients
// authenticate as they are registered.
func TestWhatIsAdvertisedAgrees(t *testing.T) {
	t.Parallel()
	for _, origin := range []string{"https://docs.example.com", "http://127.0.0.1:8080", "https://docs.example.com:8443"} {
		for _, method := range []string{"none", "client_secret_post"} {
			w := start(t, reply(200, `{}`), func(o *toolserver.Options) { o.OAuth.BaseURL, o.OAuth.AuthMethod = origin, method })
			get := func(path string) map[string]any {
				return decode[map[string]any](t, text(t, w.send(t, http.MethodGet, path, "", anonymous)))
			}
			resource, server := get("/.well-known/oauth-protected-resource/mcp"), get("/.well-known/oauth-authorization-server")
			client := decode[map[string]any](t, text(t, w.send(t, http.MethodPost, "/register", "{}", anonymous)))
			if fmt.Sprint(resource["authorization_servers"]) != fmt.Sprintf("[%v]", server["issuer"]) || server["issuer"] != origin || resource["resource"] != origin+"/mcp" {
				t.Errorf("%s: %v and %v", origin, resource, server)
			}
			if client["token_endpoint_auth_method"] != method || fmt.Sprint(server["token_endpoint_auth_methods_supported"]) != "["+method+"]" {
				t.Errorf("%s: %v and %v", method, client, server)
			}
		}
	}
}
