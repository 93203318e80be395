package service

import (
	"docledger/domain/secret"
	"docledger/infrastructure/crypto"
)

// Sealer is a keyset as the domain's secret.Sealer.
func Sealer(keys *crypto.Keyset) secret.Sealer { return sealer{keys} }

type sealer struct{ keys *crypto.Keyset }

// bound names a place without doubt: no table's name holds a NUL.
func bound(p secret.Place) []byte { return []byte(p.Table + "\x00" + p.Row) }

// Seal implements secret.Sealer.
func (s sealer) Seal(p secret.Place, plain []byte) ([]byte, error) {
	return s.keys.Seal(bound(p), plain)
}

// Open implements secret.Sealer.
func (s sealer) Open(p secret.Place, sealed []byte) ([]byte, error) {
	plain, missing, err := s.keys.Open(bound(p), sealed)
	if missing != "" {
		return nil, &secret.UnknownKeyError{KeyID: missing}
	}
	return plain, err
}

// Current implements secret.Sealer.
func (s sealer) Current(sealed []byte) bool { return s.keys.Current(sealed) }
