package tools

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/domain/identity"
	"docledger/test/lib/harness"
	"docledger/test/suites/assistant"
)

// local is an installation that is its own authorization server.
type local struct {
	*harness.Server
	t     *testing.T
	clock *shifted
	org   harness.Organization
}

// shifted is a clock that the test moves.
type shifted struct {
	mu sync.Mutex
	by time.Duration
}

// Now implements the clock.
func (c *shifted) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.by)
}

func (c *shifted) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += d
}

func startLocal(t *testing.T, env map[string]string) *local {
	t.Helper()
	clock := new(shifted)
	s := harness.Start(t, harness.Options{Env: env, Overrides: service.Overrides{Clock: clock}})
	return &local{Server: s, t: t, clock: clock, org: s.NewOrganization("Example")}
}

// answer is the answer to a request of a client or a browser.
type answer struct {
	status int
	header http.Header
	body   string
	json   object
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (l *local) send(method, address string, body io.Reader, header ...string) answer {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), method, address, body)
	if err != nil {
		l.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := noRedirects.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	out := answer{status: resp.StatusCode, header: resp.Header, body: string(text)}
	_ = json.Unmarshal(text, &out.json)
	return out
}

func (l *local) get(path string) answer { return l.send(http.MethodGet, l.URL+path, nil) }

func (l *local) post(path string, form url.Values) answer {
	return l.send(http.MethodPost, l.URL+path, strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
}

const verifier = "a-code-verifier-of-at-least-forty-three-characters"

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// request is the authorization request of a client. A value of "-" removes a
// parameter.
func request(vary ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {"docledger"}, "redirect_uri": {assistant.Callback}, "state": {"1e5"},
		"code_challenge": {challengeOf(verifier)}, "code_challenge_method": {"S256"}, "resource": {"https://other.example/mcp"},
	}
	for i := 0; i < len(vary); i += 2 {
		if q.Set(vary[i], vary[i+1]); vary[i+1] == "-" {
			q.Del(vary[i])
		}
	}
	return q
}

// code lets a person consent and returns the code that the client receives.
func (l *local) code(person string, vary ...string) string {
	l.t.Helper()
	back, err := assistant.Consent(l.t.Context(), l.page(request(vary...)), person, "ALLOW")
	if err != nil {
		l.t.Fatal(err)
	}
	if q := back.Query(); q.Get("iss") != l.URL || q.Get("state") != "1e5" || q.Get("code") == "" {
		l.t.Fatalf("the browser brings %s", back)
	}
	return back.Query().Get("code")
}

// page follows a browser from /authorize to the consent page.
func (l *local) page(q url.Values) *url.URL {
	l.t.Helper()
	at := l.URL + "/authorize?" + q.Encode()
	for range 3 {
		r := l.send(http.MethodGet, at, nil)
		at = r.header.Get("Location")
		if page, err := url.Parse(at); err == nil && page.Path == "/connect-assistant" {
			return page
		}
	}
	l.t.Fatalf("no consent page, but %s", at)
	return nil
}

func exchange(code string, vary ...string) url.Values {
	form := url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {"docledger"}, "redirect_uri": {assistant.Callback},
		"code_verifier": {verifier}, "resource": {"https://other.example/mcp"},
	}
	for i := 0; i < len(vary); i += 2 {
		if form.Set(vary[i], vary[i+1]); vary[i+1] == "-" {
			form.Del(vary[i])
		}
	}
	return form
}

func refresh(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"docledger"}}
}

// tokens are the tokens of a client.
type tokens struct{ access, refresh string }

func (l *local) granted(r answer) tokens {
	l.t.Helper()
	access, _ := r.json["access_token"].(string)
	next, _ := r.json["refresh_token"].(string)
	if r.status != http.StatusOK || access == "" || next == "" || r.json["token_type"] != "Bearer" || r.header.Get("Cache-Control") != "no-store" {
		l.t.Fatalf("the token endpoint answers %d %s", r.status, r.body)
	}
	return tokens{access, next}
}

// connect lets a person connect a client.
func (l *local) connect(person string) tokens {
	l.t.Helper()
	return l.granted(l.post("/token", exchange(l.code(person))))
}

