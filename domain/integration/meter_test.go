package integration_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"docledger/domain/integration"
)

var limits = integration.Limits{Concurrent: 5, Windows: []integration.Window{
	{Length: time.Minute, Max: 60}, {Length: 24 * time.Hour, Max: 1000},
}}

// vendor counts calls as a provider does, in fixed windows that begin when it
// pleases.
type vendor struct {
	offset time.Duration
	counts map[string]int
}

func (v *vendor) call(t *testing.T, at time.Time) {
	t.Helper()
	for _, w := range limits.Windows {
		key := fmt.Sprint(w.Length, at.Add(v.offset).Truncate(w.Length).Unix())
		if v.counts[key]++; v.counts[key] > w.Max {
			t.Fatalf("call %d in a window of %s", v.counts[key], w.Length)
		}
	}
}

// TestDemandAboveLimits asks for ten times what is allowed, for two days, at
// providers whose windows begin anywhere.
func TestDemandAboveLimits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		v := &vendor{offset: time.Duration(random.Int64N(int64(24 * time.Hour))), counts: map[string]int{}}
		var m integration.RateTracker
		start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
		made := 0
		for now := start; now.Before(start.Add(48 * time.Hour)); {
			c := integration.Call{Limits: limits, Background: random.IntN(2) == 0}
			verdict := m.Admit(now, "id", c)
			if !verdict.Admitted {
				if verdict.Wait <= 0 {
					t.Fatalf("neither admitted nor asked to wait: %+v", verdict)
				}
				now = now.Add(max(time.Duration(random.Int64N(int64(verdict.Wait)+1)), 100*time.Millisecond))
				continue
			}
			v.call(t, now)
			made++
			m.Finish(now, "id", c, integration.Observation{})
			now = now.Add(time.Duration(random.Int64N(int64(200 * time.Millisecond))))
		}
		if made < 1500 {
			t.Errorf("only %d calls in two days that allow 2000", made)
		}
	}
}

// TestBurstAtTheEndOfABucket has no window of the provider's hold more calls
// than it allows, whatever moment of a bucket they were made at.
func TestBurstAtTheEndOfABucket(t *testing.T) {
	t.Parallel()
	c := integration.Call{Limits: limits}
	for at := time.Duration(0); at < 5*time.Second; at += 100 * time.Millisecond {
		var m integration.RateTracker
		first := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).Add(at)
		for m.Admit(first, "id", c).Admitted {
			m.Finish(first, "id", c, integration.Observation{})
		}
		if m.Admit(first.Add(time.Minute-time.Millisecond), "id", c).Admitted {
			t.Fatalf("%s into a bucket: a 61st call within a minute", at)
		}
		if !m.Admit(first.Add(65*time.Second), "id", c).Admitted {
			t.Errorf("%s into a bucket: no call after 65 s", at)
		}
	}
}

// TestShortWindows keeps within the calls of a second although their ways to
// the provider differ by a quarter of one.
func TestShortWindows(t *testing.T) {
	t.Parallel()
	c := integration.Call{Limits: integration.Limits{Windows: []integration.Window{{Length: time.Second, Max: 10}}}}
	start := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(3, 4))
	var m integration.RateTracker
	var arrivals []time.Time
	for now := start; now.Before(start.Add(time.Minute)); now = now.Add(10 * time.Millisecond) {
		if m.Admit(now, "id", c).Admitted {
			m.Finish(now, "id", c, integration.Observation{})
			arrivals = append(arrivals, now.Add(time.Duration(random.Int64N(int64(240*time.Millisecond)))))
		}
	}
	for _, from := range arrivals {
		n := 0
		for _, at := range arrivals {
			if !at.Before(from) && at.Before(from.Add(time.Second)) {
				n++
			}
		}
		if n > 10 {
			t.Fatalf("%d calls arrive within a second", n)
		}
	}
	if len(arrivals) < 400 {
		t.Errorf("%d calls in a minute that allows 600", len(arrivals))
	}
}

func TestBackgroundLeavesRoom(t *testing.T) {
	t.Parallel()
	var m integration.RateTracker
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	count := func(background bool) (n int) {
		c := integration.Call{Limits: limits, Background: background}
		for m.Admit(now, "id", c).Admitted {
			m.Finish(now, "id", c, integration.Observation{})
			n++
		}
		return n
	}
	if n := count(true); n != 45 {
		t.Errorf("%d calls in the background, want 45 of 60", n)
	}
	if n := count(false); n != 15 {
		t.Errorf("%d concurrent interactive calls, want 15", n)
	}
}

