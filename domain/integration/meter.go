package integration

import (
	"context"
	"slices"
	"time"
)

// The numbers of a meter.
const (
	// buckets a window is cut into. Calls are counted in whole buckets over the
	// window and one more, so that wherever the provider's own window begins it
	// never holds more calls than it allows.
	buckets = 12
	// jitter is the shortest bucket. Calls that leave us apart may arrive
	// together; a window that is longer by this much does not mind.
	jitter = 250 * time.Millisecond
	// runningLimit is after how long a call that says nothing of itself is taken
	// for lost with its process.
	runningLimit = 12 * time.Second
	// HeartbeatInterval is how often a call that is under way must say so.
	HeartbeatInterval = runningLimit / 3
	// limitedPause is how long nothing is sent after a refusal that does not
	// say when to come back.
	limitedPause = 5 * time.Second
	// tripAfter failures in a row a tenant's calls are held back.
	tripAfter = 5
	tripPause = 15 * time.Second
	maxPause  = 5 * time.Minute
	// reserve is the part of each window that is kept for people who wait.
	reserve = 4
)

// Bucket counts the calls of one stretch of a window.
type Bucket struct {
	Start time.Time
	Used  int
}

// WindowUsage is a window with its calls.
type WindowUsage struct {
	Length  time.Duration
	Buckets []Bucket // oldest first
}

// InFlightCall is a call under way.
type InFlightCall struct {
	ID    string
	Until time.Time // then it is taken for lost
}

// RateTracker counts the calls to one tenant, of all processes. It knows no clock
// and no storage.
type RateTracker struct {
	Windows      []WindowUsage
	Running      []InFlightCall
	BlockedUntil time.Time // the provider refused a call as one too many
	Failures     int       // in a row
	OpenUntil    time.Time // the circuit breaker's pause
}

// Decision says what becomes of a call.
type Decision struct {
	Admitted bool
	Wait     time.Duration // until it is worth asking again
	Failing  bool          // the wait is for a provider that has been failing
}

// Admit counts a call that may be made now.
func (m *RateTracker) Admit(now time.Time, id string, c Call) Decision {
	m.forget(now, c.Limits)
	if left := m.OpenUntil.Sub(now); left > 0 {
		return Decision{Wait: left, Failing: true}
	}
	if left := m.BlockedUntil.Sub(now); left > 0 {
		return Decision{Wait: left}
	}
	if wait := m.concurrencyWait(now, c); wait > 0 {
		return Decision{Wait: wait}
	}
	for i := range m.Windows {
		w := &m.Windows[i]
		if wait := w.wait(now, allowed(c, w.Length)); wait > 0 {
			return Decision{Wait: wait}
		}
	}
	for i := range m.Windows {
		m.Windows[i].count(now, 1)
	}
	m.Running = append(m.Running, InFlightCall{ID: id, Until: now.Add(runningLimit)})
	if m.Failures >= tripAfter {
		// One call tries whether the provider is well again; others wait for it.
		m.OpenUntil = now.Add(m.pause())
	}
	return Decision{Admitted: true}
}

// Heartbeat says that a call is still under way. One that was left, or taken for
// lost, stays so.
func (m *RateTracker) Heartbeat(now time.Time, id string) {
	for i := range m.Running {
		if m.Running[i].ID == id {
			m.Running[i].Until = now.Add(runningLimit)
		}
	}
}

// Finish takes a call out and learns from its answer.
func (m *RateTracker) Finish(now time.Time, id string, c Call, o Observation) {
	m.Running = slices.DeleteFunc(m.Running, func(r InFlightCall) bool { return r.ID == id })
	m.forget(now, c.Limits)
	for i := range m.Windows {
		w := &m.Windows[i]
		told, ok := o.Remaining[w.Length]
		most := maxOf(c.Limits, w.Length)
		// The provider knows of calls that we do not, or allows fewer. Those of
		// ours that are under way it may not have counted yet.
		if ok && most-w.used() > told {
			w.count(now, most-w.used()-max(0, told-len(m.Running)))
		}
	}
	switch {
	case o.Limited:
		pause := o.RetryAfter
		if pause <= 0 {
			pause = limitedPause
		}
		if until := now.Add(pause); until.After(m.BlockedUntil) {
			m.BlockedUntil = until
		}
	case o.Failed:
		m.Failures++
		if m.Failures >= tripAfter {
			m.OpenUntil = now.Add(max(m.pause(), o.RetryAfter))
		} else if o.RetryAfter > 0 {
			m.OpenUntil = now.Add(o.RetryAfter)
		}
	default:
		m.Failures, m.OpenUntil = 0, time.Time{}
	}
}

