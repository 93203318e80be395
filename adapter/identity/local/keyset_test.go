package local_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/identity/local"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/google/uuid"
)

func assistantClaims() identity.Claims {
	return identity.Claims{
		UserID: uuid.New(), OrganizationID: uuid.New(), SessionID: uuid.New(), ClientID: "docledger", Generation: 3,
		IssuedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}
}

// published serves the key set of tokens and counts the loads.
func published(t *testing.T, by *local.Tokens) (url string, loads *atomic.Int64) {
	t.Helper()
	loads = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		loads.Add(1)
		keys, err := by.KeySet()
		if err != nil || r.URL.Path != local.KeysPath {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(keys)
	}))
	t.Cleanup(server.Close)
	return server.URL, loads
}

// TestTokensOfAssistants separates access tokens, refresh tokens and sessions of people.
func TestTokensOfAssistants(t *testing.T) {
	t.Parallel()
	by, c := tokens(t, issuer, seed('a')), assistantClaims()
	access := issue(t, by, c)
	refresh, err := by.IssueRefresh(c)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := by.Verify(access, noon); err != nil || got != c {
		t.Errorf("access: %+v, %v", got, err)
	}
	if got, err := by.VerifyRefresh(refresh, noon); err != nil || got != c {
		t.Errorf("refresh: %+v, %v", got, err)
	}
	for what, err := range map[string]error{
		"a refresh token as access": second(by.Verify(refresh, noon)), "an access token as refresh": second(by.VerifyRefresh(access, noon)),
		"a session as refresh": second(by.VerifyRefresh(issue(t, by, claims()), noon)), "a late refresh": second(by.VerifyRefresh(refresh, noon.Add(2*time.Hour))),
	} {
		if f, ok := fault.As(err); !ok || f.Kind != fault.Unauthenticated {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// TestVerifierReadsTheKeysOfTheAPI verifies tokens without a signing key, and loads nothing for
// tokens of others.
func TestVerifierReadsTheKeysOfTheAPI(t *testing.T) {
	t.Parallel()
	by, c := tokens(t, issuer, seed('b'), seed('a')), assistantClaims()
	url, loads := published(t, by)
	v := local.NewVerifier(issuer, url, nil)
	for what, token := range map[string]string{"another issuer": issue(t, tokens(t, "https://other.example", seed('b')), c), "no token": "x", "empty": ""} {
		if _, err := v.Verify(t.Context(), token, noon); err == nil || loads.Load() != 0 {
			t.Errorf("%s: %v after %d loads", what, err, loads.Load())
		}
	}
	for _, signer := range []*local.Tokens{by, tokens(t, issuer, seed('a'))} {
		if got, err := v.Verify(t.Context(), issue(t, signer, c), noon); err != nil || got != c {
			t.Errorf("%+v, %v", got, err)
		}
	}
	refresh, err := by.IssueRefresh(c)
	if err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{"an unknown key": issue(t, tokens(t, issuer, seed('c')), c), "a refresh token": refresh} {
		if f, ok := fault.As(second(v.Verify(t.Context(), token, noon))); !ok || f.Kind != fault.Unauthenticated {
			t.Errorf("%s: %v", what, f)
		}
	}
	if _, err := v.Verify(t.Context(), issue(t, by, c), noon.Add(2*time.Hour)); err == nil {
		t.Error("an expired token is accepted")
	}
	if loads.Load() != 1 {
		t.Errorf("%d loads", loads.Load())
	}
}

// TestVerifierWithoutKeys says that the keys are missing, so that no client discards its token.
func TestVerifierWithoutKeys(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := local.NewVerifier(issuer, server.URL, nil).Verify(t.Context(), issue(t, tokens(t, issuer, seed('a')), assistantClaims()), noon)
	if f, ok := fault.As(err); !ok || f.Kind != fault.Unavailable || f.RetryAfter <= 0 {
		t.Errorf("%v", err)
	}
}

// TestTokensHaveOneForm changes the last character of tokens and adds line breaks. The decoder of
// base64url ignores some of its bits and line breaks, so that other texts have the same bytes.
func TestTokensHaveOneForm(t *testing.T) {
	t.Parallel()
	by := tokens(t, issuer, seed('a'))
	refresh, err := by.IssueRefresh(assistantClaims())
	if err != nil {
		t.Fatal(err)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	for what, token := range map[string]string{"session": issue(t, by, claims()), "access": issue(t, by, assistantClaims()), "refresh": refresh} {
		verify := by.Verify
		if what == "refresh" {
			verify = by.VerifyRefresh
		}
		if _, err := verify(token, noon); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		others := []string{token + "\n", token + "=", token[:len(token)-5] + "\r\n" + token[len(token)-5:]}
		for _, last := range alphabet {
			if other := token[:len(token)-1] + string(last); other != token {
				others = append(others, other)
			}
		}
		for _, other := range others {
			if _, err := verify(other, noon); fault.CodeOf(err) != fault.CodeUnauthorized {
				t.Errorf("%s: %q is accepted: %v", what, other[len(other)-8:], err)
			}
		}
	}
}
