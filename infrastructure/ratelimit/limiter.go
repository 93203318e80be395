// Package ratelimit counts requests against quotas, in one process or, through Redis,
// in all processes.
//
// A quota is a number of requests in a time window that begins with the first
// request. The remaining requests and the reset time are therefore exact. All
// processes share one window for a key. To avoid one round trip for each request, a
// process admits some requests before it reports them to Redis. Close to the limit,
// and for small limits, it asks Redis before each request.
package ratelimit

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// trust is the validity of a response of the shared counters.
	trust = 250 * time.Millisecond
	// share is the fraction of a limit that a process admits before it reports its
	// count. Each additional process can exceed a limit by at most that much.
	share = 20
	// near is the remaining fraction of a limit below which each request is checked
	// remotely.
	near = 4
	// retry is the delay before failed shared counters are called again.
	retry = time.Second
)

// Quota allows Limit requests in each window under one key.
type Quota struct {
	Key   string
	Limit int
}

// Result is the state of a caller after a request. It describes the quota that
// refuses the request, or else the quota with the smallest remainder.
type Result struct {
	Limit, Remaining int
	Reset            time.Duration // until the quota resets
	Refused          bool
}

// window is the known state of one key.
type window struct {
	ends    time.Time
	used    int       // by all processes, as far as known
	pending int       // the part of used that is not yet reported to the shared counters
	asked   time.Time // time of the last response of the shared counters; zero for none
}

// Options are the dependencies of a limiter.
type Options struct {
	Window time.Duration
	// Redis shares the counters; nil for local counters only.
	Redis redis.Scripter
	Now   func() time.Time // nil: the system clock
	Log   *slog.Logger     // nil: no log
}

// Limiter counts requests. It is safe for concurrent use.
type Limiter struct {
	o Options

	mu          sync.Mutex
	windows     map[string]*window
	swept       time.Time // time of the last removal of ended windows
	down        time.Time // time until which the shared counters are not called
	unavailable bool      // the last call of the shared counters failed
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

// Take counts a request against every quota, or against none if one of them is used
// up. It ignores quotas without a limit.
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

// allowLocally decides without the shared counters, if that is allowed.
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

// window returns the current window of a key.
func (l *Limiter) window(key string, now time.Time) *window {
	w := l.windows[key]
	if w == nil || !now.Before(w.ends) {
		w = &window{ends: now.Add(l.o.Window)}
		l.windows[key] = w
	}
	return w
}

// count decides with the counters of this process only.
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
	return l.result(now, quotas, refused)
}

// result returns the state of the quota with the longest refusal, or else of the
// quota with the smallest remainder.
func (l *Limiter) result(now time.Time, quotas []Quota, refused bool) Result {
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

// sweep removes ended windows, once in each window.
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
