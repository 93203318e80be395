package integration

import (
	"context"
	"time"
)

// Window bounds how many calls are allowed in a fixed stretch of time.
type Window struct {
	Length time.Duration
	Max    int
}

// Limits are what a provider allows one tenant of one application.
type Limits struct {
	Concurrent int // calls at once; 0 for any number
	Windows    []Window
}

// Call describes one request to a provider.
type Call struct {
	Provider Provider
	Tenant   string // whose limits count; "" for calls without a tenant
	// Background work leaves room for people who wait.
	Background bool
	Limits     Limits
}

// Observation is what an answer told of the provider's limits and health.
type Observation struct {
	// Remaining tells how many calls a window still allows, by its length. An
	// answer that does not say has no entry.
	Remaining map[time.Duration]int
	// Limited says that the provider refused the call as one too many, and
	// RetryAfter when it will take the next one; zero: it did not say.
	Limited    bool
	RetryAfter time.Duration
	// Failed says that no sensible answer came: 5xx, time-out, a cut line.
	Failed bool
}

// RateLimiter admits requests at the rate that providers allow. Each connector
// asks it before every request, paging included.
type RateLimiter interface {
	// Enter waits until the call may be made. If that takes too long, it returns
	// a fault with ErrRateLimited in its chain; if the provider has been failing
	// for this tenant, Unavailable. RetryAfter says when to try again. leave must
	// be called exactly once, with what the response reported.
	Enter(ctx context.Context, c Call) (leave func(Observation), err error)
}

// Unlimited admits every call at once.
type Unlimited struct{}

// Enter implements RateLimiter.
func (Unlimited) Enter(ctx context.Context, _ Call) (func(Observation), error) {
	return func(Observation) {}, ctx.Err()
}
