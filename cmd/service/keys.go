package service

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"docledger/infrastructure/config"
	"docledger/infrastructure/crypto"
)

// signingKeys returns the configured seeds, or the seed in the data folder. The first start
// creates it.
func signingKeys(configured []config.Secret, dataDir string) ([][]byte, error) {
	var seeds [][]byte
	for _, key := range configured {
		seed, err := decodeKey(key)
		if err != nil {
			return nil, errors.New("JWT_SIGNING_KEYS holds a key that is not base64")
		}
		seeds = append(seeds, seed)
	}
	if len(seeds) > 0 {
		return seeds, nil
	}
	path := filepath.Join(dataDir, "keys", "jwt")
	seed, err := keptKey(path)
	if err != nil {
		return nil, fmt.Errorf("read signing key: %w", err)
	}
	if len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s holds no signing key; remove it to have a new one made, which signs everybody out", path)
	}
	return [][]byte{seed}, nil
}

// tokenKeys returns the keyset that encrypts the tokens of providers: the configured keys, or the
// key in the data folder. The first start creates it.
func tokenKeys(cfg config.Config) (*crypto.Keyset, error) {
	var keys [][]byte
	for _, key := range cfg.TokenKeys {
		k, err := decodeKey(key)
		if err != nil {
			return nil, errors.New("TOKEN_KEYS holds a key that is not base64")
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		path := filepath.Join(cfg.DataDir, "keys", "tokens")
		key, err := keptKey(path)
		if err != nil {
			return nil, fmt.Errorf("read the key of tokens: %w", err)
		}
		if len(key) != crypto.KeySize {
			return nil, fmt.Errorf("%s holds no key; put back the one it held: with a new one every integration must be connected again", path)
		}
		keys = append(keys, key)
	}
	set, err := crypto.NewKeyset(keys...)
	if err != nil {
		return nil, fmt.Errorf("TOKEN_KEYS: %w", err)
	}
	return set, nil
}

// keptKey reads the key in a file and creates a missing file. Content that is not base64 is an
// error.
func keptKey(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(path); err != nil {
			return nil, fmt.Errorf("make it: %w", err)
		}
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, nil
	}
	return key, nil
}

// makeKey writes a new seed. The file appears complete or not at all. If two processes create it,
// the first one's key is kept.
func makeKey(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".key-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(base64.StdEncoding.EncodeToString(seed) + "\n")
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func decodeKey(key config.Secret) ([]byte, error) {
	return base64.StdEncoding.DecodeString(key.Reveal())
}
