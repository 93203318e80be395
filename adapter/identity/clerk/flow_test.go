package clerk_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/domain/identity"
)

// noRedirects shows answers that redirect.
var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// TestTokensOfAWholeFlow authorizes a client as an assistant would, and has its
// tokens verified.
func TestTokensOfAWholeFlow(t *testing.T) {
	t.Parallel()
	const verifier = "a-code-verifier-of-at-least-forty-three-characters"
	sum := sha256.Sum256([]byte(verifier))
	p := newProvider(t)
	p.sim.Configure(func(s *sim.Settings) { s.AutoApprove = true })
	authorize := p.Issuer + "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {"http://127.0.0.1:1/callback"},
		"scope": {"openid email user:org:read"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
	if to, ok := identity.AllowedRedirect(authorize, p.Key.SignInHosts(), true); !ok || to != authorize {
		t.Errorf("a browser may not be sent to %s", authorize)
	}
	resp, err := noRedirects.Get(authorize)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		t.Fatal(err)
	}
	resp, err = http.PostForm(p.Issuer+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Query().Get("code")}, "client_id": {client},
		"redirect_uri": {"http://127.0.0.1:1/callback"}, "code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var tokens struct {
		Access  string `json:"access_token"`
		ID      string `json:"id_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&tokens); err != nil {
		t.Fatal(err)
	}
	got, err := p.Tokens.Verify(t.Context(), tokens.Access, time.Now())
	if err != nil || got.OrganizationID != acme || got.Subject != ada || !slices.Contains(got.Scopes, identity.ScopeReadOrganization) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, token := range map[string]string{"id": tokens.ID, "refresh": tokens.Refresh, "code": back.Query().Get("code")} {
		if _, err := p.Tokens.Verify(t.Context(), token, time.Now()); err == nil || token == "" {
			t.Errorf("the %s token grants access", name)
		}
	}
	p.sim.RotateKeys(false)
	if _, err := p.Tokens.Verify(t.Context(), tokens.Access, time.Now()); err != nil {
		t.Errorf("keys are not loaded for every token: %v", err)
	}
}

// TestWebhooksOfTheSimulator has what the provider sends verified, while its
// secret is rotated and after an attempt that failed.
func TestWebhooksOfTheSimulator(t *testing.T) {
	t.Parallel()
	old, rotated := verifier(t, hook), verifier(t, secondHook, thirdHook)
	var events []identity.ProviderEvent
	attempts := 0
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts++
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for _, w := range []clerk.Webhooks{old, rotated} {
			event, err := w.Verify(r.Header, body, time.Now())
			if err != nil {
				t.Error(err)
			}
			events = append(events, event)
		}
		if attempts == 1 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer target.Close()
	server := sim.New(sim.Options{
		Origin: "http://127.0.0.1:1", Organizations: []sim.Organization{{ID: acme, Name: "Acme"}},
		Endpoints: []sim.Endpoint{{URL: target.URL, Secrets: []string{hook, secondHook}}},
	})
	defer server.Close()
	id, err := server.Announce("organization.created", acme)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for range 2 {
		if err := server.Drain(ctx); err != nil {
			t.Fatal(err)
		}
		server.Kit.Clock.Advance(5 * time.Second)
	}
	if len(events) != 4 || attempts != 2 {
		t.Fatalf("%d attempts, %d events", attempts, len(events))
	}
	for _, e := range events {
		if e != events[0] || e.ID != id || e.Type != identity.OrganizationCreated || e.Organization.ID != acme || e.CreatedAt.IsZero() {
			t.Errorf("got %+v", e)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	server := sim.New(sim.Options{Origin: "http://127.0.0.1:1"})
	defer server.Close()
	c, err := clerk.New(clerk.Options{
		PublishableKey: server.PublishableKey(), SecretKey: secretKey, ClientID: client, LoopbackHTTP: true, Transport: within{server},
	})
	if err != nil {
		b.Fatal(err)
	}
	p := provider{Client: c, sim: server}
	for name, token := range map[string]string{
		"OAuth":   server.Sign(map[string]any{"typ": "at+jwt"}, oauthClaims(p, map[string]any{"exp": time.Now().Add(time.Hour).Unix()})),
		"session": server.Sign(nil, sessionClaims(p, map[string]any{"exp": time.Now().Add(time.Hour).Unix()})),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.Tokens.Verify(b.Context(), token, time.Now()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkVerifyWebhook(b *testing.B) {
	w := verifier(b, hook, secondHook)
	for b.Loop() {
		if _, err := w.Verify(headers(nil), []byte(created), sentAt); err != nil {
			b.Fatal(err)
		}
	}
}
