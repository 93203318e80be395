package xero

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"docledger/adapter/accounting/xero/client"
	"docledger/domain/accounting"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

// translate says in the ports' words why a call failed. What is left over is
// our own mistake.
func translate(err error) error {
	var f *client.Failure
	if !errors.As(err, &f) {
		return err
	}
	switch {
	case f.NotSent:
		return notSent(f)
	case f.Status == 0 && errors.Is(f, context.Canceled):
		return f
	case f.Status == http.StatusUnauthorized:
		return integration.AccessRefused(client.Provider, f)
	case f.Status == http.StatusForbidden && f.Recognized():
		return integration.TenantGone(client.Provider, f)
	case f.Status == http.StatusTooManyRequests:
		return integration.RateLimited(client.Provider, f.RetryAfter, f)
	case f.Status == http.StatusBadRequest && f.Recognized():
		return f
	}
	return integration.Unavailable(client.Provider, f.RetryAfter, f)
}

// notSent keeps what the gate says of when to come back.
func notSent(f *client.Failure) error {
	if _, told := fault.As(f); told || errors.Is(f, context.Canceled) || errors.Is(f, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", accounting.ErrNotSent, f)
	}
	return integration.Unavailable(client.Provider, 0, errors.Join(accounting.ErrNotSent, f))
}

// missing turns an id that the provider does not know into a NotFound fault.
func missing(what string, err error) error {
	if f := (*client.Failure)(nil); errors.As(err, &f) && f.Status == http.StatusNotFound {
		return notFound(what).Because(f)
	}
	return translate(err)
}

func notFound(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s has no such %s.", client.Provider, what)
}
