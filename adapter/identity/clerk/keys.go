package clerk

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"docledger/adapter/identity/jwks"
)

// The accepted sizes of a key.
const (
	minKeyBits = 2048
	maxKeyBits = 8192
)

// wireKey holds the fields of a key that RSA signatures need.
type wireKey struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// parseKeys parses a JWK set. It skips keys of other types and uses. A set without a usable key is
// an error, so it never replaces the loaded keys.
func parseKeys(body []byte) (jwks.Set, error) {
	var document struct {
		Keys []wireKey `json:"keys"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, errors.New("the provider's key set is not JSON")
	}
	if len(document.Keys) > jwks.MaxKeys {
		return nil, fmt.Errorf("the provider's key set has more than %d keys", jwks.MaxKeys)
	}
	set := jwks.Set{}
	for _, w := range document.Keys {
		if w.Kty != "RSA" || w.Kid == "" || w.Use != "" && w.Use != "sig" || w.Alg != "" && w.Alg != algorithm.Alg() {
			continue
		}
		if key := w.public(); key != nil && set[w.Kid] == nil {
			set[w.Kid] = key
		}
	}
	if len(set) == 0 {
		return nil, errors.New("the provider's key set has no key for " + algorithm.Alg())
	}
	return set, nil
}

// public returns the key, or nil if it is too weak or malformed.
func (w wireKey) public() *rsa.PublicKey {
	modulus, err1 := base64.RawURLEncoding.DecodeString(w.N)
	exponent, err2 := base64.RawURLEncoding.DecodeString(w.E)
	if err1 != nil || err2 != nil || len(exponent) > 4 {
		return nil
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent).Int64()
	if n.BitLen() < minKeyBits || n.BitLen() > maxKeyBits || n.Bit(0) == 0 || e < 3 || e&1 == 0 || e >= 1<<31 {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e)}
}
