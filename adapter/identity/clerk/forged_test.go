package clerk_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"docledger/adapter/identity/clerk"
	"docledger/adapter/identity/local"
	sim "docledger/adapter/sim/clerk"
	"docledger/domain/fault"
	"docledger/domain/identity"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// forger makes invalid tokens.
type forger struct {
	provider
	kid    string
	public *rsa.PublicKey
	thief  *rsa.PrivateKey // a key that is not the provider's
}

func newForger(t *testing.T, p provider) forger {
	t.Helper()
	thief, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	f := forger{provider: p, thief: thief}
	f.kid, f.public = p.sim.PublicKey()
	return f
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

func (f forger) header(vary map[string]any) map[string]any {
	return varied(map[string]any{"alg": "RS256", "typ": "at+jwt", "kid": f.kid}, vary)
}

// unsigned is header.claims.
func (f forger) unsigned(header map[string]any) string {
	return encode(f.header(header)) + "." + encode(oauthClaims(f.provider, nil))
}

func (f forger) hmac(t *testing.T, method *jwt.SigningMethodHMAC, key []byte) string {
	t.Helper()
	signed := f.unsigned(map[string]any{"alg": method.Alg()})
	signature, err := method.Sign(signed, key)
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// stolen is signed by a key that is not the provider's.
func (f forger) stolen(header map[string]any) string {
	signed := f.unsigned(header)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, f.thief, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (f forger) thiefJWK() map[string]any {
	return map[string]any{
		"kty": "RSA", "kid": f.kid, "alg": "RS256",
		"n": base64.RawURLEncoding.EncodeToString(f.thief.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(f.thief.E)).Bytes()),
	}
}

// forgedSignatures are not signed by the provider, or not in the one way.
func (f forger) forgedSignatures(t *testing.T) map[string]string {
	t.Helper()
	good := f.sim.Sign(map[string]any{"typ": "at+jwt"}, oauthClaims(f.provider, nil))
	parts := strings.Split(good, ".")
	der := x509.MarshalPKCS1PublicKey(f.public)
	spki, err := x509.MarshalPKIXPublicKey(f.public)
	if err != nil {
		t.Fatal(err)
	}
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki})
	modulus := base64.RawURLEncoding.EncodeToString(f.public.N.Bytes())
	changed := oauthClaims(f.provider, map[string]any{"org_id": other})
	return map[string]string{
		"alg none":                     f.unsigned(map[string]any{"alg": "none"}) + ".",
		"alg None with its signature":  f.unsigned(map[string]any{"alg": "None"}) + "." + parts[2],
		"alg NONE":                     f.unsigned(map[string]any{"alg": "NONE"}) + ".",
		"alg nOnE":                     f.unsigned(map[string]any{"alg": "nOnE"}) + ".",
		"alg empty":                    f.unsigned(map[string]any{"alg": ""}) + ".",
		"alg missing":                  f.unsigned(map[string]any{"alg": nil}) + "." + parts[2],
		"alg a number":                 f.unsigned(map[string]any{"alg": 256}) + "." + parts[2],
		"alg a list":                   f.unsigned(map[string]any{"alg": []string{"RS256", "none"}}) + "." + parts[2],
		"alg in small letters":         f.unsigned(map[string]any{"alg": "rs256"}) + "." + parts[2],
		"HS256 with the key in PEM":    f.hmac(t, jwt.SigningMethodHS256, pemKey),
		"HS256 with PEM and no end":    f.hmac(t, jwt.SigningMethodHS256, []byte(strings.TrimSpace(string(pemKey)))),
		"HS256 with the key in PKCS 1": f.hmac(t, jwt.SigningMethodHS256, der),
		"HS256 with the key in SPKI":   f.hmac(t, jwt.SigningMethodHS256, spki),
		"HS256 with the modulus":       f.hmac(t, jwt.SigningMethodHS256, []byte(modulus)),
		"HS256 with modulus bytes":     f.hmac(t, jwt.SigningMethodHS256, f.public.N.Bytes()),
		"HS512 with the key in PEM":    f.hmac(t, jwt.SigningMethodHS512, pemKey),
		"HS256 with an empty key":      f.hmac(t, jwt.SigningMethodHS256, nil),
		"HS256 with the secret key":    f.hmac(t, jwt.SigningMethodHS256, []byte(secretKey)),
		"signed by somebody else":      f.stolen(nil),
		"RS512 by the provider's key":  f.sim.Sign(map[string]any{"alg": "RS512", "typ": "at+jwt"}, oauthClaims(f.provider, nil)),
		"ES256":                        f.ecdsa(t),
		"EdDSA":                        f.eddsa(t),
		"PS256":                        f.pss(t),
		"signature of RS512":           f.rs512(t),
		"no signature":                 parts[0] + "." + parts[1] + ".",
		"no signature and no dot":      parts[0] + "." + parts[1],
		"signature cut short":          good[:len(good)-8],
		"signature and more":           good + "AAAA",
		"signature of zeros":           parts[0] + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(make([]byte, 256)),
		"signature of another token":   parts[0] + "." + encode(changed) + "." + parts[2],
		"header changed":               encode(f.header(map[string]any{"extra": 1})) + "." + parts[1] + "." + parts[2],
		"padded":                       parts[0] + "." + parts[1] + "." + parts[2] + "==",
		"standard base64":              parts[0] + "." + parts[1] + "." + strings.NewReplacer("-", "+", "_", "/").Replace(parts[2]) + "+/",
		"line feed within":             parts[0] + "." + parts[1] + "\n." + parts[2],
		"space before":                 " " + good,
		"space after":                  good + " ",
		"two tokens":                   good + "," + good,
		"four parts":                   good + ".e30",
		"five parts, as encrypted":     good + ".e30.e30",
		"only dots":                    "..",
		"empty":                        "",
		"the word null":                "null",
	}
}

