package accountingtest

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

func testAuthorizationURL(t *testing.T, b bundle) {
	u, err := url.Parse(b.authorizationURL())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "redirect_uri": RedirectURI, "state": "state-0123456789-0123456789-0123456789-0123",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	if q.Get("client_id") == "" || q.Get("scope") == "" {
		t.Errorf("the address names no client or scope: %s", u)
	}
	if c := q.Get("code_challenge"); c != "" && (c != challenge || q.Get("code_challenge_method") != "S256") {
		t.Errorf("challenge %q by %q", c, q.Get("code_challenge_method"))
	}
	if q.Has("client_secret") {
		t.Error("the address shows the client's secret")
	}
	if back := b.Decline(b.authorizationURL()); back.Get("error") == "" || back.Get("code") != "" {
		t.Errorf("a person who declines brings %v", back)
	}
}

func testExchange(t *testing.T, b bundle) {
	c := b.consent(t)
	if c.Account == "" {
		t.Error("the consent names no account")
	}
	if c.Tokens.Access.Empty() || c.Tokens.Refresh.Empty() || c.Tokens.Access == c.Tokens.Refresh {
		t.Error("the consent gave no pair of tokens")
	}
	if left := c.Tokens.AccessExpiresAt.Sub(b.Now()); left < 20*time.Minute || left > 2*time.Hour {
		t.Errorf("the access token is good for %s", left)
	}
	if list := must[int](t)(b.reads()[ListAccounts](context.Background(), access(c, b.Tenants()[0]))); list == 0 {
		t.Error("the token reads nothing")
	}
}

func testExchangeRefused(t *testing.T, b bundle) {
	for name, spoil := range map[string]func(*integration.Callback){
		"unknown code":   func(c *integration.Callback) { c.Code = "no-such-code" },
		"no code":        func(c *integration.Callback) { c.Code = "" },
		"other redirect": func(c *integration.Callback) { c.RedirectURI += "/other" },
	} {
		c := callback(b.Consent(b.authorizationURL(), b.Tenants()...))
		spoil(&c)
		_, err := b.Authorizer.Exchange(context.Background(), c)
		wantKind(t, name, err, fault.Invalid)
	}
	c := callback(b.Consent(b.authorizationURL(), b.Tenants()...))
	must[integration.Consent](t)(b.Authorizer.Exchange(context.Background(), c))
	_, err := b.Authorizer.Exchange(context.Background(), c)
	wantKind(t, "used code", err, fault.Invalid)
	if contains(err.Error(), c.Code) || contains(err.Error(), c.Verifier) {
		t.Errorf("the error shows the code or the verifier: %v", err)
	}
	late := callback(b.Consent(b.authorizationURL(), b.Tenants()...))
	b.Advance(integration.AttemptLifetime + time.Minute)
	_, err = b.Authorizer.Exchange(context.Background(), late)
	wantKind(t, "late code", err, fault.Invalid)
}

func wantKind(t testing.TB, name string, err error, kind fault.Kind) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Kind != kind {
		t.Errorf("%s: %v, want a fault of kind %d", name, err, kind)
	}
}

func testExchangeLost(t *testing.T, b bundle) {
	for _, f := range []Failure{Status500, Dropped, AnswerLost, NonsenseLost} {
		c := callback(b.Consent(b.authorizationURL(), b.Tenants()...))
		before := b.Count(CallToken)
		b.Break(CallToken, f, 1)
		_, err := b.Authorizer.Exchange(context.Background(), c)
		b.Repair()
		wantUnavailable(t, string(f), err)
		if n := b.Count(CallToken) - before; n != 1 {
			t.Errorf("%s: %d calls, want one: the code may be used up", f, n)
		}
	}
}

// wantUnavailable checks for the error of a provider that returns an unusable response.
func wantUnavailable(t testing.TB, name string, err error) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Kind != fault.Upstream || f.Code != fault.CodeProviderUnavailable || f.RetryAfter <= 0 {
		t.Errorf("%s: %v, want provider_unavailable with a time to come back", name, err)
		return
	}
	for _, s := range []error{integration.ErrReconnect, integration.ErrAccessRefused, integration.ErrTenantGone} {
		if errors.Is(err, s) {
			t.Errorf("%s: %v is also %v", name, err, s)
		}
	}
}

