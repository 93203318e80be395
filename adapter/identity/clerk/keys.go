package clerk

import (
	"context"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"sync"
	"sync/atomic"
	"time"
)

// These limits ensure that a rotated key is accepted, and a withdrawn key refused, within thirty
// seconds: refresh time plus the time of one call.
const (
	defaultKeysInterval = 10 * time.Second
	defaultKeysRefresh  = 20 * time.Second
	keysTimeout         = 5 * time.Second
	maxKeySet           = 1 << 20 // bytes of the document
	maxKeys             = 100
	minKeyBits          = 2048
	maxKeyBits          = 8192
)

var (
	errNoKeys     = errors.New("the provider's keys were not loaded yet")
	errUnknownKey = errors.New("the provider does not publish this key")
)

type keySet map[string]*rsa.PublicKey

// keys holds the provider's public keys (RFC 7517). It loads them in the background, and
// immediately if a token names an unknown key. It never loads twice within the interval, so
// invented key ids cost nothing. Loaded keys stay valid while the provider is unreachable.
type keys struct {
	fetch    func(ctx context.Context) ([]byte, error)
	interval time.Duration
	refresh  time.Duration
	logger   *slog.Logger
	current  atomic.Pointer[keySet]

	mu     sync.Mutex
	began  time.Time     // start of the latest load
	flight chan struct{} // closed when the running load ends; nil if none runs
	err    error         // of the latest load that ended
}

// find returns the key with an id. It returns errNoKeys before the first successful load, and
// errUnknownKey if the provider does not publish the id.
func (k *keys) find(ctx context.Context, id string) (*rsa.PublicKey, error) {
	if key := k.known(id); key != nil {
		return key, nil
	}
	if err := k.load(ctx); err != nil {
		return nil, err
	}
	if key := k.known(id); key != nil {
		return key, nil
	}
	if !k.loaded() {
		return nil, errors.Join(errNoKeys, k.lastError())
	}
	return nil, errUnknownKey
}

func (k *keys) known(id string) *rsa.PublicKey {
	if set := k.current.Load(); set != nil {
		return (*set)[id]
	}
	return nil
}

func (k *keys) loaded() bool { return k.current.Load() != nil }

func (k *keys) lastError() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// load starts a load, unless one started within the interval, and waits for the running one. It
// returns only the error of waiting.
func (k *keys) load(ctx context.Context) error {
	k.mu.Lock()
	if k.flight == nil && (k.began.IsZero() || time.Since(k.began) >= k.interval) {
		k.began = time.Now()
		k.flight = make(chan struct{})
		// The load continues if its caller's context ends, because other callers wait for it.
		go k.fly(context.WithoutCancel(ctx), k.flight)
	}
	flight := k.flight
	k.mu.Unlock()
	if flight == nil {
		return nil
	}
	select {
	case <-flight:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *keys) fly(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	body, err := k.fetch(ctx)
	var set keySet
	if err == nil {
		set, err = parseKeys(body)
	}
	if err == nil {
		k.current.Store(&set)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flight, k.err = nil, err
	close(done)
}

// run reloads the keys until the context ends, more often while loading fails. It logs when loading
// starts to fail and when it recovers.
func (k *keys) run(ctx context.Context) {
	failing := false
	for {
		if k.load(ctx) != nil {
			return
		}
		wait := k.refresh
		switch err := k.lastError(); {
		case err != nil && !failing:
			failing = true
			k.logger.LogAttrs(ctx, slog.LevelWarn, "the identity provider's keys cannot be loaded",
				slog.Any("error", err), slog.Bool("older_keys", k.loaded()))
		case err == nil && failing:
			failing = false
			k.logger.LogAttrs(ctx, slog.LevelInfo, "the identity provider's keys can be loaded again")
		}
		if failing {
			wait = min(k.interval, k.refresh)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
	}
}

// wireKey holds the fields of a key that RSA signatures need.
type wireKey struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// parseKeys parses a JWK set. It skips keys of other types and uses. A set without a usable key is
// an error, so it never replaces the loaded keys.
func parseKeys(body []byte) (keySet, error) {
	var document struct {
		Keys []wireKey `json:"keys"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return nil, errors.New("the provider's key set is not JSON")
	}
	if len(document.Keys) > maxKeys {
		return nil, fmt.Errorf("the provider's key set has more than %d keys", maxKeys)
	}
	set := keySet{}
	for _, w := range document.Keys {
		if w.Kty != "RSA" || w.Kid == "" || w.Use != "" && w.Use != "sig" || w.Alg != "" && w.Alg != algorithm.Alg() {
			continue
		}
		if key := w.public(); key != nil && set[w.Kid] == nil {
			set[w.Kid] = key
		}
	}
	if len(set) == 0 {
		return nil, errors.New("the provider's key set has no key for " + algorithm.Alg())
	}
	return set, nil
}

// public returns the key, or nil if it is too weak or malformed.
func (w wireKey) public() *rsa.PublicKey {
	modulus, err1 := base64.RawURLEncoding.DecodeString(w.N)
	exponent, err2 := base64.RawURLEncoding.DecodeString(w.E)
	if err1 != nil || err2 != nil || len(exponent) > 4 {
		return nil
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent).Int64()
	if n.BitLen() < minKeyBits || n.BitLen() > maxKeyBits || n.Bit(0) == 0 || e < 3 || e&1 == 0 || e >= 1<<31 {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e)}
}
