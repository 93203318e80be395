package docstoretest

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/domain/secret"
)

func wantKind(t testing.TB, name string, err error, kind fault.Kind) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Kind != kind {
		t.Errorf("%s: %v, want a fault of kind %d", name, err, kind)
	}
}

// wantUnavailable checks for the error of a store that returns an unusable response.
func wantUnavailable(t testing.TB, name string, err error) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Kind != fault.Upstream || f.Code != fault.CodeProviderUnavailable || f.RetryAfter <= 0 {
		t.Errorf("%s: %v, want provider_unavailable with a time to come back", name, err)
		return
	}
	for _, s := range []error{integration.ErrReconnect, integration.ErrAccessRefused, docstore.ErrDenied, docstore.ErrCursorLost} {
		if errors.Is(err, s) {
			t.Errorf("%s: %v is also %v", name, err, s)
		}
	}
}

func testConsent(t *testing.T, b bundle) {
	u := must[*url.URL](t)(url.Parse(b.authorizationURL()))
	q := u.Query()
	for name, want := range map[string]string{
		"response_type": "code", "redirect_uri": RedirectURI, "state": "state-0123456789-0123456789-0123456789-0123",
	} {
		if q.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, q.Get(name), want)
		}
	}
	if q.Get("client_id") == "" || q.Get("scope") == "" || q.Has("client_secret") {
		t.Errorf("the address is %s", u)
	}
	if c := q.Get("code_challenge"); c != challenge || q.Get("code_challenge_method") != "S256" {
		t.Errorf("challenge %q by %q", c, q.Get("code_challenge_method"))
	}
	if back := b.Decline(b.authorizationURL()); back.Get("error") == "" || back.Get("code") != "" {
		t.Errorf("a person who declines brings %v", back)
	}
	first, second := b.consent(t), b.consent(t)
	if first.Account == "" || first.Account != second.Account {
		t.Errorf("accounts %q and %q, want one", first.Account, second.Account)
	}
	if first.Tokens.Refresh.Empty() || second.Tokens.Refresh.Empty() {
		t.Error("a consent gave nothing to refresh with")
	}
	if left := first.Tokens.AccessExpiresAt.Sub(b.Now()); left < 20*time.Minute || left > 2*time.Hour {
		t.Errorf("the access token is good for %s", left)
	}
	for name, spoil := range map[string]func(*integration.Callback){
		"unknown code":   func(c *integration.Callback) { c.Code = "no-such-code" },
		"no code":        func(c *integration.Callback) { c.Code = "" },
		"other redirect": func(c *integration.Callback) { c.RedirectURI += "/other" },
		"other verifier": func(c *integration.Callback) { c.Verifier = strings.Repeat("x", 43) },
	} {
		c := callback(b.Consent(b.authorizationURL()))
		spoil(&c)
		_, err := b.Authorizer.Exchange(context.Background(), c)
		wantKind(t, name, err, fault.Invalid)
	}
}

func testRefresh(t *testing.T, b bundle) {
	c := b.consent(t)
	b.Advance(c.Tokens.AccessExpiresAt.Sub(b.Now()) + time.Minute)
	a := access(c)
	if _, err := b.Browser.Sources(context.Background(), a); !errors.Is(err, integration.ErrAccessRefused) {
		t.Errorf("an expired token reads: %v", err)
	}
	next := c.Tokens
	for range 3 {
		next = must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), next.Refresh))
		if next.Refresh.Empty() || !next.AccessExpiresAt.After(b.Now()) {
			t.Error("the refresh gave no new pair")
		}
		a.Token = next.Access
		must[[]docstore.Source](t)(b.Browser.Sources(context.Background(), a))
	}
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
		b.Advance(time.Minute)
		must[integration.Tokens](t)(b.Authorizer.Refresh(context.Background(), c.Tokens.Refresh))
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
		if err != nil && strings.Contains(err.Error(), token.Reveal()) {
			t.Errorf("the error shows the token: %v", err)
		}
	}
}

func testAccessRefused(t *testing.T, b bundle) {
	a := b.enter(t)
	id := b.Add("a.xml", []byte("<a/>"))
	p := b.Place()
	for name, call := range b.reads(p, id) {
		bad := a
		bad.Token = secret.New("no-such-token")
		if err := call(context.Background(), bad); !errors.Is(err, integration.ErrAccessRefused) {
			t.Errorf("%s with an unknown token: %v, want ErrAccessRefused", name, err)
		}
		if err := call(context.Background(), a); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// reads are calls of every kind.
func (b bundle) reads(p docstore.Location, file string) map[Call]func(ctx context.Context, a integration.Access) error {
	return map[Call]func(context.Context, integration.Access) error{
		CallSources: func(ctx context.Context, a integration.Access) error {
			_, err := b.Browser.Sources(ctx, a)
			return err
		},
		CallFeed: func(ctx context.Context, a integration.Access) error {
			cursor, err := b.Changes.Start(ctx, a, p)
			if err != nil {
				return err
			}
			_, err = b.Changes.Next(ctx, a, p, cursor)
			return err
		},
		CallContent: func(ctx context.Context, a integration.Access) error {
			c, err := b.Reader.Open(ctx, a, p, docstore.Item{ID: file, Size: -1})
			if err == nil {
				err = c.Body.Close()
			}
			return err
		},
	}
}

func testOutages(t *testing.T, b bundle) {
	a := b.enter(t)
	for name, call := range b.reads(b.Place(), b.Add("a.xml", []byte("<a/>"))) {
		for _, f := range []Failure{Status500, Status503, Dropped} {
			b.Break(name, f, 20)
			wantUnavailable(t, string(name)+" "+string(f), call(context.Background(), a))
			b.Repair()
		}
		b.Break(name, Status429, 20)
		if err := call(context.Background(), a); !errors.Is(err, integration.ErrRateLimited) {
			t.Errorf("%s: %v, want ErrRateLimited", name, err)
		}
		b.Repair()
		if err := call(context.Background(), a); err != nil {
			t.Errorf("%s after outages: %v", name, err)
		}
	}
}

func testContexts(t *testing.T, b bundle) {
	a := b.enter(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, call := range b.reads(b.Place(), b.Add("a.xml", []byte("<a/>"))) {
		if err := call(ctx, a); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want the context's end", name, err)
		}
	}
}
