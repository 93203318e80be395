package integration

import (
	"errors"
	"time"

	"docledger/domain/fault"
)

// What every port to a provider, here and in domain/accounting, has in common:
//
//   - ErrReconnect in the chain: the consent has ended (refused refresh token,
//     withdrawn consent). Nothing but a new consent by a person helps.
//   - ErrAccessRefused in the chain: the access token is not, or no longer,
//     accepted. A renewed one may be. Nothing was done.
//   - ErrTenantGone in the chain: the token is good, but the tenant is no
//     longer connected with it. Nothing was done.
//   - ErrRateLimited in the chain: too many calls. Nothing was done; RetryAfter
//     says when to come back.
//   - ErrNotSent in the chain: the request was never sent, for example because it
//     waited too long for the rate limiter. Nothing was done.
//   - fault.Upstream, provider_unavailable without these: no answer, one that
//     makes no sense, or a 5xx; RetryAfter says when to come back. After a
//     write its effect is uncertain: read back before anything else.
//   - fault.NotFound: the provider has no such thing.
//   - fault.Invalid: the provider refuses what was asked for, for good.
//   - any other error is our own mistake.
//
// An ended context is in the chain of the error. No error holds a token, a
// code, or a body of the provider's. Messages use the neutral codes.
var (
	ErrReconnect     = errors.New("the consent has ended")
	ErrAccessRefused = errors.New("the access token is refused")
	ErrTenantGone    = errors.New("the tenant is no longer connected")
	ErrRateLimited   = errors.New("too many calls")
	ErrNotSent       = errors.New("the request was not sent")
)

// caused wraps a sentinel and what led to it.
func caused(sentinel, cause error) error {
	if cause == nil {
		return sentinel
	}
	return errors.Join(sentinel, cause)
}

// NeedsReconnect says that a person must consent anew.
func NeedsReconnect(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The connection to %s has ended. Connect the integration again.", p).WithCause(caused(ErrReconnect, cause))
}

// AccessRefused says that a provider no longer takes an access token.
func AccessRefused(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"%s does not accept the connection. Connect the integration again.", p).WithCause(caused(ErrAccessRefused, cause))
}

// TenantGone says that the chosen tenant is no longer connected.
func TenantGone(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The organization at %s is no longer connected. Connect the integration again and choose it.", p).
		WithCause(caused(ErrTenantGone, cause))
}

// RateLimited says that a provider takes no more calls for a while.
func RateLimited(p Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s takes no more requests for now. Try again later.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(caused(ErrRateLimited, cause))
}

// ErrCircuitOpen is in the chain of what the gate did not let through to a provider
// that has been failing. It says nothing of the call itself.
var ErrCircuitOpen = errors.New("it has been failing; the circuit breaker holds calls back")

// Unavailable says that a provider gave no sensible answer; after is when to
// come back, zero for soon.
func Unavailable(p Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s does not answer as it should. Try again later.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(cause)
}
