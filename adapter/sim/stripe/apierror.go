package stripe

import (
	"fmt"
	"net/http"
)

// apiError is an error response of the processor.
type apiError struct {
	status     int
	kind       string
	code       string
	decline    string
	message    string
	param      string
	intent     map[string]any // the payment intent of a card error
	validation bool           // detected before the operation: the idempotency key is not stored
}

const (
	invalidRequest   = "invalid_request_error"
	cardError        = "card_error"
	idempotencyError = "idempotency_error"
	apiErrorKind     = "api_error"
)

// invalid refuses invalid parameters.
func invalid(code, param, format string, args ...any) *apiError {
	return &apiError{
		status: http.StatusBadRequest, kind: invalidRequest, code: code, param: param,
		message: fmt.Sprintf(format, args...), validation: true,
	}
}

// refused refuses an operation that the current state does not permit.
func refused(code, param, format string, args ...any) *apiError {
	e := invalid(code, param, format, args...)
	e.validation = false
	return e
}

// noSuch reports that the object in the path does not exist.
func noSuch(what, id string) *apiError {
	e := refused("resource_missing", "id", "No such %s: '%s'", what, id)
	e.status = http.StatusNotFound
	return e
}

// noSuchParam reports that the object in a parameter does not exist.
func noSuchParam(what, param, id string) *apiError {
	return invalid("resource_missing", param, "No such %s: '%s'", what, id)
}

func declinedCard(code, decline, message string) *apiError {
	return &apiError{status: http.StatusPaymentRequired, kind: cardError, code: code, decline: decline, message: message}
}

func (e *apiError) body() map[string]any {
	inner := map[string]any{"type": e.kind, "message": e.message}
	for key, value := range map[string]string{"code": e.code, "decline_code": e.decline, "param": e.param} {
		if value != "" {
			inner[key] = value
		}
	}
	if e.code != "" {
		inner["doc_url"] = "https://stripe.com/docs/error-codes/" + e.code
	}
	if e.intent != nil {
		inner["payment_intent"] = e.intent
	}
	return map[string]any{"error": inner}
}

// errorOfStatus returns the body for a status that a fault requests.
func errorOfStatus(status int) *apiError {
	e := &apiError{status: status, kind: apiErrorKind, message: http.StatusText(status)}
	switch {
	case status == http.StatusTooManyRequests:
		e.kind, e.code = invalidRequest, "rate_limit"
	case status == http.StatusPaymentRequired:
		e.kind, e.code, e.decline = cardError, "card_declined", "generic_decline"
	case status < http.StatusInternalServerError:
		e.kind = invalidRequest
	}
	return e
}
