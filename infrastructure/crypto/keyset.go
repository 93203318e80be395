// Package crypto encrypts what the database keeps of secrets.
package crypto

import (
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/chacha20poly1305"
)

// KeySize is the length of a key in bytes.
const KeySize = chacha20poly1305.KeySize

// A sealed value is: format, the key's id, a random nonce, and what
// XChaCha20-Poly1305 makes of the plain text. The extended nonce makes random
// ones safe for any number of values.
const (
	format   = 1
	idSize   = 8
	overhead = 1 + idSize + chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead
)

type key struct {
	id   [idSize]byte
	aead cipher.AEAD
}

// Keyset seals with its first key and opens with any of them.
type Keyset struct{ keys []key }

// NewKeyset makes a keyset; the first key is the present one. Its ids follow
// from the keys, so that a key has the same id wherever it stands.
func NewKeyset(keys ...[]byte) (*Keyset, error) {
	if len(keys) == 0 {
		return nil, errors.New("a keyset needs a key")
	}
	set := &Keyset{}
	seen := map[[idSize]byte]bool{}
	for i, k := range keys {
		aead, err := chacha20poly1305.NewX(k)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		sum := sha256.Sum256(append([]byte("docledger key id\x00"), k...))
		one := key{aead: aead}
		copy(one.id[:], sum[:])
		if seen[one.id] {
			return nil, fmt.Errorf("key %d stands there twice", i+1)
		}
		seen[one.id] = true
		set.keys = append(set.keys, one)
	}
	return set, nil
}

// Seal encrypts with the present key. bound is not part of the result, but the
// same is needed to open it.
func (s *Keyset) Seal(bound, plain []byte) ([]byte, error) {
	k := s.keys[0]
	out := make([]byte, 0, overhead+len(plain))
	out = append(out, format)
	out = append(out, k.id[:]...)
	nonce := make([]byte, chacha20poly1305.NonceSizeX)
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("make a nonce: %w", err)
	}
	header := len(out)
	out = append(out, nonce...)
	return k.aead.Seal(out, nonce, plain, associated(out[:header], bound)), nil
}

// associated is what the result is bound to: its own header too, so that
// nothing of it can be changed.
func associated(header, bound []byte) []byte {
	return append(append([]byte{}, header...), bound...)
}

// errSealed does not tell what is wrong: that would help only who tries.
var errSealed = errors.New("a sealed value was changed, or sealed for another place")

// Open decrypts with the key that sealed. missing is the id of that key where
// the keyset has it not.
func (s *Keyset) Open(bound, sealed []byte) (plain []byte, missing string, err error) {
	if len(sealed) < overhead || sealed[0] != format {
		return nil, "", errSealed
	}
	header, rest := sealed[:1+idSize], sealed[1+idSize:]
	for _, k := range s.keys {
		if string(k.id[:]) != string(header[1:]) {
			continue
		}
		nonce, text := rest[:chacha20poly1305.NonceSizeX], rest[chacha20poly1305.NonceSizeX:]
		plain, err := k.aead.Open(nil, nonce, text, associated(header, bound))
		if err != nil {
			return nil, "", errSealed
		}
		return plain, "", nil
	}
	return nil, hex.EncodeToString(header[1:]), nil
}

// Current says whether the present key sealed this.
func (s *Keyset) Current(sealed []byte) bool {
	return len(sealed) >= overhead && sealed[0] == format && string(sealed[1:1+idSize]) == string(s.keys[0].id[:])
}

// CurrentID names the present key.
func (s *Keyset) CurrentID() string { return hex.EncodeToString(s.keys[0].id[:]) }
