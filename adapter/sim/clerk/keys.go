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

// keyring holds the signing keys. The first one is made in the background,
// since that takes longer than all the rest of starting.
type keyring struct {
	mu     sync.Mutex
	first  func() *oidc.Key
	active *oidc.Key
	others []*oidc.Key // that are published still
}

func newKeyring() *keyring {
	k := &keyring{first: sync.OnceValue(newKey)}
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

// rotate signs with a new key from now on. The old ones stay published or not.
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

// RotateKeys makes the provider sign with a new key and returns its id. Where
// keep is false the old keys are withdrawn at once, as after a theft.
func (s *Server) RotateKeys(keep bool) string { return s.keys.rotate(keep) }

// Sign signs any header and claims with the present key, for tokens that the
// provider would never make. A header parameter that is nil is left out.
func (s *Server) Sign(header, claims map[string]any) string {
	return s.keys.signer().Sign(header, claims)
}

// SignText signs any header and claims as they are written, JSON or not.
func (s *Server) SignText(header, claims string) string {
	return s.keys.signer().SignText(header, claims)
}

// PublicKey returns the present signing key and its id.
func (s *Server) PublicKey() (id string, key *rsa.PublicKey) {
	signer := s.keys.signer()
	return signer.ID, signer.Public()
}

// read returns the claims of a JWT that one of the published keys signed.
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
	return nil, errors.New("signed by nobody known")
}

func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
