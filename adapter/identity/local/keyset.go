package local

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"docledger/adapter/identity/jwks"
	"docledger/domain/fault"
	"docledger/domain/identity"
	"docledger/infrastructure/httpclient"

	"github.com/golang-jwt/jwt/v5"
)

// KeysPath is where the API publishes the keys of its tokens.
const KeysPath = "/oauth/keys"

// publicKey is a key in a JWK set (RFC 8037, section 2).
type publicKey struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	Use string `json:"use,omitempty"`
	Alg string `json:"alg,omitempty"`
	Kid string `json:"kid"`
	X   string `json:"x"`
}

type document struct {
	Keys []publicKey `json:"keys"`
}

// KeySet returns the public keys as a JWK set, in a fixed order.
func (t *Tokens) KeySet() ([]byte, error) {
	var d document
	for id, key := range t.verify {
		d.Keys = append(d.Keys, publicKey{
			Kty: "OKP", Crv: "Ed25519", Use: "sig", Alg: jwt.SigningMethodEdDSA.Alg(), Kid: id, X: base64.RawURLEncoding.EncodeToString(key),
		})
	}
	slices.SortFunc(d.Keys, func(a, b publicKey) int { return strings.Compare(a.Kid, b.Kid) })
	return json.Marshal(d)
}

// parseKeySet returns the Ed25519 keys of a JWK set and skips all others.
func parseKeySet(body []byte) (jwks.Set, error) {
	var d document
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, errors.New("the key set is not JSON")
	}
	if len(d.Keys) > jwks.MaxKeys {
		return nil, fmt.Errorf("the key set has more than %d keys", jwks.MaxKeys)
	}
	set := jwks.Set{}
	for _, k := range d.Keys {
		key, err := base64.RawURLEncoding.DecodeString(k.X)
		if err == nil && k.Kty == "OKP" && k.Crv == "Ed25519" && k.Kid != "" && len(key) == ed25519.PublicKeySize && set[k.Kid] == nil {
			set[k.Kid] = ed25519.PublicKey(key)
		}
	}
	if len(set) == 0 {
		return nil, errors.New("the key set has no Ed25519 key")
	}
	return set, nil
}

// Verifier verifies the tokens of assistants in a process without the signing keys. It reads the
// public keys from the API.
type Verifier struct {
	issuer string
	keys   *jwks.Keys
	parser *jwt.Parser
}

// NewVerifier returns a verifier of the tokens of an issuer. backend is the origin of the API. Run
// loads the keys.
func NewVerifier(issuer, backend string, log *slog.Logger) *Verifier {
	client := httpclient.New(httpclient.Options{Name: "API", Timeout: 10 * time.Second, MaxBody: jwks.MaxBytes, Log: log})
	return &Verifier{issuer: issuer, parser: newParser(), keys: jwks.New(jwks.Options{
		Name: "the API", Parse: parseKeySet, Logger: log,
		Fetch: func(ctx context.Context) ([]byte, error) {
			resp, err := client.Do(ctx, httpclient.Request{
				Operation: "read keys", Method: http.MethodGet, URL: backend + KeysPath, MaxBody: jwks.MaxBytes, Unlogged: true,
			})
			if err != nil {
				return nil, err
			}
			return resp.Body, nil
		},
	})}
}

// Run refreshes the keys until the context ends.
func (v *Verifier) Run(ctx context.Context) { v.keys.Run(ctx) }

// Ready reports whether tokens can be verified: the keys were loaded at least once.
func (v *Verifier) Ready() bool { return v.keys.Loaded() }

// errForeign is the refusal of a token without a key id or of another issuer, which causes no load.
var errForeign = errors.New("the token is another issuer's")

// retryKeys is when a caller should retry while the keys are missing.
const retryKeys = 5 * time.Second

// Verify returns the claims of an access token. It returns an Unauthenticated fault for an invalid
// one, and an Unavailable fault while no key was loaded.
func (v *Verifier) Verify(ctx context.Context, token string, now time.Time) (identity.Claims, error) {
	var c claims
	_, err := v.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		if id == "" || c.Issuer != v.issuer {
			return nil, errForeign
		}
		key, err := v.keys.Find(ctx, id)
		return crypto.PublicKey(key), err
	})
	switch {
	case errors.Is(err, jwks.ErrNoKeys):
		f := fault.New(fault.Unavailable, fault.CodeUnavailable, "The keys of tokens were not loaded yet. Try again in a few seconds.").WithCause(err)
		f.RetryAfter = retryKeys
		return identity.Claims{}, f
	case err != nil && ctx.Err() != nil:
		return identity.Claims{}, ctx.Err()
	case err != nil:
		return identity.Claims{}, errToken(err)
	}
	return c.accept(v.issuer, "", now)
}
