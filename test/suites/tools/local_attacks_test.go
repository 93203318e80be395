package tools

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/domain/identity"
	"docledger/test/suites/assistant"

	"github.com/google/uuid"
)

// TestLocalRedirects sends browsers only to addresses that the installation allows. No
// error leads anywhere else.
func TestLocalRedirects(t *testing.T) {
	t.Parallel()
	l := startLocal(t, map[string]string{"MCP_REDIRECT_URIS": "https://claude.ai/api/mcp/auth_callback,cursor://anysphere.cursor-mcp/oauth/callback"})
	for _, uri := range []string{
		"http://127.0.0.1:1/any", "http://127.0.0.1/", "http://[::1]:65535/callback?x=y", "http://localhost:3118/callback",
		"https://claude.ai/api/mcp/auth_callback", "cursor://anysphere.cursor-mcp/oauth/callback",
	} {
		q := request("redirect_uri", uri)
		back, err := assistant.Consent(t.Context(), l.page(q), l.org.Admin.Token, "DENY")
		if err != nil || !strings.HasPrefix(back.String(), strings.Split(uri, "?")[0]) || back.Query().Get("error") != "access_denied" ||
			back.Query().Get("iss") != l.URL || back.Query().Get("state") != "1e5" || back.Query().Has("code") {
			t.Errorf("%s: a refusal leads to %v, %v", uri, back, err)
		}
		// An error of the client is reported to it too, and names the issuer.
		r := l.get("/oauth/authorize?" + request("redirect_uri", uri, "response_type", "token").Encode())
		if at := r.header.Get("Location"); r.status != http.StatusSeeOther || !strings.HasPrefix(at, strings.Split(uri, "?")[0]) || !strings.Contains(at, "unsupported_response_type") {
			t.Errorf("%s: an error leads to %d %s", uri, r.status, at)
		}
	}
	for _, uri := range []string{
		"-", "https://evil.example/", "https://claude.ai/api/mcp/auth_callback/", "https://claude.ai/api/mcp/auth_callback?x", "https://claude.ai.evil.example/api/mcp/auth_callback",
		"http://claude.ai/api/mcp/auth_callback", "https://claude.ai:444/api/mcp/auth_callback", "https://user@claude.ai/api/mcp/auth_callback",
		"http://127.0.0.1.evil.example/", "http://evil.example#@127.0.0.1/", "http://127.0.0.1@evil.example/", `http://127.0.0.1\@evil.example/`,
		"https://127.0.0.1/callback", "http://128.0.0.1/", "http://0.0.0.0/", "http://2130706433/", "http://[::ffff:8.8.8.8]/",
		"http://127.0.0.1/#x", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "cursor://other/oauth/callback", "//evil.example", "/x", "",
		"http://127.0.0.1/\r\nLocation: https://evil.example", "https://claude.ai/%61pi/mcp/auth_callback",
	} {
		q := request("redirect_uri", uri)
		for _, path := range []string{"/oauth/authorize?", "/authorize?"} {
			r := l.get(path + q.Encode())
			if path == "/authorize?" && strings.HasPrefix(r.header.Get("Location"), l.URL+"/oauth/authorize?") {
				continue // the facade leads only there
			}
			if r.status != http.StatusBadRequest || r.header.Get("Location") != "" || strings.Contains(r.body, "<script") ||
				!strings.Contains(r.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s %q: %d to %q", path, uri, r.status, r.header.Get("Location"))
			}
		}
		page := &url.URL{Scheme: "http", Host: strings.TrimPrefix(l.URL, "http://"), RawQuery: "request=" + encoded(q)}
		for _, decision := range []string{"ALLOW", "DENY"} {
			if back, err := assistant.Consent(t.Context(), page, l.org.Admin.Token, decision); err == nil {
				t.Errorf("%q: %s leads to %s", uri, decision, back)
			}
		}
	}
	if r := l.get("/oauth/authorize?" + request("client_id", "other").Encode()); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
		t.Errorf("another client: %d %v", r.status, r.header)
	}
}

