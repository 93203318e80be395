package toolserver_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"docledger/adapter/toolserver"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// TestChallenge goes through every credential that is none.
func TestChallenge(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for name, c := range map[string]struct {
		authorization []string
		path          string
		invalid       bool
	}{
		"none":           {nil, "/mcp", false},
		"empty":          {[]string{"Bearer "}, "/mcp", false},
		"scheme alone":   {[]string{"Bearer"}, "/mcp", false},
		"refused":        {[]string{"Bearer bad.token"}, "/mcp", true},
		"malformed":      {[]string{"Bearer {}"}, "/mcp", true},
		"two in one":     {[]string{"Bearer " + goodToken + ", Bearer " + goodToken}, "/mcp", true},
		"two words":      {[]string{"Bearer " + goodToken + " x"}, "/mcp", true},
		"with a tab":     {[]string{"Bearer\t" + goodToken}, "/mcp", true},
		"basic":          {[]string{"Basic dXNlcjpwYXNz"}, "/mcp", true},
		"key":            {[]string{"Bearer dlk_0123456789"}, "/mcp", true},
		"two headers":    {[]string{"Bearer " + goodToken, "Bearer " + goodToken}, "/mcp", true},
		"in the query":   {nil, "/mcp?access_token=" + goodToken, false},
		"huge":           {[]string{"Bearer " + strings.Repeat("a", 20_000)}, "/mcp", true},
		"trailing slash": {nil, "/mcp/", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete, http.MethodPut} {
				req, err := http.NewRequestWithContext(t.Context(), method, w.URL+c.path, strings.NewReader(listTools))
				if err != nil {
					t.Fatal(err)
				}
				req.Header["Authorization"] = c.authorization
				req.Header.Set("Cookie", "__session="+goodToken)
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body := text(t, resp)
				resp.Body.Close()
				if resp.StatusCode != http.StatusUnauthorized || strings.Contains(body, "secret reason") || !strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
					t.Fatalf("%s: %d %s", method, resp.StatusCode, body)
				}
				challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
				if err != nil || len(challenges) != 1 {
					t.Fatalf("%d challenges, %v", len(challenges), err)
				}
				p := challenges[0].Params
				if !strings.EqualFold(challenges[0].Scheme, "Bearer") || p["resource_metadata"] != base+"/.well-known/oauth-protected-resource/mcp" ||
					p["scope"] != "user:org:read" || (p["error"] == "invalid_token") != c.invalid {
					t.Errorf("%s: %v", method, challenges[0])
				}
			}
		})
	}
}

func TestSchemesAreReadAsWritten(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		if resp := w.message(t, listTools, map[string]string{"Authorization": scheme + goodToken}); resp.StatusCode != http.StatusOK {
			t.Errorf("%q: %d", scheme, resp.StatusCode)
		}
	}
}

func TestKeysOutOfReach(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	resp := w.message(t, listTools, map[string]string{"Authorization": "Bearer no.keys"})
	if body := text(t, resp); resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" || resp.Header.Get("WWW-Authenticate") != "" || strings.Contains(body, "secret") {
		t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
	}
}

