package local_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"docledger/adapter/identity/local"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

const issuer = "https://docledger.example"

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func seed(b byte) []byte { return []byte(strings.Repeat(string(b), ed25519.SeedSize)) }

func tokens(t *testing.T, iss string, seeds ...[]byte) *local.Tokens {
	t.Helper()
	made, err := local.NewTokens(iss, seeds...)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func claims() identity.Claims {
	return identity.Claims{
		UserID: uuid.New(), OrganizationID: uuid.New(), SessionID: uuid.New(), Role: identity.RoleMember,
		IssuedAt: noon, ExpiresAt: noon.Add(time.Hour),
	}
}

func issue(t *testing.T, by *local.Tokens, c identity.Claims) string {
	t.Helper()
	token, err := by.Issue(c)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTokensComeBackAsIssued(t *testing.T) {
	t.Parallel()
	old, now := tokens(t, issuer, seed('a')), tokens(t, issuer, seed('b'), seed('a'))
	for _, by := range []*local.Tokens{old, now} {
		c := claims()
		got, err := now.Verify(issue(t, by, c), noon)
		if err != nil || got != c {
			t.Errorf("Verify = %+v, %v; want %+v", got, err, c)
		}
	}
	if _, err := old.Verify(issue(t, now, claims()), noon); fault.CodeOf(err) != fault.CodeUnauthorized {
		t.Errorf("a token of a key that is not listed: %v", err)
	}
}

func TestTokensEndWithALeewayOfAMinute(t *testing.T) {
	t.Parallel()
	by := tokens(t, issuer, seed('a'))
	token := issue(t, by, claims())
	for at, good := range map[time.Duration]bool{
		-61 * time.Second: false, -59 * time.Second: true, time.Hour + 59*time.Second: true, time.Hour + 61*time.Second: false,
	} {
		if _, err := by.Verify(token, noon.Add(at)); (err == nil) != good {
			t.Errorf("%s after its issue: %v", at, err)
		}
	}
}

// TestForgedTokens are refused alike, and say nothing of why.
func TestForgedTokens(t *testing.T) {
	t.Parallel()
	by := tokens(t, issuer, seed('a'))
	good := issue(t, by, claims())
	parts := strings.Split(good, ".")
	public := ed25519.NewKeyFromSeed(seed('a')).Public().(ed25519.PublicKey)
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	header := map[string]any{}
	decodePart(t, parts[0], &header)
	body := map[string]any{}
	decodePart(t, parts[1], &body)
	sign := func(change func(h, b map[string]any)) string {
		h, b := copyOf(header), copyOf(body)
		change(h, b)
		unsigned := encodePart(t, h) + "." + encodePart(t, b)
		return unsigned + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(seed('a')), []byte(unsigned)))
	}
	with := func(method jwt.SigningMethod, key any) string {
		token := jwt.NewWithClaims(method, jwt.MapClaims(body))
		token.Header["kid"] = header["kid"]
		text, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	forged := map[string]string{
		"empty": "", "dots": "..", "one part": parts[0], "two parts": parts[0] + "." + parts[1], "four parts": good + ".x",
		"no signature": parts[0] + "." + parts[1] + ".", "cut signature": good[:len(good)-4], "another payload": parts[0] + "." + encodePart(t, copyOf(body, "sub", uuid.NewString())) + "." + parts[2],
		"alg none":               with(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType),
		"HS256 with public key":  with(jwt.SigningMethodHS256, []byte(public)),
		"HS256 with public PKIX": with(jwt.SigningMethodHS256, der),
		"RS256":                  with(jwt.SigningMethodRS256, rsaKey),
		"another installation":   issue(t, tokens(t, "https://other.example", seed('a')), claims()),
		"another key":            issue(t, tokens(t, issuer, seed('z')), claims()),
		"unknown kid":            sign(func(h, _ map[string]any) { h["kid"] = "x" }),
		"no kid":                 sign(func(h, _ map[string]any) { delete(h, "kid") }),
		"kid of another type":    sign(func(h, _ map[string]any) { h["kid"] = 7 }),
		"no expiry":              sign(func(_, b map[string]any) { delete(b, "exp") }),
		"expiry as text":         sign(func(_, b map[string]any) { b["exp"] = "tomorrow" }),
		"no issue time":          sign(func(_, b map[string]any) { delete(b, "iat") }),
		"issued tomorrow":        sign(func(_, b map[string]any) { b["iat"] = noon.Add(24 * time.Hour).Unix() }),
		"no issuer":              sign(func(_, b map[string]any) { delete(b, "iss") }),
		"no subject":             sign(func(_, b map[string]any) { delete(b, "sub") }),
		"no session":             sign(func(_, b map[string]any) { delete(b, "sid") }),
		"no organization":        sign(func(_, b map[string]any) { delete(b, "organization_id") }),
		"unknown role":           sign(func(_, b map[string]any) { b["organization_role"] = "owner" }),
		"huge":                   strings.Repeat("a", 1<<20),
		"not base64":             "!!!." + parts[1] + "." + parts[2],
	}
	var message string
	for name, token := range forged {
		_, err := by.Verify(token, noon)
		f, ok := fault.As(err)
		if !ok || f.Kind != fault.Unauthenticated || f.Code != fault.CodeUnauthorized {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if message == "" {
			message = f.Message
		}
		if f.Message != message {
			t.Errorf("%s is distinguishable: %q", name, f.Message)
		}
	}
	if _, err := by.Verify(sign(func(_, _ map[string]any) {}), noon); err != nil {
		t.Errorf("the unchanged token is refused, so the others show nothing: %v", err)
	}
}

func decodePart(t *testing.T, part string, into *map[string]any) {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func encodePart(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func copyOf(m map[string]any, changes ...any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i+1 < len(changes); i += 2 {
		out[changes[i].(string)] = changes[i+1]
	}
	return out
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	p, err := local.NewPasswords(local.Cost{MemoryKiB: 1024, Passes: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	first, err1 := p.Hash(ctx, "a long password")
	second, err2 := p.Hash(ctx, "a long password")
	if err1 != nil || err2 != nil || first == second || strings.Contains(first, "password") || !strings.HasPrefix(first, "$argon2id$v=19$m=1024,t=1,p=1$") {
		t.Errorf("hashes are %q, %q", first, second)
	}
	for _, c := range []struct {
		hash, password string
		want           bool
	}{
		{first, "a long password", true}, {second, "a long password", true}, {first, "another password", false}, {first, "", false},
		{"", "a long password", false}, {"", "", false}, {"", "no password has this hash", false},
	} {
		if got, err := p.Matches(ctx, c.hash, c.password); got != c.want || err != nil {
			t.Errorf("Matches(%q, %q) = %v, %v", c.hash, c.password, got, err)
		}
	}
	for _, broken := range []string{
		"x", "$argon2id$v=19$m=1024,t=1,p=1$c2FsdA$", "$argon2i$v=19$m=1024,t=1,p=1$c2FsdA$c2Ft", "$argon2id$v=1$m=1024,t=1,p=1$c2FsdA$c2Ft",
		"$argon2id$v=19$m=99999999,t=1,p=1$c2FsdA$c2Ft", "$argon2id$v=19$m=1024,t=0,p=1$c2FsdA$c2Ft", "$argon2id$v=19$m=1024,t=1,p=1$!$c2Ft",
	} {
		if got, err := p.Matches(ctx, broken, "x"); got || err == nil {
			t.Errorf("a broken hash %q: %v, %v", broken, got, err)
		}
	}
}
