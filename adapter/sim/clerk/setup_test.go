package clerk_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	sim "docledger/adapter/sim/clerk"
)

const (
	secretKey = "sk_test_simulated"
	callback  = "https://client.example.com/callback"
	hook      = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

	verifier = "a-code-verifier-of-at-least-forty-three-characters"
)

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// browser is a simulator and a browser with its cookies.
type browser struct {
	*sim.Server
	http *http.Client
}

func start(t *testing.T, vary ...func(*sim.Options)) browser {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	o := sim.Options{
		Origin: "http://" + server.Listener.Addr().String(), SecretKey: secretKey,
		Users: []sim.User{
			{ID: "user_ada", Email: "ada@example.com", Password: "ada's password", FirstName: "Ada"},
			{ID: "user_bob", Email: "bob@example.com", Password: "bob's password"},
		},
		Organizations: []sim.Organization{{ID: "org_acme", Name: "Acme & Söhne"}, {ID: "org_second", Name: "Second"}, {ID: "org_foreign", Name: "Foreign"}},
		Memberships: []sim.Membership{
			{UserID: "user_ada", OrganizationID: "org_acme", Role: "org:admin"}, {UserID: "user_ada", OrganizationID: "org_second"},
		},
		Clients: []sim.Client{
			{ID: "public", Name: "Assistant", RedirectURIs: []string{callback, "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback"}},
			{ID: "secretive", Secret: "client secret", RedirectURIs: []string{callback + "?x=1"}},
		},
	}
	for _, v := range vary {
		v(&o)
	}
	s := sim.New(o)
	server.Config.Handler = s
	server.Start()
	t.Cleanup(func() { server.Close(); s.Close() })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{s, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// seen is a received response.
type seen struct {
	status   int
	header   http.Header
	body     string
	location *url.URL
}

func (s seen) json(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(s.body), &out); err != nil {
		t.Fatalf("status %d: %s", s.status, s.body)
	}
	return out
}

func (b browser) do(t *testing.T, r *http.Request, err error) seen {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	resp, err := b.http.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := seen{status: resp.StatusCode, header: resp.Header, body: string(body)}
	if to := resp.Header.Get("Location"); to != "" {
		base, err := url.Parse(b.Origin())
		if err != nil {
			t.Fatal(err)
		}
		if out.location, err = base.Parse(to); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (b browser) get(t *testing.T, path string) seen {
	t.Helper()
	if strings.HasPrefix(path, "/") {
		path = b.Origin() + path
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	return b.do(t, r, err)
}

func (b browser) post(t *testing.T, path string, form url.Values) seen {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.Origin()+path, strings.NewReader(form.Encode()))
	if err == nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return b.do(t, r, err)
}

// call calls the backend API or a control.
func (b browser) call(t *testing.T, method, path, body string) seen {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, b.Origin()+path, strings.NewReader(body))
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+secretKey)
		r.Header.Set("Content-Type", "application/json")
	}
	return b.do(t, r, err)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// hidden returns the hidden fields of a page's form.
func (s seen) hidden() url.Values {
	form := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(s.body, -1) {
		form.Set(html.UnescapeString(m[1]), html.UnescapeString(m[2]))
	}
	return form
}

// signIn signs Ada in with the page.
func (b browser) signIn(t *testing.T) {
	t.Helper()
	got := b.post(t, "/sign-in", url.Values{"email": {"ada@example.com"}, "password": {"ada's password"}})
	if got.status != http.StatusSeeOther || got.location.Path != "/organizations" {
		t.Fatalf("sign-in: %d to %v", got.status, got.location)
	}
}

// request is a valid authorization request of the public client with changed parameters. A
// parameter "" is omitted.
func request(vary map[string]string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {"public"}, "redirect_uri": {callback}, "scope": {"profile email user:org:read"},
		"state": {"a-state-that-is-long"}, "code_challenge": {challenge()}, "code_challenge_method": {"S256"},
	}
	for name, value := range vary {
		if q.Set(name, value); value == "" {
			q.Del(name)
		}
	}
	return q
}

// redeem exchanges a code as the public client.
func redeem(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {"public"}, "code_verifier": {verifier},
	}
}

// claims parses a token without verification.
func claims(t *testing.T, token any) map[string]any {
	t.Helper()
	text, _ := token.(string)
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		t.Fatalf("%v is no JWT", token)
	}
	raw, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// receiver receives webhooks and responds with the given statuses.
type receiver struct {
	mu       sync.Mutex
	answers  []int // in this order; 200 after the last one
	received []*http.Request
	bodies   []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received, r.bodies = append(r.received, req), append(r.bodies, string(body))
	if len(r.answers) > 0 {
		w.WriteHeader(r.answers[0])
		r.answers = r.answers[1:]
	}
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.received)
}

func drain(t *testing.T, b browser) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := b.Drain(ctx); err != nil {
		t.Fatal(err)
	}
}
