// Package crypto encrypts the secrets that the database stores.
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

// An encrypted value consists of a format byte, the id of the key, a random nonce and
// the output of XChaCha20-Poly1305. The extended nonce makes random nonces safe for
// any number of values.
const (
	format   = 1
	idSize   = 8
	overhead = 1 + idSize + chacha20poly1305.NonceSizeX + chacha20poly1305.Overhead
)

type key struct {
	id   [idSize]byte
	aead cipher.AEAD
}

// Keyset encrypts with its first key and decrypts with any key.
type Keyset struct{ keys []key }

// NewKeyset returns a keyset. The first key is the current one. Each id is derived
// from its key, so that the id does not depend on the position of the key.
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
			return nil, fmt.Errorf("key %d is a duplicate", i+1)
		}
		seen[one.id] = true
		set.keys = append(set.keys, one)
	}
	return set, nil
}

// Seal encrypts with the current key. The result does not contain bound, but Open
// requires the same value.
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

// associated returns the data that the result is bound to. It includes the header, so
// that no part of the result can be changed.
func associated(header, bound []byte) []byte {
	return append(append([]byte{}, header...), bound...)
}

// errSealed does not give the cause, because the cause would help only an attacker.
var errSealed = errors.New("an encrypted value was changed, or belongs to another record")

// Open decrypts with the key that encrypted the value. missing is the id of that key
// if the keyset does not contain it.
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

// Current reports whether the current key encrypted this value.
func (s *Keyset) Current(sealed []byte) bool {
	return len(sealed) >= overhead && sealed[0] == format && string(sealed[1:1+idSize]) == string(s.keys[0].id[:])
}

// CurrentID returns the id of the current key.
func (s *Keyset) CurrentID() string { return hex.EncodeToString(s.keys[0].id[:]) }
