package oidc_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strings"
	"testing"

	"docledger/adapter/sim/kit/oidc"
)

// TestLastingKey checks that the key of simulators is one that every client accepts: its published
// part verifies its signatures, and it has the usual length.
func TestLastingKey(t *testing.T) {
	t.Parallel()
	functions := []func() *oidc.Key{}
	for range 10 {
		functions = append(functions, oidc.Lasting(func() string { return "of another vendor" }))
	}
	lasting := oidc.Lasting(func() string { return "one" })
	key := lasting()
	if lasting() != key || key.ID != "one" {
		t.Error("a later call returns another key")
	}
	for i, f := range functions {
		for _, other := range append(functions[i+1:], lasting) {
			if f().Public().Equal(other().Public()) {
				t.Error("two vendors have the same key")
			}
		}
	}
	n, err := base64.RawURLEncoding.DecodeString(key.JWK()["n"].(string))
	if err != nil {
		t.Fatal(err)
	}
	public := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: 65537}
	if public.Size() != 256 || !public.Equal(key.Public()) {
		t.Errorf("the published key has %d bytes", public.Size())
	}
	token := key.SignText(`{"alg":"RS256"}`, `{"sub":"1"}`)
	signed, text, _ := strings.Cut(token, ".")
	claims, text, _ := strings.Cut(text, ".")
	signature, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(signed + "." + claims))
	if err := rsa.VerifyPKCS1v15(public, crypto.SHA256, sum[:], signature); err != nil {
		t.Error(err)
	}
	if other := oidc.NewKey("two"); other.Public().Equal(key.Public()) {
		t.Error("a new key is the known one")
	}
}
