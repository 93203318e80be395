package cache_test

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/cache"
	"docledger/adapter/cache/cachetest"
	"docledger/domain/billing"
	"docledger/test/lib/redis"

	"github.com/google/uuid"
	client "github.com/redis/go-redis/v9"
)

// manualClock is a clock that tests advance.
type manualClock struct{ ns atomic.Int64 }

func (h *manualClock) NowNano() int64                        { return h.ns.Load() }
func (h *manualClock) Tick(d time.Duration) <-chan time.Time { return time.Tick(d) }

func TestMemory(t *testing.T) {
	t.Parallel()
	cachetest.Run(t, func(t *testing.T) cachetest.Env {
		clock := &manualClock{}
		clock.ns.Store(time.Now().UnixNano())
		m, err := cache.NewMemory(clock)
		if err != nil {
			t.Fatal(err)
		}
		return cachetest.Env{Cache: m, Other: m, Advance: func(_ uuid.UUID, d time.Duration) { clock.ns.Add(int64(d)) }}
	})
}

// openRedis opens a cache that waits for its server as long as a busy machine needs.
func openRedis(t *testing.T, url string) *cache.Redis {
	t.Helper()
	return opened(t, url, cache.NewPatientRedis)
}

func opened(t *testing.T, url string, open func(url string) (*cache.Redis, func() error, error)) *cache.Redis {
	t.Helper()
	r, closeClient, err := open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeClient() })
	return r
}