// pause grows with each failure beyond the one that tripped the breaker.
func (m *RateTracker) pause() time.Duration {
	d := tripPause
	for range min(m.Failures-tripAfter, 10) {
		d *= 2
	}
	return min(d, maxPause)
}

// RetryAt is when calls go on, zero where nothing holds them back.
func (m *RateTracker) RetryAt(now time.Time) time.Time {
	at := m.BlockedUntil
	if m.OpenUntil.After(at) {
		at = m.OpenUntil
	}
	if !at.After(now) {
		return time.Time{}
	}
	return at
}

// forget drops what no longer counts and lines the windows up with limits.
func (m *RateTracker) forget(now time.Time, l Limits) {
	m.Running = slices.DeleteFunc(m.Running, func(r InFlightCall) bool { return !r.Until.After(now) })
	kept := make([]WindowUsage, 0, len(l.Windows))
	for _, limit := range l.Windows {
		w := WindowUsage{Length: limit.Length}
		if i := slices.IndexFunc(m.Windows, func(c WindowUsage) bool { return c.Length == limit.Length }); i >= 0 {
			w.Buckets = slices.DeleteFunc(m.Windows[i].Buckets, func(b Bucket) bool { return !w.end(b).After(now) })
		}
		kept = append(kept, w)
	}
	m.Windows = kept
}

// concurrencyWait says how long to wait for one of the calls at once to end.
func (m *RateTracker) concurrencyWait(now time.Time, c Call) time.Duration {
	most := c.Limits.Concurrent
	if c.Background && most > 1 {
		most--
	}
	if c.Limits.Concurrent == 0 || len(m.Running) < most {
		return 0
	}
	const soon = 100 * time.Millisecond
	return min(soon, m.Running[0].Until.Sub(now))
}

func maxOf(l Limits, length time.Duration) int {
	for _, w := range l.Windows {
		if w.Length == length {
			return w.Max
		}
	}
	return 0
}

// allowed is how many calls of a kind a window takes.
func allowed(c Call, length time.Duration) int {
	most := maxOf(c.Limits, length)
	if c.Background && most >= reserve {
		most -= most / reserve
	}
	return most
}

func (w *WindowUsage) step() time.Duration { return max(w.Length/buckets, jitter) }

// end is when a bucket no longer counts.
func (w *WindowUsage) end(b Bucket) time.Time { return b.Start.Add(w.Length + w.step()) }

func (w *WindowUsage) used() (n int) {
	for _, b := range w.Buckets {
		n += b.Used
	}
	return n
}

// wait says how long until fewer than most calls count; zero: now.
func (w *WindowUsage) wait(now time.Time, most int) time.Duration {
	used := w.used()
	for _, b := range w.Buckets {
		if used < most {
			break
		}
		if used -= b.Used; used < most {
			return w.end(b).Sub(now)
		}
	}
	if used >= most {
		return w.Length
	}
	return 0
}

func (w *WindowUsage) count(now time.Time, n int) {
	start := now.Truncate(w.step())
	if last := len(w.Buckets) - 1; last >= 0 && !w.Buckets[last].Start.Before(start) {
		w.Buckets[last].Used += n
		return
	}
	w.Buckets = append(w.Buckets, Bucket{Start: start, Used: n})
}

// MeterKey names the meter whose limits count for a call: a tenant's limits
// are the same for every organization that books there.
func MeterKey(p Provider, tenant string) string { return string(p) + "|" + tenant }

// AccountMeter is a connector whose limits count for accounts, or for what they
// belong to, where integrations have no tenant.
type AccountMeter interface {
	// MeterTenant is what MeterKey names for an account.
	MeterTenant(account string) string
}

// Meters keeps the meters where all processes see them.
type Meters interface {
	// Change gives the meter of a key, a new one where there is none, to change
	// and stores it, one caller at a time.
	Change(ctx context.Context, key string, change func(*RateTracker)) error
	// Look returns the meter as it stands.
	Look(ctx context.Context, key string) (*RateTracker, error)
	// Expire forgets meters that nobody used since before.
	Expire(ctx context.Context, before time.Time) error
}

// UsedRatios is the part of each window that has been used, by its length.
func (m *RateTracker) UsedRatios(now time.Time, l Limits) map[time.Duration]float64 {
	seen := RateTracker{Windows: slices.Clone(m.Windows)}
	for i := range seen.Windows {
		seen.Windows[i].Buckets = slices.Clone(seen.Windows[i].Buckets)
	}
	seen.forget(now, l)
	out := map[time.Duration]float64{}
	for _, w := range seen.Windows {
		if most := maxOf(l, w.Length); most > 0 {
			out[w.Length] = float64(w.used()) / float64(most)
		}
	}
	return out
}
