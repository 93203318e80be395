package integration

import (
	"context"
	"slices"
	"time"
)

// The constants of a rate tracker.
const (
	// buckets is the number of buckets of a window. Calls are counted in whole buckets over the
	// window plus one bucket. The provider's window therefore never contains more calls than
	// allowed, regardless of when it begins.
	buckets = 12
	// jitter is the minimum bucket length. Calls that are sent apart may arrive together; the
	// longer window tolerates this difference.
	jitter = 250 * time.Millisecond
	// runningLimit is the time without a heartbeat after which a call is considered lost with its
	// process.
	runningLimit = 12 * time.Second
	// HeartbeatInterval is the interval at which a running call must send a heartbeat.
	HeartbeatInterval = runningLimit / 3
	// limitedPause is the delay after a refusal that does not state one.
	limitedPause = 5 * time.Second
	// tripAfter is the number of consecutive failures that opens the circuit breaker of a tenant.
	tripAfter = 5
	tripPause = 15 * time.Second
	maxPause  = 5 * time.Minute
	// reserve is the part (one in reserve) of each window that is reserved for interactive calls.
	reserve = 4
)

// Bucket counts the calls of one part of a window.
type Bucket struct {
	Start time.Time
	Used  int
}

// WindowUsage is a window with its counted calls.
type WindowUsage struct {
	Length  time.Duration
	Buckets []Bucket // oldest first
}

// InFlightCall is a running call.
type InFlightCall struct {
	ID    string
	Until time.Time // afterwards the call is considered lost
}

// RateTracker counts the calls of all processes to one tenant. It uses no clock and no storage of
// its own.
type RateTracker struct {
	Windows      []WindowUsage
	Running      []InFlightCall
	BlockedUntil time.Time // set after the provider refused a call for exceeding a limit
	Failures     int       // consecutive
	OpenUntil    time.Time // while the circuit breaker is open
}

// Decision is the result of asking for admission.
type Decision struct {
	Admitted bool
	Wait     time.Duration // the time until another attempt is useful
	Failing  bool          // the wait is due to a failing provider
}

// Admit counts the call if it may be made now.
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
		// One call probes whether the provider has recovered; all others wait for its result.
		m.OpenUntil = now.Add(m.pause())
	}
	return Decision{Admitted: true}
}

// Heartbeat extends a running call. A call that has ended or is considered lost is unchanged.
func (m *RateTracker) Heartbeat(now time.Time, id string) {
	for i := range m.Running {
		if m.Running[i].ID == id {
			m.Running[i].Until = now.Add(runningLimit)
		}
	}
}

// Finish removes a call and applies what its response reported.
func (m *RateTracker) Finish(now time.Time, id string, c Call, o Observation) {
	m.Running = slices.DeleteFunc(m.Running, func(r InFlightCall) bool { return r.ID == id })
	m.forget(now, c.Limits)
	for i := range m.Windows {
		w := &m.Windows[i]
		remaining, ok := o.Remaining[w.Length]
		most := maxOf(c.Limits, w.Length)
		// The provider counts calls that docledger does not know, or allows fewer. It may not have
		// counted the running calls yet.
		if ok && most-w.used() > remaining {
			w.count(now, most-w.used()-max(0, remaining-len(m.Running)))
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

// pause returns how long the circuit breaker stays open. It grows with each failure after
// tripAfter.
func (m *RateTracker) pause() time.Duration {
	d := tripPause
	for range min(m.Failures-tripAfter, 10) {
		d *= 2
	}
	return min(d, maxPause)
}

// RetryAt returns when calls are admitted again; zero if they are admitted now.
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

// forget drops expired counts and aligns the windows with the limits.
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

// concurrencyWait returns how long to wait for a running call to end.
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

// allowed returns how many calls of a kind a window admits.
func allowed(c Call, length time.Duration) int {
	most := maxOf(c.Limits, length)
	if c.Background && most >= reserve {
		most -= most / reserve
	}
	return most
}

func (w *WindowUsage) step() time.Duration { return max(w.Length/buckets, jitter) }

// end returns when a bucket expires.
func (w *WindowUsage) end(b Bucket) time.Time { return b.Start.Add(w.Length + w.step()) }

// UsedAt returns the number of calls that count at a time.
func (w WindowUsage) UsedAt(now time.Time) (n int) {
	for _, b := range w.Buckets {
		if w.end(b).After(now) {
			n += b.Used
		}
	}
	return n
}

func (w *WindowUsage) used() (n int) {
	for _, b := range w.Buckets {
		n += b.Used
	}
	return n
}

// wait returns how long until fewer than most calls count; zero means now.
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

// MeterKey returns the key of the rate tracker for a call. Organizations that use the same tenant
// share its limits.
func MeterKey(p Provider, tenant string) string { return string(p) + "|" + tenant }

// AccountMeter is a connector without tenants, whose limits apply to accounts or to what they
// belong to.
type AccountMeter interface {
	// MeterTenant returns the tenant of MeterKey for an account.
	MeterTenant(account string) string
}

// Meters stores rate trackers that all processes share.
type Meters interface {
	// Change passes the rate tracker of a key to change and stores it, one caller at a time. It
	// creates a missing tracker.
	Change(ctx context.Context, key string, change func(*RateTracker)) error
	// Look returns the current rate tracker.
	Look(ctx context.Context, key string) (*RateTracker, error)
	// Expire deletes rate trackers that are unused since before.
	Expire(ctx context.Context, before time.Time) error
}

// UsedRatios returns the used fraction of each window, by window length.
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
