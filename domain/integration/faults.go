package integration

import (
	"errors"
	"time"

	"docledger/domain/fault"
)

// The errors of every port to a provider, here and in domain/accounting:
//
// - ErrReconnect in the chain: the consent has ended (refused refresh token, withdrawn consent).
// Only another consent by a person helps.
// - ErrAccessRefused in the chain: the provider does not accept the access token, or no longer
// does. A renewed one may be accepted. The call had no effect.
// - ErrTenantGone in the chain: the token is valid, but the tenant is no longer connected. The call
// had no effect.
// - ErrRateLimited in the chain: too many calls. The call had no effect; RetryAfter is the delay
// until the next call.
// - ErrNotSent in the chain: the request was never sent, for example because it waited too long for
// the rate limiter. The call had no effect.
// - fault.Upstream, provider_unavailable without these: no response, an invalid one, or a 5xx.
// RetryAfter is the delay until the next call. The effect of a write is unknown: the caller must
// read back first.
// - fault.NotFound: the provider does not know the resource.
// - fault.Invalid: the provider refuses the request permanently.
// - any other error is a defect in docledger.
//
// A cancelled context is in the chain of the error. No error contains a token, a code, or a
// response body of the provider. Messages use the neutral provider codes.
var (
	ErrReconnect     = errors.New("the consent has ended")
	ErrAccessRefused = errors.New("the access token is refused")
	ErrTenantGone    = errors.New("the tenant is no longer connected")
	ErrRateLimited   = errors.New("too many calls")
	ErrNotSent       = errors.New("the request was not sent")
)

// ErrAdminRequired is in the chain if only an administrator at the provider can give the consent.
var ErrAdminRequired = errors.New("an administrator at the provider must consent")

// capabilityRefused is the error of a call that needs a scope of its own. Its text is that of its
// cause.
type capabilityRefused struct{ cause error }

func (e *capabilityRefused) Error() string { return e.cause.Error() }
func (e *capabilityRefused) Unwrap() error { return e.cause }

// Optional marks the error of a call that a scope or a permission of its own allows, such as a
// subscription or an attachment. A provider refuses such a call with the same status as a token that
// is not valid, so the refusal does not end a consent. It returns nil for nil.
func Optional(err error) error {
	if err == nil {
		return nil
	}
	return &capabilityRefused{err}
}

// CapabilityRefused reports whether the provider refuses only an optional call.
func CapabilityRefused(err error) bool {
	var refused *capabilityRefused
	return errors.As(err, &refused) && errors.Is(refused.cause, ErrAccessRefused)
}

// caused wraps a sentinel and its cause.
func caused(sentinel, cause error) error {
	if cause == nil {
		return sentinel
	}
	return errors.Join(sentinel, cause)
}

// NeedsReconnect returns the fault for a consent that has ended.
func NeedsReconnect(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The connection to %s has ended. Connect the integration again.", p).WithCause(caused(ErrReconnect, cause))
}

// AccessRefused returns the fault for an access token that the provider does not accept.
func AccessRefused(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"%s does not accept the connection. Connect the integration again.", p).WithCause(caused(ErrAccessRefused, cause))
}

// TenantGone returns the fault for a tenant that is no longer connected.
func TenantGone(p Provider, cause error) error {
	return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
		"The organization at %s is no longer connected. Connect the integration again and choose it.", p).
		WithCause(caused(ErrTenantGone, cause))
}

// RateLimited returns the fault for a call beyond the provider's rate limit.
func RateLimited(p Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s accepts no more requests at the moment. Try again later.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(caused(ErrRateLimited, cause))
}

// ErrCircuitOpen is in the chain if the rate limiter refused a call because the provider has been
// failing. The call itself did not fail.
var ErrCircuitOpen = errors.New("it has been failing; the circuit breaker holds calls back")

// Unavailable returns the fault for a missing or invalid response. after is the delay until the
// next call, zero for a short one.
func Unavailable(p Provider, after time.Duration, cause error) error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable, "%s does not respond correctly. Try again later.", p)
	f.RetryAfter = max(after, time.Second)
	return f.WithCause(cause)
}
