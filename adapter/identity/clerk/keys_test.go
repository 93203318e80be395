package clerk

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docledger/adapter/identity/jwks"
	"docledger/domain/fault"
)

var twoKeys = sync.OnceValue(func() []*rsa.PrivateKey {
	var made []*rsa.PrivateKey
	for range 2 {
		key, err := rsa.GenerateKey(rand.Reader, minKeyBits)
		if err != nil {
			panic(err)
		}
		made = append(made, key)
	}
	return made
})

func jwk(kid string, key *rsa.PublicKey) map[string]any {
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
		"n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}
}

func document(t *testing.T, keys ...any) string {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// source returns the configured responses to loads of the keys.
type source struct {
	mu     sync.Mutex
	status int
	body   string
	delay  time.Duration
	err    error
	loads  []time.Time
}

func (s *source) set(change func(*source)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *source) works(body string) {
	s.set(func(s *source) { s.status, s.body, s.delay, s.err = http.StatusOK, body, 0, nil })
}

func (s *source) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.loads)
}

func (s *source) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.loads = append(s.loads, time.Now())
	status, body, delay, err := s.status, s.body, s.delay, s.err
	s.mu.Unlock()
	select {
	case <-time.After(delay):
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Location": {"https://evil.example/keys"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: req,
	}, nil
}

