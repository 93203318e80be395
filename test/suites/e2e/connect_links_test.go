package e2e

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"

	"github.com/google/uuid"
)

// customers is an installation with API keys of the role ADMIN and a ledger, and a clock.
type customers struct {
	t      *testing.T
	s      *harness.Server
	org    harness.Organization
	ledger *harness.Ledger
	clock  *hands
	keyID  string
	key    string // of the role ADMIN
	entity string // made with the key
}

// afar is the address of the browser of a customer.
const afar = "203.0.113.9"

func newCustomers(t *testing.T) *customers {
	t.Helper()
	c := &customers{t: t, clock: newHands()}
	c.ledger, _ = harness.NewLedgerA(t)
	c.s = harness.Start(t, harness.Options{
		Env:       map[string]string{"TRUSTED_PROXIES": "127.0.0.1/32", "ADMIN_API_KEYS": "on"},
		Overrides: service.Overrides{Clock: c.clock},
	}.With(c.ledger))
	c.org = c.s.NewOrganization("Bookkeeping & Sons")
	made := c.s.Do(http.MethodPost, "/api/api-keys", c.org.Admin.Token, map[string]any{"name": "Portal <1>", "role": "ADMIN"}).OK()
	c.keyID, c.key = made.Text("id"), made.Text("secret")
	c.entity = c.s.Do(http.MethodPost, "/api/entities", c.key, map[string]any{"name": "Customer & Co"}).OK().Text("id")
	return c
}

// link makes a connect link. It returns the path of the page and the integration.
func (c *customers) link(body map[string]any) (path, integration string) {
	c.t.Helper()
	request := map[string]any{"entity_id": c.entity, "provider": c.ledger.Provider}
	for name, value := range body {
		request[name] = value
	}
	r := c.s.Do(http.MethodPost, "/api/integrations/connect-links", c.key, request).OK()
	return strings.TrimPrefix(r.Text("url"), c.s.URL), r.Text("integration_id")
}

func (c *customers) send(method, path, cookie string) harness.Response {
	headers := []string{"X-Forwarded-For", afar, "Accept", "text/html"}
	if cookie != "" {
		headers = append(headers, "Cookie", cookie)
	}
	return c.s.Send(method, path, "", nil, headers...)
}

var connectForm = regexp.MustCompile(`<form method="post" action="([?]confirmation=[^"]*)">`)

// page opens a connect link. It returns the address of the form and the cookie of the browser.
func (c *customers) page(path string) (form, cookie string) {
	c.t.Helper()
	r := c.send(http.MethodGet, path, "")
	action := connectForm.FindStringSubmatch(string(r.Raw))
	if r.Status != http.StatusOK || action == nil {
		c.t.Fatalf("the page: %d %s", r.Status, r.Raw)
	}
	return path + html.UnescapeString(action[1]), strings.Split(r.Header.Get("Set-Cookie"), ";")[0]
}

// click sends the form of the page. It returns the consent page of the provider and the cookie of the
// consent.
func (c *customers) click(path string) (provider, cookie string) {
	c.t.Helper()
	form, seen := c.page(path)
	r := c.send(http.MethodPost, form, seen)
	if r.Status != http.StatusSeeOther {
		c.t.Fatalf("the click: %d %s", r.Status, r.Raw)
	}
	for _, set := range r.Header.Values("Set-Cookie") {
		if strings.HasPrefix(set, "docledger_consent_") {
			return r.Header.Get("Location"), strings.Split(set, ";")[0]
		}
	}
	c.t.Fatalf("no cookie of the consent: %v", r.Header)
	return "", ""
}

// agree gives the consent at the provider. It returns the address of the callback.
func (c *customers) agree(provider string) string {
	c.t.Helper()
	to, err := c.ledger.Consent(provider, c.ledger.Tenants[0])
	if err != nil {
		c.t.Fatal(err)
	}
	back, err := url.Parse(to)
	if err != nil {
		c.t.Fatal(err)
	}
	return back.RequestURI()
}