// connect returns a separate client of a server.
func connect(t *testing.T, url string) *client.Client {
	t.Helper()
	c, err := redis.Client(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func guardKey(org uuid.UUID) string { return "billing:guard:" + org.String() }

// age reduces the remaining lifetime of keys.
var age = client.NewScript(`
for _, key in ipairs(KEYS) do
  local left = redis.call('PTTL', key)
  if left >= 0 then redis.call('PEXPIRE', key, left - ARGV[1]) end
end
return 0`)

func TestRedis(t *testing.T) {
	t.Parallel()
	url := redis.URL(t)
	cachetest.Run(t, func(t *testing.T) cachetest.Env {
		server := connect(t, url)
		advance := func(org uuid.UUID, d time.Duration) {
			if err := age.Run(t.Context(), server, []string{billing.CacheKey(org), guardKey(org)}, d.Milliseconds()).Err(); err != nil {
				t.Fatal(err)
			}
		}
		return cachetest.Env{Cache: openRedis(t, url), Other: openRedis(t, url), Advance: advance}
	})
}

// loaded loads a plan that the processor returns under the given name.
func loaded(t *testing.T, r *cache.Redis, org uuid.UUID, name string) string {
	t.Helper()
	got, err := r.Load(t.Context(), org, func(context.Context) (billing.Record, error) {
		return billing.Record{SubscriptionStatus: "active", CurrentPlan: name}, nil
	})
	if err != nil {
		t.Errorf("Load: %v", err)
	}
	return got.CurrentPlan
}

func TestRecordHasTheContractFields(t *testing.T) {
	t.Parallel()
	server, org := connect(t, redis.URL(t)), uuid.New()
	_, err := openRedis(t, redis.URL(t)).Load(t.Context(), org, func(context.Context) (billing.Record, error) {
		return billing.Record{SubscriptionStatus: "active", CurrentPlan: "team", BillingCycleEnd: time.Date(2026, 4, 1, 2, 0, 0, 0, time.FixedZone("", 7200))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	key := "billing:plan:" + org.String()
	text, err := server.Get(t.Context(), key).Result()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"subscription_status":"active","current_plan":"team","billing_cycle_end":"2026-04-01T00:00:00Z","max_invoices_per_month":null,"max_entities":null}`
	if text != want {
		t.Errorf("the record is %s", text)
	}
	if ttl := server.PTTL(t.Context(), key).Val(); ttl <= 0 || ttl > billing.CacheTTL {
		t.Errorf("the record expires after %s", ttl)
	}
}

func TestInvalidRecordIsAMiss(t *testing.T) {
	t.Parallel()
	server, r := connect(t, redis.URL(t)), openRedis(t, redis.URL(t))
	for _, invalid := range []string{"", "no json", "{}", `{"subscription_status":1}`, `[1]`, "\x00\xff",
		`{"subscription_status":"active","current_plan":"x","billing_cycle_end":null,"max_entities":null,"max_invoices_per_month":null,"more":1}`} {
		org := uuid.New()
		server.Set(t.Context(), billing.CacheKey(org), invalid, time.Minute)
		if got := loaded(t, r, org, "right"); got != "right" {
			t.Errorf("with %q the plan is %q", invalid, got)
		}
		if text := server.Get(t.Context(), billing.CacheKey(org)).Val(); !json.Valid([]byte(text)) || text == invalid {
			t.Errorf("%q is still stored: %s", invalid, text)
		}
	}
	org := uuid.New()
	server.LPush(t.Context(), billing.CacheKey(org), "a list")
	server.LPush(t.Context(), guardKey(org), "a list")
	for range 2 {
		if got := loaded(t, r, org, "right"); got != "right" {
			t.Errorf("with values of another type the plan is %q", got)
		}
	}
}

// noticed is the maximum time to detect an unusable server.
const noticed = 300 * time.Millisecond

// TestOutages breaks a real server in every known way.
func TestOutages(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	t.Cleanup(func() { silent.Close() })
	in := redis.New(t)
	for name, url := range map[string]string{
		"no listener": "redis://" + closed.Addr().String(), "no response": "redis://" + silent.Addr().String(),
		"crashed": in.URL, "unresponsive": redis.New(t).URL,
	} {
		t.Run(name, func(t *testing.T) {
			// The cases run one after the other, because they measure time.
			r, org := opened(t, url, cache.NewRedis), uuid.New()
			switch name {
			case "crashed":
				if got := loaded(t, r, org, "before"); got != "before" {
					t.Fatalf("before the crash the plan is %q", got)
				}
				if err := in.Stop(); err != nil {
					t.Fatal(err)
				}
			case "unresponsive":
				loaded(t, r, org, "before")
				if err := connect(t, url).Do(t.Context(), "CLIENT", "PAUSE", time.Hour.Milliseconds(), "ALL").Err(); err != nil {
					t.Fatal(err)
				}
			}
			var took []time.Duration
			// A busy machine delays single calls, but not all of them.
			for n := 0; n < 5 || n < 40 && slices.Min(took) > noticed; n++ {
				began := time.Now()
				got, err := r.Load(t.Context(), org, func(context.Context) (billing.Record, error) {
					took = append(took, time.Since(began))
					return billing.Record{CurrentPlan: "right"}, nil
				})
				if err != nil || got.CurrentPlan != "right" {
					t.Errorf("Load = %+v, %v", got, err)
				}
			}
			if best := slices.Min(took); best > noticed {
				t.Errorf("the failure is detected after %s at best", best)
			}
			began := time.Now()
			if err := r.Invalidate(t.Context(), org); err == nil {
				t.Error("an invalidation that no server received returned no error")
			}
			t.Logf("detected after %s, invalidation after %s", slices.Min(took), time.Since(began))
		})
	}
	if _, _, err := cache.NewRedis("http://nowhere"); err == nil {
		t.Error("NewRedis accepts any URL")
	}
}

// TestFullServerServesNoOldPlan checks that a full server that refuses writes still
// removes records on request.
func TestFullServerServesNoOldPlan(t *testing.T) {
	t.Parallel()
	in := redis.New(t)
	server, r, org := connect(t, in.URL), openRedis(t, in.URL), uuid.New()
	loaded(t, r, org, "old")
	if err := server.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if err := server.Set(t.Context(), "more", "x", 0).Err(); err == nil {
		t.Fatal("the server is not full")
	}
	if got := loaded(t, r, org, "new"); got != "old" {
		t.Errorf("a stored plan was not found: %q", got)
	}
	if err := r.Invalidate(t.Context(), org); err != nil {
		t.Errorf("Invalidate: %v", err)
	}
	for _, name := range []string{"new", "newer"} {
		if got := loaded(t, r, org, name); got != name {
			t.Errorf("after the event the plan is %q, want %q", got, name)
		}
	}
	if got := loaded(t, r, uuid.New(), "other"); got != "other" {
		t.Errorf("the plan of another organization is %q", got)
	}
}

// TestEvictingServerServesNoOldPlan lets the server lose keys, as by eviction or a
// restart, while a fill that started before an event is in progress.
func TestEvictingServerServesNoOldPlan(t *testing.T) {
	t.Parallel()
	url := redis.URL(t)
	server := connect(t, url)
	for name, forget := range map[string]func(org uuid.UUID, r *cache.Redis) error{
		"the guard, after the event": func(org uuid.UUID, r *cache.Redis) error {
			if err := r.Invalidate(t.Context(), org); err != nil {
				return err
			}
			return server.Del(t.Context(), guardKey(org)).Err()
		},
		"the guard, before the event": func(org uuid.UUID, r *cache.Redis) error {
			if err := server.Del(t.Context(), guardKey(org)).Err(); err != nil {
				return err
			}
			return r.Invalidate(t.Context(), org)
		},
		"all, and another reads": func(org uuid.UUID, r *cache.Redis) error {
			if err := r.Invalidate(t.Context(), org); err != nil {
				return err
			}
			if err := server.Del(t.Context(), guardKey(org), billing.CacheKey(org)).Err(); err != nil {
				return err
			}
			loaded(t, r, org, "new")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			slow, fast, org := openRedis(t, url), openRedis(t, url), uuid.New()
			_, err := slow.Load(t.Context(), org, func(context.Context) (billing.Record, error) {
				return billing.Record{SubscriptionStatus: "active", CurrentPlan: "old"}, forget(org, fast)
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []*cache.Redis{slow, fast} {
				if got := loaded(t, r, org, "new"); got != "new" {
					t.Errorf("after the event the plan is %q", got)
				}
			}
		})
	}
}
