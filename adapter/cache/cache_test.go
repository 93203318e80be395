package cache_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"docledger/adapter/cache"
	"docledger/adapter/cache/cachetest"
	"docledger/domain/billing"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/uuid"
)

// hands is a clock whose hands tests move.
type hands struct{ ns atomic.Int64 }

func (h *hands) NowNano() int64                        { return h.ns.Load() }
func (h *hands) Tick(d time.Duration) <-chan time.Time { return time.Tick(d) }

func TestMemory(t *testing.T) {
	t.Parallel()
	cachetest.Run(t, func(t *testing.T) cachetest.Env {
		clock := &hands{}
		clock.ns.Store(time.Now().UnixNano())
		m, err := cache.NewMemory(clock)
		if err != nil {
			t.Fatal(err)
		}
		return cachetest.Env{Cache: m, Other: m, Advance: func(d time.Duration) { clock.ns.Add(int64(d)) }}
	})
}

func openRedis(t *testing.T, addr string) *cache.Redis {
	t.Helper()
	r, closeClient, err := cache.NewRedis("redis://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeClient() })
	return r
}

func TestRedis(t *testing.T) {
	t.Parallel()
	cachetest.Run(t, func(t *testing.T) cachetest.Env {
		server := miniredis.RunT(t)
		return cachetest.Env{Cache: openRedis(t, server.Addr()), Other: openRedis(t, server.Addr()), Advance: server.FastForward}
	})
}

func TestRecordHasExactlyTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	org := uuid.MustParse("01936b1e-0000-7000-8000-000000000001")
	_, err := openRedis(t, server.Addr()).Load(context.Background(), org, func(context.Context) (billing.Record, error) {
		return billing.Record{SubscriptionStatus: "active", CurrentPlan: "team", BillingCycleEnd: time.Date(2026, 4, 1, 2, 0, 0, 0, time.FixedZone("", 7200))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := server.Get("billing:plan:01936b1e-0000-7000-8000-000000000001")
	if err != nil {
		t.Fatal(err)
	}
	want := `{"subscription_status":"active","current_plan":"team","billing_cycle_end":"2026-04-01T00:00:00Z","max_invoices_per_month":null,"max_entities":null}`
	if text != want {
		t.Errorf("the record is %s", text)
	}
	if ttl := server.TTL("billing:plan:01936b1e-0000-7000-8000-000000000001"); ttl <= 0 || ttl > billing.CacheTTL {
		t.Errorf("the record is kept for %s", ttl)
	}
}

func TestGarbageIsAMiss(t *testing.T) {
	t.Parallel()
	for _, garbage := range []string{"", "no json", "{}", `{"subscription_status":1}`, `[1]`,
		`{"subscription_status":"active","current_plan":"x","billing_cycle_end":null,"max_entities":null,"max_invoices_per_month":null,"more":1}`} {
		server := miniredis.RunT(t)
		org := uuid.New()
		if err := server.Set(billing.CacheKey(org), garbage); err != nil {
			t.Fatal(err)
		}
		r, err := openRedis(t, server.Addr()).Load(context.Background(), org, func(context.Context) (billing.Record, error) {
			return billing.Record{SubscriptionStatus: "active", CurrentPlan: "right"}, nil
		})
		if err != nil || r.CurrentPlan != "right" {
			t.Errorf("with %q the plan is %+v, %v", garbage, r, err)
		}
		if text, err := server.Get(billing.CacheKey(org)); err != nil || !json.Valid([]byte(text)) || text == garbage {
			t.Errorf("%q stays: %s, %v", garbage, text, err)
		}
	}
	server := miniredis.RunT(t)
	org := uuid.New()
	server.Lpush(billing.CacheKey(org), "a list")
	if _, err := openRedis(t, server.Addr()).Load(context.Background(), org, func(context.Context) (billing.Record, error) {
		return billing.Record{SubscriptionStatus: "active"}, nil
	}); err != nil {
		t.Errorf("a value of another type: %v", err)
	}
}

// TestDeadAndSilentServersAreDoneWithout needs no timing of its own: an
// answer within the fill's own deadline shows that the server was given up.
func TestDeadAndSilentServersAreDoneWithout(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	gone := miniredis.RunT(t)
	addr := gone.Addr()
	gone.Close()
	for name, addr := range map[string]string{"dead": addr, "silent": silent.Addr().String()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRedis(t, addr)
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			for range 3 {
				got, err := r.Load(ctx, uuid.New(), func(context.Context) (billing.Record, error) { return billing.Record{CurrentPlan: "right"}, nil })
				if err != nil || got.CurrentPlan != "right" {
					t.Errorf("Load = %+v, %v", got, err)
				}
			}
			if err := r.Invalidate(ctx, uuid.New()); err == nil {
				t.Error("an invalidation that nobody heard is said to have been done")
			}
		})
	}
	if _, _, err := cache.NewRedis("http://nowhere"); err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("NewRedis takes any URL: %v", err)
	}
}
