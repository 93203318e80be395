// Package ratelimit counts requests against quotas, in one process or, through
// Redis, in all.
//
// A quota is a number of requests in a window of time that begins with the
// first of them, so that what is left and when it starts over can be told
// exactly. All processes share one window for a key. To spare requests a
// round trip each, a process admits some by itself before it tells the others;
// close to the limit, and for small limits, it asks before each.
package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// trust is how long an answer of the shared counters is relied upon.
	trust = 250 * time.Millisecond
	// share is the part of a limit that a process admits before it tells the
	// others: each further process can overrun a limit by that much at most.
	share = 20
	// near is the part of a limit that is left when each request is asked for.
	near = 4
	// retry is how long counters that failed are left alone.
	retry = time.Second
)

// Quota allows Limit requests in each window under one key.
type Quota struct {
	Key   string
	Limit int
}

// Result is where a caller stands after a request: against the quota that
// refuses it, else against the one of which the least is left.
type Result struct {
	Limit, Remaining int
	Reset            time.Duration // until the quota starts over
	Refused          bool
}

// window is what is known of one key.
type window struct {
	ends    time.Time
	used    int       // by all processes, as far as is known
	pending int       // of used, what the shared counters were not told of
	asked   time.Time // when the shared counters answered last; zero where they have not
}

// Options are what a limiter works with.
type Options struct {
	Window time.Duration
	// Redis shares the counters; nil for those of this process alone.
	Redis redis.Scripter
	Now   func() time.Time // nil: the system's
	Log   *slog.Logger     // nil: none
}

// Limiter counts requests. It is safe for concurrent use.
type Limiter struct {
	o Options

	mu      sync.Mutex
	windows map[string]*window
	swept   time.Time // when windows that are over were last removed
	down    time.Time // until when the shared counters are left alone
	away    bool      // the shared counters failed when they were last asked
}

// New returns a limiter.
func New(o Options) *Limiter {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Limiter{o: o, windows: map[string]*window{}}
}

// Take counts a request against every quota, or against none where one of them
// is used up. Quotas without a limit are left out.
func (l *Limiter) Take(ctx context.Context, quotas ...Quota) Result {
	var limited []Quota
	for _, q := range quotas {
		if q.Limit > 0 {
			limited = append(limited, q)
		}
	}
	if len(limited) == 0 {
		return Result{}
	}
	now := l.o.Now()
	if s, decided := l.allowLocally(now, limited); decided {
		return s
	}
	return l.checkRemote(ctx, limited)
}

// allowLocally decides without the others, where that may be.
func (l *Limiter) allowLocally(now time.Time, quotas []Quota) (Result, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(now)
	must := false
	for _, q := range quotas {
		must = l.window(q.Key, now).mustAsk(q.Limit, now) || must
	}
	if must && l.o.Redis != nil && !now.Before(l.down) {
		return Result{}, false
	}
	return l.count(now, quotas), true
}

func (w *window) mustAsk(limit int, now time.Time) bool {
	return w.asked.IsZero() || now.Sub(w.asked) > trust || w.pending >= limit/share || limit-w.used <= limit/near
}

// window returns the current one of a key.
func (l *Limiter) window(key string, now time.Time) *window {
	w := l.windows[key]
	if w == nil || !now.Before(w.ends) {
		w = &window{ends: now.Add(l.o.Window)}
		l.windows[key] = w
	}
	return w
}

// count admits a request by what this process knows.
func (l *Limiter) count(now time.Time, quotas []Quota) Result {
	refused := false
	for _, q := range quotas {
		refused = refused || l.window(q.Key, now).used >= q.Limit
	}
	if !refused {
		for _, q := range quotas {
			w := l.window(q.Key, now)
			w.used++
			w.pending++
		}
	}
	return l.standing(now, quotas, refused)
}

// standing is that of the quota which refuses for longest, else of the one of
// which the least is left.
func (l *Limiter) standing(now time.Time, quotas []Quota, refused bool) Result {
	var out Result
	for i, q := range quotas {
		w := l.window(q.Key, now)
		s := Result{Limit: q.Limit, Remaining: max(q.Limit-w.used, 0), Reset: w.ends.Sub(now), Refused: refused}
		if refused && s.Remaining > 0 {
			continue
		}
		if i == 0 || out.Limit == 0 || refused && s.Reset > out.Reset || !refused && s.Remaining < out.Remaining {
			out = s
		}
	}
	return out
}

// sweep removes windows that are over, once in a window.
func (l *Limiter) sweep(now time.Time) {
	if now.Sub(l.swept) < l.o.Window {
		return
	}
	l.swept = now
	for key, w := range l.windows {
		if !now.Before(w.ends) {
			delete(l.windows, key)
		}
	}
}
