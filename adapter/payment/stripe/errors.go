package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docledger/domain/billing"
	"docledger/domain/fault"

	"docledger/infrastructure/httpclient"
	sdk "github.com/stripe/stripe-go/v79"
)

const (
	retryUnreachable = 10 * time.Second
	retryBusy        = time.Second
	retryLongest     = time.Hour
)

// refusal is what the processor said, without its message, which may repeat
// what a person typed or part of a key.
type refusal struct {
	status    int
	kind      string
	code      string
	param     string
	requestID string
}

func (r refusal) Error() string {
	return fmt.Sprintf("status %d, type %q, code %q, param %q, request %q", r.status, r.kind, r.code, r.param, r.requestID)
}

func asRefusal(e *sdk.Error) refusal {
	return refusal{e.HTTPStatusCode, string(e.Type), string(e.Code), e.Param, e.RequestID}
}

// translate says in our words why a call failed; doing is the verb phrase for
// logs ("create customer"), what is what might be missing ("customer").
func translate(ctx context.Context, doing, what string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	var e *sdk.Error
	if !errors.As(err, &e) {
		return unavailable(retryUnreachable, fmt.Errorf("%s: %w", doing, stripURL(ctx, err)))
	}
	cause := fmt.Errorf("%s: %w", doing, asRefusal(e))
	switch status := e.HTTPStatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return fault.New(fault.Upstream, fault.CodeProviderUnauthorized,
			"The payment processor refuses this service's secret key. The operator must set a valid one.").WithCause(cause)
	case status == http.StatusConflict:
		return unavailable(retryAfter(e, retryBusy), cause)
	case status == http.StatusTooManyRequests:
		return unavailable(retryAfter(e, retryBusy), cause)
	case status >= http.StatusInternalServerError && replayed(e):
		return unavailable(retryAfter(e, retryUnreachable), fmt.Errorf("%w (%w)", cause, billing.ErrKeySpent))
	case status >= http.StatusInternalServerError:
		return unavailable(retryAfter(e, retryUnreachable), cause)
	case e.Type == sdk.ErrorTypeIdempotency:
		return fmt.Errorf("%w (%w)", cause, billing.ErrKeyReused)
	case status == http.StatusNotFound, e.Code == sdk.ErrorCodeResourceMissing:
		return missing(what).With("param", e.Param).WithCause(cause)
	}
	return cause
}

func unavailable(after time.Duration, cause error) *fault.Error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The payment processor does not answer as it should. Nothing needs to be changed; try again later.")
	f.RetryAfter = after
	return f.WithCause(cause)
}

func missing(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "The payment processor has no such %s.", what)
}

// malformed says that an answer lacks what every answer has. It may come from
// something in between, and whether the call had an effect is unknown.
func malformed(doing string) error {
	return unavailable(retryUnreachable, fmt.Errorf("%s: the answer is not the processor's", doing))
}

// stripURL removes what may hold data of a request or a response: the address
// with its query, and a body that is not JSON.
func stripURL(ctx context.Context, err error) error {
	if stripped := httpclient.StripURL(ctx, err); stripped != err || ctx.Err() != nil {
		return stripped
	}
	return errors.New("the response is not the processor's")
}

// replayed says that the answer is that of an earlier call with the same key.
func replayed(e *sdk.Error) bool {
	return e.LastResponse != nil && e.LastResponse.Header.Get("Idempotent-Replayed") == "true"
}

// retryAfter returns when to try again: as the processor says, or otherwise.
func retryAfter(e *sdk.Error, otherwise time.Duration) time.Duration {
	if e.LastResponse == nil {
		return otherwise
	}
	if after := httpclient.RetryAfter(e.LastResponse.Header); after > 0 {
		return min(after, retryLongest)
	}
	return otherwise
}