func TestAPanicIsAnswered(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	resp := w.message(t, listTools, map[string]string{"Authorization": "Bearer pa.nic"})
	if body := text(t, resp); resp.StatusCode != http.StatusInternalServerError || strings.Contains(body, "verifier") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestOriginsAndHosts(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`), func(o *toolserver.Options) {
		o.Origins, o.Hosts = []string{"https://app.example.com"}, []string{"tools.internal"}
	})
	for name, c := range map[string]struct {
		header map[string]string
		want   int
	}{
		"no origin":           {nil, 200},
		"our own":             {map[string]string{"Origin": base}, 200},
		"listed":              {map[string]string{"Origin": "https://app.example.com"}, 200},
		"this machine":        {map[string]string{"Origin": "http://localhost:6274"}, 200},
		"foreign":             {map[string]string{"Origin": "https://evil.example"}, 403},
		"null":                {map[string]string{"Origin": "null"}, 403},
		"foreign, no token":   {map[string]string{"Origin": "https://evil.example", "Authorization": ""}, 403},
		"looks like ours":     {map[string]string{"Origin": base + ".evil.example"}, 403},
		"looks like loopback": {map[string]string{"Origin": "http://localhost.evil.example"}, 403},
		"public name":         {map[string]string{"Host": "docs.example.com"}, 200},
		"with a port":         {map[string]string{"Host": "DOCS.example.com:8443"}, 200},
		"listed name":         {map[string]string{"Host": "tools.internal"}, 200},
		"foreign name":        {map[string]string{"Host": "evil.example"}, 403},
		"IPv6":                {map[string]string{"Host": "[::1]:80"}, 200},
	} {
		if resp := w.message(t, listTools, c.header); resp.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
	}
}

func TestPreflights(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	for _, path := range []string{
		"/mcp", "/mcp/", "/register", "/authorize", "/token", "/.well-known/oauth-protected-resource",
		"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server", "/.well-known/other",
	} {
		resp := w.send(t, http.MethodOptions, path, "", map[string]string{"Authorization": "", "Origin": "https://page.example"})
		h := resp.Header
		if resp.StatusCode != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		for _, want := range []string{"Authorization", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Last-Event-ID"} {
			if !strings.Contains(h.Get("Access-Control-Allow-Headers"), want) {
				t.Errorf("%s does not allow %s", path, want)
			}
		}
		if !strings.Contains(h.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
			t.Errorf("%s does not expose the challenge", path)
		}
	}
}

// TestTheProtocol goes through what revisions ask of the transport.
func TestTheProtocol(t *testing.T) {
	t.Parallel()
	w := start(t, reply(200, `{}`))
	newest := map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
	with := func(change map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{newest, change} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	for name, c := range map[string]struct {
		method, body string
		header       map[string]string
		status       int
		says         string
	}{
		"GET":                 {http.MethodGet, "", nil, 405, ""},
		"DELETE":              {http.MethodDelete, "", nil, 405, ""},
		"PUT":                 {http.MethodPut, "", nil, 405, ""},
		"notification":        {http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		"text":                {http.MethodPost, listTools, map[string]string{"Content-Type": "text/plain"}, 415, ""},
		"unknown revision":    {http.MethodPost, listTools, map[string]string{"MCP-Protocol-Version": "1999-01-01"}, 400, ""},
		"too large":           {http.MethodPost, `{"a":"` + strings.Repeat("x", 3<<20) + `"}`, nil, 413, "create_upload_link"},
		"no JSON":             {http.MethodPost, `{`, nil, 400, ""},
		"initialize":          {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, nil, 200, "is data"},
		"undeclared, before":  {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, nil, 200, "-32601"},
		"unknown tool":        {http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`, nil, 200, "-32602"},
		"newest":              {http.MethodPost, modern("tools/list", ""), newest, 200, `"cacheScope":"private"`},
		"discover":            {http.MethodPost, modern("server/discover", ""), with(map[string]string{"Mcp-Method": "server/discover"}), 200, "2026-07-28"},
		"unknown method":      {http.MethodPost, modern("x/y", ""), with(map[string]string{"Mcp-Method": "x/y"}), 404, "-32601"},
		"undeclared":          {http.MethodPost, modern("prompts/list", ""), with(map[string]string{"Mcp-Method": "prompts/list"}), 404, "-32601"},
		"header differs":      {http.MethodPost, modern("tools/list", ""), with(map[string]string{"Mcp-Method": "tools/call"}), 400, "-32020"},
		"no _meta":            {http.MethodPost, listTools, newest, 400, "-32602"},
		"version of tomorrow": {http.MethodPost, strings.Replace(modern("tools/list", ""), "2026-07-28", "2099-01-01", 1), with(map[string]string{"MCP-Protocol-Version": "2099-01-01"}), 400, "-32022"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp := w.send(t, c.method, "/mcp", c.body, c.header)
			if body := text(t, resp); resp.StatusCode != c.status || !strings.Contains(body, c.says) || resp.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
}

func TestConfigurationsThatDoNotDo(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]vary{
		"slash at the end":   func(o *toolserver.Options) { o.OAuth.BaseURL = base + "/" },
		"a path":             func(o *toolserver.Options) { o.OAuth.BaseURL = base + "/x" },
		"no issuer":          func(o *toolserver.Options) { o.OAuth.Issuer = "" },
		"issuer with slash":  func(o *toolserver.Options) { o.OAuth.Issuer = "https://idp.example.com/" },
		"no backend":         func(o *toolserver.Options) { o.Backend = "" },
		"backend with path":  func(o *toolserver.Options) { o.Backend = "https://api.example.com/api" },
		"dangerous redirect": func(o *toolserver.Options) { o.OAuth.Redirects = []string{"javascript:alert(1)"} },
	} {
		o := toolserver.Options{Backend: "https://api.example.com"}
		o.OAuth.BaseURL, o.OAuth.Issuer, o.OAuth.Now = base, "https://idp.example.com", time.Now
		change(&o)
		if _, err := toolserver.New(o); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