// newKeysClient returns a client whose keys come from source, and what it logs.
func newKeysClient(t *testing.T, s *source) (*Client, *bytes.Buffer) {
	t.Helper()
	var logged bytes.Buffer
	c, err := New(Options{
		PublishableKey: "pk_live_Y2xlcmsuZXhhbXBsZS5jb20k", SecretKey: "sk_live_x", ClientID: "client",
		Transport: s, Logger: slog.New(slog.NewTextHandler(&logged, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c, &logged
}

func signedBy(t *testing.T, kid string, key *rsa.PrivateKey) string {
	t.Helper()
	part := func(v any) string {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	now := time.Now().Unix()
	signed := part(map[string]any{"alg": "RS256", "typ": "JWT", "kid": kid}) + "." + part(map[string]any{
		"iss": "https://clerk.example.com", "sub": "user_1", "sid": "sess_1", "iat": now, "exp": now + 24*3600,
	})
	signature, err := algorithm.Sign(signed, key)
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// changed replaces a text in a part of a token.
func changed(t *testing.T, part, old, text string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil || !strings.Contains(string(raw), old) {
		t.Fatalf("%s has no %s: %v", raw, old, err)
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), old, text, 1)))
}

func verify(c *Client, token string) fault.Code {
	_, err := c.Tokens.Verify(context.Background(), token, time.Now())
	return fault.CodeOf(err)
}

func TestUnknownKeysCostOneLoadAnInterval(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	synctest.Test(t, func(t *testing.T) {
		s := &source{status: http.StatusOK, body: document(t, jwk("old", &keys[0].PublicKey)), delay: 50 * time.Millisecond}
		c, _ := newKeysClient(t, s)
		ctx, stop := context.WithCancel(t.Context())
		var background sync.WaitGroup
		background.Go(func() { c.Run(ctx) })
		synctest.Wait()
		rotated := time.Now().Add(3 * time.Minute)
		var seen time.Time
		forged := signedBy(t, "invented", keys[1])
		begun := time.Now()
		for time.Since(begun) < 5*time.Minute {
			var flood sync.WaitGroup
			for range 8 {
				flood.Go(func() {
					if code := verify(c, forged); code != fault.CodeUnauthorized {
						t.Errorf("a forged token: %q", code)
					}
				})
			}
			flood.Wait()
			if seen.IsZero() && !time.Now().Before(rotated) {
				s.set(func(s *source) {
					s.body = document(t, jwk("new", &keys[1].PublicKey), jwk("old", &keys[0].PublicKey))
				})
				if verify(c, signedBy(t, "new", keys[1])) == "" {
					seen = time.Now()
				}
			}
			time.Sleep(250 * time.Millisecond)
		}
		if seen.IsZero() || seen.Sub(rotated) > 30*time.Second {
			t.Errorf("the rotation was seen %v after it", seen.Sub(rotated))
		}
		for i, at := range s.loads[1:] {
			if gap := at.Sub(s.loads[i]); gap < 10*time.Second {
				t.Errorf("two loads within %v", gap)
			}
		}
		if n := s.count(); n > 31 {
			t.Errorf("%d loads in five minutes", n)
		}
		stop()
		background.Wait()
	})
}

func TestAQuietProviderIsSeenToRotateAndWithdraw(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	synctest.Test(t, func(t *testing.T) {
		s := &source{status: http.StatusOK, body: document(t, jwk("old", &keys[0].PublicKey))}
		c, _ := newKeysClient(t, s)
		ctx, stop := context.WithCancel(t.Context())
		var background sync.WaitGroup
		background.Go(func() { c.Run(ctx) })
		synctest.Wait()
		old, fresh := signedBy(t, "old", keys[0]), signedBy(t, "new", keys[1])
		if code := verify(c, old); code != "" {
			t.Fatalf("before: %q", code)
		}
		s.set(func(s *source) { s.body = document(t, jwk("new", &keys[1].PublicKey)) })
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if n := s.count(); n > 2 {
			t.Errorf("%d loads", n)
		}
		if code := verify(c, old); code != fault.CodeUnauthorized {
			t.Errorf("a withdrawn key: %q", code)
		}
		if code := verify(c, fresh); code != "" {
			t.Errorf("the new key: %q", code)
		}
		stop()
		background.Wait()
	})
}

func TestKnownKeysGoOnWhileTheProviderIsAway(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	weak := map[string]any{"kty": "RSA", "kid": "old", "n": base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{0xff}, 64)), "e": "AQAB"}
	for name, fail := range map[string]func(*source){
		"refused":         func(s *source) { s.err = errors.New("connection refused") },
		"timeout":         func(s *source) { s.delay = time.Hour },
		"status 500":      func(s *source) { s.status = http.StatusInternalServerError },
		"status 404":      func(s *source) { s.status = http.StatusNotFound },
		"redirect":        func(s *source) { s.status = http.StatusFound },
		"garbage":         func(s *source) { s.body = "<html>" },
		"empty":           func(s *source) { s.body = "" },
		"no keys":         func(s *source) { s.body = `{"keys":[]}` },
		"null":            func(s *source) { s.body = `null` },
		"only other keys": func(s *source) { s.body = `{"keys":[{"kty":"EC","kid":"old","crv":"P-256","x":"AA","y":"AA"}]}` },
		"a weak key":      func(s *source) { s.body = document(t, weak) },
		"too long":        func(s *source) { s.body = `{"keys":[],"a":"` + strings.Repeat("a", jwks.MaxBytes) + `"}` },
		"too many": func(s *source) {
			s.body = document(t, make([]any, jwks.MaxKeys+1)...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &source{status: http.StatusOK, body: document(t, jwk("old", &keys[0].PublicKey))}
				c, logged := newKeysClient(t, s)
				ctx, stop := context.WithCancel(t.Context())
				var background sync.WaitGroup
				background.Go(func() { c.Run(ctx) })
				synctest.Wait()
				s.set(fail)
				token, forged := signedBy(t, "old", keys[0]), signedBy(t, "invented", keys[1])
				for range 3 {
					time.Sleep(2 * time.Minute)
					synctest.Wait()
					if code := verify(c, token); code != "" {
						t.Errorf("a known key: %q", code)
					}
					if code := verify(c, forged); code != fault.CodeUnauthorized {
						t.Errorf("an unknown key: %q", code)
					}
				}
				if !c.Ready() {
					t.Error("not ready, with keys")
				}
				s.works(document(t, jwk("new", &keys[1].PublicKey)))
				time.Sleep(25 * time.Second)
				synctest.Wait()
				if code := verify(c, signedBy(t, "new", keys[1])); code != "" {
					t.Errorf("after the outage: %q", code)
				}
				if n := strings.Count(logged.String(), "level=WARN"); n != 1 || !strings.Contains(logged.String(), "level=INFO") {
					t.Errorf("logged:\n%s", logged)
				}
				stop()
				background.Wait()
			})
		})
	}
}

