package identity

import (
	"context"
	"net/netip"
	"time"
)

const (
	// maxBlock is the maximum time for which sign-in is refused.
	maxBlock = 15 * time.Minute
	// attemptMemory is how long failures of one account from one network count.
	attemptMemory = 24 * time.Hour
)

// Attempt is the state of failed sign-ins to one account from one network.
type Attempt struct {
	Failures     int
	BlockedUntil time.Time // zero if nothing is refused
	EndsAt       time.Time // expiry of the failures
}

// Blocked returns the time until the next attempt is allowed; 0 for none.
func (a Attempt) Blocked(now time.Time) time.Duration { return max(a.BlockedUntil.Sub(now), 0) }

// Fail counts one failure. From the limit on, each failure blocks the next attempt
// for a time that doubles, from one second to maxBlock.
func (a *Attempt) Fail(limit int, now time.Time) {
	if !now.Before(a.EndsAt) {
		*a = Attempt{}
	}
	a.Failures++
	a.EndsAt = now.Add(attemptMemory)
	if over := a.Failures - limit; over >= 0 {
		a.BlockedUntil = now.Add(min(time.Second<<min(over, 20), maxBlock))
	}
}

// Network returns the part of an address that belongs to one subscriber: an IPv4
// address, or the /64 of an IPv6 address. It returns other text unchanged.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.String()
}

// Attempts counts failed sign-ins, shared by all replicas.
type Attempts interface {
	// Get returns the state of a key; an unknown key has the zero Attempt.
	Get(ctx context.Context, key string) (Attempt, error)
	// Change changes the state of a key under a row lock; an unknown key has the zero
	// Attempt. If change returns an error, Change returns it and stores nothing.
	Change(ctx context.Context, key string, change func(*Attempt) error) error
	// Count increments the current window of key and returns its count and end. A
	// window starts with its first failure.
	Count(ctx context.Context, key string, window time.Duration, now time.Time) (n int, ends time.Time, err error)
	// Counted returns the count and the end of key's current window.
	Counted(ctx context.Context, key string, now time.Time) (n int, ends time.Time, err error)
	// Forget deletes the state of a key.
	Forget(ctx context.Context, key string) error
}