func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	var m integration.RateTracker
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	c := integration.Call{Limits: limits}
	for n := range 5 {
		if !m.Admit(now, fmt.Sprint(n), c).Admitted {
			t.Fatalf("call %d is not admitted", n)
		}
	}
	if v := m.Admit(now, "6", c); v.Admitted || v.Wait <= 0 || v.Wait > time.Second {
		t.Errorf("the sixth call at once: %+v", v)
	}
	m.Finish(now, "3", c, integration.Observation{})
	if !m.Admit(now, "6", c).Admitted {
		t.Error("no room after one has left")
	}
	// A call that takes long keeps its place as long as its process says so;
	// those of a process that died lose theirs within seconds.
	for range 10 {
		now = now.Add(integration.HeartbeatInterval)
		m.Heartbeat(now, "6")
		m.Heartbeat(now, "3") // has left
	}
	if !m.Admit(now, "8", c).Admitted || len(m.Running) != 2 {
		t.Errorf("under way after %s: %+v", 10*integration.HeartbeatInterval, m.Running)
	}
	if !m.Admit(now.Add(time.Hour), "7", c).Admitted || len(m.Running) != 1 {
		t.Errorf("%d calls under way after an hour", len(m.Running))
	}
}

func TestAnswersTeachTheMeter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	c := integration.Call{Limits: limits}
	once := func(m *integration.RateTracker, at time.Time, o integration.Observation) {
		t.Helper()
		if v := m.Admit(at, "id", c); !v.Admitted {
			t.Fatalf("not admitted: %+v", v)
		}
		m.Finish(at, "id", c, o)
	}
	t.Run("others use the tenant too", func(t *testing.T) {
		var m integration.RateTracker
		once(&m, now, integration.Observation{Remaining: map[time.Duration]int{time.Minute: 2, 24 * time.Hour: 999}})
		once(&m, now, integration.Observation{})
		once(&m, now, integration.Observation{})
		if m.Admit(now, "id", c).Admitted {
			t.Error("more calls than the provider has left")
		}
	})
	t.Run("calls under way are not counted yet", func(t *testing.T) {
		var m integration.RateTracker
		for _, id := range []string{"1", "2", "3", "4"} {
			m.Admit(now, id, c)
		}
		m.Finish(now, "1", c, integration.Observation{Remaining: map[time.Duration]int{24 * time.Hour: 3}})
		if m.Admit(now, "5", c).Admitted {
			t.Error("a fourth call where three are left and under way")
		}
	})
	t.Run("retry after", func(t *testing.T) {
		var m integration.RateTracker
		once(&m, now, integration.Observation{Limited: true, RetryAfter: 42 * time.Second})
		if v := m.Admit(now.Add(41*time.Second), "id", c); v.Admitted || v.Wait != time.Second || v.Failing {
			t.Errorf("before Retry-After has passed: %+v", v)
		}
		if at := m.RetryAt(now); !at.Equal(now.Add(42 * time.Second)) {
			t.Errorf("retry at %s", at)
		}
		once(&m, now.Add(42*time.Second), integration.Observation{})
	})
	t.Run("circuit breaker", func(t *testing.T) {
		var m integration.RateTracker
		at := now
		for range 5 {
			once(&m, at, integration.Observation{Failed: true})
		}
		v := m.Admit(at, "id", c)
		if v.Admitted || !v.Failing || v.Wait <= 0 {
			t.Fatalf("after five failures: %+v", v)
		}
		at = at.Add(v.Wait)
		if !m.Admit(at, "probe", c).Admitted {
			t.Fatal("no call tries whether it is well again")
		}
		if m.Admit(at, "id", c).Admitted {
			t.Error("a second call during the trial call")
		}
		m.Finish(at, "probe", c, integration.Observation{Failed: true})
		longer := m.Admit(at, "id", c)
		if longer.Admitted || longer.Wait <= v.Wait {
			t.Errorf("after one more failure: %+v", longer)
		}
		at = at.Add(longer.Wait)
		once(&m, at, integration.Observation{})
		once(&m, at, integration.Observation{})
	})
}