// refused verifies that a link does not work, as a page and for programs.
func (c *customers) refused(path string) {
	c.t.Helper()
	if r := c.send(http.MethodGet, path, ""); r.Status != http.StatusNotFound || !strings.Contains(string(r.Raw), "used up") {
		c.t.Errorf("the page of a link that has ended: %d %s", r.Status, r.Raw)
	}
	c.s.Send(http.MethodPost, path, "", nil).Want(http.StatusNotFound, "not_found")
}

// TestConnectLinks lets a customer without an account connect the ledger of an entity.
func TestConnectLinks(t *testing.T) {
	t.Parallel()
	c := newCustomers(t)
	path, integration := c.link(nil)
	page := c.send(http.MethodGet, path, "")
	text := html.UnescapeString(string(page.Raw))
	for _, want := range []string{"Bookkeeping & Sons", "Customer & Co", "ACCOUNTING_A", "Portal <1>", c.org.Admin.Email} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not name %s:\n%s", want, page.Raw)
		}
	}
	policy, cookie := page.Header.Get("Content-Security-Policy"), page.Header.Get("Set-Cookie")
	if strings.Contains(string(page.Raw), "Portal <1>") || !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("the policy is %q:\n%s", policy, page.Raw)
	}
	for _, want := range []string{"docledger_connect_", "HttpOnly", "SameSite=Lax", "Path=/connect/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %q, without %s", cookie, want)
		}
	}
	// Without the click of the browser that saw the page, nothing begins.
	form, seen := c.page(path)
	other, _ := c.page(path)
	for _, wrong := range []struct{ address, cookie string }{
		{path, seen}, {form, ""}, {form, seen[:strings.Index(seen, "=")] + "=x"}, {other, seen}, {path + "?confirmation=guessed", seen},
	} {
		if r := c.send(http.MethodPost, wrong.address, wrong.cookie); r.Status != http.StatusOK || connectForm.Find(r.Raw) == nil {
			t.Errorf("%+v: %d %s", wrong, r.Status, r.Raw)
		}
	}
	// A person who closes the page of the provider can begin again. One of the consents counts.
	first, late := c.click(path)
	provider, consent := c.click(path)
	callback := c.agree(provider)
	// Another browser is asked again, with the name of the program.
	if r := c.send(http.MethodGet, callback, ""); r.Status != http.StatusOK || !strings.Contains(html.UnescapeString(string(r.Raw)), "Portal <1>, a program of") {
		t.Errorf("another browser: %d %s", r.Status, r.Raw)
	}
	done := c.send(http.MethodGet, callback, consent)
	to := done.Header.Get("Location")
	if done.Status != http.StatusFound || !strings.HasPrefix(to, c.s.URL+"/connected?") || strings.Contains(to, "error=") {
		t.Fatalf("after the consent: %d %q %s", done.Status, to, done.Raw)
	}
	c.refused(path)
	if r := c.send(http.MethodGet, c.agree(first), late); r.Status != http.StatusBadRequest || !strings.Contains(string(r.Raw), "connected already") {
		t.Errorf("a second consent of the link: %d %s", r.Status, r.Raw)
	}
	if r := c.send(http.MethodGet, strings.TrimPrefix(to, c.s.URL), ""); r.Status != http.StatusOK || !strings.Contains(string(r.Raw), "is connected") {
		t.Errorf("the last page: %d %s", r.Status, r.Raw)
	}
	status := c.s.Do(http.MethodGet, "/api/integrations/"+integration+"/status", c.key, nil).OK()
	if status.At("status_reason", "code") == "consent_refused" || status.Text("status") == "DISCONNECTED" {
		t.Errorf("the integration: %s", status.Raw)
	}
	if code := c.s.SetUp(c.org, uuid.MustParse(c.entity), c.ledger, integration, c.ledger.Tenants[0]).OK().Text("status"); code != "ACTIVE" {
		t.Errorf("after the set-up the integration is %s", code)
	}
	made := c.s.Do(http.MethodGet, "/api/events?type=integration.link_created", c.s.Login(c.org.Admin.Email), nil).OK()
	if made.Len("items") != 1 || made.Text("items", 0, "actor", "type") != "API_KEY" || made.Text("items", 0, "actor", "id") != c.keyID ||
		made.Text("items", 0, "entity_id") != c.entity || made.Text("items", 0, "subject", "id") != integration {
		t.Errorf("the event of the link: %s", made.Raw)
	}
	c.refused(path)
}

