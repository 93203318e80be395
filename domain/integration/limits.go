package integration

import (
	"context"
	"time"
)

// Window is a limit on the number of calls in a fixed period.
type Window struct {
	Length time.Duration
	Max    int
}

// Limits are the limits that a provider applies to one tenant of one application.
type Limits struct {
	Concurrent int // concurrent calls; 0 means unlimited
	Windows    []Window
}

// Call describes one request to a provider.
type Call struct {
	Provider Provider
	Tenant   string // whose limits count; "" for calls without a tenant
	// Background reports that no user waits for the call. Background work leaves capacity for
	// interactive calls.
	Background bool
	Limits     Limits
}

// Observation is what a response reported about the provider's limits and health.
type Observation struct {
	// Remaining is the number of calls that a window still allows, by window length. Windows that
	// the response did not report have no entry.
	Remaining map[time.Duration]int
	// Limited reports that the provider refused the call for exceeding a limit. RetryAfter is the
	// requested delay; zero if none.
	Limited    bool
	RetryAfter time.Duration
	// Failed reports that no valid response was received: 5xx, timeout, lost connection.
	Failed bool
}

// RateLimiter admits requests at the rate that providers allow. Each connector calls it before
// every request, including requests for further pages.
type RateLimiter interface {
	// Enter waits until the call may be made. It returns a fault with ErrRateLimited in its chain
	// if the wait is too long, and Unavailable if the provider has been failing for this tenant.
	// RetryAfter is the delay until the next attempt. The caller must call leave exactly once, with
	// what the response reported.
	Enter(ctx context.Context, c Call) (leave func(Observation), err error)
}

// Unlimited admits every call immediately.
type Unlimited struct{}

// Enter implements RateLimiter.
func (Unlimited) Enter(ctx context.Context, _ Call) (func(Observation), error) {
	return func(Observation) {}, ctx.Err()
}
