// Package fault contains the one error type that crosses docledger's layers.
//
// Any other error is an internal error: its text is logged and never shown to a caller.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the class of a fault. Adapters map kinds to their own statuses; the domain knows no
// transport.
type Kind uint8

// The kinds. Their order has no meaning.
const (
	Internal        Kind = iota // a defect in docledger; the text stays in the log
	Invalid                     // the request is malformed or a value is wrong
	Conflict                    // the request is not possible in the current state
	Unauthenticated             // no valid credential
	Forbidden                   // a valid credential without the permission
	NotFound                    // missing, or not visible to the caller
	TooMany                     // a rate limit; RetryAfter is the delay
	Unavailable                 // a temporary condition; RetryAfter is the delay
	Upstream                    // a third party failed
)

// Code is the machine-readable reason in `error.code`.
type Code string

// The codes of the error envelope (interface 7; the list is open).
const (
	CodeInvalidRequest       Code = "invalid_request"
	CodeInvalidCredentials   Code = "invalid_credentials"
	CodeUnauthorized         Code = "unauthorized"
	CodeOrganizationRequired Code = "organization_required"
	CodeForbidden            Code = "forbidden"
	CodePlanLimitReached     Code = "plan_limit_reached"
	CodeSubscriptionInactive Code = "subscription_inactive"
	CodeNotFound             Code = "not_found"
	CodeConflict             Code = "conflict"
	CodeVersionConflict      Code = "version_conflict"
	CodePayloadTooLarge      Code = "payload_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeUnreadableDocument   Code = "unreadable_document"
	CodeNotAnInvoice         Code = "not_an_invoice"
	CodeChecksFailed         Code = "checks_failed"
	CodeStillProcessing      Code = "still_processing"
	CodeInvalidSignature     Code = "invalid_signature"
	CodeProviderUnauthorized Code = "provider_unauthorized"
	CodeProviderUnavailable  Code = "provider_unavailable"
	CodeProviderSetup        Code = "provider_setup_incomplete"
	CodeProviderRefused      Code = "provider_refused"
	CodeCurrencyMixed        Code = "currency_mixed"
	CodeRateLimited          Code = "rate_limited"
	CodeInternal             Code = "internal"
	CodeUnavailable          Code = "unavailable"
)

// Codes lists every code. Tests compare the specifications and docs with it.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeInvalidCredentials, CodeUnauthorized, CodeOrganizationRequired,
		CodeForbidden, CodePlanLimitReached, CodeSubscriptionInactive, CodeNotFound, CodeConflict,
		CodeVersionConflict, CodePayloadTooLarge, CodeUnsupportedMediaType, CodeUnreadableDocument,
		CodeNotAnInvoice, CodeChecksFailed, CodeStillProcessing, CodeInvalidSignature, CodeProviderUnauthorized,
		CodeProviderUnavailable, CodeProviderSetup, CodeProviderRefused, CodeCurrencyMixed, CodeRateLimited, CodeInternal, CodeUnavailable,
	}
}

// MaxFields is the maximum number of wrong values in one fault. Validation may stop after one more.
const MaxFields = 20

// Field names one wrong value of a request: Field is its path in the notation
// of the API (`lines[0].net_amount`), Reason what is wrong with it.
type Field struct {
	Field  string
	Reason string
}

// Error is a fault that a caller may see. Message states what to do next.
type Error struct {
	Kind       Kind
	Code       Code
	Message    string
	Details    map[string]any
	Fields     []Field
	RetryAfter time.Duration // for TooMany and Unavailable; whole seconds reach the caller
	cause      error
}

// Error returns the message with its cause, for logs; the error envelope contains Message only.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

// Unwrap returns the cause, if any.
func (e *Error) Unwrap() error { return e.cause }

// WithCause returns a copy of e that wraps cause.
func (e *Error) WithCause(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// With returns a copy of e with one more entry in Details.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		c.Details[k] = v
	}
	c.Details[key] = value
	return &c
}

// Provider is a third party's response to a refused call. Its texts are cleaned and limited in
// length.
type Provider struct {
	Code      string
	Message   string
	RequestID string
}

// FromProvider returns a copy of e with the third party's response in Details.
func (e *Error) FromProvider(p Provider) *Error {
	if p == (Provider{}) {
		return e
	}
	return e.With("provider", map[string]string{"code": p.Code, "message": p.Message, "request_id": p.RequestID})
}

// Provider returns the third party's response in Details; the zero value if there is none.
func (e *Error) Provider() Provider {
	said, _ := e.Details["provider"].(map[string]string)
	return Provider{Code: said["code"], Message: said["message"], RequestID: said["request_id"]}
}

// New returns a fault of the given kind and code.
func New(kind Kind, code Code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidField returns the fault for one wrong value of a request.
func InvalidField(field, format string, args ...any) *Error {
	reason := fmt.Sprintf(format, args...)
	e := New(Invalid, CodeInvalidRequest, "%s: %s.", field, reason)
	if field == "" {
		e.Message = "The request " + reason + "."
	}
	e.Fields = []Field{{Field: field, Reason: reason}}
	return e
}

// InvalidFields returns the fault for several wrong values of a request.
func InvalidFields(fields []Field) *Error {
	if len(fields) == 1 {
		return InvalidField(fields[0].Field, "%s", fields[0].Reason)
	}
	e := New(Invalid, CodeInvalidRequest, "%d values of the request are not valid; see details.fields.", len(fields))
	if len(fields) > MaxFields {
		e.Message = fmt.Sprintf("More than %d values of the request are not valid; details.fields lists the first %[1]d.", MaxFields)
	}
	e.Fields = fields
	return e
}

// Fields collects the wrong values of a request, so that one response names all of them.
type Fields []Field

// Add adds a wrong value.
func (f *Fields) Add(field, format string, args ...any) {
	*f = append(*f, Field{Field: field, Reason: fmt.Sprintf(format, args...)})
}

// Take adds the wrong values that err names. It returns every other error.
func (f *Fields) Take(err error) error {
	if e, ok := As(err); ok && e.Code == CodeInvalidRequest && len(e.Fields) > 0 {
		*f = append(*f, e.Fields...)
		return nil
	}
	return err
}

// Err returns the fault for the collected values; nil if there are none.
func (f Fields) Err() error {
	if len(f) == 0 {
		return nil
	}
	return InvalidFields(f)
}

// Missing returns the fault for a resource that does not exist or is not visible to the caller.
// Both cases have the same message.
func Missing(what string) *Error {
	return New(NotFound, CodeNotFound, "There is no such %s, or you may not see it.", what)
}

// Denied returns the fault for an action that the caller's role does not allow.
func Denied(action string) *Error {
	return New(Forbidden, CodeForbidden, "Your role does not allow you to %s. Ask an administrator of your organization.", action)
}

// StaleVersion returns the fault for a record that has changed since the caller read it.
func StaleVersion(current int) *Error {
	return New(Conflict, CodeVersionConflict, "The record has changed since you read it. Read it again and repeat your change.").
		With("current_version", current)
}

// As returns the fault in err's chain, if there is one.
func As(err error) (*Error, bool) {
	var f *Error
	ok := errors.As(err, &f)
	return f, ok
}

// CodeOf returns the code of the fault in err's chain; CodeInternal for any
// other error and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if f, ok := As(err); ok {
		return f.Code
	}
	return CodeInternal
}