// TestLocalRequests refuses authorization requests that would weaken the flow.
func TestLocalRequests(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	for what, vary := range map[string][]string{
		"no challenge": {"code_challenge", "-"}, "plain": {"code_challenge_method", "plain"}, "no method": {"code_challenge_method", "-"},
		"a short challenge": {"code_challenge", "abc"}, "a challenge of other letters": {"code_challenge", strings.Repeat("+", 43)},
		"a token": {"response_type", "token"}, "an id token": {"response_type", "code id_token"}, "a fragment": {"response_mode", "fragment"},
		"a form": {"response_mode", "form_post"}, "no interaction": {"prompt", "none"}, "a request object": {"request", "e30."}, "a request address": {"request_uri", "https://evil.example"},
	} {
		r := l.get("/oauth/authorize?" + request(vary...).Encode())
		at, err := url.Parse(r.header.Get("Location"))
		if err != nil || r.status != http.StatusSeeOther || !strings.HasPrefix(at.String(), assistant.Callback) || at.Query().Get("error") == "" || at.Query().Get("iss") != l.URL {
			t.Errorf("%s: %d %s", what, r.status, at)
		}
	}
	// A repeated parameter could mean one thing here and another thing to the client.
	for _, name := range []string{"state", "code_challenge", "response_type"} {
		r := l.get("/oauth/authorize?" + request().Encode() + "&" + name + "=x")
		if at := r.header.Get("Location"); !strings.HasPrefix(at, assistant.Callback) || !strings.Contains(at, "error=") {
			t.Errorf("%s twice: %d %s", name, r.status, at)
		}
	}
	for _, name := range []string{"redirect_uri", "client_id"} {
		if r := l.get("/oauth/authorize?" + request().Encode() + "&" + name + "=x"); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
			t.Errorf("%s twice: %d", name, r.status)
		}
	}
	if r := l.get("/oauth/authorize?" + request("state", strings.Repeat("x", 9000)).Encode()); r.status != http.StatusBadRequest {
		t.Errorf("a long request: %d", r.status)
	}
}

// TestLocalConsent accepts a decision only from the session of a person, in a header that
// no other page can send.
func TestLocalConsent(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	other := l.NewOrganization("Other")
	page, admin := l.page(request()), l.org.Admin.Token
	address := l.URL + "/oauth/consent"
	decision := func(organization uuid.UUID) io.Reader {
		return strings.NewReader(`{"request":"` + page.Query().Get("request") + `","decision":"ALLOW","organization_id":"` + organization.String() + `"}`)
	}
	l.refused("no session", l.send(http.MethodPost, address, decision(l.org.ID), "Content-Type", "application/json"), http.StatusUnauthorized, "invalid_token")
	l.refused("a cookie", l.send(http.MethodPost, address, decision(l.org.ID), "Cookie", "session="+admin), http.StatusUnauthorized, "invalid_token")
	l.refused("a form", l.post("/oauth/consent", url.Values{"request": {page.Query().Get("request")}, "decision": {"ALLOW"}, "token": {admin}}), http.StatusUnauthorized, "invalid_token")
	l.refused("another organization", l.send(http.MethodPost, address, decision(other.ID), "Authorization", "Bearer "+admin), http.StatusBadRequest, "invalid_request")
	l.refused("a large body", l.send(http.MethodPost, address, strings.NewReader(`{"request":"`+strings.Repeat("a", 20<<10)+`"}`), "Authorization", "Bearer "+admin), http.StatusBadRequest, "invalid_request")
	key := l.Do(http.MethodPost, "/api/api-keys", admin, object{"name": "k", "role": "APPROVER"}).OK().Text("secret")
	l.refused("an API key", l.send(http.MethodPost, address, decision(l.org.ID), "Authorization", "Bearer "+key), http.StatusForbidden, "access_denied")
	if r := l.send(http.MethodOptions, address, nil, "Origin", "https://evil.example", "Access-Control-Request-Method", "POST"); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin may decide")
	}
	shown := l.send(http.MethodPost, address, strings.NewReader(`{"request":"`+page.Query().Get("request")+`"}`), "Authorization", "Bearer "+admin)
	if shown.status != http.StatusOK || shown.json["redirect_host"] != "127.0.0.1:33418" || shown.json["on_device"] != true || shown.json["redirect_url"] != nil {
		t.Errorf("the page shows %d %s", shown.status, shown.body)
	}
}

