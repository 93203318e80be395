package crypto_test

import (
	"bytes"
	"testing"

	"docledger/infrastructure/crypto"
)

func keyOf(b byte) []byte { return bytes.Repeat([]byte{b}, crypto.KeySize) }

func keyset(t *testing.T, keys ...[]byte) *crypto.Keyset {
	t.Helper()
	set, err := crypto.NewKeyset(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	set := keyset(t, keyOf(1))
	for _, plain := range [][]byte{nil, []byte("x"), bytes.Repeat([]byte("secret"), 1000)} {
		one, err := set.Seal([]byte("row 1"), plain)
		if err != nil {
			t.Fatal(err)
		}
		two, _ := set.Seal([]byte("row 1"), plain)
		if bytes.Equal(one, two) {
			t.Error("two encryptions of the same text are equal")
		}
		if len(plain) > 10 && bytes.Contains(one, plain[:10]) {
			t.Error("the encrypted value contains the plain text")
		}
		got, missing, err := set.Open([]byte("row 1"), one)
		if err != nil || missing != "" || !bytes.Equal(got, plain) {
			t.Errorf("decrypted as %q, missing %q, %v", got, missing, err)
		}
		if _, _, err := set.Open([]byte("row 2"), one); err == nil {
			t.Error("a value was decrypted for another record")
		}
	}
}

func TestChangedValuesAreRefused(t *testing.T) {
	t.Parallel()
	set := keyset(t, keyOf(1))
	sealed, err := set.Seal([]byte("row"), []byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range sealed {
		for bit := range 8 {
			changed := bytes.Clone(sealed)
			changed[i] ^= 1 << bit
			if _, missing, err := set.Open([]byte("row"), changed); err == nil && missing == "" {
				t.Fatalf("byte %d, bit %d changed: the value was decrypted", i, bit)
			}
		}
	}
	for n := range len(sealed) {
		if _, missing, err := set.Open([]byte("row"), sealed[:n]); err == nil && missing == "" {
			t.Errorf("the first %d bytes were decrypted", n)
		}
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	before, after := keyset(t, keyOf(1)), keyset(t, keyOf(2), keyOf(1))
	old, err := before.Seal(nil, []byte("plain"))
	if err != nil {
		t.Fatal(err)
	}
	if !before.Current(old) || after.Current(old) {
		t.Error("a value of the old key is reported as current")
	}
	if got, _, err := after.Open(nil, old); err != nil || string(got) != "plain" {
		t.Errorf("the old key decrypted it as %q, %v", got, err)
	}
	fresh, _ := after.Seal(nil, []byte("plain"))
	if _, missing, err := before.Open(nil, fresh); err != nil || missing != after.CurrentID() {
		t.Errorf("without its key: missing %q, %v; want %q", missing, err, after.CurrentID())
	}
}

func TestKeysetRefusals(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][][]byte{
		"none": nil, "short": {keyOf(1)[:31]}, "long": {append(keyOf(1), 1)}, "twice": {keyOf(1), keyOf(2), keyOf(1)},
	} {
		if _, err := crypto.NewKeyset(keys...); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