func TestColdStartWithoutKeys(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	synctest.Test(t, func(t *testing.T) {
		s := &source{err: errors.New("connection refused")}
		c, _ := newKeysClient(t, s)
		token := signedBy(t, "old", keys[0])
		for range 3 {
			_, err := c.Tokens.Verify(t.Context(), token, time.Now())
			f, ok := fault.As(err)
			if !ok || f.Kind != fault.Unavailable || f.Code != fault.CodeUnavailable || f.RetryAfter <= 0 {
				t.Fatalf("got %v", err)
			}
		}
		if n := s.count(); n != 1 {
			t.Errorf("%d loads", n)
		}
		if c.Ready() {
			t.Error("ready without keys")
		}
		if code := verify(c, "e30.e30.e30"); code != fault.CodeUnauthorized {
			t.Errorf("what is no token: %q", code)
		}
		s.works(document(t, jwk("old", &keys[0].PublicKey)))
		time.Sleep(10 * time.Second)
		if code := verify(c, token); code != "" {
			t.Errorf("once the provider is there: %q", code)
		}
	})
}

func TestACallerWhoLeavesDoesNotEndTheLoad(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	synctest.Test(t, func(t *testing.T) {
		s := &source{status: http.StatusOK, body: document(t, jwk("old", &keys[0].PublicKey)), delay: time.Second}
		c, _ := newKeysClient(t, s)
		ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		if _, err := c.Tokens.Verify(ctx, signedBy(t, "old", keys[0]), time.Now()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("who leaves: %v", err)
		}
		if code := verify(c, signedBy(t, "old", keys[0])); code != "" {
			t.Errorf("who stays: %q", code)
		}
		if n := s.count(); n != 1 {
			t.Errorf("%d loads", n)
		}
	})
}

// TestAProvenSignatureProvesNothingElse changes the signature and the content of a token with a
// signature that was verified before, and gives its key another content.
func TestAProvenSignatureProvesNothingElse(t *testing.T) {
	t.Parallel()
	keys := twoKeys()
	synctest.Test(t, func(t *testing.T) {
		s := &source{status: http.StatusOK, body: document(t, jwk("one", &keys[0].PublicKey))}
		c, _ := newKeysClient(t, s)
		ctx, stop := context.WithCancel(t.Context())
		var background sync.WaitGroup
		background.Go(func() { c.Run(ctx) })
		synctest.Wait()
		good, thief := signedBy(t, "one", keys[0]), signedBy(t, "one", keys[1])
		for range 2 {
			if code := verify(c, good); code != "" {
				t.Fatalf("the token: %q", code)
			}
		}
		parts, others := strings.Split(good, "."), strings.Split(thief, ".")
		for name, token := range map[string]string{
			"another signature": parts[0] + "." + parts[1] + "." + others[2],
			"another content":   parts[0] + "." + changed(t, parts[1], "user_1", "user_2") + "." + parts[2],
			"another header":    changed(t, parts[0], "{", `{"x":1,`) + "." + parts[1] + "." + parts[2],
			"no signature":      parts[0] + "." + parts[1] + ".",
		} {
			if code := verify(c, token); code != fault.CodeUnauthorized {
				t.Errorf("%s: %q", name, code)
			}
		}
		s.set(func(s *source) { s.body = document(t, jwk("one", &keys[1].PublicKey)) })
		time.Sleep(25 * time.Second)
		synctest.Wait()
		if code := verify(c, good); code != fault.CodeUnauthorized {
			t.Errorf("the token after its key changed: %q", code)
		}
		if code := verify(c, thief); code != "" {
			t.Errorf("a token of the new key: %q", code)
		}
		stop()
		background.Wait()
	})
}
