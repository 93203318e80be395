package identity

import (
	"context"
	"net/netip"
	"time"
)

const (
	// maxBlock is the longest time for which a sign-in is refused.
	maxBlock = 15 * time.Minute
	// attemptMemory is how long failures of one account from one network count.
	attemptMemory = 24 * time.Hour
)

// Attempt is what is known of the failed sign-ins to one account from one
// network.
type Attempt struct {
	Failures     int
	BlockedUntil time.Time // zero while nothing is refused
	EndsAt       time.Time // when the failures are forgotten
}

// Blocked returns how long the next attempt must wait; 0 for not at all.
func (a Attempt) Blocked(now time.Time) time.Duration { return max(a.BlockedUntil.Sub(now), 0) }

// Fail counts one failure. From the limit on each failure refuses the next
// attempt for a time that doubles, from a second to maxBlock.
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

// Network is the part of an address that one customer has alone: an IPv4
// address, or the /64 of an IPv6 address. Text that is no address stays as it
// is.
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
	// Change changes what is known of a key under a row lock; an unknown key is
	// the zero Attempt. An error of change is returned, and changes nothing.
	Change(ctx context.Context, key string, change func(*Attempt) error) error
	// Count adds one to key's present window and returns how many it holds now
	// and when it ends. Windows start with their first failure.
	Count(ctx context.Context, key string, window time.Duration, now time.Time) (n int, ends time.Time, err error)
	// Counted returns how many key's present window holds and when it ends.
	Counted(ctx context.Context, key string, now time.Time) (n int, ends time.Time, err error)
	// Forget removes what is known of a key.
	Forget(ctx context.Context, key string) error
}