func (l *local) refused(what string, r answer, status int, code string) {
	l.t.Helper()
	if r.status != status || r.json["error"] != code {
		l.t.Errorf("%s: %d %s, want %d %s", what, r.status, r.body, status, code)
	}
}

// TestLocalIdentity runs the flow of interface 5.6 where the installation is its own
// authorization server, with the official client, and then in single steps.
func TestLocalIdentity(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	admin := l.org.Admin.Token
	session, err := assistant.Connect(t.Context(), l.URL+"/mcp?toolsets=all", assistant.Options{Person: admin})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	me := call(t, session, "get_me", nil)
	if org := me["organization"].(object); org["id"] != l.org.ID.String() {
		t.Errorf("the assistant works in %v", org)
	}
	if text := refused(t, session, "update_invoice", object{"invoice_id": l.org.ID.String(), "version": 1}); text == "" {
		t.Error("an unknown invoice is changed")
	}

	metadata := l.get("/.well-known/oauth-authorization-server").json
	for name, want := range map[string]any{
		"issuer": l.URL, "authorization_endpoint": l.URL + "/authorize", "token_endpoint": l.URL + "/token", "revocation_endpoint": l.URL + "/oauth/revoke",
		"authorization_response_iss_parameter_supported": true,
	} {
		if metadata[name] != want {
			t.Errorf("%s is %v", name, metadata[name])
		}
	}
	registered := l.send(http.MethodPost, l.URL+"/register", strings.NewReader(`{"redirect_uris":["http://[::1]:9/x"]}`), "Content-Type", "application/json")
	if registered.status != http.StatusCreated || registered.json["client_id"] != "docledger" || registered.json["token_endpoint_auth_method"] != "none" {
		t.Errorf("/register: %d %s", registered.status, registered.body)
	}

	got := l.connect(admin)
	claims := object{}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(got.access, ".")[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		t.Fatalf("the token is not a JWT: %v", err)
	}
	if claims["org_id"] != l.org.ID.String() || claims["client_id"] != "docledger" || claims["iss"] != l.URL {
		t.Errorf("the token states %v", claims)
	}
	if credential := l.Do(http.MethodGet, "/api/me", got.access, nil).OK().At("credential", "type"); credential != "OAUTH" {
		t.Errorf("the credential is %v", credential)
	}
}

// TestLocalAssistantActions treats the tokens as those of assistants, by the API as by
// the tools (domain D10).
func TestLocalAssistantActions(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	got := l.connect(l.org.Admin.Token)
	for path, body := range map[string]object{
		"/api/entities": {"name": "Another"}, "/api/auth/refresh": {}, "/api/auth/logout": nil, "/api/api-keys": {"name": "k", "role": "VIEWER"},
	} {
		r := l.Do(http.MethodPost, path, got.access, body).Want(http.StatusForbidden, "forbidden")
		if page := r.Text("error", "details", "confirm_url"); !strings.HasPrefix(page, l.URL+"/") {
			t.Errorf("%s: confirm_url is %q", path, page)
		}
	}
	// The consent itself is a person's.
	_, err := assistant.Consent(t.Context(), l.page(request()), got.access, "ALLOW")
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("an assistant consents: %v", err)
	}
}

