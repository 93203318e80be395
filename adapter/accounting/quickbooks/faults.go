package quickbooks

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"docledger/adapter/accounting/quickbooks/client"
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
	case f.Status == http.StatusForbidden && len(f.Faults) > 0:
		return integration.TenantGone(client.Provider, f)
	case f.Status == http.StatusTooManyRequests:
		return integration.RateLimited(client.Provider, f.RetryAfter, f)
	case f.Refused() && f.Code() == client.CodeLapsed:
		return fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The company's subscription at %s has ended. Renew it there, then try again.", client.Provider).Because(f)
	case f.Refused() && f.Code() == client.CodeNoPermission:
		return fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"Whoever connected %s may not do this there. Connect the integration again as an administrator of the company.", client.Provider).Because(f)
	case f.Refused():
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

// beforehand is why something that comes before a booking failed: nothing was
// booked.
func beforehand(err error) error { return fmt.Errorf("%w: %w", accounting.ErrNotSent, translate(err)) }

// missing turns an id that the provider does not know into a NotFound fault.
func missing(what string, err error) error {
	if f := (*client.Failure)(nil); errors.As(err, &f) && (f.Status == http.StatusNotFound || f.Refused() && isMissing(f.Code())) {
		return notFound(what).Because(f)
	}
	return translate(err)
}

func isMissing(code string) bool {
	return code == client.CodeNotFound || code == client.CodeBadID || code == client.CodeBadReference
}

func notFound(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s has no such %s.", client.Provider, what)
}