func testRefresh(t *testing.T, b bundle) {
	c := b.consent(t)
	first := c.Tokens
	b.Advance(first.AccessExpiresAt.Sub(b.Now()) + time.Minute)
	a := access(c, b.Tenants()[0])
	if _, err := b.reads()[ListAccounts](context.Background(), a); !errors.Is(err, integration.ErrAccessRefused) {
		t.Errorf("an expired token reads: %v", err)
	}
	second := must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), first.Refresh))
	if second.Access == first.Access || second.Refresh.Empty() || !second.AccessExpiresAt.After(b.Now()) {
		t.Error("the refresh gave no new token")
	}
	a.Token = second.Access
	must[int](t)(b.reads()[ListAccounts](context.Background(), a))
	third := must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), second.Refresh))
	a.Token = third.Access
	must[int](t)(b.reads()[ListAccounts](context.Background(), a))
}

// testRefreshAfterLong refreshes for weeks, which includes every rotation.
func testRefreshAfterLong(t *testing.T, b bundle) {
	c := b.consent(t)
	refresh, values := c.Tokens.Refresh, map[secret.Text]bool{c.Tokens.Refresh: true}
	var last integration.Tokens
	for range 40 {
		b.Advance(25 * time.Hour)
		last = must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), refresh))
		refresh = last.Refresh
		values[refresh] = true
	}
	if len(values) < 20 {
		t.Errorf("%d refresh tokens in 40 days; this provider rotates them", len(values))
	}
	a := access(c, b.Tenants()[0])
	a.Token = last.Access
	must[int](t)(b.reads()[ListAccounts](context.Background(), a))
}

func testRefreshLost(t *testing.T, b bundle) {
	for _, f := range []Failure{Status500, Status503, Status429, Dropped, AnswerLost, NonsenseLost} {
		c := b.consent(t)
		before := b.Count(CallToken)
		b.Break(CallToken, f, 1)
		_, err := b.Authorizer.Refresh(context.Background(), c.Tokens.Refresh)
		b.Repair()
		wantUnavailable(t, string(f), err)
		if n := b.Count(CallToken) - before; n != 1 {
			t.Errorf("%s: %d calls, want one: only its caller may try again", f, n)
		}
		// Within minutes the old token can be used again after a lost response.
		b.Advance(time.Minute)
		again := must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), c.Tokens.Refresh))
		a := access(c, b.Tenants()[0])
		a.Token = again.Access
		must[int](t)(b.reads()[ListAccounts](context.Background(), a))
	}
}

func testRefreshRefused(t *testing.T, b bundle) {
	c := b.consent(t)
	b.Withdraw()
	for name, token := range map[string]secret.Text{
		"unknown": secret.New("no-such-token"), "withdrawn": c.Tokens.Refresh,
	} {
		_, err := b.Authorizer.Refresh(context.Background(), token)
		if !errors.Is(err, integration.ErrReconnect) || fault.CodeOf(err) != fault.CodeProviderUnauthorized {
			t.Errorf("%s: %v, want ErrReconnect", name, err)
		}
		if holds(err.Error(), token) {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

func testSameAccount(t *testing.T, b bundle) {
	first := b.consent(t, b.Tenants()[0])
	second := b.consent(t, b.Tenants()[0])
	if first.Account != second.Account {
		t.Errorf("accounts %q and %q, want one", first.Account, second.Account)
	}
	must[int](t)(b.reads()[ListAccounts](context.Background(), access(second, b.Tenants()[0])))
}

func testRevoke(t *testing.T, b bundle) {
	c := b.consent(t)
	for range 2 {
		if err := b.Authorizer.Revoke(context.Background(), c.Tokens); err != nil {
			t.Fatalf("revoke: %v", err)
		}
	}
	if _, err := b.Authorizer.Refresh(context.Background(), c.Tokens.Refresh); !errors.Is(err, integration.ErrReconnect) {
		t.Errorf("a revoked token: %v", err)
	}
	c = b.consent(t)
	b.Break(CallRevoke, Status503, 1)
	wantUnavailable(t, "revoke", b.Authorizer.Revoke(context.Background(), c.Tokens))
}

func testOrganizations(t *testing.T, b bundle) {
	one := b.Tenants()[0]
	c := b.consent(t, one)
	list, err := b.Organizations.Organizations(context.Background(), access(c, ""))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, o := range list {
		ids = append(ids, o.ID)
		if o.Name == "" || !o.ConnectedNow {
			t.Errorf("organization %+v", o)
		}
	}
	if !slices.Equal(ids, []string{one}) {
		t.Errorf("organizations %v, want %v", ids, one)
	}
	o, err := b.Organizations.Organization(context.Background(), access(c, one))
	if err != nil {
		t.Fatal(err)
	}
	if o.ID != one || o.Name == "" || len(o.Country) != 2 || len(o.BaseCurrency) != 3 {
		t.Errorf("organization %+v", o)
	}
}