// TestLocalCodes exchanges a code once, by the client that asked for it, within a minute
// and while the person is signed in.
func TestLocalCodes(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	person := l.NewPerson(l.org.ID, identity.RoleMember)
	grant := func(what string, r answer) { t.Helper(); l.refused(what, r, http.StatusBadRequest, "invalid_grant") }
	for what, vary := range map[string][]string{
		"another verifier": {"code_verifier", strings.Repeat("x", 43)}, "no verifier": {"code_verifier", "-"}, "the challenge": {"code_verifier", challengeOf(verifier)},
		"another redirect address": {"redirect_uri", "http://127.0.0.1:33419/callback"}, "no redirect address": {"redirect_uri", "-"},
	} {
		code := l.code(person.Token)
		grant(what, l.post("/token", exchange(code, vary...)))
		grant("the code after "+what, l.post("/token", exchange(code)))
	}
	code := l.code(person.Token)
	l.refused("another client", l.post("/token", exchange(code, "client_id", "other")), http.StatusUnauthorized, "invalid_client")
	got := l.granted(l.post("/token", exchange(code)))
	grant("a second exchange", l.post("/token", exchange(code)))
	grant("the session of a code that was used twice", l.post("/token", refresh(got.refresh)))
	l.Do(http.MethodGet, "/api/me", got.access, nil).Want(http.StatusUnauthorized, "unauthorized")

	code = l.code(person.Token)
	l.clock.pass(time.Minute)
	grant("a late exchange", l.post("/token", exchange(code)))
	code = l.code(person.Token)
	l.Do(http.MethodPost, "/api/auth/logout", person.Token, nil).OK()
	grant("an exchange after the person signed out", l.post("/token", exchange(code)))
	person.Token = l.Login(person.Email)
	code, got = l.code(person.Token), l.connect(person.Token)
	if err := l.Service.Organizations.SetDisabled(context.Background(), person.Email, true); err != nil {
		t.Fatal(err)
	}
	grant("an exchange for a locked account", l.post("/token", exchange(code)))
	grant("a refresh for a locked account", l.post("/token", refresh(got.refresh)))
}

// TestLocalCodeAtTheSameTime has many clients exchange one code. At most one succeeds, and
// its session ends.
func TestLocalCodeAtTheSameTime(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	code := l.code(l.org.Admin.Token)
	var wins atomic.Int64
	var won sync.Map
	var group sync.WaitGroup
	for range 12 {
		group.Go(func() {
			if r := l.post("/token", exchange(code)); r.status == http.StatusOK {
				wins.Add(1)
				won.Store(r.json["access_token"], true)
			}
		})
	}
	group.Wait()
	if wins.Load() != 1 {
		t.Errorf("%d exchanges succeeded", wins.Load())
	}
	won.Range(func(token, _ any) bool {
		l.Do(http.MethodGet, "/api/me", token.(string), nil).Want(http.StatusUnauthorized, "unauthorized")
		return true
	})
}

// TestLocalTokenEndpoint bounds what a caller can send and how often.
func TestLocalTokenEndpoint(t *testing.T) {
	t.Parallel()
	l := startLocal(t, map[string]string{"REQUESTS_PER_ADDRESS": "60"})
	got := l.connect(l.org.Admin.Token)
	other := tokens{l.org.Admin.Token, l.org.Admin.Token}
	for _, path := range []string{"/token", "/oauth/token"} {
		form := "application/x-www-form-urlencoded"
		send := func(body, kind string) answer {
			return l.send(http.MethodPost, l.URL+path, strings.NewReader(body), "Content-Type", kind)
		}
		l.refused("JSON", send(`{"grant_type":"refresh_token"}`, "application/json"), http.StatusBadRequest, "invalid_request")
		l.refused("a large body", send("code="+strings.Repeat("x", 20<<10), form), http.StatusRequestEntityTooLarge, "invalid_request")
		l.refused("a repeated parameter", send(refresh(got.refresh).Encode()+"&client_id=docledger", form), http.StatusBadRequest, "invalid_request")
		l.refused("a password", send("grant_type=password&username=a&password=b&client_id=docledger", form), http.StatusBadRequest, "unsupported_grant_type")
		l.refused("an access token", l.post(path, refresh(got.access)), http.StatusBadRequest, "invalid_grant")
		l.refused("a session", l.post(path, refresh(other.refresh)), http.StatusBadRequest, "invalid_grant")
		l.refused("a forged token", l.post(path, refresh(forged(t, got.refresh))), http.StatusBadRequest, "invalid_grant")
	}
	l.Do(http.MethodGet, "/api/me", got.refresh, nil).Want(http.StatusUnauthorized, "unauthorized")
	limited := false
	for range 120 {
		r := l.post("/token", exchange(randomText(t)))
		if limited = r.status == http.StatusTooManyRequests; limited {
			if r.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			break
		}
	}
	if !limited {
		t.Error("codes can be guessed without a limit")
	}
}
