package clerk

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"docledger/adapter/sim/kit/oidc"
)

// firstKey is the first signing key of every server of this process.
var firstKey = oidc.Lasting(func() string { return newID("ins") })

// keyring contains the signing keys. The first one is computed in the background.
type keyring struct {
	mu     sync.Mutex
	first  func() *oidc.Key
	active *oidc.Key
	others []*oidc.Key // still published
}

func newKeyring() *keyring {
	k := &keyring{first: firstKey}
	go k.first()
	return k
}

func newKey() *oidc.Key { return oidc.NewKey(newID("ins")) }

func (k *keyring) signer() *oidc.Key {
	first := k.first()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.active == nil {
		k.active = first
	}
	return k.active
}

// rotate replaces the signing key. The old keys stay published if keep is set.
func (k *keyring) rotate(keep bool) string {
	old, fresh := k.signer(), newKey()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.active = fresh
	if k.others = append(k.others, old); !keep {
		k.others = nil
	}
	return fresh.ID
}

// published returns the JWK set (RFC 7517), the signing key first.
func (k *keyring) published() map[string]any {
	active := k.signer()
	k.mu.Lock()
	defer k.mu.Unlock()
	list := []any{active.JWK()}
	for _, key := range k.others {
		list = append(list, key.JWK())
	}
	return map[string]any{"keys": list}
}

// RotateKeys replaces the signing key and returns the new id. If keep is false, the old keys are
// withdrawn immediately, as after a theft.
func (s *Server) RotateKeys(keep bool) string { return s.keys.rotate(keep) }

// Sign signs any header and claims with the current key, for tokens that the provider would never
// issue. A nil header parameter is omitted.
func (s *Server) Sign(header, claims map[string]any) string {
	return s.keys.signer().Sign(header, claims)
}

// SignText signs a literal header and claims, which need not be JSON.
func (s *Server) SignText(header, claims string) string {
	return s.keys.signer().SignText(header, claims)
}

// PublicKey returns the current signing key and its id.
func (s *Server) PublicKey() (id string, key *rsa.PublicKey) {
	signer := s.keys.signer()
	return signer.ID, signer.Public()
}

// read returns the claims of a JWT that a published key signed.
func (k *keyring) read(compact string) (map[string]any, error) {
	signed, encoded, found := cutLast(compact, ".")
	signature, err := base64.RawURLEncoding.DecodeString(encoded)
	_, payload, two := strings.Cut(signed, ".")
	body, err2 := base64.RawURLEncoding.DecodeString(payload)
	if !found || !two || err != nil || err2 != nil {
		return nil, errors.New("not a JWT")
	}
	active := k.signer()
	k.mu.Lock()
	all := append([]*oidc.Key{active}, k.others...)
	k.mu.Unlock()
	sum := sha256.Sum256([]byte(signed))
	for _, key := range all {
		if rsa.VerifyPKCS1v15(key.Public(), crypto.SHA256, sum[:], signature) == nil {
			var claims map[string]any
			err := json.Unmarshal(body, &claims)
			return claims, err
		}
	}
	return nil, errors.New("the signing key is unknown")
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
