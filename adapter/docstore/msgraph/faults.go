package msgraph

import (
	"context"
	"errors"
	"net/http"

	"docledger/adapter/docstore/msgraph/client"
	"docledger/domain/docstore"
	"docledger/domain/fault"
	"docledger/domain/integration"
)

// translate says in the ports' words why a call failed; what is what was asked
// for. What is left over is our own mistake.
func translate(what string, err error) error {
	var f *client.Failure
	if !errors.As(err, &f) {
		return err
	}
	switch {
	case f.NotSent && told(f), f.Status == 0 && errors.Is(f, context.Canceled):
		return f
	case f.Status == http.StatusUnauthorized:
		return integration.AccessRefused(client.Provider, f)
	case f.Limited():
		return integration.RateLimited(client.Provider, f.RetryAfter, f)
	case f.Status == http.StatusForbidden:
		return docstore.Denied(client.Provider, f)
	case f.Status == http.StatusNotFound, f.Status == http.StatusGone:
		return notFound(what).Because(f)
	}
	return integration.Unavailable(client.Provider, f.RetryAfter, f)
}

// told says that the gate already told when to come back, or that the context
// has ended.
func told(f *client.Failure) bool {
	_, ok := fault.As(errors.Unwrap(f))
	return ok || errors.Is(f, context.Canceled) || errors.Is(f, context.DeadlineExceeded)
}

func notFound(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "%s has no such %s.", client.Provider, what)
}

// noID is notFound for what cannot be an id.
func noID(what string) error {
	return notFound(what).Because(errors.New("the id has not the form of one"))
}

// status is that of a refusal; 0 for everything else.
func status(err error) int {
	if f := (*client.Failure)(nil); errors.As(err, &f) {
		return f.Status
	}
	return 0
}
