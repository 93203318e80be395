package connector

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docledger/domain/fault"
	"docledger/domain/integration"
	"docledger/infrastructure/httpclient"
)

// Translate returns the fault of the ports for a failure of a call, as far as it
// means the same at every provider. A connector translates its own refusals
// first. Any other error is returned as it is.
func Translate(p integration.Provider, err error) error {
	f := httpclient.FailureOf(err)
	switch {
	case f == nil:
		return err
	case f.NotSent:
		return notSent(p, f)
	case f.Status == 0 && errors.Is(f, context.Canceled):
		return f
	case f.Status == http.StatusUnauthorized:
		return Annotate(integration.AccessRefused(p, f), f)
	case f.Limited:
		return Annotate(integration.RateLimited(p, f.RetryAfter, f), f)
	case f.Recognized() && f.Status == http.StatusBadRequest && !f.Has(passingErrors...):
		return Refused(p, f)
	}
	return Annotate(integration.Unavailable(p, f.RetryAfter, f), f)
}

// notSent keeps what the rate limiter says about when to try again.
func notSent(p integration.Provider, f *httpclient.Failure) error {
	if _, isFault := fault.As(f); isFault || errors.Is(f, context.Canceled) || errors.Is(f, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", integration.ErrNotSent, f)
	}
	return integration.Unavailable(p, 0, errors.Join(integration.ErrNotSent, f))
}

// Unusable returns the fault for a response that makes no sense.
func Unusable(p integration.Provider, cause error) error {
	return integration.Unavailable(p, time.Duration(0), cause)
}

// Refused returns the fault for a request that the provider refuses for a reason
// that the connector does not know. A repetition has the same result.
func Refused(p integration.Provider, f *httpclient.Failure) error {
	return Refuse(fault.Upstream, fault.CodeProviderRefused, f, "%s refuses the request. Follow its message.", p)
}

// NotFound returns the fault for something that the provider does not have.
func NotFound(p integration.Provider, what string, cause error) error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s has no such %s.", p, what).WithCause(cause)
}

// Refuse returns a fault for a refusal whose reason is known.
func Refuse(kind fault.Kind, code fault.Code, cause error, format string, args ...any) error {
	return Annotate(fault.New(kind, code, format, args...).WithCause(cause), httpclient.FailureOf(cause))
}

// Annotate adds what the provider said to a fault, for people.
func Annotate(err error, f *httpclient.Failure) error {
	var at *fault.Error
	if f == nil || f.Status == 0 || !errors.As(err, &at) {
		return err
	}
	refused := f.Refusal()
	return at.FromProvider(fault.Provider(refused))
}