// TestLocalSessions lists, ends and revokes the sessions of assistants like those of
// people.
func TestLocalSessions(t *testing.T) {
	t.Parallel()
	l := startLocal(t, nil)
	person := l.NewPerson(l.org.ID, identity.RoleMember)
	// The tool server refuses what the API refuses, so that a client renews its token.
	alive := func(got tokens) bool {
		t.Helper()
		api := l.Do(http.MethodGet, "/api/me", got.access, nil).Status == http.StatusOK
		tools := l.send(http.MethodPost, l.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), "Authorization", "Bearer "+got.access, "Content-Type", "application/json", "Accept", "application/json, text/event-stream")
		if api != (tools.status == http.StatusOK) || !api && tools.header.Get("WWW-Authenticate") == "" {
			t.Errorf("the API accepts the token: %v; the tool server answers %d %s", api, tools.status, tools.body)
		}
		return api
	}
	ended := func(what string, got tokens) {
		t.Helper()
		if alive(got) {
			t.Errorf("%s: the access token lives on", what)
		}
		l.refused(what, l.post("/token", refresh(got.refresh)), http.StatusBadRequest, "invalid_grant")
	}

	got := l.connect(person.Token)
	var id string
	clients := []any{}
	list := l.Do(http.MethodGet, "/api/auth/sessions", person.Token, nil).OK()
	for i := range list.Len("items") {
		if client := list.At("items", i, "client_id"); client != nil {
			id = list.Text("items", i, "id")
			clients = append(clients, client)
		}
	}
	if !slices.Equal(clients, []any{"docledger"}) {
		t.Fatalf("the sessions are %s", list.Raw)
	}
	l.Do(http.MethodDelete, "/api/auth/sessions/"+id, person.Token, nil).OK()
	ended("an ended session", got)

	got = l.connect(person.Token)
	for _, token := range []string{"", "x", got.access + "x", got.refresh} {
		if r := l.post("/oauth/revoke", url.Values{"token": {token}, "client_id": {"docledger"}}); r.status != http.StatusOK {
			t.Errorf("revoking %q: %d %s", token, r.status, r.body)
		}
		if token != got.refresh && !alive(got) {
			t.Fatalf("revoking %q ended the session", token)
		}
	}
	ended("a revoked session", got)

	got = l.connect(person.Token)
	l.post("/oauth/revoke", url.Values{"token": {got.access}, "client_id": {"docledger"}})
	ended("a session with a revoked access token", got)

	got = l.connect(person.Token)
	first := got
	got = l.granted(l.post("/token", refresh(got.refresh)))
	if !alive(got) || !alive(first) {
		t.Error("a refresh ends tokens at once")
	}
	l.clock.pass(identity.RefreshGrace)
	if alive(first) || !alive(got) {
		t.Error("the earlier access token outlives the grace period, or the later one ends with it")
	}
	l.refused("a refresh token that was used", l.post("/token", refresh(first.refresh)), http.StatusBadRequest, "invalid_grant")
	ended("a session with a reused refresh token", got)

	got = l.connect(l.Login(person.Email))
	l.Do(http.MethodPost, "/api/auth/password", l.Login(person.Email), object{"current_password": harness.Password, "new_password": "another long password"}).OK()
	ended("a session of an account with another password", got)

	got = l.connect(l.org.Admin.Token)
	l.clock.pass(identity.GrantLifetime)
	ended("an old session", got)
}

// TestLocalProcessOfTools verifies the tokens in a process without database and keys,
// with the public keys of the API, and forwards token requests to it.
func TestLocalProcessOfTools(t *testing.T) {
	t.Parallel()
	// Clients know one address. The API calls itself by it, as behind a proxy.
	l := startLocal(t, nil)
	w := &world{Server: l.Server, t: t}
	p := w.aloneLocal(l.URL)
	got := l.granted(l.send(http.MethodPost, p.url+"/token", strings.NewReader(exchange(l.code(l.org.Admin.Token)).Encode()), "Content-Type", "application/x-www-form-urlencoded"))
	session, err := assistant.Connect(t.Context(), p.url+"/mcp", assistant.Options{Token: got.access})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call(t, session, "get_me", nil)
	for what, token := range map[string]string{"a session": l.org.Admin.Token, "a refresh token": got.refresh, "a forged token": forged(t, got.access)} {
		r := l.send(http.MethodPost, p.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), "Authorization", "Bearer "+token)
		if r.status != http.StatusUnauthorized || !strings.Contains(r.header.Get("WWW-Authenticate"), "invalid_token") {
			t.Errorf("%s: %d %s", what, r.status, r.body)
		}
	}
	l.refused("an unknown code", l.send(http.MethodPost, p.url+"/token", strings.NewReader(exchange("x").Encode()), "Content-Type", "application/x-www-form-urlencoded"),
		http.StatusBadRequest, "invalid_grant")
}

// forged changes a byte of the signature.
func forged(t *testing.T, token string) string {
	t.Helper()
	at := strings.LastIndex(token, ".") + 5
	other := byte('A')
	if token[at] == other {
		other = 'B'
	}
	return token[:at] + string(other) + token[at+1:]
}

func randomText(t *testing.T) string {
	t.Helper()
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// encoded is a query as the consent page gets it.
func encoded(q url.Values) string { return base64.RawURLEncoding.EncodeToString([]byte(q.Encode())) }
