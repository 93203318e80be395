package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
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

// refusal is an error of the processor without its message, which may contain user input or a part
// of a key.
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

// translate returns the fault for a failed call. doing is the verb phrase for logs ("create
// customer"); what is the noun of the object ("customer").
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
	case status == http.StatusBadRequest && e.Type == sdk.ErrorTypeInvalidRequest:
		return refusedRequest(e).FromProvider(answered(e)).WithCause(cause)
	}
	return cause
}

// refusedRequest returns the fault for a request that the processor refuses in its present state. The
// processor has no codes for these reasons, so its message decides.
func refusedRequest(e *sdk.Error) *fault.Error {
	message := strings.ToLower(e.Msg)
	for _, known := range []struct {
		says  string
		fault *fault.Error
	}{
		{"portal settings", fault.New(fault.Upstream, fault.CodeProviderSetup,
			"The customer portal of the payment processor is not set up. The operator must save its settings once in the processor's dashboard.")},
		{"default configuration has not been created", fault.New(fault.Upstream, fault.CodeProviderSetup,
			"The customer portal of the payment processor is not set up. The operator must save its settings once in the processor's dashboard.")},
		{"account or business name", fault.New(fault.Upstream, fault.CodeProviderSetup,
			"The account at the payment processor has no business name. The operator must set it in the processor's dashboard.")},
		{"combine currencies", fault.New(fault.Conflict, fault.CodeCurrencyMixed,
			"Your organization already pays in another currency. Choose a plan in that currency, or end the present subscription first.")},
	} {
		if strings.Contains(message, known.says) {
			return known.fault
		}
	}
	return fault.New(fault.Upstream, fault.CodeProviderRefused,
		"The payment processor refuses the request; details.provider has its message. The operator must correct the reason.")
}

// answered returns the processor's words, cleaned and limited in length.
func answered(e *sdk.Error) fault.Provider {
	f := &httpclient.Failure{Kind: string(e.Type)}
	f.AddCode(string(e.Code))
	f.AddMessage(e.Msg)
	f.SetRequestID(e.RequestID)
	return fault.Provider(f.Refusal())
}

func unavailable(after time.Duration, cause error) *fault.Error {
	f := fault.New(fault.Upstream, fault.CodeProviderUnavailable,
		"The payment processor does not respond correctly. Try again later; no change is needed.")
	f.RetryAfter = after
	return f.WithCause(cause)
}

func missing(what string) *fault.Error {
	return fault.New(fault.NotFound, fault.CodeNotFound, "The payment processor does not know this %s.", what)
}

// malformed returns the fault for a response that lacks a required field. A proxy may have written
// it, so the effect of the call is unknown.
func malformed(doing string) error {
	return unavailable(retryUnreachable, fmt.Errorf("%s: the response is not the processor's", doing))
}

// stripURL removes the address with its query and a body that is not JSON from an error, because
// both may contain data.
func stripURL(ctx context.Context, err error) error {
	if stripped := httpclient.StripURL(ctx, err); stripped != err || ctx.Err() != nil {
		return stripped
	}
	return errors.New("the response is not the processor's")
}

// replayed reports whether the response repeats that of an earlier call with the same key.
func replayed(e *sdk.Error) bool {
	return e.LastResponse != nil && e.LastResponse.Header.Get("Idempotent-Replayed") == "true"
}

// retryAfter returns the delay that the processor states, or otherwise.
func retryAfter(e *sdk.Error, otherwise time.Duration) time.Duration {
	if e.LastResponse == nil {
		return otherwise
	}
	if after := httpclient.RetryAfter(e.LastResponse.Header); after > 0 {
		return min(after, retryLongest)
	}
	return otherwise
}
