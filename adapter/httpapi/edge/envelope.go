package edge

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docledger/domain/fault"
	"docledger/gen/common"

	"github.com/gin-gonic/gin"
)

// statuses maps each kind of fault to its HTTP status: the six of interface 7,
// and 429 and 503 (decisions 1).
var statuses = map[fault.Kind]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Invalid:         http.StatusBadRequest,
	fault.Conflict:        http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
	fault.Upstream:        http.StatusInternalServerError,
}

const (
	internalMessage = "An internal error occurred. Retry the request. If it fails again, report the request id."
	// maxFieldPath limits a path, which can contain keys of the caller.
	maxFieldPath      = 200
	defaultRetryAfter = time.Second
)

// WriteError writes err in the error envelope and ends the request. A fault
// defines what the caller learns. Any other error is `internal` with a fixed
// text and is logged here once. If the response has started, WriteError closes
// the connection, so that no client treats a partial response as complete.
func WriteError(c *gin.Context, err error) {
	s := stateOf(c)
	f := faultOf(c, s, err)
	logFault(c, s, f, err)
	if c.Writer.Written() {
		panic(http.ErrAbortHandler)
	}
	status, known := statuses[f.Kind]
	if !known {
		status = http.StatusInternalServerError
	}
	header := c.Writer.Header()
	if status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer")
	}
	if wait := retryAfter(f, status); wait > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	header.Set("Cache-Control", "no-store")
	// The framework would add a charset, which successes do not have.
	header.Set("Content-Type", mediaJSON)
	c.AbortWithStatusJSON(status, envelope(c, s, f))
}

// ItemError returns the error of one item of a request for several records. id
// is the id of the record, for the page on which a person can perform the
// action. An error that is no fault is logged.
func ItemError(ctx context.Context, err error, id string) common.Error {
	c, ok := ctx.(*gin.Context)
	if !ok {
		return common.Error{Code: string(fault.CodeInternal), Message: internalMessage}
	}
	s := stateOf(c)
	f := faultOf(c, s, err)
	logFault(c, s, f, err)
	s.bodyIDs = map[string]string{"invoice_id": id}
	return envelope(c, s, f).Error
}

func retryAfter(f *fault.Error, status int) time.Duration {
	passing := status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable
	if f.RetryAfter <= 0 && passing {
		return defaultRetryAfter
	}
	return f.RetryAfter
}

func envelope(c *gin.Context, s *state, f *fault.Error) common.ErrorEnvelope {
	details := common.ErrorDetails{RequestId: s.id, AdditionalProperties: maps.Clone(f.Details)}
	if page := confirmURL(c, s, f); page != "" {
		details.ConfirmUrl = &page
	}
	if len(f.Fields) > 0 {
		listed := f.Fields[:min(len(f.Fields), fault.MaxFields)]
		fields := make([]common.FieldError, 0, len(listed))
		for _, field := range listed {
			fields = append(fields, common.FieldError{Field: shorten(field.Field), Reason: field.Reason})
		}
		details.Fields = &fields
		if more := len(f.Fields) > len(listed); more {
			details.More = &more
		}
	}
	message := f.Message
	if f.Kind == fault.Internal || message == "" {
		message = internalMessage
	}
	return common.ErrorEnvelope{Error: common.Error{Code: string(f.Code), Message: message, Details: details}}
}

func shorten(path string) string {
	if len(path) <= maxFieldPath {
		return path
	}
	return strings.ToValidUTF8(path[:maxFieldPath], "") + "…"
}

// faultOf returns the fault that an error means for the caller.
func faultOf(c *gin.Context, s *state, err error) *fault.Error {
	if f, ok := fault.As(err); ok {
		return f
	}
	if f := bodyFault(c, s, err); f != nil {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return fault.New(fault.Unavailable, fault.CodeUnavailable,
			"The request exceeded its time limit. Retry it later.").WithCause(err)
	}
	return fault.New(fault.Internal, fault.CodeInternal, internalMessage).WithCause(err)
}

// bodyFault recognizes errors of the request body.
func bodyFault(c *gin.Context, s *state, err error) *fault.Error {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return payloadTooLarge(tooLarge.Limit)
	}
	if errors.Is(err, ErrPartHeaders) {
		return fault.New(fault.Invalid, fault.CodePayloadTooLarge, "The headers of a form part exceed %d bytes. Shorten them.", partHeaderBytes).
			With("limit_bytes", partHeaderBytes)
	}
	if s.body == nil {
		return nil
	}
	if tooLarge := new(http.MaxBytesError); errors.As(s.body.err, &tooLarge) {
		return payloadTooLarge(tooLarge.Limit)
	}
	cutOff := s.body.err != nil ||
		s.body.eof && errors.Is(err, io.ErrUnexpectedEOF) && c.ContentType() == multipartForm
	if cutOff {
		return fault.New(fault.Invalid, fault.CodeInvalidRequest,
			"The body is incomplete. Send the request again.").WithCause(err)
	}
	return nil
}

func payloadTooLarge(limit int64) *fault.Error {
	return fault.New(fault.Invalid, fault.CodePayloadTooLarge,
		"The body exceeds the limit of %d bytes. Send less data, or send a file as multipart/form-data.", limit).
		With("limit_bytes", limit)
}

// logFault writes one log line about a failure. Refusals and disconnected
// clients appear only in the access log.
func logFault(c *gin.Context, s *state, f *fault.Error, err error) {
	if errors.Is(err, context.Canceled) && errors.Is(c.Request.Context().Err(), context.Canceled) {
		return
	}
	attributes := []any{"request_id", s.id, "operation", s.operationID(), "code", f.Code, "error", err}
	switch f.Kind {
	case fault.Internal:
		s.log.ErrorContext(c, "request failed", attributes...)
	case fault.Upstream, fault.Unavailable:
		s.log.WarnContext(c, "request not served", attributes...)
	}
}
