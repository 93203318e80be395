package quickbooks

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"

	"github.com/google/uuid"
)

const keyBits = 2048

type signingKey struct {
	id      string
	private *rsa.PrivateKey
}

func newKey() *signingKey {
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err) // the machine gives no random numbers
	}
	return &signingKey{strings.ToUpper(strings.ReplaceAll(uuid.NewString(), "-", "")), private}
}

// jwk is the key as a JWK (RFC 7517).
func (k *signingKey) jwk() map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": k.id,
		"n": encode(k.private.N.Bytes()), "e": encode(big.NewInt(int64(k.private.E)).Bytes()),
	}
}

// sign makes a JWT.
func (k *signingKey) sign(claims map[string]any) string {
	encode := base64.RawURLEncoding.EncodeToString
	header := map[string]any{"alg": "RS256", "kid": k.id, "typ": "JWT"}
	signed := encode(write(header)) + "." + encode(write(claims))
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, k.private, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key is as long as the sum needs
	}
	return signed + "." + encode(signature)
}

// accessHash is at_hash of an id token (OpenID Connect Core, 3.1.3.6).
func accessHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}

func write(v any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // what the simulator made itself, or read as JSON
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
