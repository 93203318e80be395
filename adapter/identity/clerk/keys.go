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

// A rotation is seen, and a withdrawn key forgotten, within the refresh time
// and one call, which together stay below thirty seconds.
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
	errUnknownKey = errors.New("the provider has no such key")
)

type keySet map[string]*rsa.PublicKey

// keys are the provider's public keys (RFC 7517). They are loaded in the
// background, and at once when a token names one that is not among them; but
// never twice within the interval, so that invented key ids cost nothing. What
// was loaded goes on while the provider is away.
type keys struct {
	fetch    func(ctx context.Context) ([]byte, error)
	interval time.Duration
	refresh  time.Duration
	logger   *slog.Logger
	current  atomic.Pointer[keySet]

	mu     sync.Mutex
	began  time.Time     // of the latest load
	flight chan struct{} // closed when the running load ends; nil when none runs
	err    error         // of the latest load that ended
}

// find returns the key of an id; errNoKeys while there are none at all and
// errUnknownKey while the provider names none with the id.
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

// load starts a load, unless one began within the interval, and waits for the
// one that runs. Its error is that of the wait alone.
func (k *keys) load(ctx context.Context) error {
	k.mu.Lock()
	if k.flight == nil && (k.began.IsZero() || time.Since(k.began) >= k.interval) {
		k.began = time.Now()
		k.flight = make(chan struct{})
		// The load outlives whoever asked for it: others wait for it too.
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

// run loads the keys again and again until the context ends, sooner while it
// fails, and tells the logger when loading begins to fail and works again.
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

// wireKey is one key of the document, as far as RSA signatures need it.
type wireKey struct {
	Kty string `json:"kty"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	N   string `json:"n"`
	E   string `json:"e"`
}

// parseKeys reads a JWK set. Keys of other sorts and uses are passed over; a
// set without any that is of use is an error, and so replaces nothing.
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

// public returns nil for a key that is too weak or malformed.
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
