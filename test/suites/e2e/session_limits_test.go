package e2e

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"docledger/cmd/service"
	"docledger/test/lib/harness"
)

// TestTokensWithoutAGeneration sends a token of a release before generations. It counts as generation
// 0: it is valid like the first token of a session, and no longer than that.
func TestTokensWithoutAGeneration(t *testing.T) {
	t.Parallel()
	seed := []byte("first of thirty-two random bytes")
	clock := newHands()
	s := harness.Start(t, harness.Options{
		Env: map[string]string{"JWT_SIGNING_KEYS": base64.StdEncoding.EncodeToString(seed)}, Overrides: service.Overrides{Clock: clock},
	})
	// of returns a token of an earlier release: it lacks the claim, or states null.
	of := func(token string, change func(claims map[string]any)) string {
		parts := strings.Split(token, ".")
		text, err := base64.RawURLEncoding.DecodeString(parts[1])
		if err != nil {
			t.Fatal(err)
		}
		var claims map[string]any
		if err := json.Unmarshal(text, &claims); err != nil {
			t.Fatal(err)
		}
		if _, ok := claims["generation"]; !ok {
			t.Fatalf("the claims are %v", claims)
		}
		change(claims)
		if text, err = json.Marshal(claims); err != nil {
			t.Fatal(err)
		}
		body := parts[0] + "." + base64.RawURLEncoding.EncodeToString(text)
		return body + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(seed), []byte(body)))
	}
	for name, change := range map[string]func(map[string]any){
		"without": func(c map[string]any) { delete(c, "generation") }, "null": func(c map[string]any) { c["generation"] = nil },
	} {
		org := s.NewOrganization("Old " + name)
		me := func(token string) harness.Response { return s.Do(http.MethodGet, "/api/me", token, nil) }
		refresh := func(token string) harness.Response { return s.Do(http.MethodPost, "/api/auth/refresh", token, nil) }
		old := of(org.Admin.Token, change)
		me(old).OK()
		fresh := refresh(old).OK().Text("token")
		me(old).OK() // for a minute more
		clock.advance(61 * time.Second)
		me(old).Want(401, "unauthorized")
		me(fresh).OK()
		// A later token without its generation is no newer one, and its use ends the session.
		me(of(fresh, change)).Want(401, "unauthorized")
		refresh(of(fresh, change)).Want(401, "unauthorized")
		me(fresh).Want(401, "unauthorized")
	}
	org := s.NewOrganization("Forged")
	for _, generation := range []int{-1, 1, 1 << 40} {
		forged := of(org.Admin.Token, func(c map[string]any) { c["generation"] = generation })
		s.Do(http.MethodGet, "/api/me", forged, nil).Want(401, "unauthorized")
	}
	s.Do(http.MethodGet, "/api/me", org.Admin.Token, nil).OK()
}

// TestGuessesOfTheCurrentPassword guesses the password with a stolen token. Five wrong passwords are
// refused as such; the next one gets 429, also if it is the right one, and signing in does too.
func TestGuessesOfTheCurrentPassword(t *testing.T) {
	t.Parallel()
	harness.OnEach(t, func(t *testing.T, o harness.Options) {
		clock := newHands()
		o.Overrides = service.Overrides{Clock: clock}
		s := harness.Start(t, o)
		org := s.NewOrganization("Guessed")
		change := func(current string) harness.Response {
			return s.Do(http.MethodPost, "/api/auth/password", org.Admin.Token, map[string]any{"current_password": current, "new_password": "another long password"})
		}
		for n := range 5 {
			r := change("wrong password "+strconv.Itoa(n)).Want(http.StatusBadRequest, "invalid_request")
			if r.Text("error", "details", "fields", 0, "field") != "current_password" {
				t.Errorf("guess %d: %s", n+1, r.Raw)
			}
		}
		for _, current := range []string{"wrong password 5", harness.Password} {
			r := change(current).Want(http.StatusTooManyRequests, "rate_limited")
			if r.Header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
			}
		}
		s.Do(http.MethodPost, "/api/auth/login", "", map[string]any{"email": org.Admin.Email, "password": harness.Password}).
			Want(http.StatusTooManyRequests, "rate_limited")
		clock.advance(2 * time.Second)
		change("wrong password 6").Want(http.StatusBadRequest, "invalid_request")
		if r := change(harness.Password).Want(http.StatusTooManyRequests, "rate_limited"); r.Header.Get("Retry-After") != "2" {
			t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
		}
		clock.advance(3 * time.Second)
		change(harness.Password).OK()
	})
}
