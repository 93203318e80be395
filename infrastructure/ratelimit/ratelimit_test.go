package ratelimit_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docledger/infrastructure/ratelimit"
	"docledger/test/lib/redis"

	"github.com/google/uuid"
)

// manualClock is a clock that tests advance.
type manualClock struct{ ns atomic.Int64 }

func newManualClock() *manualClock {
	h := &manualClock{}
	h.ns.Store(time.Now().UnixNano())
	return h
}

func (h *manualClock) Now() time.Time          { return time.Unix(0, h.ns.Load()) }
func (h *manualClock) Advance(d time.Duration) { h.ns.Add(int64(d)) }

func quota(key string, limit int) ratelimit.Quota { return ratelimit.Quota{Key: key, Limit: limit} }

func TestQuotaResetsAfterWindow(t *testing.T) {
	t.Parallel()
	clock := newManualClock()
	l := ratelimit.New(ratelimit.Options{Window: time.Minute, Now: clock.Now})
	for i := range 3 {
		s := l.Take(t.Context(), quota("a", 3))
		if s.Refused || s.Limit != 3 || s.Remaining != 2-i || s.Reset != time.Minute-time.Duration(i)*time.Second {
			t.Fatalf("request %d: %+v", i, s)
		}
		clock.Advance(time.Second)
	}
	if s := l.Take(t.Context(), quota("a", 3)); !s.Refused || s.Remaining != 0 || s.Reset != 57*time.Second {
		t.Fatalf("a request over the limit was admitted: %+v", s)
	}
	if s := l.Take(t.Context(), quota("b", 3)); s.Refused {
		t.Fatalf("another key is refused: %+v", s)
	}
	clock.Advance(57 * time.Second)
	if s := l.Take(t.Context(), quota("a", 3)); s.Refused || s.Remaining != 2 {
		t.Fatalf("after the window: %+v", s)
	}
}

// TestSeveralQuotas checks that a request which one quota refuses does not count
// against the others. The result describes the refusing quota, or else the quota with
// the smallest remainder.
func TestSeveralQuotas(t *testing.T) {
	t.Parallel()
	l := ratelimit.New(ratelimit.Options{Window: time.Minute})
	both := []ratelimit.Quota{quota("small", 2), quota("large", 5), quota("none", 0)}
	for i := range 2 {
		if s := l.Take(t.Context(), both...); s.Refused || s.Limit != 2 || s.Remaining != 1-i {
			t.Fatalf("request %d: %+v", i, s)
		}
	}
	for range 10 {
		if s := l.Take(t.Context(), both...); !s.Refused || s.Limit != 2 {
			t.Fatalf("a request over the limit was admitted: %+v", s)
		}
	}
	if s := l.Take(t.Context(), quota("large", 5)); s.Remaining != 2 {
		t.Errorf("refused requests were counted: %+v", s)
	}
	if s := l.Take(t.Context(), quota("none", 0)); s.Refused || s.Limit != 0 {
		t.Errorf("without a limit: %+v", s)
	}
}

// processes returns limiters that share counters in one Redis.
func processes(t *testing.T, url string, n int, options ratelimit.Options) []*ratelimit.Limiter {
	t.Helper()
	var out []*ratelimit.Limiter
	for range n {
		client, err := ratelimit.Connect(url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		options.Redis = client
		out = append(out, ratelimit.New(options))
	}
	return out
}

// TestProcessesShareAQuota checks that a limit applies to all processes together: a
// small limit exactly, a large limit with the tolerance of unreported requests.
func TestProcessesShareAQuota(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ limit, atMost int }{{15, 15}, {400, 400 + 2*400/20}} {
		t.Run(fmt.Sprint(test.limit), func(t *testing.T) {
			t.Parallel()
			key := uuid.NewString()
			var admitted, refused atomic.Int32
			var running sync.WaitGroup
			for _, l := range processes(t, redis.URL(t), 3, ratelimit.Options{Window: time.Minute}) {
				running.Go(func() {
					for range test.limit {
						if l.Take(t.Context(), quota(key, test.limit)).Refused {
							refused.Add(1)
						} else {
							admitted.Add(1)
						}
					}
				})
			}
			running.Wait()
			if n := int(admitted.Load()); n < test.limit || n > test.atMost || refused.Load() == 0 {
				t.Errorf("%d admitted, %d refused; want from %d to %d", n, refused.Load(), test.limit, test.atMost)
			}
		})
	}
}

// TestSharedWindowEnds checks that the shared window ends for all processes at the
// same time.
func TestSharedWindowEnds(t *testing.T) {
	t.Parallel()
	const window = 300 * time.Millisecond
	two := processes(t, redis.URL(t), 2, ratelimit.Options{Window: window})
	var q ratelimit.Quota
	for within := false; !within; { // again, if a busy machine lets the window end between the requests
		q = quota(uuid.NewString(), 1)
		began := time.Now()
		if two[0].Take(t.Context(), q).Refused {
			t.Fatal("the first request is refused")
		}
		s := two[1].Take(t.Context(), q)
		if within = time.Since(began) < window; within && (!s.Refused || s.Reset <= 0 || s.Reset > window) {
			t.Fatalf("the other process: %+v", s)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); two[1].Take(t.Context(), q).Refused; {
		if time.Now().After(deadline) {
			t.Fatal("the quota never resets")
		}
	}
}

// TestRedisUnavailable checks that a process counts locally without Redis and does
// not wait for Redis on each request. When Redis is back, the process reports what it
// admitted.
func TestRedisUnavailable(t *testing.T) {
	t.Parallel()
	instance := redis.New(t)
	var log bytes.Buffer
	clock := newManualClock()
	options := ratelimit.Options{Window: time.Minute, Now: clock.Now, Log: slog.New(slog.NewTextHandler(&log, nil))}
	two := processes(t, instance.URL, 2, options)
	q := quota("k", 8)
	take := func(i int) ratelimit.Result { return two[i].Take(context.Background(), q) }
	if s := take(0); s.Refused || s.Remaining != 7 {
		t.Fatalf("before: %+v", s)
	}
	if err := instance.Stop(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for range 4 {
		if take(0).Refused {
			t.Fatal("refused while Redis is unavailable")
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("four requests took %s", took)
	}
	if n := strings.Count(log.String(), "unavailable"); n != 1 {
		t.Errorf("logged %d times that Redis is unavailable: %s", n, log.String())
	}
	for take(0).Remaining > 0 {
	}
	if !take(0).Refused {
		t.Error("no limit applies while Redis is unavailable")
	}
}

func TestAnotherURL(t *testing.T) {
	t.Parallel()
	if _, err := ratelimit.Connect("http://secret@localhost"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrencyLimiter(t *testing.T) {
	t.Parallel()
	var g ratelimit.ConcurrencyLimiter
	one, ok := g.Enter("a", 2)
	two, ok2 := g.Enter("a", 2)
	if _, third := g.Enter("a", 2); !ok || !ok2 || third {
		t.Fatal("the limit of two is not applied")
	}
	if leave, other := g.Enter("b", 2); !other {
		t.Error("another key was refused")
	} else {
		leave()
	}
	one()
	one()
	if _, again := g.Enter("a", 2); !again {
		t.Error("a finished request is still counted")
	}
	if _, more := g.Enter("a", 2); more {
		t.Error("calling leave twice released two slots")
	}
	two()
	if leave, unlimited := g.Enter("c", 0); !unlimited {
		t.Error("no limit refuses")
	} else {
		leave()
	}
}
