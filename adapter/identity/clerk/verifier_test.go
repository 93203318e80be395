package clerk_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	sim "docledger/adapter/sim/clerk"
	"docledger/domain/fault"
	"docledger/domain/identity"
)

func TestVerifySession(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for name, c := range map[string]struct {
		organization string
		options      sim.TokenOptions
		wantRole     identity.Role
	}{
		"version 1, admin":          {acme, sim.TokenOptions{Version: 1}, identity.RoleAdmin},
		"version 1, member":         {other, sim.TokenOptions{Version: 1}, identity.RoleMember},
		"version 1 by number":       {acme, sim.TokenOptions{Version: 1, Claims: map[string]any{"v": 1}}, identity.RoleAdmin},
		"version 1, nothing active": {"", sim.TokenOptions{Version: 1}, ""},
		"version 2, admin":          {acme, sim.TokenOptions{Version: 2}, identity.RoleAdmin},
		"version 2, member":         {other, sim.TokenOptions{Version: 2}, identity.RoleMember},
		"version 2, nothing active": {"", sim.TokenOptions{Version: 2}, ""},
		"audience of others":        {acme, sim.TokenOptions{Claims: map[string]any{"aud": "https://elsewhere.example"}}, identity.RoleAdmin},
		"origin of anybody":         {acme, sim.TokenOptions{AuthorizedParty: "https://app.example.com"}, identity.RoleAdmin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.Tokens.Verify(t.Context(), p.session(t, ada, c.organization, c.options), time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != identity.ProviderSession || got.Subject != ada || got.OrganizationID != c.organization || got.Role != c.wantRole {
				t.Errorf("got %+v", got)
			}
			if got.SessionID == "" || got.ClientID != "" || got.Scopes != nil {
				t.Errorf("got %+v", got)
			}
			if left := time.Until(got.ExpiresAt); left <= 0 || left > time.Minute || time.Since(got.IssuedAt) > time.Minute {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestVerifyOAuth(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	scopes := []string{"profile", "email", "user:org:read"}
	list := newProvider(t)
	list.sim.Configure(func(s *sim.Settings) { s.ScopeList = true })
	claims := func(c map[string]any) sim.TokenOptions { return sim.TokenOptions{Claims: c} }
	for name, token := range map[string]string{
		"as the provider makes it":   p.oauth(t, ada, acme, client, sim.TokenOptions{}),
		"with an audience":           p.oauth(t, ada, acme, client, claims(map[string]any{"aud": []string{"https://elsewhere.example"}})),
		"with an audience of a sort": p.oauth(t, ada, acme, client, claims(map[string]any{"aud": 7})),
		"type JWT":                   p.sim.Sign(map[string]any{"typ": "JWT"}, oauthClaims(p, nil)),
		"type in full":               p.sim.Sign(map[string]any{"typ": "application/at+jwt"}, oauthClaims(p, nil)),
		"type in capitals":           p.sim.Sign(map[string]any{"typ": "AT+JWT"}, oauthClaims(p, nil)),
		"no type":                    p.sim.Sign(map[string]any{"typ": nil}, oauthClaims(p, nil)),
		"fractions of seconds":       p.sim.Sign(nil, oauthClaims(p, map[string]any{"iat": float64(time.Now().UnixMicro()) / 1e6})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.Tokens.Verify(t.Context(), token, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if got.Kind != identity.ProviderOAuth || got.Subject != ada || got.OrganizationID != acme || got.ClientID != client || got.Role != "" || got.SessionID != "" {
				t.Errorf("got %+v", got)
			}
			if !reflect.DeepEqual(got.Scopes, scopes) {
				t.Errorf("scopes %q", got.Scopes)
			}
		})
	}
	t.Run("scopes in a list", func(t *testing.T) {
		t.Parallel()
		got, err := list.Tokens.Verify(t.Context(), list.oauth(t, ada, acme, client, sim.TokenOptions{}), time.Now())
		if err != nil || !reflect.DeepEqual(got.Scopes, scopes) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// oauthClaims are those of a good access token, varied; a claim that is nil is
// left out.
func oauthClaims(p provider, vary map[string]any) map[string]any {
	now := time.Now().Unix()
	return varied(map[string]any{
		"iss": p.Issuer, "sub": ada, "client_id": client, "jti": "oat_1", "iat": now, "nbf": now, "exp": now + 3600,
		"scope": "profile email user:org:read", "org_id": acme,
	}, vary)
}

// sessionClaims are those of a good session token, varied likewise.
func sessionClaims(p provider, vary map[string]any) map[string]any {
	now := time.Now().Unix()
	return varied(map[string]any{
		"iss": p.Issuer, "sub": ada, "sid": "sess_1", "iat": now, "nbf": now - 10, "exp": now + 60, "v": 2, "sts": "active",
		"o": map[string]any{"id": acme, "rol": "admin", "slg": "acme"},
	}, vary)
}

func varied(claims, vary map[string]any) map[string]any {
	for name, value := range vary {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

func TestVerifyNeedsAnOrganizationInOAuthTokens(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	for name, token := range map[string]string{
		"none was chosen":         p.oauth(t, ada, "", client, sim.TokenOptions{}),
		"the scope was not given": p.oauth(t, ada, acme, client, sim.TokenOptions{Scopes: []string{"profile", "email"}}),
		"not a member any more":   p.oauth(t, bob, acme, client, sim.TokenOptions{}),
		"an empty one":            p.sim.Sign(nil, oauthClaims(p, map[string]any{"org_id": ""})),
		"that of a session's v2":  p.sim.Sign(nil, oauthClaims(p, map[string]any{"org_id": nil, "v": 2, "o": map[string]any{"id": acme}})),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := p.Tokens.Verify(t.Context(), token, time.Now())
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Unauthenticated || f.Code != fault.CodeOrganizationRequired {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestVerifyTimes walks the edges of exp, iat and nbf with their leeway of a
// minute.
func TestVerifyTimes(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	at := time.Unix(time.Now().Unix(), 0)
	claims := map[string]any{"iat": at.Unix(), "nbf": at.Unix(), "exp": at.Unix() + 600}
	for _, kind := range []string{
		p.sim.Sign(nil, oauthClaims(p, claims)),
		p.sim.Sign(nil, sessionClaims(p, claims)),
	} {
		for offset, want := range map[time.Duration]bool{
			-60 * time.Second:                      true,
			-60*time.Second - time.Millisecond:     false,
			0:                                      true,
			600 * time.Second:                      true,
			659*time.Second + 999*time.Millisecond: true,
			660 * time.Second:                      false,
			24 * time.Hour:                         false,
			-24 * time.Hour:                        false,
		} {
			_, err := p.Tokens.Verify(t.Context(), kind, at.Add(offset))
			if (err == nil) != want {
				t.Errorf("at %v: %v", offset, err)
			}
		}
	}
}

func TestVerifyAuthorizedParties(t *testing.T) {
	t.Parallel()
	const app = "https://app.example.com"
	p := newProvider(t, func(o *clerk.Options) { o.AuthorizedParties = []string{app, "https://second.example.com"} })
	for party, want := range map[string]bool{app: true, "": false, "https://evil.example": false, app + "/": false, "http://app.example.com": false} {
		_, err := p.Tokens.Verify(t.Context(), p.session(t, ada, acme, sim.TokenOptions{AuthorizedParty: party}), time.Now())
		if (err == nil) != want {
			t.Errorf("azp %q: %v", party, err)
		}
	}
	if _, err := p.Tokens.Verify(t.Context(), p.oauth(t, ada, acme, client, sim.TokenOptions{}), time.Now()); err != nil {
		t.Errorf("an OAuth token has no origin: %v", err)
	}
}

func TestVerifyWithoutClient(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(o *clerk.Options) { o.ClientID = "" })
	for name, token := range map[string]string{
		"a client's":   p.oauth(t, ada, acme, client, sim.TokenOptions{}),
		"an empty one": p.sim.Sign(nil, oauthClaims(p, map[string]any{"client_id": ""})),
		"none":         p.sim.Sign(map[string]any{"typ": "at+jwt"}, oauthClaims(p, map[string]any{"client_id": nil})),
	} {
		_, err := p.Tokens.Verify(t.Context(), token, time.Now())
		if f, ok := fault.As(err); !ok || f.Kind != fault.Unauthenticated || f.Code != fault.CodeUnauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Tokens.Verify(t.Context(), p.session(t, ada, acme, sim.TokenOptions{}), time.Now()); err != nil {
		t.Errorf("sessions need no client: %v", err)
	}
}

func TestVerifyOpaque(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	p.sim.Configure(func(s *sim.Settings) { s.OpaqueTokens = true })
	_, err := p.Tokens.Verify(t.Context(), p.oauth(t, ada, acme, client, sim.TokenOptions{}), time.Now())
	f, ok := fault.As(err)
	if !ok || f.Kind != fault.Unauthenticated || f.Code != fault.CodeUnauthorized {
		t.Fatalf("got %v", err)
	}
	if want := "opaque"; !strings.Contains(f.Message, want) {
		t.Errorf("message %q does not say %q", f.Message, want)
	}
}
