package edge

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"docledger/domain/fault"

	"github.com/gin-gonic/gin"
)

// ParameterError is for GinServerOptions.ErrorHandler of the generated code:
// a parameter that could not be bound although it was valid.
func ParameterError(c *gin.Context, err error, _ int) {
	WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"A parameter of the request could not be read. See the operation at /docs.").WithCause(err))
}

// RequestError is for StrictGinServerOptions.RequestErrorHandlerFunc: a body
// that could not be bound.
func RequestError(c *gin.Context, err error) {
	if f := bodyFault(c, stateOf(c), err); f != nil {
		WriteError(c, f)
		return
	}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		path := strings.TrimPrefix(wrongType.Field, ".")
		WriteError(c, fault.InvalidField(path, "is not of the type it has in the specification").WithCause(err))
		return
	}
	WriteError(c, fault.New(fault.Invalid, fault.CodeInvalidRequest,
		"The body of the request could not be read. See the operation at /docs.").WithCause(err))
}

// HandlerError is for StrictGinServerOptions.HandlerErrorFunc: what a handler
// returned.
func HandlerError(c *gin.Context, err error) { WriteError(c, err) }

// ResponseError is for StrictGinServerOptions.ResponseErrorHandlerFunc: an
// answer that could not be sent. Whatever it wraps, it is never the caller's
// fault.
func ResponseError(c *gin.Context, err error) {
	if c.Request.Context().Err() == nil {
		err = fault.New(fault.Internal, fault.CodeInternal, internalMessage).WithCause(fmt.Errorf("send the answer: %w", err))
	}
	WriteError(c, err)
}

// RefuseNil is a strict middleware that makes a handler returning neither an
// answer nor an error an error; the generated code would send an empty 200.
// Instantiate it with the StrictHandlerFunc of the generated package.
func RefuseNil[H ~func(*gin.Context, any) (any, error)](next H, operationID string) H {
	return func(c *gin.Context, request any) (any, error) {
		response, err := next(c, request)
		if err == nil && isNil(response) {
			return nil, fmt.Errorf("%s returned no answer", operationID)
		}
		return response, err
	}
}

// Detach is a strict middleware that gives the handler a context of its own:
// gin takes its back for the next request when the answer is sent, while what
// was started with it, as database/sql's watch on a query, may still look at
// it. Instantiate it like [RefuseNil].
func Detach[H ~func(*gin.Context, any) (any, error)](next H, _ string) H {
	return func(c *gin.Context, request any) (any, error) { return next(c.Copy(), request) }
}

func isNil(response any) bool {
	if response == nil {
		return true
	}
	v := reflect.ValueOf(response)
	return v.Kind() == reflect.Pointer && v.IsNil()
}
