// Package jwks holds the public keys of a token issuer, which it loads over the
// network (RFC 7517).
package jwks

import (
	"context"
	"crypto"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// These limits ensure that a rotated key is accepted, and a withdrawn key refused, within thirty
// seconds: refresh time plus the time of one call.
const (
	DefaultInterval = 10 * time.Second
	DefaultRefresh  = 20 * time.Second
	timeout         = 5 * time.Second
)

// The limits of a key set.
const (
	MaxBytes = 1 << 20
	MaxKeys  = 100
)

// The errors of Find.
var (
	ErrNoKeys     = errors.New("the issuer's keys were not loaded yet")
	ErrUnknownKey = errors.New("the issuer does not publish this key")
)

// Set is the keys of an issuer by their ids.
type Set map[string]crypto.PublicKey

// Options configure Keys.
type Options struct {
	Name  string // of the issuer, in logs
	Fetch func(ctx context.Context) ([]byte, error)
	// Parse returns the usable keys of a document. A document without one is an
	// error, so that it never replaces the loaded keys.
	Parse    func(body []byte) (Set, error)
	Interval time.Duration // the minimum time between two loads; 0 means DefaultInterval
	Refresh  time.Duration // the time between two loads in the background; 0 means DefaultRefresh
	Logger   *slog.Logger  // nil logs nothing
}

// Keys holds the public keys of an issuer. It loads them in the background, and
// immediately if a token names an unknown key. It never loads twice within the interval, so
// invented key ids cost nothing. Loaded keys stay valid while the issuer is unreachable.
type Keys struct {
	o       Options
	current atomic.Pointer[Set]

	mu     sync.Mutex
	began  time.Time     // start of the latest load
	flight chan struct{} // closed when the running load ends; nil if none runs
	err    error         // of the latest load that ended
}

// New returns Keys without any key. Run or Find loads them.
func New(o Options) *Keys {
	if o.Interval <= 0 {
		o.Interval = DefaultInterval
	}
	if o.Refresh <= 0 {
		o.Refresh = DefaultRefresh
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Keys{o: o}
}

// Find returns the key with an id. It returns ErrNoKeys before the first successful load, and
// ErrUnknownKey if the issuer does not publish the id.
func (k *Keys) Find(ctx context.Context, id string) (crypto.PublicKey, error) {
	if key := k.known(id); key != nil {
		return key, nil
	}
	if err := k.Load(ctx); err != nil {
		return nil, err
	}
	if key := k.known(id); key != nil {
		return key, nil
	}
	if !k.Loaded() {
		return nil, errors.Join(ErrNoKeys, k.LastError())
	}
	return nil, ErrUnknownKey
}

func (k *Keys) known(id string) crypto.PublicKey {
	if set := k.current.Load(); set != nil {
		return (*set)[id]
	}
	return nil
}

// Loaded reports whether a load succeeded.
func (k *Keys) Loaded() bool { return k.current.Load() != nil }

// LastError returns the error of the latest load that ended.
func (k *Keys) LastError() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// Load starts a load, unless one started within the interval, and waits for the running one. It
// returns only the error of waiting.
func (k *Keys) Load(ctx context.Context) error {
	k.mu.Lock()
	if k.flight == nil && (k.began.IsZero() || time.Since(k.began) >= k.o.Interval) {
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

func (k *Keys) fly(ctx context.Context, done chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := k.o.Fetch(ctx)
	var set Set
	if err == nil {
		set, err = k.o.Parse(body)
	}
	if err == nil {
		k.current.Store(&set)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.flight, k.err = nil, err
	close(done)
}

// Run reloads the keys until the context ends, more often while loading fails. It logs when loading
// starts to fail and when it recovers.
func (k *Keys) Run(ctx context.Context) {
	failing := false
	for {
		if k.Load(ctx) != nil {
			return
		}
		wait := k.o.Refresh
		switch err := k.LastError(); {
		case err != nil && !failing:
			failing = true
			k.o.Logger.LogAttrs(ctx, slog.LevelWarn, "the keys of "+k.o.Name+" cannot be loaded",
				slog.Any("error", err), slog.Bool("older_keys", k.Loaded()))
		case err == nil && failing:
			failing = false
			k.o.Logger.LogAttrs(ctx, slog.LevelInfo, "the keys of "+k.o.Name+" can be loaded again")
		}
		if failing {
			wait = min(k.o.Interval, k.o.Refresh)
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
