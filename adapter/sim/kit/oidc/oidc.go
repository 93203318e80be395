// Package oidc is what simulated OpenID providers share: signing keys, as they
// publish them, and the tokens made with them.
package oidc

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"sync"
	"sync/atomic"
)

const keyBits = 2048

// Key signs tokens with RS256 (RFC 7518, 3.3).
type Key struct {
	ID      string
	private *rsa.PrivateKey
}

// NewKey makes a key with an id.
func NewKey(id string) *Key {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err) // the machine gives no random numbers
	}
	return &Key{id, private}
}

// Lasting returns a function that makes a key with an id on its first call and returns the same
// key on each further call. Each function has another key. The first ones are known, because the
// search for primes would take most of the time of the start of a simulator.
func Lasting(id func() string) func() *Key {
	n := int(lasting.Add(1)) - 1
	return sync.OnceValue(func() *Key {
		if n >= len(above) {
			return NewKey(id())
		}
		return &Key{id(), known(above[n])}
	})
}

// lasting counts the functions that Lasting returned.
var lasting atomic.Int32

// above are the smallest distances of primes above 3 × 2^1022.
var above = [...]int64{1037, 1697, 1937, 2087, 2197, 3031, 3727, 5111}

// known returns the key of two primes that everyone knows: the largest one of 1024 bits and one
// of those above 3 × 2^1022. Simulators give a token to everyone who asks, so that their keys
// need not be secret.
func known(above int64) *rsa.PrivateKey {
	const half, below, exponent = keyBits / 2, 105, 65537
	one := big.NewInt(1)
	p := new(big.Int).Lsh(one, half)
	p.Sub(p, big.NewInt(below))
	q := new(big.Int).Lsh(big.NewInt(3), half-2)
	q.Add(q, big.NewInt(above))
	order := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: exponent},
		D:         new(big.Int).ModInverse(big.NewInt(exponent), order), Primes: []*big.Int{p, q},
	}
	key.Precompute()
	return key
}

// Public is the key that verifies.
func (k *Key) Public() *rsa.PublicKey { return &k.private.PublicKey }

// JWK is the public key as a JWK (RFC 7517).
func (k *Key) JWK() map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.ID,
		"n": encode(k.private.N.Bytes()), "e": encode(big.NewInt(int64(k.private.E)).Bytes()),
	}
}

// Sign makes a JWT. A parameter of header that is nil is left out; kid, alg and
// typ are the key's own unless they are given.
func (k *Key) Sign(header, claims map[string]any) string {
	full := map[string]any{"alg": "RS256", "kid": k.ID, "typ": "JWT"}
	for name, value := range header {
		full[name] = value
		if value == nil {
			delete(full, name)
		}
	}
	return k.SignText(string(JSON(full)), string(JSON(claims)))
}

// SignText signs a header and claims as they are written, JSON or not.
func (k *Key) SignText(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(header)) + "." + encode([]byte(claims))
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, k.private, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key is as long as the sum needs
	}
	return signed + "." + encode(signature)
}

// AccessHash is at_hash of an id token (OpenID Connect Core, 3.1.3.6).
func AccessHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

// JSON writes a value that the simulator made itself, or read as JSON.
func JSON(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // it came from JSON
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