// TestConnectLinksEnd uses links that are declined, expired, of ended keys, and of others.
func TestConnectLinksEnd(t *testing.T) {
	t.Parallel()
	c := newCustomers(t)
	admin := func() string { return c.s.Login(c.org.Admin.Email) }

	// A declined consent can be tried again.
	path, _ := c.link(map[string]any{"redirect_url": harness.RedirectURL, "expires_in": 604800})
	provider, consent := c.click(path)
	asked, err := url.Parse(provider)
	if err != nil {
		t.Fatal(err)
	}
	declined := c.send(http.MethodGet, "/api/v1/integrations/oauth/callback?error=access_denied&state="+url.QueryEscape(asked.Query().Get("state")), consent)
	if to := declined.Header.Get("Location"); declined.Status != http.StatusFound || !strings.HasPrefix(to, harness.RedirectURL+"?") || !strings.Contains(to, "error=access_denied") {
		t.Fatalf("declined: %d %q %s", declined.Status, to, declined.Raw)
	}
	if r := c.send(http.MethodGet, "/connected?error=access_denied", ""); !strings.Contains(string(r.Raw), "did not allow access") {
		t.Errorf("the page of a declined consent: %s", r.Raw)
	}
	if r := c.send(http.MethodGet, "/connected?error=%3Cb%3E", ""); strings.Contains(string(r.Raw), "<b>") || !strings.Contains(string(r.Raw), "not connected") {
		t.Errorf("the page of an unknown reason: %s", r.Raw)
	}
	provider, consent = c.click(path)
	if r := c.send(http.MethodGet, c.agree(provider), consent); r.Status != http.StatusFound || strings.Contains(r.Header.Get("Location"), "error=") {
		t.Errorf("after the second try: %d %s", r.Status, r.Header.Get("Location"))
	}
	c.refused(path)

	// Who may make links.
	body := map[string]any{"entity_id": c.entity, "provider": c.ledger.Provider}
	approver := c.s.Do(http.MethodPost, "/api/api-keys", admin(), map[string]any{"name": "A", "role": "APPROVER"}).OK().Text("secret")
	c.s.Do(http.MethodPost, "/api/integrations/connect-links", approver, body).Want(403, "forbidden")
	c.s.Do(http.MethodPost, "/api/integrations/connect-links", admin(), body).OK()
	stranger := c.s.NewOrganization("Other")
	c.s.Do(http.MethodPost, "/api/integrations/connect-links", stranger.Admin.Token, body).Want(404, "not_found")
	c.s.Do(http.MethodPost, "/api/integrations/connect-links", c.key, map[string]any{
		"entity_id": c.entity, "provider": c.ledger.Provider, "redirect_url": "https://evil.example/",
	}).Want(400, "invalid_request")
	c.s.Do(http.MethodPost, "/api/integrations/connect-links", c.key, map[string]any{
		"entity_id": c.entity, "provider": c.ledger.Provider, "expires_in": 604801,
	}).Want(400, "invalid_request")

	// Links end with their time and with their key.
	expired, _ := c.link(nil)
	c.clock.advance(25 * time.Hour)
	c.refused(expired)
	c.refused("/connect/" + strings.Repeat("A", 43))
	waiting, _ := c.link(nil)
	begun, _ := c.link(nil)
	provider, consent = c.click(begun)
	callback := c.agree(provider)
	c.s.Do(http.MethodDelete, "/api/api-keys/"+c.keyID, admin(), nil).OK()
	c.refused(waiting)
	if r := c.send(http.MethodGet, callback, consent); r.Status != http.StatusForbidden {
		t.Errorf("the consent for an ended key: %d %s", r.Status, r.Raw)
	}
}
