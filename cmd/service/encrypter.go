package service

import (
	"docledger/domain/secret"
	"docledger/infrastructure/crypto"
)

// Sealer is a keyset as the domain's secret.Sealer.
func Sealer(keys *crypto.Keyset) secret.Encrypter { return sealer{keys} }

type sealer struct{ keys *crypto.Keyset }

// bound identifies a binding unambiguously, because a table's name contains no NUL.
func bound(p secret.Binding) []byte { return []byte(p.Table + "\x00" + p.Row) }

// Encrypt implements secret.Sealer.
func (s sealer) Encrypt(p secret.Binding, plain []byte) ([]byte, error) {
	return s.keys.Seal(bound(p), plain)
}

// Decrypt implements secret.Sealer.
func (s sealer) Decrypt(p secret.Binding, sealed []byte) ([]byte, error) {
	plain, missing, err := s.keys.Open(bound(p), sealed)
	if missing != "" {
		return nil, &secret.UnknownKeyError{KeyID: missing}
	}
	return plain, err
}

// UsesCurrentKey implements secret.Sealer.
func (s sealer) UsesCurrentKey(sealed []byte) bool { return s.keys.Current(sealed) }