func (f forger) ecdsa(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed := f.unsigned(map[string]any{"alg": "ES256"})
	signature, err := jwt.SigningMethodES256.Sign(signed, key)
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (f forger) eddsa(t *testing.T) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed := f.unsigned(map[string]any{"alg": "EdDSA"})
	return signed + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(signed)))
}

func (f forger) pss(t *testing.T) string {
	t.Helper()
	signed := f.unsigned(map[string]any{"alg": "PS256"})
	signature, err := jwt.SigningMethodPS256.Sign(signed, f.thief)
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (f forger) rs512(t *testing.T) string {
	t.Helper()
	signed := f.unsigned(nil)
	sum := sha512.Sum512([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, f.thief, crypto.SHA512, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// forgedHeaders bring their own key, or lead to another one.
func (f forger) forgedHeaders() map[string]string {
	const evil = "https://evil.example/keys"
	certificate := base64.StdEncoding.EncodeToString([]byte("certificate"))
	forged := map[string]string{
		"jwk in the header":                   f.stolen(map[string]any{"jwk": f.thiefJWK()}),
		"jku":                                 f.stolen(map[string]any{"jku": evil}),
		"x5u":                                 f.stolen(map[string]any{"x5u": evil}),
		"x5c":                                 f.stolen(map[string]any{"x5c": []string{certificate}}),
		"no kid":                              f.stolen(map[string]any{"kid": nil}),
		"kid unknown":                         f.stolen(map[string]any{"kid": "ins_unknown"}),
		"kid empty":                           f.stolen(map[string]any{"kid": ""}),
		"kid a path":                          f.stolen(map[string]any{"kid": "../../../../dev/null"}),
		"kid a URL":                           f.stolen(map[string]any{"kid": evil}),
		"kid SQL":                             f.stolen(map[string]any{"kid": "x' UNION SELECT 'a' --"}),
		"kid with null":                       f.stolen(map[string]any{"kid": f.kid + "\x00"}),
		"kid of ten kilobytes":                f.stolen(map[string]any{"kid": strings.Repeat("a", 10<<10)}),
		"kid a list":                          f.stolen(map[string]any{"kid": []string{f.kid}}),
		"kid a number":                        f.stolen(map[string]any{"kid": 1}),
		"by the provider's key, no kid":       f.sim.Sign(map[string]any{"kid": nil}, oauthClaims(f.provider, nil)),
		"by the provider's key, another kid":  f.sim.Sign(map[string]any{"kid": "ins_other"}, oauthClaims(f.provider, nil)),
		"by the provider's key, crit":         f.sim.Sign(map[string]any{"crit": []string{"exp"}}, oauthClaims(f.provider, nil)),
		"by the provider's key, b64":          f.sim.Sign(map[string]any{"b64": false}, oauthClaims(f.provider, nil)),
		"by the provider's key, jku":          f.sim.Sign(map[string]any{"jku": evil}, oauthClaims(f.provider, nil)),
		"by the provider's key, type logout":  f.sim.Sign(map[string]any{"typ": "logout+jwt"}, oauthClaims(f.provider, nil)),
		"by the provider's key, type event":   f.sim.Sign(map[string]any{"typ": "secevent+jwt"}, oauthClaims(f.provider, nil)),
		"by the provider's key, type a list":  f.sim.Sign(map[string]any{"typ": []string{"JWT"}}, oauthClaims(f.provider, nil)),
		"by the provider's key, type of DPoP": f.sim.Sign(map[string]any{"typ": "dpop+jwt"}, oauthClaims(f.provider, nil)),
	}
	return forged
}

// forgedClaims are signed by the provider, and still not good here.
func (f forger) forgedClaims() map[string]string {
	now := time.Now().Unix()
	forged := map[string]string{}
	oauth := func(name string, vary map[string]any) {
		forged["oauth: "+name] = f.sim.Sign(map[string]any{"typ": "at+jwt"}, oauthClaims(f.provider, vary))
	}
	session := func(name string, vary map[string]any) {
		forged["session: "+name] = f.sim.Sign(nil, sessionClaims(f.provider, vary))
	}
	for _, both := range []func(string, map[string]any){oauth, session} {
		both("no issuer", map[string]any{"iss": nil})
		both("issuer elsewhere", map[string]any{"iss": "https://clerk.evil.example"})
		both("issuer with slash", map[string]any{"iss": f.Issuer + "/"})
		both("issuer in capitals", map[string]any{"iss": strings.ToUpper(f.Issuer)})
		both("issuer as prefix", map[string]any{"iss": f.Issuer + ".evil.example"})
		both("issuer with another scheme", map[string]any{"iss": strings.Replace(f.Issuer, "http:", "https:", 1)})
		both("issuer in a list", map[string]any{"iss": []string{f.Issuer}})
		both("expired", map[string]any{"iat": now - 7200, "exp": now - 3600})
		both("no exp", map[string]any{"exp": nil})
		both("exp a string", map[string]any{"exp": fmt.Sprint(now + 3600)})
		both("exp null", map[string]any{"exp": json.RawMessage("null")})
		both("exp negative", map[string]any{"exp": -1})
		both("exp beyond all bounds", map[string]any{"exp": json.RawMessage("1e300")})
		both("exp before iat", map[string]any{"iat": now, "exp": now - 30})
		both("nbf to come", map[string]any{"nbf": now + 600})
		both("nbf a string", map[string]any{"nbf": "now"})
		both("iat to come", map[string]any{"iat": now + 600, "exp": now + 1200})
		both("no iat", map[string]any{"iat": nil})
		both("no subject", map[string]any{"sub": nil})
		both("empty subject", map[string]any{"sub": ""})
		both("subject a number", map[string]any{"sub": 1})
		both("subject a path", map[string]any{"sub": "../user_bob"})
		both("a machine", map[string]any{"sub": "mch_1"})
	}
	oauth("another client", map[string]any{"client_id": stranger})
	oauth("client in a list", map[string]any{"client_id": []string{client}})
	oauth("client a number", map[string]any{"client_id": 1})
	oauth("client in capitals", map[string]any{"client_id": strings.ToUpper(client)})
	oauth("client with a space", map[string]any{"client_id": client + " "})
	oauth("no client", map[string]any{"client_id": nil})
	oauth("no client but azp", map[string]any{"client_id": nil, "azp": client})
	oauth("no client but a session", map[string]any{"client_id": nil, "sid": "sess_1", "scope": nil, "jti": nil})
	oauth("organization in a list", map[string]any{"org_id": []string{acme}})
	oauth("organization a path", map[string]any{"org_id": "../" + acme})
	oauth("scopes a number", map[string]any{"scope": 1})
	oauth("scopes a list of numbers", map[string]any{"scp": []int{1}})
	session("no session id", map[string]any{"sid": nil})
	session("session id a number", map[string]any{"sid": 1})
	session("sign-in not complete", map[string]any{"sts": "pending"})
	session("with another client", map[string]any{"client_id": stranger})
	session("with scopes", map[string]any{"scope": "profile"})
	session("named like an access token", map[string]any{"jti": "oat_1"})
	session("an id token", map[string]any{"at_hash": "abc"})
	session("with a nonce", map[string]any{"nonce": "abc"})
	session("version to come", map[string]any{"v": 3})
	session("version a word", map[string]any{"v": "two"})
	session("organization no object", map[string]any{"o": acme})
	session("organization without id", map[string]any{"o": map[string]any{"rol": "admin"}})
	session("organization in a list", map[string]any{"v": nil, "o": nil, "org_id": []string{acme}})
	forged["session from a template"] = f.sim.Sign(map[string]any{"cat": "cl_B7d4PD222AAA"}, sessionClaims(f.provider, nil))
	forged["session of a machine"] = f.sim.Sign(map[string]any{"cat": "cl_B7d4PD333AAA"}, sessionClaims(f.provider, nil))
	forged["session with the type of OAuth"] = f.sim.Sign(map[string]any{"typ": "at+jwt"}, sessionClaims(f.provider, nil))
	return forged
}

// forgedTexts are signed by the provider, over what is no proper object.
func (f forger) forgedTexts(t *testing.T) map[string]string {
	t.Helper()
	raw, err := json.Marshal(oauthClaims(f.provider, nil))
	if err != nil {
		t.Fatal(err)
	}
	claims := string(raw)
	header := `{"alg":"RS256","typ":"at+jwt","kid":"` + f.kid + `"}`
	with := func(more string) string { return f.sim.SignText(header, strings.TrimSuffix(claims, "}")+more) }
	return map[string]string{
		"claim twice":                with(`,"client_id":"` + client + `"}`),
		"claim twice, escaped":       with(`,"client\u005fid":"` + client + `"}`),
		"claim in other capitals":    f.sim.SignText(header, strings.Replace(claims, `"client_id"`, `"Client_ID"`, 1)),
		"exp in other capitals":      f.sim.SignText(header, strings.Replace(claims, `"exp"`, `"EXP"`, 1)),
		"claim twice within another": with(`,"o":{"id":"a","id":"b"}}`),
		"header twice":               f.sim.SignText(`{"alg":"none","alg":"RS256","kid":"`+f.kid+`"}`, claims),
		"after the claims":           f.sim.SignText(header, claims+`{"org_id":"`+other+`"}`),
		"claims a list":              f.sim.SignText(header, "["+claims+"]"),
		"claims a string":            f.sim.SignText(header, `"claims"`),
		"claims null":                f.sim.SignText(header, "null"),
		"claims empty":               f.sim.SignText(header, ""),
		"claims cut short":           f.sim.SignText(header, claims[:len(claims)-1]),
		"claims nested deeply":       with(`,"a":` + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + "}"),
		"claims nested in objects":   with(`,"a":` + strings.Repeat(`{"a":`, 800) + "1" + strings.Repeat("}", 800) + "}"),
		"claims not UTF-8":           with(",\"a\":\"\xff\xfe\"}"),
		"claims of a hundred kB":     with(`,"a":"` + strings.Repeat("a", 100<<10) + `"}`),
		"header a list":              f.sim.SignText("["+header+"]", claims),
		"header not JSON":            f.sim.SignText("alg:RS256", claims),
	}
}

func TestVerifyRefusesForgedTokens(t *testing.T) {
	t.Parallel()
	calls := &recorder{}
	p := newProvider(t, func(o *clerk.Options) { o.Transport = calls })
	f := newForger(t, p)
	forged := map[string]string{
		"our own":           ownToken(t, p.Issuer),
		"our own elsewhere": ownToken(t, "https://docledger.example.com"),
		"an id token":       p.idToken(t),
	}
	for _, more := range []map[string]string{f.forgedSignatures(t), f.forgedHeaders(), f.forgedClaims(), f.forgedTexts(t)} {
		for name, token := range more {
			if forged[name] != "" {
				t.Fatalf("two cases are called %q", name)
			}
			forged[name] = token
		}
	}
	t.Logf("%d forged tokens", len(forged))
	for name, token := range forged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claims, err := p.Tokens.Verify(t.Context(), token, time.Now())
			refused, ok := fault.As(err)
			if !ok || refused.Kind != fault.Unauthenticated || refused.Code != fault.CodeUnauthorized {
				t.Fatalf("got %+v, %v", claims, err)
			}
			if want := "The token is missing, expired or not valid. Sign in again."; refused.Message != want {
				t.Errorf("the message reveals why: %q", refused.Message)
			}
			if len(token) > 40 && strings.Contains(err.Error(), token[len(token)-40:]) {
				t.Errorf("the error carries the token: %v", err)
			}
		})
	}
	t.Cleanup(func() {
		_, host, _ := strings.Cut(p.Issuer, "://")
		for _, call := range calls.requests() {
			if call != host+"/.well-known/jwks.json" {
				t.Errorf("a forged token made us ask %s", call)
			}
		}
		if n := len(slices.Compact(calls.requests())); n > 1 {
			t.Errorf("%d different requests", n)
		}
	})
}

func ownToken(t *testing.T, issuer string) string {
	t.Helper()
	tokens, err := local.NewTokens(issuer, make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	token, err := tokens.Issue(identity.Claims{
		UserID: uuid.New(), OrganizationID: uuid.New(), SessionID: uuid.New(), Role: identity.RoleAdmin,
		IssuedAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// idToken is what a client of the provider gets to know who signed in.
func (p provider) idToken(t *testing.T) string {
	t.Helper()
	now := time.Now().Unix()
	return p.sim.Sign(nil, map[string]any{
		"iss": p.Issuer, "sub": ada, "aud": client, "azp": client, "iat": now, "exp": now + 3600, "nonce": "n", "email": "ada@example.com",
	})
}

// FuzzVerify never accepts a token that differs from a good one.
func FuzzVerify(f *testing.F) {
	server := sim.New(sim.Options{Origin: "http://127.0.0.1:1"})
	f.Cleanup(server.Close)
	c, err := clerk.New(clerk.Options{
		PublishableKey: server.PublishableKey(), SecretKey: secretKey, ClientID: client, LoopbackHTTP: true,
		Transport: within{server},
	})
	if err != nil {
		f.Fatal(err)
	}
	p := provider{Client: c, sim: server}
	good := server.Sign(map[string]any{"typ": "at+jwt"}, oauthClaims(p, map[string]any{"exp": time.Now().Add(24 * time.Hour).Unix()}))
	if _, err := c.Tokens.Verify(f.Context(), good, time.Now()); err != nil {
		f.Fatal(err)
	}
	f.Add(good, uint16(0), byte(0))
	f.Add("a.b.c", uint16(3), byte('.'))
	f.Add("oat_opaque", uint16(0), byte('e'))
	f.Add("eyJhbGciOiJub25lIn0.e30.", uint16(7), byte('='))
	f.Fuzz(func(t *testing.T, token string, at uint16, change byte) {
		_, _ = c.Tokens.Verify(t.Context(), token, time.Now())
		mutated := []byte(good)
		mutated[int(at)%len(mutated)] ^= change
		if _, err := c.Tokens.Verify(t.Context(), string(mutated), time.Now()); err == nil && string(mutated) != good {
			t.Fatalf("accepted with byte %d changed by %#x", at, change)
		}
	})
}
